import { parseQuantity } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { readSku, type SkuFacts } from '../sizes/index.ts';
import { aSku, REGION } from '../sizes/skus.fixture.ts';
import { sizeFitter } from './instance-type.ts';
import { parametersOf } from './parameters.ts';
import { kubeReserved, reservedCpuMilli } from './reserved.ts';
import { aNodeClass, OPTIONS } from './world.fixture.ts';

/** As AKS computes them for real sizes. */
const VECTORS: readonly [
  vcpus: number,
  memoryGiB: number,
  cpu: string,
  memory: string,
  capacityBytes: number,
  allocatableMiB: number,
][] = [
  [2, 3.5, '100m', '896Mi', 2979633561, 1195.6],
  [2, 4, '100m', '1Gi', 3972844748, 2014.8],
  [2, 8, '100m', '1843Mi', 7945689497, 4984.6],
  [4, 16, '140m', '2662Mi', 15891378995, 11743.2],
  [8, 32, '180m', '3645Mi', 31782757990, 25915.4],
  [16, 64, '260m', '5611Mi', 63565515980, 54259.8],
  [32, 128, '420m', '9543Mi', 127131031961, 110948.6],
  [64, 256, '740m', '12165Mi', 254262063923, 229568.2],
  [96, 384, '1060m', '14786Mi', 381393095884, 348188.8],
  [128, 512, '1380m', '17Gi', 508524127846, 466808.4],
];

function typeOf(vcpus: number, memoryGiB: number) {
  const sku = readSku(aSku('D2s_v5', { vcpus, memoryGiB }), REGION) as SkuFacts;
  return sizeFitter(parametersOf(aNodeClass(), OPTIONS), REGION)(sku);
}

describe('what is left of a VM for pods', () => {
  test.each(VECTORS)('%i vCPUs and %f GiB', (vcpus, memoryGiB, cpu, memory, capacity, allocatableMiB) => {
    expect(kubeReserved(vcpus, memoryGiB)).toEqual({ cpu, memory });
    const type = typeOf(vcpus, memoryGiB);
    expect(type.capacity['memory']).toBe(String(capacity));
    expect(type.overhead).toEqual({
      kubeReserved: { cpu, memory },
      systemReserved: { cpu: '0', memory: '0' },
      evictionThreshold: { memory: '750Mi' },
    });
    const left = Number(parseQuantity(type.allocatable['memory']!).value()) / 2 ** 20;
    expect(left.toFixed(1)).toBe(allocatableMiB.toFixed(1));
    const cores = parseQuantity(type.allocatable['cpu']!).milli();
    expect(Number(cores)).toBe(vcpus * 1000 - reservedCpuMilli(vcpus));
  });

  test('the last milli-core is lost where the sum of doubles falls short, as on the node', () => {
    const odd: readonly [number, number][] = [
      [120, 1299],
      [172, 1819],
      [176, 1859],
      [480, 4899],
    ];
    for (const [vcpus, milli] of odd) expect([vcpus, reservedCpuMilli(vcpus)]).toEqual([vcpus, milli]);
  });

  test('storage is the size of the OS disk, pods depend on the network, GPUs of both makers are listed', () => {
    expect(typeOf(4, 16).capacity).toEqual({
      cpu: '4',
      memory: '15891378995',
      'ephemeral-storage': '128G',
      pods: '250',
      'nvidia.com/gpu': '0',
      'amd.com/gpu': '0',
    });
  });

  test('without hypervisor overhead a VM has whole GiB', () => {
    const options = { ...OPTIONS, vmMemoryOverheadPercent: { value: 0, source: 'flag', path: '' } as const };
    const sku = readSku(aSku('D2s_v5'), REGION) as SkuFacts;
    const type = sizeFitter(parametersOf(aNodeClass(), options), REGION)(sku);
    expect(type.capacity['memory']).toBe('8Gi');
  });
});
