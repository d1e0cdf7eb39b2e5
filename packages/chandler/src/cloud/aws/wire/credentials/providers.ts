/**
 * Where credentials come from, one function per source. The providers of the SDK read the environment of the process and use sockets and
 * timers of their own, so that only the one for profiles is theirs; the others speak the same protocols over our fetch, and web
 * identities go through the SDK's client of STS.
 */
import type { Fetch, World } from '@chandler/kube';
import { AwsError, BAD_ANSWER, NO_ANSWER, NO_CREDENTIALS } from '../../errors/index.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import type { AwsCredentials } from '../credential-source.ts';
import type { InstanceMetadata } from '../instance-metadata.ts';
import { requestHandler } from '../request-handler.ts';
import { newSdkClient, type SdkModule } from '../sdk-client.ts';
import type { CredentialSettings } from './credential-settings.ts';

export interface FetchedCredentials extends AwsCredentials {
  /** Since the epoch; undefined: they do not expire. */
  readonly expiresAtMs: number | undefined;
}

export interface ProviderOptions {
  readonly world: World;
  readonly fetch: Fetch;
  readonly settings: CredentialSettings;
  readonly readFile: (path: string) => string;
  readonly metadata: InstanceMetadata;
  readonly region: () => Promise<string>;
  /** Of STS. Default: the public one of the region. */
  readonly stsEndpoint?: string | undefined;
  readonly useFips?: boolean | undefined;
  readonly useDualstack?: boolean | undefined;
  readonly version: string;
  /** What to do where none of the sources has credentials. Default: for the service account of the controller. */
  readonly advice?: string;
}

export type CredentialProvider = (
  options: ProviderOptions,
  signal: AbortSignal,
) => Promise<FetchedCredentials>;

/** Of one step; a source has three at most. */
export const STEP_TIMEOUT_MS = 5_000;

export const fromVariables: CredentialProvider = async ({ settings }) => {
  const { accessKeyId, secretAccessKey, sessionToken } = settings;
  if (accessKeyId === '' || secretAccessKey === '') {
    const [set, missing] =
      accessKeyId === ''
        ? ['AWS_SECRET_ACCESS_KEY', 'AWS_ACCESS_KEY_ID']
        : ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
    throw noCredentials(`${set} is set, but ${missing} is not; set both or neither`);
  }
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === '' ? {} : { sessionToken }),
    expiresAtMs: undefined,
  };
};

/** Profiles may name roles, processes and sign-in sessions, which is why this one is the SDK's. */
export const fromProfile: CredentialProvider = async ({ world, settings }, signal) => {
  const { profile, credentialsFile, configFile } = settings;
  const { fromIni } = await import('../lazy/credential-provider-ini.ts');
  const read = fromIni({
    ...(profile === '' ? {} : { profile }),
    ...(credentialsFile === '' ? {} : { filepath: credentialsFile }),
    ...(configFile === '' ? {} : { configFilepath: configFile }),
    // A file that was rotated is read again.
    ignoreCache: true,
  });
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = await bounded(world, signal, read());
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    expiresAtMs: Math.min(expiration?.getTime() ?? Infinity, world.clock.now() + PROFILE_TTL_MS),
  };
};

export const fromWebIdentity: CredentialProvider = async (options, signal) => {
  const { world, fetch, settings, readFile, version } = options;
  const { webIdentityTokenFile: file, roleArn, roleSessionName } = settings;
  if (file === '' || roleArn === '') {
    const [set, missing] =
      file === ''
        ? ['AWS_ROLE_ARN', 'AWS_WEB_IDENTITY_TOKEN_FILE']
        : ['AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ROLE_ARN'];
    throw noCredentials(
      `${set} is set, but ${missing} is not; both are set in pods whose service account has the annotation eks.amazonaws.com/role-arn`,
    );
  }
  const token = readSecretFile(readFile, file, 'AWS_WEB_IDENTITY_TOKEN_FILE');
  const module = (await import('../lazy/sts.ts')) as unknown as SdkModule;
  const client = newSdkClient(module, {
    world,
    region: await options.region(),
    endpoint: options.stsEndpoint,
    handler: requestHandler({ world, fetch, service: 'sts', timeoutMs: STEP_TIMEOUT_MS }),
    credentials: { get: () => Promise.reject(noCredentials('this call is not signed')) },
    version,
    useFips: options.useFips,
    useDualstack: options.useDualstack,
  });
  const action = 'AssumeRoleWithWebIdentity';
  const command = module[`${action}Command`] as new (input: object) => object;
  const session =
    roleSessionName === '' ? `chandler-${Math.floor(world.clock.now() / 1000)}` : roleSessionName;
  const answer = await client.send(
    new command({ RoleArn: roleArn, RoleSessionName: session, WebIdentityToken: token }),
    { abortSignal: signal, action, emptyAnswer: false },
  );
  const given = answer['Credentials'] as Readonly<Record<string, unknown>> | undefined;
  return parsed(`sts:${action}`, { ...given, Token: given?.['SessionToken'] });
};

/** The agent of EKS Pod Identity, or of ECS. */
export const fromContainer: CredentialProvider = async ({ world, fetch, settings, readFile }, signal) => {
  const { containerUri: uri, containerTokenFile: file } = settings;
  const problem = containerUriProblem(uri);
  if (problem !== undefined) throw noCredentials(`AWS_CONTAINER_CREDENTIALS_FULL_URI: ${problem}`);
  const authorization =
    file === '' ? undefined : readSecretFile(readFile, file, 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE');
  const name = 'the credentials of the container';
  const answer = await boundedFetch(
    { world, fetch, timeoutMs: STEP_TIMEOUT_MS, name },
    uri,
    {
      method: 'GET',
      headers: { accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) },
    },
    signal,
  );
  if (answer.status !== 200) {
    // The agent says what it does not like, such as a missing association; the body has no credentials then.
    const message = `${name}: ${new URL(uri).host} answered ${answer.status}: ${answer.text.slice(0, 200)}`;
    throw new AwsError({ code: NO_CREDENTIALS, message, status: answer.status });
  }
  return parsed(name, json(name, answer.text));
};

/** The role of the instance. */
export const fromMetadata: CredentialProvider = async ({ metadata }, signal) => {
  const folder = 'iam/security-credentials';
  const role = (await metadata.get(`${folder}/`, signal)).split('\n')[0]!;
  const name = 'the credentials of the instance';
  return parsed(name, json(name, await metadata.get(`${folder}/${role}`, signal)));
};

export function noCredentials(message: string): AwsError {
  return new AwsError({ code: NO_CREDENTIALS, message });
}

// ---------------------------------------------------------------------------------------------------------------

/** Files of profiles are read again after this time, since nothing tells that they changed. */
const PROFILE_TTL_MS = 3_600_000;

/** Sign-in over a browser takes longer than a request, and is not for controllers. */
const PROFILE_TIMEOUT_MS = 15_000;

function bounded<T>(world: Pick<World, 'clock'>, signal: AbortSignal, read: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const timer = world.clock.after(PROFILE_TIMEOUT_MS, () =>
      reject(
        new AwsError({ code: NO_ANSWER, message: `no credentials within ${PROFILE_TIMEOUT_MS / 1000} s` }),
      ),
    );
    signal.addEventListener('abort', onAbort);
    read.then(resolve, reject).finally(() => {
      timer.cancel();
      signal.removeEventListener('abort', onAbort);
    });
  });
}

function readSecretFile(readFile: (path: string) => string, path: string, variable: string): string {
  let text: string;
  try {
    text = readFile(path).trim();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw noCredentials(`${variable}: ${path} cannot be read: ${why}`);
  }
  if (text === '' || /[\r\n]/.test(text))
    throw noCredentials(`${variable}: ${path} does not hold a token of one line`);
  return text;
}

/** The request carries a token, so that it is sent only to who runs on this machine, or over TLS. */
function containerUriProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'it is not a URL';
  const { protocol, hostname } = new URL(text);
  const isLocal = hostname === 'localhost' || /^127(\.\d+){3}$/.test(hostname) || LOCAL_HOSTS.has(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && isLocal)) return undefined;
  return 'it must be https, or an address of this machine';
}

const LOCAL_HOSTS: ReadonlySet<string> = new Set([
  '[::1]',
  // Agents of ECS and of EKS.
  '169.254.170.2',
  '169.254.170.23',
  '[fd00:ec2::23]',
]);

/** The text is never part of the error: it may be half of a secret. */
function json(name: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // The same as for a value of the wrong type.
  }
  throw new AwsError({ code: BAD_ANSWER, message: `${name}: the answer is not JSON` });
}

function parsed(name: string, given: Readonly<Record<string, unknown>>): FetchedCredentials {
  const { AccessKeyId, SecretAccessKey, Token, Expiration, Code, Message } = given;
  const expiresAtMs = Expiration instanceof Date ? Expiration.getTime() : Date.parse(String(Expiration));
  if (Code !== undefined && Code !== 'Success')
    throw noCredentials(`${name}: ${String(Code)}: ${String(Message ?? '').slice(0, 200)}`);
  if (!isText(AccessKeyId) || !isText(SecretAccessKey) || !isText(Token) || Number.isNaN(expiresAtMs))
    throw new AwsError({
      code: BAD_ANSWER,
      message: `${name}: the answer has no key, no token or no expiration`,
    });
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token, expiresAtMs };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
