import { describe, expect, test } from 'vitest';
import { isCloudError } from '../../index.ts';
import type { ResourceSku } from '../sizes/index.ts';
import { aSku, REGION } from '../sizes/skus.fixture.ts';
import { maxPodsFor } from './parameters.ts';
import { SIZES_REFRESH_MS, SIZES_RETRY_MS } from './provider.ts';
import { aNodeClass, aProvider, OPTIONS } from './world.fixture.ts';

const CLASS = aNodeClass();

function names(types: readonly { readonly name: string }[]): string[] {
  return types.map(({ name }) => name.replace('Standard_', ''));
}

describe('offerings of a size', () => {
  test('one on demand and one spot in each zone, and outside of zones', () => {
    const { provider } = aProvider([aSku('D2s_v5', { zones: ['1', '2'], ultraSsdZones: ['2'] })]);
    const [type] = provider.forNodeClass(CLASS);
    expect(type!.offerings.map(({ zone, capacityType, price }) => [zone, capacityType, price])).toEqual([
      [`${REGION}-1`, 'on-demand', 1],
      [`${REGION}-1`, 'spot', 0.25],
      [`${REGION}-2`, 'on-demand', 1],
      [`${REGION}-2`, 'spot', 0.25],
      ['0', 'on-demand', 1],
      ['0', 'spot', 0.25],
    ]);
    expect(type!.offerings[3]!.requirements).toEqual([
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] },
      { key: 'kubernetes.azure.com/scalesetpriority', operator: 'In', values: ['spot'] },
      { key: 'kubernetes.azure.com/priority', operator: 'In', values: ['spot'] },
      { key: 'topology.kubernetes.io/zone', operator: 'In', values: [`${REGION}-2`] },
      { key: 'karpenter.azure.com/placement-scope', operator: 'In', values: ['zonal'] },
      { key: 'karpenter.azure.com/sku-storage-ultra-ssd', operator: 'In', values: ['true', 'false'] },
    ]);
  });

  test('a size can attach as many volumes of Azure disks as it has room for data disks', () => {
    const { provider } = aProvider([aSku('D2s_v5', { has: { MaxDataDiskCount: '4' } }), aSku('D4s_v5')]);
    const limits = provider.forNodeClass(CLASS).map(({ volumeAttachmentLimits }) => volumeAttachmentLimits);
    expect(limits).toEqual([{ 'disk.csi.azure.com': 4 }, undefined]);
  });

  test('a size without zones is offered outside of zones only', () => {
    const { provider } = aProvider([aSku('D2s_v5', { zones: [] })]);
    const [type] = provider.forNodeClass(CLASS);
    expect(type!.offerings.map(({ zone, placementScope }) => [zone, placementScope])).toEqual([
      ['0', 'regional'],
      ['0', 'regional'],
    ]);
  });

  test('what is not available is listed with the reason', () => {
    const { provider, quota, unavailable } = aProvider([
      aSku('D2s_v5', { zones: ['1'], spot: false, family: 'standardDSv5Family' }),
    ]);
    const refusal = {
      code: 'QuotaExceeded' as const,
      family: 'standardDSv5Family',
      limit: 10,
      used: 9,
      needed: 2,
    };
    quota.refused.set('standardDSv5Family', refusal);
    const [type] = provider.forNodeClass(CLASS);
    expect(type!.offerings.map((offering) => [offering.available, offering.refusal?.code])).toEqual([
      [false, 'QuotaExceeded'],
      [false, 'NotSpotCapable'],
      [false, 'QuotaExceeded'],
      [false, 'NotSpotCapable'],
    ]);
    const zone = type!.requirements.find(({ key }) => key === 'topology.kubernetes.io/zone');
    expect(zone).toEqual({ key: 'topology.kubernetes.io/zone', operator: 'DoesNotExist' });
    expect(unavailable.size).toBe(0);
  });
});

describe('which sizes a node class can use', () => {
  const skus: readonly ResourceSku[] = [
    aSku('D2s_v5'),
    aSku('D4s_v5', { vcpus: 4, has: { EncryptionAtHostSupported: 'False' } }),
    aSku('D8s_v5', { vcpus: 8, has: { TrustedLaunchDisabled: 'True' } }),
    aSku('D4ps_v5', { vcpus: 4, arm: true }),
    aSku('NC6s_v2', { vcpus: 6, gpus: 1 }),
    aSku('NC6s_v3', { vcpus: 6, gpus: 1 }),
    aSku('NV4ads_V710_v5', { vcpus: 4, gpus: 1 }),
  ];
  const all = ['D2s_v5', 'D4ps_v5', 'D4s_v5', 'D8s_v5', 'NC6s_v2', 'NC6s_v3', 'NV4ads_V710_v5'];

  const classes: readonly [
    sentence: string,
    Parameters<typeof aNodeClass>,
    missing: Record<string, string>,
  ][] = [
    ['by default all but GPUs without a driver', [{}], { NV4ads_V710_v5: 'NoGpuDriver' }],
    ['without driver installation every GPU', [{ gpu: { mode: 'None' } }], {}],
    [
      'on Azure Linux only GPUs that it supports',
      [{ imageFamily: 'AzureLinux', gpu: { mode: 'None' } }],
      { NC6s_v2: 'GpuNotOnImageFamily', NV4ads_V710_v5: 'GpuNotOnImageFamily' },
    ],
    [
      'with encryption at host only sizes that have it',
      [{ security: { encryptionAtHost: true }, gpu: { mode: 'None' } }],
      { D4s_v5: 'NoEncryptionAtHost' },
    ],
    [
      'with trusted launch only sizes that have it',
      [{ security: { trustedLaunch: { secureBoot: true } }, gpu: { mode: 'None' } }],
      { D8s_v5: 'NoTrustedLaunch' },
    ],
    [
      'with artifact streaming no arm64',
      [{ artifactStreaming: { enabled: true }, gpu: { mode: 'None' } }],
      { D4ps_v5: 'NoArtifactStreaming' },
    ],
    [
      'with LocalDNS four cores or more',
      [{ gpu: { mode: 'None' } }, { localDNSState: 'Enabled' }],
      { D2s_v5: 'TooSmallForLocalDns' },
    ],
  ];

  test.each(classes)('%s', (_, [spec, status], missing) => {
    const { provider } = aProvider(skus);
    const nodeClass = aNodeClass(spec, status);
    expect(names(provider.forNodeClass(nodeClass))).toEqual(all.filter((name) => !(name in missing)));
    const refused = provider.refusedFor(nodeClass).map(({ name, refusal }) => [name.slice(9), refusal.code]);
    expect(Object.fromEntries(refused)).toEqual(missing);
  });

  test('a user can ask why a size is not there', () => {
    const { provider } = aProvider([...skus, aSku('B1ms')]);
    expect(provider.whyNot('Standard_B1ms', CLASS)).toEqual({ code: 'RefusedByAks' });
    expect(provider.whyNot('Standard_NV4ads_V710_v5', CLASS)).toEqual({
      code: 'NoGpuDriver',
      manufacturer: 'amd',
    });
    expect(provider.whyNot('Standard_D2s_v5', CLASS)).toBeUndefined();
    expect(provider.whyNot('Standard_D2s_v99', CLASS)).toBe('unknown');
  });

  test('GPUs count as a resource of their maker', () => {
    const { provider } = aProvider(skus);
    const types = provider.forNodeClass(aNodeClass({ gpu: { mode: 'None' } }));
    const gpus = types.map(({ capacity }) => [capacity['nvidia.com/gpu'], capacity['amd.com/gpu']].join('/'));
    expect(gpus).toEqual(['0/0', '0/0', '0/0', '0/0', '1/0', '1/0', '0/1']);
  });

  test('pods per node: the class, else the network plugin', () => {
    const plugin = (networkPlugin: string, networkPluginMode: string) => ({
      networkPlugin: { value: networkPlugin, source: 'flag' as const, path: 'network-plugin' },
      networkPluginMode: { value: networkPluginMode, source: 'flag' as const, path: 'network-plugin-mode' },
    });
    expect(maxPodsFor(aNodeClass({ maxPods: 42 }), OPTIONS)).toEqual({
      value: 42,
      source: 'NodeClass',
      path: 'spec.maxPods',
    });
    expect(maxPodsFor(CLASS, plugin('none', '')).value).toBe(250);
    expect(maxPodsFor(CLASS, plugin('azure', 'overlay')).value).toBe(250);
    expect(maxPodsFor(CLASS, plugin('azure', '')).value).toBe(30);
    expect(maxPodsFor(CLASS, plugin('kubenet', '')).value).toBe(110);
  });
});

describe('lists are kept until something changed', () => {
  test('the same list for equal classes, another for other fields', () => {
    const { provider } = aProvider([aSku('D2s_v5')]);
    const first = provider.forNodeClass(CLASS);
    expect(provider.forNodeClass(aNodeClass({ tags: { a: 'b' } }))).toBe(first);
    const bigger = provider.forNodeClass(aNodeClass({ osDiskSizeGB: 256 }));
    expect(bigger[0]!.capacity['ephemeral-storage']).toBe('256G');
    expect(provider.forNodeClass(CLASS)).toBe(first);
  });

  test('a price, a quota, a failure, and its end are seen at once', async () => {
    const { provider, prices, quota, unavailable, world } = aProvider([
      aSku('D2s_v5', { family: 'standardDSv5Family' }),
    ]);
    const look = () => provider.forNodeClass(CLASS)[0]!.offerings.filter(({ available }) => available).length;
    expect(look()).toBe(8);
    const [type] = provider.forNodeClass(CLASS);
    unavailable.mark(
      { instanceType: type!.name, zone: `${REGION}-1`, capacityType: 'spot' },
      60_000,
      'AllocationFailure',
    );
    expect(look()).toBe(7);
    await world.clock.advance(60_000);
    expect(look()).toBe(8);
    quota.refused.set('standardDSv5Family', {
      code: 'QuotaExceeded',
      family: 'standardDSv5Family',
      limit: 0,
      used: 0,
      needed: 2,
    });
    quota.sequence += 1;
    expect(look()).toBe(4);
    prices.byName.set('Standard_D2s_v5', 7);
    prices.sequence += 1;
    expect(provider.forNodeClass(CLASS)[0]!.offerings[0]!.price).toBe(7);
  });

  test('a change makes only those types again that it concerns', () => {
    const { provider, unavailable } = aProvider([aSku('D2s_v5'), aSku('E2s_v5')]);
    const [d, e] = provider.forNodeClass(CLASS);
    unavailable.mark({ instanceType: d!.name, zone: '0', capacityType: 'spot' }, 60_000, 'AllocationFailure');
    const after = provider.forNodeClass(CLASS);
    expect(after[0]!.offerings.at(-1)!.available).toBe(false);
    expect([d!.offerings.at(-1)!.available, after[0] === d, after[1] === e]).toEqual([true, false, true]);
  });

  test('options that change at run time change the types', () => {
    let percent = 0.075;
    const options = {
      networkPlugin: OPTIONS.networkPlugin,
      networkPluginMode: OPTIONS.networkPluginMode,
      nodeResourceGroup: OPTIONS.nodeResourceGroup,
      get vmMemoryOverheadPercent() {
        return { value: percent, source: 'settings' as const, path: 'azure.vmMemoryOverheadPercent' };
      },
    };
    const { provider } = aProvider([aSku('D2s_v5')], { options });
    const memory = () => provider.forNodeClass(CLASS)[0]!.capacity['memory'];
    expect(memory()).toBe('7945689497');
    percent = 0;
    expect(memory()).toBe('8Gi');
  });
});

describe('sizes are read from Azure', () => {
  test('at start and every twelve hours, once however many ask', async () => {
    let calls = 0;
    const listSkus = async () => {
      calls += 1;
      return [aSku('D2s_v5')];
    };
    const { provider, world } = aProvider([], { listSkus });
    expect(provider.loaded).toBe(false);
    await Promise.all([provider.refreshIfDue(), provider.refreshIfDue()]);
    expect([calls, provider.loaded, provider.sequence]).toEqual([1, true, 1]);
    expect(await provider.refreshIfDue()).toBe(false);
    await world.clock.advance(SIZES_REFRESH_MS);
    expect(await provider.refreshIfDue()).toBe(true);
    // The same sizes again: nothing to build again.
    expect([calls, provider.sequence]).toEqual([2, 1]);
  });

  test('a failed read keeps the known sizes and is retried soon', async () => {
    let answer: Promise<ResourceSku[]> = Promise.resolve([aSku('D2s_v5')]);
    const { provider, world } = aProvider([], { listSkus: () => answer });
    await provider.refreshIfDue();
    await world.clock.advance(SIZES_REFRESH_MS);
    answer = Promise.reject(new Error('ARM is down'));
    await expect(provider.refreshIfDue()).rejects.toThrow('ARM is down');
    expect(names(provider.forNodeClass(CLASS))).toEqual(['D2s_v5']);
    expect(await provider.refreshIfDue()).toBe(false);
    answer = Promise.resolve([aSku('D4s_v5')]);
    await world.clock.advance(SIZES_RETRY_MS);
    await provider.refreshIfDue();
    expect(names(provider.forNodeClass(CLASS))).toEqual(['D4s_v5']);
  });

  test('before that, and when nothing is left, it is an error with a reason', () => {
    const { provider } = aProvider([]);
    const reason = (run: () => unknown) => {
      try {
        run();
        return 'no error';
      } catch (error) {
        return isCloudError(error) ? error.reason : String(error);
      }
    };
    expect(reason(() => provider.forNodeClass(CLASS))).toBe('InstanceTypeResolutionFailed');
    expect(reason(() => provider.refresh([aSku('B1ms')]))).toBe('InstanceTypeResolutionFailed');
    expect(provider.loaded).toBe(false);
  });
});
