/** The formulas, where `test/upstream-aws` does not reach: what upstream does not do, and types that are no longer sold. */
import { describe, expect, test } from 'vitest';
import { hardcoded } from '../../../settings/index.ts';

import { aList, aNodeClass, aType, OPTIONS } from '../aws.fixture.ts';
import { cniSettings } from './cni.ts';
import type { InstanceTypeInfo } from './instance-type-info.ts';
import { OBSERVED_TTL_MS } from './observed-memory.ts';
import { decodeType, encodeType, offlineOfferings, offlineRegions, offlineTypes } from './offline-types.ts';

const GIB = 2 ** 30;

describe('a node of AL2023 with the defaults', () => {
  test.each([
    ['t3.medium', 17, '3788Mi', '70m', '442Mi', '1930m', '3246Mi'],
    ['m5.large', 29, '7577Mi', '70m', '574Mi', '1930m', '6903Mi'],
    ['c7g.large', 29, '3729Mi', '70m', '574Mi', '1930m', '3055Mi'],
    ['m6g.xlarge', 58, '15096Mi', '80m', '893Mi', '3920m', '14103Mi'],
    ['g6.xlarge', 58, '15155Mi', '80m', '893Mi', '3920m', '14162Mi'],
    ['m5.24xlarge', 737, '363724Mi', '310m', '8362Mi', '95690m', '355262Mi'],
    ['p5.48xlarge', 100, '1939865Mi', '550m', '1355Mi', '191450m', '1938410Mi'],
  ])('%s has the pods, memory and reservations that upstream publishes', (name, pods, memory, ...rest) => {
    const { capacity, overhead, allocatable } = listed(aType(name));
    expect([capacity['pods'], capacity['memory']]).toEqual([String(pods), memory]);
    expect([
      overhead.kubeReserved['cpu'],
      overhead.kubeReserved['memory'],
      allocatable['cpu'],
      allocatable['memory'],
    ]).toEqual(rest);
  });
});

describe('prefix delegation', () => {
  const options = { ...OPTIONS, prefixDelegation: hardcoded(true) };

  test('a small Nitro type has 110 pods, a large one 250', () => {
    expect(listed(aType('m5.large'), { options }).capacity['pods']).toBe('110');
    expect(listed(aType('m5.8xlarge'), { options }).capacity['pods']).toBe('250');
  });

  test('a type with few address slots has what its prefixes hold', () => {
    // Two interfaces with one slot each: 2 × 1 × 16 + 2.
    expect(listed(aType('t3.nano'), { options }).capacity['pods']).toBe('34');
  });

  test('bare metal takes prefixes, Xen does not', () => {
    expect(listed(aType('m5.metal'), { options }).capacity['pods']).toBe('250');
    expect(listed(aType('t2.medium'), { options }).capacity['pods']).toBe('17');
  });

  test('maxPods of the class counts more', () => {
    const { lists } = aList([aType('m5.large')], { options });
    const [type] = lists.forNodeClass(aNodeClass({ kubelet: { maxPods: 42 } }));
    expect(type?.capacity['pods']).toBe('42');
  });

  test('is read from the DaemonSet of the VPC CNI', () => {
    const daemonSet = (env: readonly object[]) => ({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'aws-node' },
      spec: {
        template: {
          spec: {
            containers: [
              {
                name: 'aws-eks-nodeagent',
                env: [{ name: 'AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG', value: 'true' }],
              },
              { name: 'aws-node', env },
            ],
          },
        },
      },
    });
    expect(cniSettings(daemonSet([{ name: 'ENABLE_PREFIX_DELEGATION', value: 'true' }]))).toEqual({
      prefixDelegation: true,
      customNetworking: false,
    });
    expect(
      cniSettings(daemonSet([{ name: 'ENABLE_PREFIX_DELEGATION', value: 'false' }])).prefixDelegation,
    ).toBe(false);
    expect(cniSettings(undefined)).toEqual({ prefixDelegation: false, customNetworking: false });
  });
});

describe('devices', () => {
  test('GPUs are counted by manufacturer; two kinds of them have no labels', () => {
    const gpu = (Manufacturer: string, Name: string, Count: number) => ({
      Manufacturer,
      Name,
      Count,
      MemoryInfo: { SizeInMiB: 8192 },
    });
    const mixed = listed(
      aType('m5.large', {
        GpuInfo: { Gpus: [gpu('AMD', 'Radeon Pro V520', 2), gpu('Habana', 'HL-205', 8)] },
      }),
    );
    expect(mixed.capacity).toMatchObject({
      'amd.com/gpu': '2',
      'habana.ai/gaudi': '8',
      'nvidia.com/gpu': '0',
    });
    expect(valuesOf(mixed, 'karpenter.k8s.aws/instance-gpu-name')).toBeUndefined();
    const one = listed(aType('m5.large', { GpuInfo: { Gpus: [gpu('AMD', 'Radeon Pro V520', 2)] } }));
    expect(valuesOf(one, 'karpenter.k8s.aws/instance-gpu-name')).toEqual(['radeon-pro-v520']);
    expect(valuesOf(one, 'karpenter.k8s.aws/instance-gpu-manufacturer')).toEqual(['amd']);
    expect(valuesOf(one, 'karpenter.k8s.aws/instance-gpu-memory')).toEqual(['8192']);
  });

  test('a type of the first bare metal has its category and generation', () => {
    const metal = listed(aType('m5.metal', { InstanceType: 'u-6tb1.metal' }));
    expect(valuesOf(metal, 'karpenter.k8s.aws/instance-category')).toEqual(['u']);
    expect(valuesOf(metal, 'karpenter.k8s.aws/instance-generation')).toEqual(['1']);
    expect(valuesOf(metal, 'karpenter.k8s.aws/instance-hypervisor')).toEqual(['']);
  });

  test('enclaves are a label', () => {
    expect(valuesOf(listed(aType('m5.xlarge')), 'karpenter.k8s.aws/nitro-sandbox')).toEqual(['true']);
    expect(valuesOf(listed(aType('m5.large')), 'karpenter.k8s.aws/nitro-sandbox')).toEqual(['false']);
  });
});

describe('what a type is not', () => {
  test('a description without cores or of another architecture becomes no type, and is counted', () => {
    const { lists } = aList([aType('m5.large')]);
    const { VCpuInfo: _, ...coreless } = aType('m5.xlarge');
    const mac = aType('m5.2xlarge', { ProcessorInfo: { SupportedArchitectures: ['x86_64_mac'] } });
    expect(lists.setTypes([aType('m5.large'), coreless, mac])).toEqual({ refused: 2 });
    expect(lists.forNodeClass(aNodeClass()).map(({ name }) => name)).toEqual(['m5.large']);
  });

  test('there are no types before they were read, and none for a class without subnets', () => {
    const { lists } = aList([]);
    expect(() => lists.forNodeClass(aNodeClass())).toThrow(
      'the instance types of us-east-1 have not been read from EC2 yet',
    );
    lists.setTypes([aType('m5.large')]);
    lists.setZones([{ InstanceType: 'm5.large', Location: 'us-east-1a' }]);
    expect(() => lists.forNodeClass(aNodeClass({}, { subnets: [] }))).toThrow(
      'EC2NodeClass default has no subnets in its status; check its subnetSelectorTerms and its condition SubnetsReady',
    );
  });
});

describe('observed memory', () => {
  const imageIds = ['ami-1'];
  const nodeClass = aNodeClass({}, { amis: [{ id: 'ami-1', requirements: [] }] });

  test('replaces the estimate, is lowered only, and is forgotten after 60 days', () => {
    const { lists, observedMemory } = aList([aType('m5.large')]);
    const memory = () => lists.forNodeClass(nodeClass)[0]?.capacity['memory'];
    const report = (bytes: number, nowMs: number) =>
      observedMemory.report({ instanceType: 'm5.large', imageIds, bytes, nowMs });
    expect(memory()).toBe('7577Mi');
    expect(report(7.7 * GIB, 0)).toBe(true);
    expect(memory()).toBe(String(7.7 * GIB));
    expect(report(7.8 * GIB, 1)).toBe(false);
    expect(report(7.6 * GIB, 2)).toBe(true);
    expect(memory()).toBe(String(7.6 * GIB));
    observedMemory.expire(2 + OBSERVED_TTL_MS);
    expect(memory()).toBe('7577Mi');
  });

  test('counts for the images of a class in any order', () => {
    const { lists, observedMemory } = aList([aType('m5.large')]);
    const amis = ['ami-9', 'ami-1'].map((id) => ({ id, requirements: [] }));
    const both = aNodeClass({}, { amis });
    observedMemory.report({ instanceType: 'm5.large', imageIds: ['ami-9', 'ami-1'], bytes: GIB, nowMs: 0 });
    expect(lists.forNodeClass(both)[0]?.capacity['memory']).toBe(String(GIB));
  });

  test('of nodes with other images does not count', () => {
    const { lists, observedMemory } = aList([aType('m5.large')]);
    observedMemory.report({ instanceType: 'm5.large', imageIds: ['ami-2'], bytes: GIB, nowMs: 0 });
    expect(lists.forNodeClass(nodeClass)[0]?.capacity['memory']).toBe('7577Mi');
  });

  test('changes the allocatable memory too, and not the types that nobody observed', () => {
    const { lists, observedMemory } = aList([aType('m5.large'), aType('m5.xlarge')]);
    const [, before] = lists.forNodeClass(nodeClass);
    observedMemory.report({ instanceType: 'm5.large', imageIds, bytes: 7 * GIB, nowMs: 0 });
    const [large, xlarge] = lists.forNodeClass(nodeClass);
    // 7168Mi without 574Mi of the kubelet and 100Mi of eviction.
    expect(Number(large?.allocatable['memory'])).toBe((7168 - 574 - 100) * 2 ** 20);
    expect(xlarge?.capacity).toEqual(before?.capacity);
  });
});

describe('the built-in table', () => {
  test('is read back as it was written', () => {
    for (const info of offlineTypes()) expect(decodeType(encodeType(info))).toEqual(info);
  });

  test('sells most types in us-east-1, and only in zones of the region', () => {
    const offered = offlineOfferings('us-east-1');
    const zones = new Set(offered.map(({ Location }) => Location));
    expect([...zones].sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => `us-east-1${letter}`));
    // As many as the source lists.
    expect(offered).toHaveLength(6_410);
    expect(offlineOfferings('eu-central-1')).toHaveLength(3_407);
    const zonesOf = (name: string, region: string) =>
      offlineOfferings(region).flatMap(({ InstanceType, Location }) =>
        InstanceType === name ? [Location] : [],
      );
    expect(zonesOf('m5.large', 'us-east-1')).toEqual(
      ['a', 'b', 'c', 'd', 'f'].map((zone) => `us-east-1${zone}`),
    );
    expect(zonesOf('p5.48xlarge', 'sa-east-1')).toEqual(['sa-east-1c']);
  });

  test('knows every region of the commercial partition, and takes us-east-1 for others', () => {
    expect(offlineRegions()).toHaveLength(30);
    const unknown = offlineOfferings('mx-central-1');
    expect(unknown.length).toBeGreaterThan(3_000);
    expect(new Set(unknown.map(({ Location }) => Location))).toEqual(
      new Set(['mx-central-1a', 'mx-central-1b', 'mx-central-1c']),
    );
  });
});

function listed(info: InstanceTypeInfo, setup: Parameters<typeof aList>[1] = {}) {
  return aList([info], setup).lists.forNodeClass(aNodeClass())[0]!;
}

function valuesOf({ requirements }: ReturnType<typeof listed>, key: string) {
  return requirements.find((requirement) => requirement.key === key)?.values;
}
