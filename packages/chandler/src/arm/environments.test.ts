import { describe, expect, test } from 'vitest';
import { armScope, parseEnvironmentFile, resolveEnvironment } from './environments.ts';

describe('the Azure cloud', () => {
  test('is the public one when nothing was said', () => {
    const result = resolveEnvironment({});
    expect(result).toMatchObject({ environment: { name: 'AzurePublicCloud', wellKnown: true } });
    if ('environment' in result)
      expect(armScope(result.environment)).toBe('https://management.azure.com/.default');
  });

  test.each([
    ['azurechinacloud', 'https://management.chinacloudapi.cn', 'https://login.chinacloudapi.cn'],
    ['AzureUSGovernment', 'https://management.usgovcloudapi.net', 'https://login.microsoftonline.us'],
    ['AzureUSGovernmentCloud', 'https://management.usgovcloudapi.net', 'https://login.microsoftonline.us'],
  ])('%s has its own endpoints', (armCloud, resourceManagerUrl, authorityHost) => {
    expect(resolveEnvironment({ armCloud })).toMatchObject({
      environment: { resourceManagerUrl, authorityHost, aksBilling: true },
    });
  });

  test('of an unknown name is refused with the names there are', () => {
    expect(resolveEnvironment({ armCloud: 'Mars' })).toMatchObject({
      problem: { where: 'ARM_CLOUD', message: expect.stringContaining('AzurePublicCloud') },
    });
  });

  test('comes from a file, and not from a file and a name', () => {
    const text = JSON.stringify({
      name: 'AzureStackCloud',
      resourceManagerEndpoint: 'https://arm.local/',
      activeDirectoryEndpoint: 'https://login.local/',
      tokenAudience: 'https://audience.local/',
      keyVaultDNSSuffix: 'vault.local',
    });
    const file = { path: '/etc/cloud.json', text };
    expect(resolveEnvironment({ file })).toEqual({
      environment: {
        name: 'AzureStackCloud',
        resourceManagerUrl: 'https://arm.local',
        authorityHost: 'https://login.local',
        tokenAudience: 'https://audience.local',
        keyVaultDnsSuffix: 'vault.local',
        storageSuffix: 'core.windows.net',
        wellKnown: false,
        aksBilling: false,
      },
    });
    expect(resolveEnvironment({ file, armCloud: 'AzurePublicCloud' })).toMatchObject({
      problem: { where: 'ARM_CLOUD' },
    });
  });

  test.each([
    ['not JSON', '{', '/f', 'is not JSON'],
    ['a list', '[]', '/f', 'wants a JSON object'],
    ['no endpoint', '{}', '/f: resourceManagerEndpoint', 'absolute https URL'],
    [
      'a plain http endpoint',
      '{"resourceManagerEndpoint":"http://arm"}',
      '/f: resourceManagerEndpoint',
      'absolute https URL',
    ],
    [
      'no authority',
      '{"resourceManagerEndpoint":"https://arm"}',
      '/f: activeDirectoryEndpoint',
      'absolute https URL',
    ],
  ])('in a file with %s is refused, and the field is named', (_, text, where, message) => {
    expect(parseEnvironmentFile(text, '/f')).toEqual({
      problem: { where, message: expect.stringContaining(message) },
    });
  });
});
