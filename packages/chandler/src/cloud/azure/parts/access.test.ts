import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import type { Environment } from '../../../settings/index.ts';
import { GOOD_ENV, resolveAzure } from '../options/options.fixture.ts';

import { azureAccess } from './access.ts';

function access(env: Environment, readFile: (path: string) => string = () => '{}') {
  const { values, problems } = resolveAzure({ env: { ...GOOD_ENV, ...env } });
  expect(problems).toEqual([]);
  const world = virtualWorld();
  return azureAccess({ world, values, fetch: world.fetch, readFile, version: '1' });
}

describe('access to Azure', () => {
  test('is the public cloud unless another is named', () => {
    expect(access({}).environment.name).toBe('AzurePublicCloud');
    expect(access({ ARM_CLOUD: 'azureusgovernmentcloud' }).environment.name).toBe('AzureUSGovernmentCloud');
  });

  test('an authority of its own is taken, with or without a slash', () => {
    const { environment } = access({ AZURE_AUTHORITY_HOST: 'https://login.example.com/' });
    expect(environment).toMatchObject({ authorityHost: 'https://login.example.com', wellKnown: false });
    const usual = access({ AZURE_AUTHORITY_HOST: 'https://login.microsoftonline.com/' });
    expect(usual.environment.wellKnown).toBe(true);
  });

  const file = (name: string) => () =>
    JSON.stringify({
      name,
      resourceManagerEndpoint: 'https://arm.own/',
      activeDirectoryEndpoint: 'https://login.own/',
    });

  test('a cloud can come from a file', () => {
    const { environment } = access({ AZURE_ENVIRONMENT_FILEPATH: '/own.json' }, file('AzureChinaCloud'));
    expect(environment).toMatchObject({ name: 'AzureChinaCloud', resourceManagerUrl: 'https://arm.own' });
  });

  test('a file about a cloud whose mirror and registry are not known is refused, where nodes need them', () => {
    const env = { AZURE_ENVIRONMENT_FILEPATH: '/own.json' };
    expect(() => access(env, file('Own'))).toThrow(
      expect.objectContaining({
        code: 'BadOption',
        message: expect.stringMatching(/^\/own\.json: name: .*"Own".*AzureChinaCloud.*bootstrappingclient/),
      }),
    );
    const server = { PROVISION_MODE: 'bootstrappingclient', NODEBOOTSTRAPPING_SERVER_URL: 'https://nps.own' };
    expect(access({ ...env, ...server }, file('Own')).environment.name).toBe('Own');
  });

  test.each([
    [{ AZURE_ENVIRONMENT_FILEPATH: '/own.json' }, /own\.json: resourceManagerEndpoint/],
    [
      { AZURE_CLIENT_SECRET: 's', AZURE_CLIENT_ID: 'c' },
      /azure-client-secret is set, but azure-tenant-id is not/,
    ],
    [
      { AZURE_CLIENT_SECRET: 's', AZURE_TENANT_ID: 't' },
      /azure-client-secret is set, but azure-client-id is not/,
    ],
  ])('%o is refused by name', (env, message) => {
    expect(() => access(env)).toThrow(message);
    expect(() => access(env)).toThrow(expect.objectContaining({ code: 'BadOption' }));
  });

  test('a file that cannot be read is named with its option', () => {
    const missing = () => {
      throw new Error('ENOENT');
    };
    expect(() => access({ AZURE_ENVIRONMENT_FILEPATH: '/own.json' }, missing)).toThrow(
      'azure-environment-filepath: /own.json cannot be read: ENOENT',
    );
  });
});
