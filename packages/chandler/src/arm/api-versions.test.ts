import { describe, expect, test } from 'vitest';
import { apiVersionsOf, apiVersionsProblem, withApiVersion } from './api-versions.ts';

const GROUP = 'https://management.usgovcloudapi.net/subscriptions/s/resourceGroups/g/providers';
const versionOf = (url: string) => /api-version=([^&]*)/.exec(decodeURIComponent(url))?.[1];

describe('the api-version of a call', () => {
  test.each([
    [`${GROUP}/Microsoft.Compute/virtualMachines/a?api-version=2026-04-01`, '2025-04-01'],
    [
      `${GROUP}/Microsoft.Compute/virtualMachines/a/extensions/e?$expand=x&api%2Dversion=2026-04-01`,
      '2025-04-01',
    ],
    [`${GROUP}/Microsoft.Network/networkInterfaces/a?api-version=2026-01-01`, '2022-01-01'],
    [`${GROUP}/Microsoft.Network/virtualNetworks/v/subnets/s?api-version=2026-01-01`, '2022-01-01'],
    [`${GROUP}/Microsoft.Compute/diskEncryptionSets/d?api-version=2026-03-02`, '2025-01-02'],
  ])('in a sovereign cloud is pinned: %s', (url, version) => {
    expect(versionOf(withApiVersion(url, apiVersionsOf('AzureUSGovernmentCloud')))).toBe(version);
  });

  test('in the public cloud is that of the SDK', () => {
    const url = `${GROUP}/Microsoft.Compute/virtualMachines/a?api-version=2026-04-01`;
    expect(withApiVersion(url, apiVersionsOf('AzurePublicCloud'))).toBe(url);
  });

  test('can be set for a type in every cloud', () => {
    const own = { 'Microsoft.Compute/virtualMachines': '2024-07-01' };
    for (const cloud of ['AzurePublicCloud', 'AzureChinaCloud', 'Stack']) {
      const url = `${GROUP}/microsoft.compute/VirtualMachines/a?api-version=2026-04-01`;
      expect(versionOf(withApiVersion(url, apiVersionsOf(cloud, own)))).toBe('2024-07-01');
    }
  });

  test('that is not one, or for what is not a type, is refused', () => {
    expect(apiVersionsProblem({ 'Microsoft.Compute/virtualMachines': 'latest' })).toContain('latest');
    expect(apiVersionsProblem({ virtualMachines: '2025-04-01' })).toContain('virtualMachines');
    expect(apiVersionsProblem({ 'Microsoft.Network': '2025-01-01-preview' })).toBeUndefined();
  });
});
