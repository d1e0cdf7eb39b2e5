import { describe, expect, test } from 'vitest';
import type { LabelRequirement } from '../../../scheduling/index.ts';
import { aSku, REGION } from '../sizes/skus.fixture.ts';
import { type RankRequest, rankOfferings, wantsUltraSsd } from './rank.ts';
import { aNodeClass, aProvider } from './world.fixture.ts';

const PRICES = { Standard_D2s_v5: 0.1, Standard_D4s_v5: 0.2, Standard_E2s_v5: 0.1, Standard_B2ms: 0.08 };

function types(change: (setup: ReturnType<typeof aProvider>) => void = () => {}) {
  const setup = aProvider([
    aSku('D2s_v5', { family: 'standardDSv5Family' }),
    aSku('D4s_v5', { vcpus: 4, memoryGiB: 16, family: 'standardDSv5Family', ultraSsdZones: ['2'] }),
    aSku('E2s_v5', { memoryGiB: 16, family: 'standardESv5Family' }),
    aSku('B2ms', { family: 'standardBSFamily', zones: [], spot: false }),
  ]);
  for (const [name, price] of Object.entries(PRICES)) setup.prices.byName.set(name, price);
  change(setup);
  return setup.provider.forNodeClass(aNodeClass());
}

function rank(request: Partial<RankRequest> = {}): string[] {
  const ranked = rankOfferings({ types: types(), requirements: [], claimName: 'default-abcde', ...request });
  return ranked.map(
    ({ type, offering }) => `${type.name.slice(9)} ${offering.capacityType} ${offering.zone}`,
  );
}

function requirement(key: string, operator: string, ...values: string[]): LabelRequirement {
  return { key, operator, values };
}

const ON_DEMAND = requirement('karpenter.sh/capacity-type', 'In', 'on-demand');
const SPOT_FREE = requirement('karpenter.sh/capacity-type', 'NotIn', 'spot');

describe('which offering is launched', () => {
  test('the cheapest, ties by name, zonal before regional', () => {
    const order = rank();
    expect(order.slice(0, 4).map((text) => text.replace(/-[123]$/, '-n'))).toEqual([
      `D2s_v5 spot ${REGION}-n`,
      `D2s_v5 spot ${REGION}-n`,
      `D2s_v5 spot ${REGION}-n`,
      `E2s_v5 spot ${REGION}-n`,
    ]);
    expect(order[6]).toBe('D2s_v5 spot 0');
    expect(order.at(-1)).toBe('D4s_v5 on-demand 0');
    expect(order).toHaveLength(3 * 8 + 1);
  });

  test('at the same price spot comes before on-demand', () => {
    const same = types(({ prices }) => {
      prices.price = () => 1;
    });
    expect(rank({ types: same })[0]).toMatch(/ spot /);
  });

  test('only what the claim allows', () => {
    const requirements = [
      SPOT_FREE,
      requirement('topology.kubernetes.io/zone', 'In', `${REGION}-2`),
      requirement('karpenter.azure.com/sku-cpu', 'Gt', '2'),
      requirement('karpenter.sh/nodepool', 'In', 'default'),
    ];
    expect(rank({ requirements })).toEqual([`D4s_v5 on-demand ${REGION}-2`]);
    expect(
      rank({ requirements: [...requirements, requirement('kubernetes.io/arch', 'In', 'arm64')] }),
    ).toEqual([]);
    expect(rank({ requirements: [requirement('karpenter.azure.com/sku-gpu-name', 'Exists')] })).toEqual([]);
  });

  test('only what is big enough', () => {
    const fits = rank({ requirements: [ON_DEMAND], requests: { cpu: '1', memory: '11Gi' } });
    expect(new Set(fits.map((text) => text.split(' ')[0]))).toEqual(new Set(['D4s_v5', 'E2s_v5']));
    expect(rank({ requests: { 'nvidia.com/gpu': '1' } })).toEqual([]);
  });

  test('what failed recently is not tried again', () => {
    const without = types(({ unavailable }) => {
      unavailable.markCapacityType('spot', 60_000, 'SubscriptionQuotaReached');
    });
    expect(rank({ types: without }).filter((text) => text.includes('spot'))).toEqual([]);
  });

  test('what exceeds quota comes last, but is not left out', () => {
    const hasQuota = (family: string) => family !== 'standardDSv5Family';
    const order = rank({ requirements: [ON_DEMAND], hasQuota });
    expect(order[0]).toBe('B2ms on-demand 0');
    expect(order[1]).toMatch(/^E2s_v5/);
    expect(order[5]).toMatch(/^D2s_v5/);
    const ranked = rankOfferings({ types: types(), requirements: [], claimName: 'x', hasQuota });
    expect(ranked.at(-1)!.overQuota).toBe(true);
  });

  test('a claim always tries the same zone first, and claims spread over all zones', () => {
    const list = types();
    const first = (claimName: string) => rank({ types: list, claimName })[0]!;
    expect(first('default-7kqzf')).toBe(first('default-7kqzf'));
    const counts = new Map<string, number>();
    for (let index = 0; index < 600; index++) {
      const zone = first(`default-${index.toString(36).padStart(5, 'x')}`);
      counts.set(zone, (counts.get(zone) ?? 0) + 1);
    }
    expect(counts.size).toBe(3);
    expect(Math.min(...counts.values())).toBeGreaterThan(150);
  });

  test('an invalid requirement is an error that names it', () => {
    const requirements = [requirement('karpenter.azure.com/sku-cpu', 'Around', '4')];
    expect(() => rank({ requirements })).toThrow(/sku-cpu.*Around/);
  });

  test('ultra disks are requested by requiring them', () => {
    const key = 'karpenter.azure.com/sku-storage-ultra-ssd';
    expect(wantsUltraSsd([requirement(key, 'In', 'true')])).toBe(true);
    expect(wantsUltraSsd([requirement(key, 'NotIn', 'false')])).toBe(true);
    expect(wantsUltraSsd([requirement(key, 'In', 'true', 'false')])).toBe(false);
    expect(wantsUltraSsd([requirement(key, 'In', 'false')])).toBe(false);
    expect(wantsUltraSsd([])).toBe(false);
    expect(rank({ requirements: [requirement(key, 'In', 'true'), SPOT_FREE] })).toEqual([
      `D4s_v5 on-demand ${REGION}-2`,
    ]);
  });
});
