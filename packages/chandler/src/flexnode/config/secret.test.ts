import { describe, expect, test } from 'vitest';
import { FlexError } from '../flex-error.ts';
import { CLIENT_ID, PRINCIPAL, reading, told } from './read.fixture.ts';

const SECRET = 'pl4nted~secret';

describe("the service principal's secret", () => {
  test('[004-checklist] [004-SEC-8] in a config file that others may read is refused', () => {
    const changes = { ...PRINCIPAL, 'azure.servicePrincipal.clientSecret': SECRET };
    for (const mode of [0o644, 0o640, 0o604, 0o620]) {
      expect(told(reading(changes, {}, mode))).toEqual([
        `azure.servicePrincipal.clientSecret: the file contains a secret, but other users have access to it (mode 0${mode.toString(8)}) → chmod 600 /etc/aks-flex-node/config.json`,
      ]);
    }
    expect(told(reading(changes, {}, 0o600))).toEqual(['accepted']);
    expect(told(reading(changes, {}, 0o400))).toEqual(['accepted']);
  });

  test('[004-SEC-8] so is a bootstrap token, though it is not used', () => {
    const changes = { 'azure.bootstrapToken.token': 'abcdef.0123456789abcdef' };
    expect(told(reading(changes, {}, 0o644))[0]).toContain(
      'azure.bootstrapToken: the file contains a secret',
    );
    expect(reading(changes, {}, 0o600).ok).toBe(true);
  });

  test('a file without a secret may be readable', () => {
    expect(told(reading({}, {}, 0o644))).toEqual(['accepted']);
  });

  test('[004-SEC-8] is read from a file of its own when it is needed', async () => {
    const changes = { ...PRINCIPAL, 'azure.servicePrincipal.clientSecretFile': '/root/secret' };
    const asked: string[] = [];
    const result = reading(changes, {
      readSecretFile: async (path) => {
        asked.push(path);
        return { text: `${SECRET}\n`, mode: 0o600 };
      },
    });
    expect(asked).toEqual([]);
    expect(result.ok && (await result.config.azure.servicePrincipal?.clientSecret.read())).toBe(SECRET);
    expect(asked).toEqual(['/root/secret']);
  });

  test.each([
    ['is not there', undefined, 'config.secret-missing'],
    ['is readable by others', { text: SECRET, mode: 0o644 }, 'config.secret-readable'],
    ['is empty', { text: '\n', mode: 0o600 }, 'config.secret-form'],
    ['holds more than a line', { text: 'a\nb\n', mode: 0o600 }, 'config.secret-form'],
  ])('a secret file that %s is an error of class config without the secret', async (_what, file, code) => {
    const changes = { ...PRINCIPAL, 'azure.servicePrincipal.clientSecretFile': '/root/secret' };
    const result = reading(changes, { readSecretFile: async () => file });
    const error = await Promise.resolve()
      .then(() => (result.ok ? result.config.azure.servicePrincipal!.clientSecret.read() : undefined))
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(FlexError);
    expect((error as FlexError).facts).toMatchObject({ class: 'config', code });
    expect(JSON.stringify((error as FlexError).facts)).not.toContain(SECRET);
  });

  test('a name without slashes is a credential of the systemd unit', async () => {
    const changes = { ...PRINCIPAL, 'azure.servicePrincipal.clientSecretFile': 'client-secret' };
    const readSecretFile = async (path: string) => ({ text: path, mode: 0o400 });
    const result = reading(changes, { env: { CREDENTIALS_DIRECTORY: '/run/credentials/x' }, readSecretFile });
    expect(result.ok && (await result.config.azure.servicePrincipal?.clientSecret.read())).toBe(
      '/run/credentials/x/client-secret',
    );
    expect(told(reading(changes))[0]).toContain('must be an absolute path');
  });

  test('comes from the environment when the file names none', async () => {
    const result = reading(PRINCIPAL, { env: { AZURE_CLIENT_SECRET: SECRET } });
    expect(result.ok && result.config.azure.servicePrincipal?.clientSecret.from).toBe('env');
    expect(result.ok && (await result.config.azure.servicePrincipal?.clientSecret.read())).toBe(SECRET);
  });

  test('is required when no source has it', () => {
    expect(told(reading(PRINCIPAL))).toEqual([
      'azure.servicePrincipal.clientSecret is required → or set clientSecretFile or the environment variable AZURE_CLIENT_SECRET; remove azure.servicePrincipal to use the Azure CLI',
    ]);
  });

  test('in two places is refused', () => {
    const changes = {
      ...PRINCIPAL,
      'azure.servicePrincipal.clientSecret': SECRET,
      'azure.servicePrincipal.clientSecretFile': '/root/secret',
    };
    expect(told(reading(changes, {}, 0o600))).toEqual([
      'azure.servicePrincipal has both clientSecret and clientSecretFile → remove one of them',
    ]);
  });

  test('the sample without tenantId is rejected: the operator never signs in to another tenant silently', () => {
    const changes = {
      'azure.servicePrincipal': { clientId: CLIENT_ID, clientSecret: SECRET },
    };
    expect(told(reading(changes, {}, 0o600))).toEqual([
      expect.stringMatching(/^azure\.servicePrincipal\.tenantId is required → add "tenantId": "9999/),
    ]);
  });

  test('an empty service principal is not Azure CLI', () => {
    expect(told(reading({ 'azure.servicePrincipal': {} }))).toHaveLength(3);
  });

  test('where somebody wrote it as the client id, it is not shown', () => {
    const changes = {
      ...PRINCIPAL,
      'azure.servicePrincipal.clientId': SECRET,
      'azure.servicePrincipal.clientSecret': CLIENT_ID,
    };
    const result = reading(changes, {}, 0o600);
    expect(told(result)[0]).toContain('invalid azure.servicePrincipal.clientId: must be a GUID');
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });

  test('[004-SEC-16] does not show when the whole configuration is printed', () => {
    const result = reading({ ...PRINCIPAL, 'azure.servicePrincipal.clientSecret': SECRET }, {}, 0o600);
    expect(result.ok).toBe(true);
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });
});
