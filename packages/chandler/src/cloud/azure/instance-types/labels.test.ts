import { describe, expect, test } from 'vitest';
import { AZURE_LABEL_RULES, AzureLabel, KarpenterLabel, KubernetesLabel } from '../../../api/index.ts';
import { aSku, LOCAL_DISKS, type SkuShape } from '../sizes/skus.fixture.ts';
import { clusterLabel } from './labels.ts';
import { aNodeClass, aProvider } from './world.fixture.ts';

type Spec = Parameters<typeof aNodeClass>[0];

/** Labels of the type: values joined, `-` where the label is not there. */
function labelsOf(name: string, shape: SkuShape = {}, spec: Spec = {}): Record<string, string> {
  const { provider } = aProvider([aSku(name, shape)]);
  const [type] = provider.forNodeClass(aNodeClass(spec));
  return Object.fromEntries(
    type!.requirements.map(({ key, operator, values }) => [
      key,
      operator === 'DoesNotExist' ? '-' : values!.join(),
    ]),
  );
}

describe('the labels of a size', () => {
  test('every label that scheduling knows is there, once', () => {
    const { provider } = aProvider([aSku('D4s_v5')]);
    const keys = provider.forNodeClass(aNodeClass())[0]!.requirements.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    const known = [...AZURE_LABEL_RULES.wellKnown].filter((key) => key !== KarpenterLabel.nodePool);
    expect(known.filter((key) => !keys.includes(key))).toEqual([]);
  });

  test('an ordinary size', () => {
    const labels = labelsOf('D4s_v5', { vcpus: 4, memoryGiB: 16, zones: ['1', '3'] });
    expect(labels).toEqual({
      'node.kubernetes.io/instance-type': 'Standard_D4s_v5',
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/os': 'linux',
      'node.kubernetes.io/windows-build': '-',
      'topology.kubernetes.io/region': 'southcentralus',
      'topology.kubernetes.io/zone': '0,southcentralus-1,southcentralus-3',
      'karpenter.sh/capacity-type': 'on-demand,spot',
      'karpenter.azure.com/sku-name': 'Standard_D4s_v5',
      'karpenter.azure.com/sku-family': 'D',
      'karpenter.azure.com/sku-series': 'Ds_v5',
      'karpenter.azure.com/sku-version': '5',
      'karpenter.azure.com/sku-cpu': '4',
      'karpenter.azure.com/sku-memory': '16384',
      'karpenter.azure.com/sku-gpu-count': '0',
      'karpenter.azure.com/sku-gpu-manufacturer': '-',
      'karpenter.azure.com/sku-gpu-name': '-',
      'karpenter.azure.com/sku-networking-accelerated': 'true',
      'karpenter.azure.com/sku-storage-premium-capable': 'true',
      'karpenter.azure.com/sku-storage-ephemeralos-maxsize': '-',
      'karpenter.azure.com/sku-storage-ultra-ssd': 'false',
      'karpenter.azure.com/placement-scope': 'regional,zonal',
      'karpenter.azure.com/sku-hyperv-generation': '1,2',
      'kubernetes.azure.com/sku-cpu': '4',
      'kubernetes.azure.com/sku-memory': '16384',
      'kubernetes.azure.com/cluster': 'MC_test-rg-_cluster',
      'kubernetes.azure.com/mode': 'system,user',
      'kubernetes.azure.com/scalesetpriority': 'regular,spot',
      'kubernetes.azure.com/priority': 'regular,spot',
      'kubernetes.azure.com/os-sku': 'Ubuntu',
      'kubernetes.azure.com/fips_enabled': '-',
    });
  });

  test('a GPU size is labelled with count, manufacturer and name', () => {
    const labels = labelsOf('NC24ads_A100_v4', {
      vcpus: 24,
      memoryGiB: 220,
      gpus: 1,
      has: LOCAL_DISKS['Standard_NC24ads_A100_v4']!,
    });
    expect(labels).toMatchObject({
      [AzureLabel.skuSeries]: 'NCads_v4',
      [AzureLabel.skuGpuCount]: '1',
      [AzureLabel.skuGpuManufacturer]: 'nvidia',
      [AzureLabel.skuGpuName]: 'A100',
      [AzureLabel.skuStorageEphemeralOsMaxSize]: '274',
    });
    const older = labelsOf('NC6s_v3', { vcpus: 6, memoryGiB: 112, gpus: 1 });
    expect([older[AzureLabel.skuGpuCount], older[AzureLabel.skuGpuName]]).toEqual(['1', '-']);
  });

  test('a size without a version is of the first; memory of half a GiB counts in MiB', () => {
    const labels = labelsOf('A2', { memoryGiB: 3.5 });
    expect([labels[AzureLabel.skuVersion], labels[AzureLabel.skuMemory]]).toEqual(['1', '3584']);
  });

  test('arm, FIPS, Azure Linux and ultra disks are labelled', () => {
    const spec = { imageFamily: 'AzureLinux', fipsMode: 'FIPS' } as const;
    const labels = labelsOf('D2ps_v5', { arm: true, ultraSsdZones: ['2'] }, spec);
    expect(labels).toMatchObject({
      [KubernetesLabel.arch]: 'arm64',
      'karpenter.azure.com/sku-hyperv-generation': '2',
      'karpenter.azure.com/sku-storage-ultra-ssd': 'true,false',
      'kubernetes.azure.com/fips_enabled': 'true',
      'kubernetes.azure.com/os-sku': 'AzureLinux',
    });
  });

  test("the resource group's name becomes a label value", () => {
    const cases: readonly [group: string, label: string][] = [
      ['MC_rg_cluster_eastus', 'MC_rg_cluster_eastus'],
      ['MC_(rg)_cluster', 'MC_-rg-_cluster'],
      ['group-(x)', 'group--x-z'],
      ['a'.repeat(70), 'a'.repeat(63)],
      [`${'a'.repeat(62)}_bcd`, `${'a'.repeat(62)}z`],
      [`${'a'.repeat(61)}.`, `${'a'.repeat(61)}.z`],
    ];
    for (const [group, label] of cases) expect(clusterLabel(group)).toBe(label);
  });
});
