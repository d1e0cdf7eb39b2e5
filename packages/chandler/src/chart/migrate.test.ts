import { describe, expect, test } from 'vitest';
import { loadCloudOptions } from '../cloud/registry.ts';
import { OPERATOR_OPTIONS } from '../settings/index.ts';
import { cloudOfValues, type KeyReport, migrateValues } from './migrate.ts';

async function migrated(values: unknown, cloud: 'azure' | 'aws' = 'aws') {
  const { table } = await loadCloudOptions(cloud);
  return migrateValues(values, cloud, { ...OPERATOR_OPTIONS, ...table });
}

const variable = (name: string, value: string) => ({ controller: { env: [{ name, value }] } });
const became = ({ keys }: { readonly keys: readonly KeyReport[] }) =>
  keys.map(({ key, action, to }) => [key, action, ...(to === undefined ? [] : [to])]);

describe('values of Karpenter', () => {
  test('keep their names where they mean the same', async () => {
    const values = {
      replicas: 1,
      serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn' } },
      controller: { resources: { limits: { memory: '1Gi' } } },
      settings: { clusterName: 'shop', isolatedVPC: true, featureGates: { nodeRepair: true } },
    };
    const result = await migrated(values);
    expect(result.values).toEqual({ cloud: 'aws', ...values });
    expect(new Set(result.keys.map(({ action }) => action))).toEqual(new Set(['kept']));
  });

  test.each([
    ['CLUSTER_NAME', 'shop', { settings: { clusterName: 'shop' } }],
    [
      'ARM_SUBSCRIPTION_ID',
      '00000000-1111-2222-3333-444444444444',
      { settings: { azureSubscriptionId: '00000000-1111-2222-3333-444444444444' } },
    ],
    ['ADDITIONAL_TAGS', 'a=b,c=d', { settings: { additionalTags: { a: 'b', c: 'd' } } }],
    ['VM_MEMORY_OVERHEAD_PERCENT', '0.05', { settings: { vmMemoryOverheadPercent: 0.05 } }],
    ['NETWORK_PLUGIN_MODE', '', { settings: { networkPluginMode: '' } }],
    ['USE_SIG', 'false', { settings: { useSig: false } }],
    ['BATCH_MAX_DURATION', '30s', { settings: { batchMaxDuration: '30s' } }],
    ['FEATURE_GATES', 'NodeOverlay=true', { settings: { featureGates: { nodeOverlay: true } } }],
    ['LOG_LEVEL', 'debug', { logLevel: 'debug' }],
    ['METRICS_PORT', '8000', { controller: { metrics: { port: 8000 } } }],
    ['HTTPS_PROXY', 'http://p', { controller: { env: [{ name: 'HTTPS_PROXY', value: 'http://p' }] } }],
    ['GOMAXPROCS', '2', {}],
  ])('the variable %s=%s becomes a value of its type', async (name, value, expected) => {
    const { values, keys } = await migrated(variable(name, value), 'azure');
    expect(values).toEqual({ cloud: 'azure', ...expected });
    expect(keys).toHaveLength(1);
    expect(keys[0]!.action).not.toBe('unknown');
  });

  test.each([
    [{ create: false, name: 'karpenter' }, { create: false, name: 'karpenter' }, 'kept'],
    [{ create: true, name: 'karpenter' }, { create: true }, 'dropped'],
    [{ create: false }, { create: false }, 'unknown'],
    [{ create: false, name: '' }, { create: false }, 'unknown'],
  ])('the ServiceAccount %o becomes %o, its name is %s', async (given, expected, action) => {
    const { values, keys } = await migrated({ serviceAccount: given });
    expect(values['serviceAccount']).toEqual(expected);
    expect(keys.filter(({ key }) => key === 'serviceAccount.name').map((row) => row.action)).toEqual([
      action,
    ]);
  });

  test('a secret becomes a reference, and its value is nowhere', async () => {
    const result = await migrated(variable('KUBELET_BOOTSTRAP_TOKEN', 'abcdef.0123456789abcdef'), 'azure');
    expect(result.values['secrets']).toEqual({
      kubeletBootstrapToken: { name: 'chandler', key: 'kubeletBootstrapToken' },
    });
    expect(result.keys[0]!.reason).toContain('a Secret named chandler');
    expect(JSON.stringify(result)).not.toContain('0123456789abcdef');
  });

  test('a secret that is a reference keeps it', async () => {
    const env = [{ name: 'KUBELET_BOOTSTRAP_TOKEN', valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } }];
    const { values } = await migrated({ controller: { env } }, 'azure');
    expect(values['secrets']).toEqual({ kubeletBootstrapToken: { name: 'a', key: 'b' } });
  });

  test.each([
    ['an unknown key', { replicaCount: 2 }, 'replicaCount'],
    ['an unknown setting', { settings: { clusterNmae: 'a' } }, 'settings.clusterNmae'],
    ['an unknown gate', { settings: { featureGates: { warp: true } } }, 'settings.featureGates.warp'],
    [
      'an unknown gate in a variable',
      variable('FEATURE_GATES', 'Warp=true'),
      'controller.env[FEATURE_GATES]',
    ],
    ['a value of another type', { settings: { batchMaxDuration: 'soon' } }, 'settings.batchMaxDuration'],
    ['a role to assume', { settings: { assumeRoleARN: 'arn' } }, 'settings.assumeRoleARN'],
    ['variables that are no list', { controller: { env: { A: 'b' } } }, 'controller.env'],
    ['an option of the other cloud', { settings: { vnetSubnetId: 'a' } }, 'settings.vnetSubnetId'],
  ])('%s is not understood', async (_, values, key) => {
    const result = await migrated(values);
    expect(became(result)).toEqual([[key, 'unknown']]);
    expect(result.keys[0]!.reason).toBeTruthy();
    expect(result.values).toEqual({ cloud: 'aws' });
  });

  test.each([
    [{ controller: { image: { repository: 'a' } } }, 'controller.image'],
    [{ webhook: { enabled: true } }, 'webhook'],
    [{ settings: { featureGates: { drift: true } } }, 'settings.featureGates.drift'],
    [{ settings: { aws: { clusterName: 'a' } } }, 'settings.aws'],
    [{ settings: { clusterEndpoint: '' } }, 'settings.clusterEndpoint'],
    [{ settings: { assumeRoleARN: '' } }, 'settings.assumeRoleARN'],
    [{ terminationGracePeriodSeconds: null }, 'terminationGracePeriodSeconds'],
  ])('%j is dropped with a reason', async (values, key) => {
    const result = await migrated(values);
    expect(became(result)).toEqual([[key, 'dropped']]);
    expect(result.keys[0]!.reason).toBeTruthy();
  });

  test('of an umbrella chart are below karpenter', async () => {
    const result = await migrated({ karpenter: { settings: { clusterName: 'shop' } } });
    expect(became(result)).toEqual([['karpenter.settings.clusterName', 'kept']]);
    expect(result.values).toEqual({ cloud: 'aws', settings: { clusterName: 'shop' } });
  });
});

test.each([
  [{ settings: { interruptionQueue: 'a' } }, 'aws'],
  [{ serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'a' } } }, 'aws'],
  [{ karpenter: { controller: { env: [{ name: 'VNET_SUBNET_ID', value: 'a' }] } } }, 'azure'],
  [{ controller: { image: { repository: 'mcr.microsoft.com/aks/karpenter' } } }, 'azure'],
  [{ replicas: 1 }, undefined],
  [{ ...variable('VNET_SUBNET_ID', 'a'), settings: { interruptionQueue: 'a' } }, undefined],
])('the cloud of %j is %s', (values, cloud) => {
  expect(cloudOfValues(values)).toBe(cloud);
});
