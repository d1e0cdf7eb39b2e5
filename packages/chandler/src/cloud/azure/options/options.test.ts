import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CORE_OPTIONS, envNames, type OptionTable } from '../../../settings/index.ts';
import { camelCase, renderOptionsDoc } from '../../../settings/testing.ts';

import { azureOptions } from './index.ts';
import { DES_ID, GOOD_ENV, resolveAzure, SUBNET_ID, SUBSCRIPTION } from './options.fixture.ts';
import { AZURE_CONTROLLER_OPTIONS, AZURE_OPTIONS } from './options.ts';

/** Flag, variable and default as Karpenter and its Azure provider have them. */
const UPSTREAM: readonly [table: OptionTable, flag: string, env: string, value: unknown][] = [
  [CORE_OPTIONS, 'karpenter-service', 'KARPENTER_SERVICE', ''],
  [CORE_OPTIONS, 'metrics-port', 'METRICS_PORT', 8080],
  [CORE_OPTIONS, 'health-probe-port', 'HEALTH_PROBE_PORT', 8081],
  [CORE_OPTIONS, 'kube-client-qps', 'KUBE_CLIENT_QPS', 200],
  [CORE_OPTIONS, 'kube-client-burst', 'KUBE_CLIENT_BURST', 300],
  [CORE_OPTIONS, 'enable-profiling', 'ENABLE_PROFILING', false],
  [CORE_OPTIONS, 'disable-controller-warmup', 'DISABLE_CONTROLLER_WARMUP', true],
  [CORE_OPTIONS, 'disable-leader-election', 'DISABLE_LEADER_ELECTION', false],
  [CORE_OPTIONS, 'disable-cluster-state-observability', 'DISABLE_CLUSTER_STATE_OBSERVABILITY', false],
  [CORE_OPTIONS, 'leader-election-name', 'LEADER_ELECTION_NAME', 'karpenter-leader-election'],
  [CORE_OPTIONS, 'leader-election-namespace', 'LEADER_ELECTION_NAMESPACE', ''],
  [CORE_OPTIONS, 'memory-limit', 'MEMORY_LIMIT', -1],
  [CORE_OPTIONS, 'cpu-requests', 'CPU_REQUESTS', 1000],
  [CORE_OPTIONS, 'log-level', 'LOG_LEVEL', 'info'],
  [CORE_OPTIONS, 'log-output-paths', 'LOG_OUTPUT_PATHS', ['stdout']],
  [CORE_OPTIONS, 'log-error-output-paths', 'LOG_ERROR_OUTPUT_PATHS', ['stderr']],
  [CORE_OPTIONS, 'batch-max-duration', 'BATCH_MAX_DURATION', 10_000],
  [CORE_OPTIONS, 'batch-idle-duration', 'BATCH_IDLE_DURATION', 1000],
  [CORE_OPTIONS, 'preference-policy', 'PREFERENCE_POLICY', 'Respect'],
  [CORE_OPTIONS, 'min-values-policy', 'MIN_VALUES_POLICY', 'Strict'],
  [CORE_OPTIONS, 'ignore-dra-requests', 'IGNORE_DRA_REQUESTS', true],
  [CORE_OPTIONS, 'scheduler-config', 'SCHEDULER_CONFIG', ''],
  [AZURE_OPTIONS, 'vm-memory-overhead-percent', 'VM_MEMORY_OVERHEAD_PERCENT', 0.075],
  [AZURE_OPTIONS, 'linux-admin-username', 'LINUX_ADMIN_USERNAME', 'azureuser'],
  [AZURE_OPTIONS, 'network-plugin', 'NETWORK_PLUGIN', 'azure'],
  [AZURE_OPTIONS, 'network-plugin-mode', 'NETWORK_PLUGIN_MODE', 'overlay'],
  [AZURE_OPTIONS, 'network-policy', 'NETWORK_POLICY', ''],
  [AZURE_OPTIONS, 'network-dataplane', 'NETWORK_DATAPLANE', 'cilium'],
  [AZURE_OPTIONS, 'dns-service-ip', 'DNS_SERVICE_IP', ''],
  [AZURE_OPTIONS, 'vnet-guid', 'VNET_GUID', ''],
  [AZURE_OPTIONS, 'node-identities', 'NODE_IDENTITIES', []],
  [AZURE_OPTIONS, 'kubelet-identity-client-id', 'KUBELET_IDENTITY_CLIENT_ID', ''],
  [AZURE_OPTIONS, 'provision-mode', 'PROVISION_MODE', 'aksscriptless'],
  [AZURE_OPTIONS, 'nodebootstrapping-server-url', 'NODEBOOTSTRAPPING_SERVER_URL', ''],
  [AZURE_OPTIONS, 'use-sig', 'USE_SIG', false],
  [AZURE_OPTIONS, 'sig-access-token-server-url', 'SIG_ACCESS_TOKEN_SERVER_URL', ''],
  [AZURE_OPTIONS, 'sig-subscription-id', 'SIG_SUBSCRIPTION_ID', ''],
  [AZURE_OPTIONS, 'node-osdisk-diskencryptionset-id', 'NODE_OSDISK_DISKENCRYPTIONSET_ID', ''],
  [AZURE_OPTIONS, 'manage-existing-aks-machines', 'MANAGE_EXISTING_AKS_MACHINES', false],
  [AZURE_OPTIONS, 'aks-machines-pool-name', 'AKS_MACHINES_POOL_NAME', ''],
  [AZURE_OPTIONS, 'provider-batch-idle-duration', 'PROVIDER_BATCH_IDLE_DURATION', 1000],
  [AZURE_OPTIONS, 'provider-batch-max-duration', 'PROVIDER_BATCH_MAX_DURATION', 5000],
  [AZURE_OPTIONS, 'provider-batch-max-size', 'PROVIDER_BATCH_MAX_SIZE', 50],
  [AZURE_OPTIONS, 'additional-tags', 'ADDITIONAL_TAGS', {}],
  [AZURE_OPTIONS, 'enable-azure-sdk-logging', 'ENABLE_AZURE_SDK_LOGGING', true],
  [AZURE_OPTIONS, 'arm-cloud', 'ARM_CLOUD', 'AzurePublicCloud'],
];

describe('names and defaults', () => {
  test.each(UPSTREAM)('%#: --%s%s', (table, flag, env, value) => {
    const row = (table as OptionTable)[camelCase(flag)]!;
    expect(row).toMatchObject({ flag, default: value });
    expect(envNames(row)).toContain(env);
    const { values } = resolveAzure();
    expect(values[camelCase(flag) as keyof typeof values].value).toEqual(value);
  });

  test('every row is named by its flag, has a group, a variable and, unless secret, a key in the ConfigMap', () => {
    const all: OptionTable = AZURE_CONTROLLER_OPTIONS;
    for (const [name, row] of Object.entries(all)) {
      expect(name).toBe(camelCase(row.flag));
      expect(row.group, name).toBeDefined();
      expect(envNames(row), name).not.toEqual([]);
      const prefix = name in AZURE_OPTIONS ? 'azure.' : '';
      const hidden = row.secret === true || row.beforeSettings === true;
      expect(row.settingsKey, name).toBe(hidden ? undefined : `${prefix}${name}`);
    }
    const variables = Object.values(all).flatMap(envNames);
    expect(new Set(variables).size).toBe(variables.length);
  });

  test('docs/options.md is made from the tables', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../../../docs/options.md'), 'utf8');
    expect(page).toBe(
      renderOptionsDoc({
        table: AZURE_CONTROLLER_OPTIONS,
        ownGroups: azureOptions.ownGroups,
        cloudTitle: azureOptions.title,
        others: [{ cloudTitle: 'AWS', page: 'options-aws.md' }],
      }),
    );
    for (const row of Object.values(AZURE_CONTROLLER_OPTIONS)) expect(page).toContain(`\`--${row.flag}\``);
  });
});

describe('values that are refused, each at the variable that holds it', () => {
  const id = (tail: string) => `/subscriptions/${SUBSCRIPTION}/resourceGroups/rg/providers/${tail}`;
  test.each([
    ['CLUSTER_NAME', ''],
    ['CLUSTER_ENDPOINT', 'my-cluster:443'],
    ['CLUSTER_ENDPOINT', 'https://'],
    ['CLUSTER_ENDPOINT', '/relative'],
    ['CLUSTER_ENDPOINT', 'https://user:password@host'],
    ['VM_MEMORY_OVERHEAD_PERCENT', '-0.1'],
    ['VM_MEMORY_OVERHEAD_PERCENT', 'lots'],
    ['VM_MEMORY_OVERHEAD_PERCENT', ''],
    ['KUBELET_BOOTSTRAP_TOKEN', 'nodot'],
    ['KUBELET_BOOTSTRAP_TOKEN', 'two words.x'],
    ['LINUX_ADMIN_USERNAME', '1user'],
    ['LINUX_ADMIN_USERNAME', 'a'.repeat(33)],
    ['SSH_PUBLIC_KEY', 'no key'],
    ['NETWORK_PLUGIN', 'kubenet'],
    ['NETWORK_PLUGIN', ''],
    ['NETWORK_PLUGIN_MODE', 'bridge'],
    ['NETWORK_DATAPLANE', 'Cilium'],
    ['DNS_SERVICE_IP', '10.0.0'],
    ['VNET_GUID', 'not-a-guid'],
    ['VNET_SUBNET_ID', `${SUBNET_ID}/`],
    ['VNET_SUBNET_ID', id('Microsoft.Network/virtualNetworks/v')],
    ['VNET_SUBNET_ID', id('Microsoft.Network/virtualNetworks//subnets/s')],
    ['NODE_IDENTITIES', `${id('Microsoft.ManagedIdentity/userAssignedIdentities/a')},b`],
    ['KUBELET_IDENTITY_CLIENT_ID', 'msi'],
    ['AZURE_NODE_RESOURCE_GROUP', 'a/b'],
    ['PROVISION_MODE', 'AKSScriptless'],
    ['SIG_ACCESS_TOKEN_SERVER_URL', 'server'],
    ['NODE_OSDISK_DISKENCRYPTIONSET_ID', 'des'],
    ['NODE_OSDISK_DISKENCRYPTIONSET_ID', id('Microsoft.Compute/disks/d')],
    ['NODE_OSDISK_DISKENCRYPTIONSET_ID', id('Microsoft.Compute/diskEncryptionSets/')],
    ['NODE_OSDISK_DISKENCRYPTIONSET_ID', `${DES_ID}?x=1`],
    ['PROVIDER_BATCH_MAX_SIZE', '51'],
    ['PROVIDER_BATCH_IDLE_DURATION', '-1s'],
    ['USE_SIG', 'yes'],
    ['ADDITIONAL_TAGS', 'novalue'],
    ['ADDITIONAL_TAGS', '=x'],
    ['ADDITIONAL_TAGS', 'a=1,a=2'],
    ['ADDITIONAL_TAGS', 'a=1,A=2'],
    ['ADDITIONAL_TAGS', 'a<b=1'],
    ['ADDITIONAL_TAGS', `${'k'.repeat(513)}=1`],
    ['ADDITIONAL_TAGS', `k=${'v'.repeat(257)}`],
    ['ARM_CLOUD', 'AzureMoonCloud'],
    ['LOCATION', 'west europe'],
    ['ARM_SUBSCRIPTION_ID', 'mine'],
    ['KUBERNETES_VERSION', 'latest'],
    ['CLUSTER_CA_BUNDLE', 'bm90IGEgY2VydGlmaWNhdGU='],
    ['CLUSTER_CA_BUNDLE', '-----BEGIN CERTIFICATE-----'],
    ['CLUSTER_ID', '1234567'],
    ['NETWORK_SECURITY_GROUP_ID', 'nsg'],
    ['DISK_ENCRYPTION_SET_DRIFT', 'always'],
    ['BOOT_DIAGNOSTICS', ''],
    ['ARM_READ_QPS', '0'],
    ['ARM_WRITE_BURST', '1.5'],
    ['FEATURE_GATES', 'NodeRepair=maybe'],
    ['FEATURE_GATES', 'NodeRepair'],
    ['LOG_LEVEL', 'loud'],
    ['PREFERENCE_POLICY', 'respect'],
    ['METRICS_PORT', '65536'],
  ])('%s=%s', (name, text) => {
    const { problems } = resolveAzure({ env: { ...GOOD_ENV, [name]: text } });
    expect(problems).toMatchObject([{ where: name }]);
  });

  test('[000-L1.2] a malformed disk encryption set names the variable and the form it wants', () => {
    const env = { ...GOOD_ENV, NODE_OSDISK_DISKENCRYPTIONSET_ID: '/subscriptions/x/des' };
    expect(resolveAzure({ env }).problems).toEqual([
      {
        where: 'NODE_OSDISK_DISKENCRYPTIONSET_ID',
        message:
          'expected an ID of the form /subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Compute/diskEncryptionSets/{diskEncryptionSet}, got "/subscriptions/x/des"',
        options: ['nodeOsdiskDiskencryptionsetId'],
      },
    ]);
  });
});

describe('values that are accepted', () => {
  test.each([
    ['NODE_OSDISK_DISKENCRYPTIONSET_ID', DES_ID.replace('diskEncryptionSets', 'DISKENCRYPTIONSETS')],
    ['VNET_SUBNET_ID', SUBNET_ID.toLowerCase()],
    ['NETWORK_DATAPLANE', ''],
    ['DNS_SERVICE_IP', 'fd00::a'],
    ['ARM_CLOUD', 'azurechinacloud'],
    ['KUBERNETES_VERSION', 'v1.34.2'],
    ['SSH_PUBLIC_KEY', 'ssh-ed25519 AAAA me\n'],
    ['USE_SIG', 'F'],
    ['LOG_LEVEL', ''],
  ])('%s=%s', (name, text) => {
    expect(resolveAzure({ env: { ...GOOD_ENV, [name]: text } }).problems).toEqual([]);
  });

  test('tags may hold an equals sign in their value', () => {
    const { values } = resolveAzure({ env: { ...GOOD_ENV, ADDITIONAL_TAGS: 'a=b=c, d = e ,' } });
    expect(values.additionalTags.value).toEqual({ a: 'b=c', d: 'e' });
  });

  test('feature gates keep their defaults, and an unknown gate is a warning only', () => {
    const { values, warnings, problems } = resolveAzure({
      env: { ...GOOD_ENV, FEATURE_GATES: 'NodeRepair=true,NodeOverlays=true' },
    });
    expect(problems).toEqual([]);
    expect(values.featureGates.value).toMatchObject({
      NodeRepair: true,
      ReservedCapacity: true,
      NodeOverlay: false,
    });
    expect(warnings).toMatchObject([
      { message: 'unknown feature gate NodeOverlays; did you mean NodeOverlay?' },
    ]);
  });

  test('a token of an unusual form is accepted with a warning', () => {
    const { warnings } = resolveAzure({ env: { ...GOOD_ENV, KUBELET_BOOTSTRAP_TOKEN: 'id.secret' } });
    expect(warnings).toMatchObject([{ code: 'DoubtfulValue', where: 'KUBELET_BOOTSTRAP_TOKEN' }]);
  });

  test('what only the machine API reads is said to have no effect', () => {
    const { warnings, problems } = resolveAzure({ env: { ...GOOD_ENV, AKS_MACHINES_POOL_NAME: 'pool' } });
    expect(problems).toEqual([]);
    expect(warnings).toMatchObject([{ code: 'NoEffect', where: 'AKS_MACHINES_POOL_NAME' }]);
  });
});

describe('what must hold between options', () => {
  test.each([
    [{ PROVISION_MODE: 'aksmachineapi' }, 'PROVISION_MODE', 'aksmachineapi is not supported'],
    [{ PROVISION_MODE: 'aksmachineapiheaderbatch' }, 'PROVISION_MODE', 'not managed'],
    [{ MANAGE_EXISTING_AKS_MACHINES: 'true' }, 'MANAGE_EXISTING_AKS_MACHINES', 'set it to false'],
    [{ NETWORK_PLUGIN: 'none' }, 'NETWORK_PLUGIN', 'must be empty when network-plugin is none'],
    [
      { ARM_CLOUD: 'AzureCloud', AZURE_ENVIRONMENT_FILEPATH: '/c' },
      'AZURE_ENVIRONMENT_FILEPATH',
      'cannot be used together with arm-cloud',
    ],
    [
      { AZURE_CLIENT_SECRET: 's', AZURE_FEDERATED_TOKEN_FILE: '/token' },
      'AZURE_CLIENT_SECRET',
      'are two identities',
    ],
    [{ PROVIDER_BATCH_MAX_DURATION: '10ms' }, 'PROVIDER_BATCH_MAX_DURATION', 'must be at least'],
    [
      { PROVISION_MODE: 'bootstrappingclient' },
      '--nodebootstrapping-server-url',
      'is required when provision-mode',
    ],
  ])('%j', (extra, where, message) => {
    const { problems } = resolveAzure({ env: { ...GOOD_ENV, ...extra } });
    expect(problems).toMatchObject([{ where, message: expect.stringContaining(message) }]);
  });

  test('the shared gallery needs its subscription and its token server', () => {
    const { problems } = resolveAzure({ env: { ...GOOD_ENV, USE_SIG: 'true' } });
    expect(problems.map(({ options }) => options[0])).toEqual([
      'sigSubscriptionId',
      'sigAccessTokenServerUrl',
    ]);
  });

  test('a cloud file alone is fine, and so is no network plugin with its mode emptied', () => {
    const env = {
      ...GOOD_ENV,
      AZURE_ENVIRONMENT_FILEPATH: '/c',
      NETWORK_PLUGIN: 'none',
      NETWORK_PLUGIN_MODE: '',
    };
    expect(resolveAzure({ env }).problems).toEqual([]);
  });
});
