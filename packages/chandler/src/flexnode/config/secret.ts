/**
 * The secret of the service principal: its source, and whether the source is protected. The secret is read when it is
 * needed and is never stored.
 */
import { FlexError } from '../flex-error.ts';
import type { ServicePrincipal } from './config.ts';
import type { ConfigProblem, ConfigSource, Surroundings } from './config-result.ts';
import type { Draft } from './draft.ts';
import type { Found } from './walk.ts';

export const SECRET_VARIABLE = 'AZURE_CLIENT_SECRET';

/** A file that holds a secret is for its owner alone. */
export function modeProblem(source: ConfigSource, secret: Found | undefined): ConfigProblem | undefined {
  if (secret === undefined || source.mode === undefined || (source.mode & 0o077) === 0) return undefined;
  return {
    path: secret.path,
    line: secret.line,
    message: `${secret.path}: the file contains a secret, but other users have access to it (mode ${octal(source.mode)})`,
    suggestion: `chmod 600 ${source.path}`,
  };
}

export function secretProblem(draft: Draft, surroundings: Surroundings): ConfigProblem | undefined {
  if (!draft.hasObject(PRINCIPAL)) return undefined;
  if (draft.given(IN_CONFIG) && draft.given(IN_FILE))
    return draft.problem(
      IN_FILE,
      `${PRINCIPAL} has both clientSecret and clientSecretFile`,
      'remove one of them',
    );
  if (draft.given(IN_CONFIG)) return undefined;
  const file = draft.text(IN_FILE);
  if (file !== undefined) {
    return secretPath(file, surroundings) === undefined
      ? draft.problem(
          IN_FILE,
          `invalid ${IN_FILE}: must be an absolute path or the name of a credential of the systemd unit (LoadCredential=)`,
        )
      : undefined;
  }
  if ((surroundings.env[SECRET_VARIABLE] ?? '') !== '') return undefined;
  return draft.problem(
    IN_CONFIG,
    `${IN_CONFIG} is required`,
    `or set clientSecretFile or the environment variable ${SECRET_VARIABLE}; remove ${PRINCIPAL} to use the Azure CLI`,
  );
}

export function servicePrincipalOf(draft: Draft, surroundings: Surroundings): ServicePrincipal | undefined {
  if (!draft.hasObject(PRINCIPAL)) return undefined;
  return {
    tenantId: draft.sure(`${PRINCIPAL}.tenantId`),
    clientId: draft.sure(`${PRINCIPAL}.clientId`),
    clientSecret: sourceOf(draft, surroundings),
  };
}

// ---------------------------------------------------------------------------------------------------

const PRINCIPAL = 'azure.servicePrincipal';
const IN_CONFIG = `${PRINCIPAL}.clientSecret`;
const IN_FILE = `${PRINCIPAL}.clientSecretFile`;

function sourceOf(draft: Draft, surroundings: Surroundings): ServicePrincipal['clientSecret'] {
  const inConfig = draft.text(IN_CONFIG);
  if (inConfig !== undefined) return hidden('config', async () => inConfig);
  const file = draft.text(IN_FILE);
  if (file !== undefined)
    return hidden('file', () => readFromFile(secretPath(file, surroundings) ?? file, surroundings));
  const variable = surroundings.env[SECRET_VARIABLE] ?? '';
  return hidden('env', async () => variable);
}

/** A printed config (in a log or in the inputs of a step) shows the source of the secret, not the secret. */
function hidden(
  from: 'config' | 'file' | 'env',
  read: () => Promise<string>,
): ServicePrincipal['clientSecret'] {
  return Object.defineProperty({ from }, 'read', { value: read, enumerable: false }) as {
    from: typeof from;
    read: typeof read;
  };
}

async function readFromFile(path: string, surroundings: Surroundings): Promise<string> {
  const file = await surroundings.readSecretFile(path);
  if (file === undefined)
    throw new FlexError({
      class: 'config',
      code: 'config.secret-missing',
      message: `the file ${path} of ${IN_FILE} does not exist`,
      where: IN_FILE,
    });
  if ((file.mode & 0o077) !== 0)
    throw new FlexError({
      class: 'config',
      code: 'config.secret-readable',
      message: `${path} contains a secret, but other users have access to it (mode ${octal(file.mode)})`,
      remedy: `chmod 600 ${path}`,
      where: IN_FILE,
    });
  // The line end that every editor adds.
  const secret = file.text.replace(/\r?\n$/, '');
  if (secret === '' || secret.includes('\n'))
    throw new FlexError({
      class: 'config',
      code: 'config.secret-form',
      message: `${path} must contain the secret in a single line`,
      where: IN_FILE,
    });
  return secret;
}

function secretPath(name: string, { env }: Surroundings): string | undefined {
  if (name.startsWith('/')) return name;
  const directory = env['CREDENTIALS_DIRECTORY'];
  return directory === undefined || directory === '' || name.includes('/') || name.startsWith('.')
    ? undefined
    : `${directory}/${name}`;
}

function octal(mode: number): string {
  return `0${(mode & 0o777).toString(8)}`;
}
