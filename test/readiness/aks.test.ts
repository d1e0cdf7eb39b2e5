/** What checks of AKS make of other shapes of Terraform, of values that are not known, and of installations on other clouds. */
import { describe, expect, test } from 'vitest';
import { render } from '../../packages/chandler/src/readiness/index.ts';
import {
  anAksNodeClass,
  CLIENT,
  cluster,
  clusterState,
  credential,
  NODE_GROUP,
  PRINCIPAL,
  rolesState,
  SUBNET,
  values,
} from './examples/aks.ts';
import { aNodeClass, aResource, aState, CLUSTER } from './examples/example.ts';
import { judged, statusesOf } from './examples/judged.ts';

const NAME = 'azurerm_kubernetes_cluster.shop';
const network = { 'values.yaml': values({ VNET_SUBNET_ID: SUBNET, CLUSTER_NAME: 'shop' }) };

describe('what the files are an installation on', () => {
  const seriesOf = (files: Readonly<Record<string, string>>) => {
    const { findings, estate } = judged(files);
    const ids = new Set(findings.map(({ id }) => id));
    return { clusters: estate.clusters, a: ids.has('A-01'), s: ids.has('S-01'), any: ids.has('K-13') };
  };
  test.each([
    ['AKS', { 'main.tf': cluster() }, { clusters: ['AKS'], a: true, s: false, any: true }],
    ['EKS', { 'main.tf': CLUSTER }, { clusters: ['EKS'], a: false, s: true, any: true }],
    [
      'EKS, with a resource group of Azure for something else',
      { 'main.tf': `${CLUSTER}resource "azurerm_resource_group" "dns" {\n  name = "dns"\n}\n` },
      { clusters: ['EKS'], a: false, s: true, any: true },
    ],
    [
      'both',
      { 'class.yaml': aNodeClass('  role: a'), 'aks.yaml': anAksNodeClass('  maxPods: 30') },
      { clusters: ['EKS', 'AKS'], a: true, s: true, any: true },
    ],
    ['not known', {}, { clusters: [], a: true, s: true, any: true }],
  ])('%s', (_, files, expected) => {
    expect(seriesOf(files as Readonly<Record<string, string>>)).toEqual(expected);
  });
});

describe('a cluster', () => {
  const identified = (issuer: string) => credential(issuer);
  test('that is looked up has fields that are not known: nothing fails for them', () => {
    const tf = `data "azurerm_kubernetes_cluster" "shop" {\n  name = "shop"\n  resource_group_name = "shop"\n}\n${identified('data.azurerm_kubernetes_cluster.shop.oidc_issuer_url')}`;
    const files = { 'main.tf': tf, ...network };
    expect(
      ['A-01', 'A-03', 'A-04', 'A-05', 'A-12', 'A-16', 'A-18', 'A-19'].map((id) => statusesOf(id, files)[0]),
    ).toEqual(['pass', 'fail', 'skip', 'pass', 'skip', 'skip', 'skip', 'skip']);
  });

  test('has the audience of its own cloud of Azure: those of other clouds fail', () => {
    const audienceIn = (location: string, audience: string) =>
      statusesOf('A-07', {
        'main.tf': `${cluster().replace('West Europe', location)}${credential(undefined, undefined, `"${audience}"`)}`,
      })[0];
    const [any, china, government] = ['', 'China', 'USGov'].map(
      (cloud) => `api://AzureADTokenExchange${cloud}`,
    );
    expect(['West Europe', 'China North 3', 'usgovvirginia'].map((place) => audienceIn(place, any!))).toEqual(
      ['pass', 'pass', 'pass'],
    );
    expect([audienceIn('West Europe', china!), audienceIn('West Europe', government!)]).toEqual([
      'fail',
      'fail',
    ]);
    expect([audienceIn('China North 3', china!), audienceIn('usgovvirginia', government!)]).toEqual([
      'pass',
      'pass',
    ]);
    expect(audienceIn('usgovvirginia', china!)).toBe('fail');
  });

  test('of the public module that leaves its node resource group to the module is judged', () => {
    const tf = `module "aks" {\n  source = "Azure/aks/azurerm"\n  cluster_name = "shop"\n}\n${identified('module.aks.oidc_issuer_url')}`;
    const files = {
      'main.tf': tf,
      'values.yaml': values({ AZURE_NODE_RESOURCE_GROUP: 'MC_a', VNET_SUBNET_ID: SUBNET }),
    };
    expect(['A-03', 'A-04', 'A-05', 'A-16'].map((id) => statusesOf(id, files)[0])).toEqual([
      'skip',
      'skip',
      'pass',
      'skip',
    ]);
  });

  test.each([
    ['an object', (body: string) => body],
    ['jsonencode', (body: string) => `jsonencode(${body})`],
  ])('of azapi is read from its body: %s', (_, wrapped) => {
    const body = wrapped(
      '{ properties = { nodeResourceGroup = "shop-nodes", nodeProvisioningProfile = { mode = "Auto" } } }',
    );
    const tf = `resource "azapi_resource" "shop" {\n  type = "Microsoft.ContainerService/managedClusters@2026-05-01"\n  name = "shop"\n  body = ${body}\n}\n`;
    const files = { 'main.tf': tf, ...network };
    expect(['A-01', 'A-18'].map((id) => statusesOf(id, files)[0])).toEqual(['pass', 'fail']);
  });

  test('without a network profile has a network that Azure chooses', () => {
    expect(statusesOf('A-16', { 'main.tf': cluster(), ...network })).toEqual(['skip']);
  });
});

describe('a role', () => {
  test('that no input shows may be assigned elsewhere', () => {
    expect(statusesOf('A-09', { 'state.json': rolesState([], clusterState({})) })).toEqual(['skip']);
  });

  test('of a variable principal is not known', () => {
    const tf = `${cluster()}${credential()}variable "p" {}\nresource "azurerm_role_assignment" "a" {\n  scope = ${NAME}.node_resource_group_id\n  role_definition_name = "Reader"\n  principal_id = var.p\n}\n`;
    expect(statusesOf('A-09', { 'main.tf': tf })).toEqual(['skip']);
  });

  test.each([
    ['Microsoft.Compute/*", "Microsoft.Network/*', 'pass'],
    ['Microsoft.Compute/virtualMachines/read', 'fail'],
    ['*"]\n    not_actions = ["Microsoft.Compute/*/write', 'fail'],
    ['*"]\n    not_actions = ["Microsoft.Storage/*', 'pass'],
    ['*"]\n    not_actions = [var.excluded, "Microsoft.Storage/*', 'skip'],
  ])('of your own is judged by its actions: %s', (actions, status) => {
    const tf = `${cluster()}${credential()}resource "azurerm_role_definition" "k" {\n  name = "k"\n  permissions {\n    actions = ["${actions}"]\n  }\n}
resource "azurerm_role_assignment" "a" {
  scope = ${NAME}.node_resource_group_id
  role_definition_id = azurerm_role_definition.k.role_definition_resource_id
  principal_id = azurerm_user_assigned_identity.karpenter.principal_id
}
`;
    expect(statusesOf('A-09', { 'main.tf': tf })[0]).toBe(status);
  });

  test('by its GUID, above the group of nodes, counts', () => {
    const state = aState(
      aResource('azurerm_role_assignment', 'a', {
        scope: NODE_GROUP.replace(/\/resourceGroups.*/, ''),
        role_definition_id:
          '/providers/Microsoft.Authorization/roleDefinitions/b24988ac-6180-42a0-ab88-20f7382dd24c',
        principal_id: PRINCIPAL,
      }),
      aResource('azurerm_user_assigned_identity', 'karpenter', { name: 'k', principal_id: PRINCIPAL }),
      clusterState({}),
    );
    expect(statusesOf('A-09', { 'state.json': state })).toEqual(['pass']);
  });
});

describe('a locked node resource group', () => {
  const locked = (mode: string) =>
    cluster(`  node_provisioning_profile {
    mode = ${mode}
  }
`) +
    `variable "mode" {}
resource "azapi_update_resource" "lock" {
  type        = "Microsoft.ContainerService/managedClusters@2026-05-02-preview"
  resource_id = ${NAME}.id
  body = { properties = { nodeResourceGroupProfile = { restrictionLevel = "ReadOnly" } } }
}
`;
  test.each([
    ['node auto-provisioning makes the nodes', '"Auto"', {}, 'pass'],
    ['it is not known whether that makes the nodes', 'var.mode', {}, 'skip'],
    ['it is off', '"Manual"', {}, 'fail'],
    ['a controller is installed beside it', '"Auto"', network, 'fail'],
  ])('where %s', (_, mode, files, status) => {
    expect(statusesOf('A-12', { 'main.tf': locked(mode), ...files })).toEqual([status]);
  });
});

test('a subnet that is looked up may be delegated', () => {
  const tf = `${cluster()}data "azurerm_subnet" "nodes" {\n  name = "nodes"\n  virtual_network_name = "shop"\n  resource_group_name = "shop"\n}\n`;
  const files = { 'main.tf': tf, ...network };
  expect(['A-13', 'A-14', 'A-15'].map((id) => statusesOf(id, files)[0])).toEqual(['pass', 'skip', 'skip']);
});

test('a state that is wrong fails beside files that are right', () => {
  const files = { 'main.tf': cluster(), 'state.json': aState(clusterState({ name: 'old' })), ...network };
  expect(statusesOf('A-01', files)).toEqual(['fail', 'pass']);
});

test.each([
  ['["Get", "WrapKey", "UnwrapKey"]', 'pass'],
  ['["Get", "List"]', 'fail'],
  ['var.permissions', 'skip'],
])('without roles, an access policy lets the set use its key: %s', (permissions, status) => {
  const tf = `${cluster('  disk_encryption_set_id = azurerm_disk_encryption_set.d.id\n')}variable "permissions" {}
resource "azurerm_key_vault" "v" {
  name = "v"
  resource_group_name = "shop"
}
resource "azurerm_key_vault_key" "k" {
  name = "k"
  key_vault_id = azurerm_key_vault.v.id
}
resource "azurerm_disk_encryption_set" "d" {
  name = "d"
  resource_group_name = "shop"
  key_vault_key_id = azurerm_key_vault_key.k.versionless_id
}
resource "azurerm_key_vault_access_policy" "p" {
  key_vault_id = azurerm_key_vault.v.id
  object_id = azurerm_disk_encryption_set.d.identity[0].principal_id
  key_permissions = ${permissions}
}
`;
  expect(statusesOf('A-27', { 'main.tf': tf })).toEqual([status]);
});

test('Chandler reads the disk encryption set and the network from the cluster', () => {
  const state = aState(
    clusterState({
      disk_encryption_set_id: `${NODE_GROUP}/providers/Microsoft.Compute/diskEncryptionSets/d`,
      network_profile: [{ network_plugin: 'azure' }],
    }),
  );
  const app = (chart: string) =>
    `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source:\n    chart: ${chart}\n    helm:\n      valuesObject: {controller: {env: [{name: VNET_SUBNET_ID, value: ${SUBNET}}]}}\n`;
  const statuses = (chart: string) =>
    ['A-25', 'A-16'].map((id) => statusesOf(id, { 'state.json': state, 'app.yaml': app(chart) })[0]);
  expect(statuses('karpenter')).toEqual(['fail', 'fail']);
  expect(statuses('chandler')).toEqual(['pass', 'pass']);
});

test('a bootstrap token in the values is a warning, and is not printed', () => {
  const files = {
    'values.yaml': values({ KUBELET_BOOTSTRAP_TOKEN: 'abc123.0123456789abcdef', VNET_SUBNET_ID: SUBNET }),
  };
  const report = judged(files);
  expect(report.findings.find(({ id, status }) => id === 'A-23' && status === 'warn')?.message).toContain(
    'token',
  );
  expect(
    render(report, 'json', { color: false, verbose: true, cwd: '/', version: '1', checks: [] }),
  ).not.toContain('0123456789abcdef');
});

test('a client ID that only Azure knows is no pass', () => {
  const annotated = `serviceAccount:\n  annotations:\n    azure.workload.identity/client-id: ${CLIENT}\npodLabels:\n  azure.workload.identity/use: "true"\n${values({ VNET_SUBNET_ID: SUBNET })}`;
  expect(statusesOf('A-08', { 'main.tf': `${cluster()}${credential()}`, 'values.yaml': annotated })).toEqual([
    'skip',
  ]);
});
