import { describe, expect, test } from 'vitest';
import { readRegion } from './catalogue.ts';
import type { ResourceSku } from './resource-sku.ts';
import { skuRefusalText } from './sku-refusal.ts';
import { aSku, REGION } from './skus.fixture.ts';

function read(...skus: ResourceSku[]) {
  return readRegion(skus, REGION);
}

describe('which sizes of a region may become nodes', () => {
  test('a size is read with what Azure says about it', () => {
    const sku = aSku('D4s_v5', {
      vcpus: 4,
      memoryGiB: 16,
      family: 'standardDSv5Family',
      zones: ['3', '1', '2'],
      has: { UltraSSDAvailable: 'True', TrustedLaunchDisabled: 'True' },
      ultraSsdZones: ['1', '3'],
    });
    expect(read(sku).offered).toEqual([
      expect.objectContaining({
        name: 'Standard_D4s_v5',
        family: 'standardDSv5Family',
        vcpus: 4,
        memoryGiB: 16,
        gpus: 0,
        architecture: 'amd64',
        zones: ['1', '2', '3'],
        hyperVGenerations: ['1', '2'],
        spotCapable: true,
        trustedLaunch: false,
        ultraSsdRegional: true,
        ultraSsdZones: ['1', '3'],
      }),
    ]);
  });

  const refused: readonly [sentence: string, sku: ResourceSku, refusal: object][] = [
    ['too weak for AKS', aSku('B1ms'), { code: 'RefusedByAks' }],
    ['too weak for AKS, of another tier', aSku('Basic_A2'), { code: 'RefusedByAks' }],
    ['known to fail', aSku('E64is_v3', { vcpus: 64, memoryGiB: 432 }), { code: 'KnownToFail' }],
    ['one core', aSku('D1_v2', { vcpus: 1, memoryGiB: 3.5 }), { code: 'TooFewCpus', vcpus: 1, needed: 2 }],
    [
      'little memory',
      aSku('B2ts_v2', { memoryGiB: 1 }),
      { code: 'TooLittleMemory', memoryGiB: 1, neededGiB: 3.5 },
    ],
    ['cores switched off', aSku('E4-2s_v5', { vcpus: 4 }), { code: 'ConstrainedCpus', vcpus: 2 }],
    ['confidential', aSku('DC2as_v5'), { code: 'Confidential' }],
    ['confidential', aSku('EC4ads_cc_v5'), { code: 'Confidential' }],
    ['an unknown GPU', aSku('NC9qs_Z9_v9', { gpus: 2 }), { code: 'UnknownGpu', gpus: 2 }],
    ['no name', aSku('Dsv3-Type1'), { code: 'NameNotUnderstood', name: 'Standard_Dsv3-Type1' }],
    [
      'no memory given',
      aSku('D2s_v9', { has: { MemoryGB: 'lots' } }),
      { code: 'FactMissing', fact: 'MemoryGB' },
    ],
    [
      'a strange processor',
      aSku('D2s_v9', { has: { CpuArchitectureType: 'RISC' } }),
      { code: 'FactMissing' },
    ],
  ];

  test.each(refused)('%s: it is left out with the reason', (_, sku, refusal) => {
    const { offered, refused: list } = read(sku, aSku('D2s_v5'));
    expect(offered.map(({ name }) => name)).toEqual(['Standard_D2s_v5']);
    expect(list).toEqual([{ name: sku.name, refusal: expect.objectContaining(refusal) }]);
    expect(skuRefusalText(list[0]!.refusal)).toMatch(/^[^{}]+$/);
  });

  test('sizes that upstream loses to its name pattern are offered', () => {
    const names = ['D2ns_v6', 'E4nds_v6', 'D2nlds_v6', 'L2aos_v4'];
    const gpus = ['NC24lds_xl_RTXPRO6000BSE_v6', 'ND128isr_GB300_v6', 'ND128isr_NDR_GB200_v6'];
    const skus = [...names.map((name) => aSku(name)), ...gpus.map((name) => aSku(name, { gpus: 1 }))];
    expect(read(...skus).refused).toEqual([]);
  });

  test('a size that is closed for the subscription is refused; closed zones are only left out', () => {
    const closed = aSku('D2s_v5', {
      restrictions: [{ type: 'Location', values: [REGION], reasonCode: 'NotAvailableForSubscription' }],
    });
    const partly = aSku('D2s_v4', {
      restrictions: [{ type: 'Zone', values: [REGION], restrictionInfo: { zones: ['2', '3'] } }],
    });
    const elsewhere = aSku('D2s_v3', { restrictions: [{ type: 'Location', values: ['westus'] }] });
    const { offered, refused: list } = read(closed, partly, elsewhere);
    expect(list).toEqual([
      {
        name: 'Standard_D2s_v5',
        refusal: { code: 'ClosedInRegion', reason: 'NotAvailableForSubscription' },
      },
    ]);
    expect(offered.map(({ name, zones }) => [name, zones])).toEqual([
      ['Standard_D2s_v3', ['1', '2', '3']],
      ['Standard_D2s_v4', ['1']],
    ]);
  });

  test('disks, other regions and repetitions are not sizes of this region', () => {
    const disk: ResourceSku = { ...aSku('D2s_v5'), resourceType: 'disks', name: 'Premium_LRS' };
    const { offered, refused: list } = read(
      disk,
      aSku('D4s_v5', { region: 'westeurope' }),
      aSku('D2s_v5', { region: 'SouthCentralUS' }),
      aSku('D2s_v5'),
      {},
    );
    expect([offered.length, list.length]).toEqual([1, 0]);
  });
});
