/** What a live subscription of Azure adds to checks: answers are evidence, and what may not be read is neither right nor wrong. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ArmError } from '../../packages/chandler/src/arm/index.ts';
import {
  armActionsText,
  CHECKS,
  type Finding,
  judge,
  readSubscription,
  withSubscription,
} from '../../packages/chandler/src/readiness/index.ts';
import { inputsOf } from '../../packages/chandler/src/readiness/testing.ts';
import { check } from '../readiness-report/verb.ts';
import {
  anAksNodeClass,
  CLIENT,
  IDENTITY,
  ISSUER,
  NODE_GROUP,
  PRINCIPAL,
  SUBNET,
  SUBSCRIPTION,
  values,
} from './examples/aks.ts';

const ROOT = 'https://management.azure.test';
const GROUP = `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop`;
const CLUSTER = `${GROUP}/providers/Microsoft.ContainerService/managedClusters/shop`;
const SET = `${GROUP}/providers/Microsoft.Compute/diskEncryptionSets/shop`;
const VAULT = `${GROUP}/providers/Microsoft.KeyVault/vaults/shop-keys`;
const OF_SET = '4c0a9d8e-2b6f-4713-a5d1-e90f3b7c8a62';
const role = (guid: string, scope: string) => ({
  name: guid,
  properties: { scope, roleDefinitionId: `/providers/Microsoft.Authorization/roleDefinitions/${guid}` },
});

/** By the end of the path; the answer to the query too, where one is asked. */
function answers(): Record<string, unknown> {
  return {
    [CLUSTER]: {
      id: CLUSTER,
      name: 'shop',
      location: 'westeurope',
      properties: {
        nodeResourceGroup: 'shop-nodes',
        fqdn: 'shop-a1b2c3d4.hcp.westeurope.azmk8s.io',
        oidcIssuerProfile: { enabled: true, issuerURL: ISSUER },
        securityProfile: { workloadIdentity: { enabled: true } },
        networkProfile: { networkPlugin: 'azure', networkPluginMode: 'overlay', networkDataplane: 'cilium' },
        diskEncryptionSetID: SET,
        agentPoolProfiles: [{ name: 'system', vnetSubnetID: SUBNET }],
      },
    },
    [SUBNET.replace(/\/subnets.*/, '')]: {
      name: 'shop',
      properties: {
        subnets: [
          { id: SUBNET, name: 'nodes', properties: { addressPrefix: '10.0.0.0/22', delegations: [] } },
        ],
      },
    },
    '/userAssignedIdentities': {
      value: [
        { id: IDENTITY, name: 'shop-k', properties: { clientId: CLIENT, principalId: PRINCIPAL } },
        { id: `${IDENTITY}2`, name: 'other', properties: { clientId: OF_SET, principalId: OF_SET } },
      ],
    },
    '/federatedIdentityCredentials': {
      value: [
        {
          name: 'karpenter',
          properties: {
            issuer: ISSUER,
            subject: 'system:serviceaccount:karpenter:karpenter',
            audiences: ['api://AzureADTokenExchange'],
          },
        },
      ],
    },
    [PRINCIPAL]: {
      value: [
        role('9980e02c-c2be-4d73-94e8-173b1dc7cf3c', NODE_GROUP),
        role('4d97b98b-1d4f-4787-a291-c67834d212e7', SUBNET),
        role('acdd72a7-3385-48ef-bd42-f606fba81ae7', SET),
      ],
    },
    [OF_SET]: { value: [role('e147488a-f6f5-4113-8e2d-b22465e65bf6', VAULT)] },
    [SET]: {
      id: SET,
      name: 'shop',
      location: 'westeurope',
      identity: { type: 'SystemAssigned', principalId: OF_SET },
      properties: {
        rotationToLatestKeyVersionEnabled: true,
        activeKey: {
          keyUrl: 'https://shop-keys.vault.azure.net/keys/disks/0a1b2c3d4e5f',
          sourceVault: { id: VAULT },
        },
      },
    },
    [VAULT]: {
      id: VAULT,
      name: 'shop-keys',
      location: 'westeurope',
      properties: { enablePurgeProtection: true, enableRbacAuthorization: true },
    },
    '/keys/disks': {
      name: 'disks',
      properties: { kty: 'RSA', keyOps: ['wrapKey', 'unwrapKey'], attributes: { enabled: true } },
    },
    '/usages': { value: [{ name: { value: 'standardDSv5Family' }, limit: 100, currentValue: 98 }] },
    '/skus': { value: [{ name: 'Standard_D4s_v5', resourceType: 'virtualMachines', restrictions: [] }] },
  };
}

const FILES = {
  'values.yaml': `serviceAccount:\n  annotations:\n    azure.workload.identity/client-id: ${CLIENT}\npodLabels:\n  azure.workload.identity/use: "true"\n${values(
    { CLUSTER_NAME: 'shop', VNET_SUBNET_ID: SUBNET, NODE_OSDISK_DISKENCRYPTIONSET_ID: SET },
  )}`,
  'class.yaml': anAksNodeClass('  imageFamily: Ubuntu'),
  'pool.yaml': `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: a}
spec:
  template:
    spec:
      requirements: [{key: karpenter.azure.com/sku-name, operator: In, values: [Standard_D4s_v5]}]
`,
};

async function live(changed: Record<string, unknown> = {}, files: Readonly<Record<string, string>> = FILES) {
  const known = Object.entries({ ...answers(), ...changed })
    .filter(([, answer]) => answer !== undefined)
    .sort(([a], [b]) => b.length - a.length);
  const inputs = inputsOf(files);
  const getJson = async (url: string) => {
    const { pathname, search } = new URL(url);
    const query = decodeURIComponent(search);
    const found = known.find(([end]) => pathname.endsWith(end) || query.includes(`assignedTo('${end}')`));
    if (found === undefined)
      throw new ArmError({ status: 404, code: 'ResourceNotFound', message: 'not found' });
    if (found[1] instanceof Error) throw found[1];
    return found[1];
  };
  const subscription = await readSubscription(inputs, CLUSTER, { resourceManagerUrl: ROOT, getJson });
  const report = judge(withSubscription(inputs, subscription), CHECKS, { strict: false });
  const worst = (id: string): Finding['status'] | undefined =>
    report.findings.find((finding) => finding.id === id)?.status;
  return { report, worst, subscription };
}

const FORBIDDEN = new ArmError({ status: 403, code: 'AuthorizationFailed', message: 'no' });

describe('a live subscription', () => {
  test('is judged like Terraform, and its calls are the evidence', async () => {
    const { report, worst, subscription } = await live();
    const ids = [
      'A-01',
      'A-04',
      'A-05',
      'A-07',
      'A-08',
      'A-09',
      'A-10',
      'A-12',
      'A-13',
      'A-14',
      'A-15',
      'A-16',
      'A-20',
      'A-25',
      'A-26',
      'A-27',
      'A-28',
    ];
    expect(ids.filter((id) => worst(id) !== 'pass')).toEqual([]);
    expect(subscription.problems).toEqual([]);
    expect(subscription.calls).toBeLessThanOrEqual(20);
    const evidence = report.findings
      .find(({ id }) => id === 'A-05')
      ?.evidence.map(({ at }) => ('call' in at ? at.call : at.file));
    expect(evidence).toEqual([
      'Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials/read',
      'Microsoft.ContainerService/managedClusters/read',
    ]);
  });

  test('shows what files cannot: quota that is used, roles that are missing, sizes that are closed', async () => {
    expect((await live()).worst('A-21')).toBe('fail');
    expect((await live()).worst('A-11')).toBe('fail');
    expect((await live({ [PRINCIPAL]: { value: [] } })).worst('A-09')).toBe('fail');
    const closed = {
      name: 'Standard_D4s_v5',
      resourceType: 'virtualMachines',
      restrictions: [{ type: 'Location' }],
    };
    expect((await live({ '/skus': { value: [closed] } })).worst('A-20')).toBe('fail');
  });

  test('without the subnet of the values fails', async () => {
    const files = { ...FILES, 'values.yaml': FILES['values.yaml'].replace('subnets/nodes', 'subnets/gone') };
    expect((await live({}, files)).worst('A-13')).toBe('fail');
  });

  test('that may not be read in part is skipped in part, and the action is named', async () => {
    const { worst, subscription } = await live({ [PRINCIPAL]: FORBIDDEN, [OF_SET]: FORBIDDEN });
    expect(['A-01', 'A-09', 'A-26', 'A-27'].map(worst)).toEqual(['pass', 'skip', 'skip', 'skip']);
    expect(subscription.problems[0]?.message).toContain(
      'Microsoft.Authorization/roleAssignments/read is not allowed',
    );
  });

  describe('without an identity that has the client ID of the values', () => {
    const files = { ...FILES, 'values.yaml': FILES['values.yaml'].replace(CLIENT, OF_SET.replace('4', '5')) };
    const identity = (name: string, principalId: string) => ({
      id: `${GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`,
      name,
      properties: { clientId: principalId, principalId },
    });
    const trusts = (issuer: string) => ({
      value: [
        {
          name: 'karpenter',
          properties: { issuer, subject: 'system:serviceaccount:kube-system:karpenter' },
        },
      ],
    });
    const others = {
      ...Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`other-${index}`, { value: [] }])),
      '/userAssignedIdentities': {
        value: [
          ...Array.from({ length: 6 }, (_, index) => identity(`karpenter-${index}`, `other-${index}`)),
          identity('karpenter-shop', PRINCIPAL),
        ],
      },
      '/federatedIdentityCredentials': trusts('https://westeurope.oic.prod-aks.azure.com/6c1d/other/'),
    };

    test('identities of other clusters are not judged, whatever they are called', async () => {
      const { report, worst, subscription } = await live(others, files);
      expect(['A-05', 'A-09', 'A-10', 'A-11'].map(worst)).toEqual(['skip', 'skip', 'skip', 'skip']);
      expect(report.findings.filter(({ object }) => object?.includes('karpenter-'))).toEqual([]);
      expect(subscription.problems).toEqual([]);
    });

    test('the one that trusts the issuer of the cluster is judged, wherever it is in the list', async () => {
      const own = { '/karpenter-shop/federatedIdentityCredentials': trusts(ISSUER) };
      const { report, worst } = await live({ ...others, ...own }, files);
      expect(['A-05', 'A-09', 'A-10'].map(worst)).toEqual(['pass', 'pass', 'pass']);
      expect(report.findings.filter(({ object }) => /karpenter-\d/.test(object ?? ''))).toEqual([]);
    });
  });

  test('an identity that several clusters share is judged by its credential for this one', async () => {
    const known = answers()['/federatedIdentityCredentials'] as { readonly value: readonly object[] };
    const properties = {
      issuer: ISSUER.replace('4e2a', 'other'),
      subject: 'system:serviceaccount:a:karpenter',
    };
    const value = [{ name: 'other', properties }, ...known.value];
    const { report } = await live({ '/federatedIdentityCredentials': { value } });
    expect(report.findings.filter(({ id }) => id === 'A-05').map(({ status }) => status)).toEqual(['pass']);
  });

  test('with a network, a set or a vault in another subscription does not say that roles are missing there', async () => {
    const hub = (id: string) => id.replace(SUBSCRIPTION, '0d9f6b1e-3c47-4e8a-9b52-7a1c5d2e8f60');
    const files = {
      ...FILES,
      'values.yaml': FILES['values.yaml'].replace(SUBNET, hub(SUBNET)).replace(SET, hub(SET)),
    };
    const known = answers();
    const set = known[SET] as { readonly properties: { readonly activeKey: object } };
    const { properties } = known[CLUSTER] as { readonly properties: object };
    const changed = {
      [CLUSTER]: {
        ...(known[CLUSTER] as object),
        properties: { ...properties, diskEncryptionSetID: hub(SET) },
      },
      [SET]: undefined,
      [hub(SET)]: {
        ...set,
        id: hub(SET),
        properties: {
          ...set.properties,
          activeKey: { ...set.properties.activeKey, sourceVault: { id: hub(VAULT) } },
        },
      },
      [hub(VAULT)]: { ...(known[VAULT] as object), id: hub(VAULT) },
      [PRINCIPAL]: { value: [role('9980e02c-c2be-4d73-94e8-173b1dc7cf3c', NODE_GROUP)] },
      [OF_SET]: { value: [] },
    };
    const { report, worst } = await live(changed, files);
    expect(['A-09', 'A-10', 'A-26', 'A-27'].map(worst)).toEqual(['pass', 'skip', 'skip', 'skip']);
    const message = report.findings.find(({ id }) => id === 'A-26')?.message;
    expect(message).toContain('0d9f6b1e-3c47-4e8a-9b52-7a1c5d2e8f60, whose roles were not read');
  });

  test('adds up the roles of an identity: one reads a subnet, another joins it', async () => {
    const roles = (...guids: readonly string[]) => ({
      [PRINCIPAL]: {
        value: [
          role('9980e02c-c2be-4d73-94e8-173b1dc7cf3c', NODE_GROUP),
          ...guids.map((guid) => role(guid, SUBNET)),
        ],
      },
    });
    // Virtual Machine Contributor joins subnets, and does not read them.
    const [joins, reads] = ['9980e02c-c2be-4d73-94e8-173b1dc7cf3c', 'acdd72a7-3385-48ef-bd42-f606fba81ae7'];
    expect((await live(roles(joins!))).worst('A-10')).toBe('fail');
    expect((await live(roles(reads!))).worst('A-10')).toBe('fail');
    expect((await live(roles(joins!, reads!))).worst('A-10')).toBe('pass');
  });

  test.each([
    ['that has data actions', { dataActions: ['Microsoft.KeyVault/vaults/keys/*'] }, 'pass'],
    [
      'that has them in its second permission',
      { actions: ['*'] },
      'pass',
      { dataActions: ['Microsoft.KeyVault/vaults/keys/*'] },
    ],
    ['that has only actions', { actions: ['*'] }, 'fail'],
    [
      'that excludes one of them',
      { dataActions: ['Microsoft.KeyVault/*'], notDataActions: ['Microsoft.KeyVault/vaults/keys/wrap/*'] },
      'fail',
    ],
  ])('judges a role of your own %s', async (_, first, status, ...more) => {
    const own = '5e1b7c2d-8a90-4f36-b1d4-c7e20f9a6b83';
    const { worst } = await live({
      [OF_SET]: { value: [role(own, VAULT)] },
      [own]: { name: own, properties: { roleName: 'keys', permissions: [first, ...more] } },
    });
    expect(worst('A-27')).toBe(status);
  });

  test('whose cluster may not be read adds nothing', async () => {
    const { worst, subscription } = await live({ [CLUSTER]: FORBIDDEN });
    expect([subscription.calls, subscription.resources.length, worst('A-04')]).toEqual([1, 0, 'skip']);
  });
});

test('the actions that it needs only read', () => {
  const lines = armActionsText().trim().split('\n');
  expect(lines.length).toBeGreaterThan(8);
  expect(lines.filter((line) => !/^Microsoft\.\S+\/read {2}on /.test(line))).toEqual([]);
});

describe('chandler check', () => {
  test('--arm-actions prints the actions, and checks nothing', async () => {
    expect(await check(['--arm-actions'])).toEqual({ code: 0, out: armActionsText(), err: '' });
  });

  test.each([
    [['--live-azure'], 'no file tells the ID of the cluster; give --azure-cluster'],
    [['--live-azure', '--azure-cluster', 'shop'], 'does not start with /'],
  ])('%j is a usage error', async (args, message) => {
    const { code, err } = await check([join(import.meta.dirname, 'estates/aks'), ...args]);
    expect({ code, isNamed: err.includes(message) }).toEqual({ code: 2, isNamed: true });
  });

  test('explains a check of AKS', async () => {
    const { code, out } = await check(['explain', 'A-05']);
    expect({ code, first: out.split('\n')[0] }).toEqual({
      code: 0,
      first: 'A-05: The federated credential trusts the issuer of the AKS cluster',
    });
  });
});
