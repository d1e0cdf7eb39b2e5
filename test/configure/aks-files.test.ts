/** The files that `chandler configure aks --write` writes. `npx vitest run test/configure -u` writes the golden ones. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  type AksCluster,
  type AksSetupOptions,
  aksFiles,
  aksSetup,
} from '../../packages/chandler/src/configure/aks/index.ts';
import { isWritten } from '../../packages/chandler/src/configure/index.ts';
import { runScript } from './script.fixture.ts';

const SUBSCRIPTION = '5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34';
const GROUP = `/subscriptions/${SUBSCRIPTION}/resourceGroups`;
const CLUSTER: AksCluster = {
  id: `${GROUP}/shop/providers/Microsoft.ContainerService/managedClusters/shop`,
  name: 'shop',
  subscriptionId: SUBSCRIPTION,
  resourceGroup: 'shop',
  location: 'westeurope',
  issuer: 'https://westeurope.oic.prod-aks.azure.com/2d4e/9f31/',
  endpoint: 'https://shop-1a2b3c.hcp.westeurope.azmk8s.io:443',
  nodeResourceGroup: 'MC_shop',
  nodeResourceGroupId: `${GROUP}/MC_shop`,
  subnetId: `${GROUP}/net/providers/Microsoft.Network/virtualNetworks/hub/subnets/nodes`,
  vnetGuid: '7b0f2f2b-4a55-4c41-8a3e-0d8f7d5c9b11',
  kubeletIdentity: {
    id: `${GROUP}/MC_shop/providers/Microsoft.ManagedIdentity/userAssignedIdentities/shop-agentpool`,
    clientId: 'a8c5f3ce-52a0-4a1c-8f4e-3c1c3b6a7d55',
  },
  diskEncryptionSetId: `${GROUP}/keys/providers/Microsoft.Compute/diskEncryptionSets/disks`,
  sshPublicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMsJ0XKF shop',
  notes: [],
};
const OPTIONS: AksSetupOptions = {
  namespace: 'kube-system',
  serviceAccount: 'chandler',
  roles: 'least-privilege',
  azureCloud: 'AzurePublicCloud',
};
const FACTS = { clientId: '0b6c4f52-9d2c-4a64-8f57-1f2e3d4c5b6a', principalId: 'p', tenantId: 't' };
const files = (options: Partial<AksSetupOptions> = {}, facts: Readonly<Record<string, string>> = FACTS) =>
  aksFiles(aksSetup(CLUSTER, { ...OPTIONS, ...options }), facts);

test.each([...files().keys()])('%s is as recorded', async (name) => {
  await expect(files().get(name)).toMatchFileSnapshot(join(import.meta.dirname, 'golden/aks', name));
});

test('with built-in roles, files define no role', () => {
  const built = files({ roles: 'built-in' });
  expect(built.get('main.tf')).toContain('role_definition_name             = "Virtual Machine Contributor"');
  for (const [name, text] of built)
    expect({ name, text }).not.toMatchObject({
      text: expect.stringMatching(/custom.?role|azurerm_role_definition"/i),
    });
});

test('without an identity, values are valid and say how to get its client ID', () => {
  const values = files({}, {}).get('values.yaml')!;
  expect(parse(values)).toMatchObject({ serviceAccount: { name: 'chandler' } });
  expect(values).toContain('az identity show -g shop -n chandler-shop --query clientId -o tsv');
});

test('in other clouds of Azure, values name the cloud, and tokens have the same audience', () => {
  const china = files({ azureCloud: 'AzureChinaCloud' });
  expect(parse(china.get('values.yaml')!)).toMatchObject({ settings: { armCloud: 'AzureChinaCloud' } });
  expect(china.get('main.tf')).toContain('["api://AzureADTokenExchange"]');
});

test('every file says in its first lines that configure wrote it', () => {
  expect([...files()].filter(([, text]) => !isWritten(text)).map(([name]) => name)).toEqual([]);
});

describe('configure.sh', () => {
  test('goes on once Azure knows the new role', () => {
    const { status, calls } = runAz({ refusals: 3, hasRoles: false });
    expect(status).toBe(0);
    expect(calls.filter((call) => call === 'role assignment create')).toHaveLength(5 + 3);
    expect(calls.filter((call) => call.startsWith('role definition'))).toEqual([
      'role definition list',
      'role definition create',
      'role definition list',
      'role definition create',
    ]);
  });

  test('updates a custom role that exists', () => {
    const { status, calls } = runAz({ refusals: 0, hasRoles: true });
    expect(status).toBe(0);
    expect(calls.filter((call) => call === 'role definition update')).toHaveLength(2);
    expect(calls).not.toContain('role definition create');
  });

  test('fails if an assignment is refused for minutes', () => {
    const { status, calls } = runAz({ refusals: 100, hasRoles: true });
    expect(status).not.toBe(0);
    expect(calls.filter((call) => call === 'role assignment create')).toHaveLength(12);
  });
});

// ---------------------------------------------------------------------------------------------------------------

function runAz({ refusals, hasRoles }: { refusals: number; hasRoles: boolean }) {
  return runScript(files().get('configure.sh')!, {
    tool: 'az',
    cases: [
      `"role definition list") ${hasRoles ? 'echo some-role' : ':'} ;;`,
      `"role assignment create") [ "$(grep -c "role assignment" "$FOLDER/calls")" -gt ${refusals} ] ;;`,
    ],
  });
}
