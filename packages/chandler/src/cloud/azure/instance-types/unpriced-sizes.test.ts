/** What sizes cost that the price list does not have: an estimate that keeps large sizes above small ones. */
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { hardcoded } from '../../../settings/index.ts';
import { UnavailableOfferings } from '../../index.ts';

import { PriceList } from '../prices/index.ts';
import type { ResourceSku } from '../sizes/index.ts';
import { KNOWN_NAMES } from '../sizes/known-names.table.ts';
import { aSku, REGION } from '../sizes/skus.fixture.ts';
import { InstanceTypeProvider } from './provider.ts';
import { rankOfferings } from './rank.ts';
import { aNodeClass, OPTIONS } from './world.fixture.ts';

type Listed = Readonly<Record<string, { readonly onDemand?: number; readonly spot?: number }>>;

/** Types of a region with these sizes, whose published list has these prices; nothing where no list is published. */
async function typesOf(skus: readonly ResourceSku[], listed?: Listed) {
  const published = { prices: listed ?? {} };
  const world = virtualWorld({
    fetch: async () => {
      const Items = Object.entries(published.prices).flatMap(([name, { onDemand, spot }]) => [
        { armSkuName: `Standard_${name}`, skuName: name, retailPrice: onDemand },
        { armSkuName: `Standard_${name}`, skuName: `${name} Spot`, retailPrice: spot },
      ]);
      return Response.json({ Items, NextPageLink: null });
    },
  });
  const { clock, log, fetch } = world;
  const prices = new PriceList({ clock, log, fetch, region: REGION, published: listed !== undefined });
  await prices.refreshIfDue();
  const provider = new InstanceTypeProvider({
    region: REGION,
    clock,
    log,
    options: { ...OPTIONS, networkPlugin: hardcoded('azure') },
    listSkus: () => Promise.resolve(skus),
    prices,
    quota: { sequence: 0, refusal: () => undefined },
    unavailable: new UnavailableOfferings({ clock }),
  });
  provider.refresh(skus);
  const types = () => provider.forNodeClass(aNodeClass());
  const price = (name: string, capacityType = 'on-demand') =>
    types()
      .find((type) => type.name === `Standard_${name}`)!
      .offerings.find((offering) => offering.capacityType === capacityType)!.price;
  return { types, price, prices, published, world };
}

const size = (name: string, vcpus: number, gibPerCore = 4, gpus = 0) =>
  aSku(name, { vcpus, memoryGiB: vcpus * gibPerCore, gpus });

/** v7 is newer than the built-in table. */
const V7 = [2, 4, 8, 16, 32, 64, 128].map((vcpus) => size(`D${vcpus}s_v7`, vcpus));

describe('sizes that are newer than the prices', () => {
  test('a tiny pod gets the smallest of them', async () => {
    const { types } = await typesOf(V7);
    const [first] = rankOfferings({
      types: types(),
      requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }],
      requests: { cpu: '100m' },
      claimName: 'tiny',
    });
    expect(first!.type.name).toBe('Standard_D2s_v7');
  });

  test('cost about what the version before costs', async () => {
    const { price } = await typesOf([...V7, size('D2s_v6', 2), size('D2s_v3', 2), size('E2s_v6', 2, 8)]);
    expect(price('D2s_v7')).toBeCloseTo(price('D2s_v6'), 6);
    expect(price('D8s_v7')).toBeCloseTo(4 * price('D2s_v6'), 6);
  });

  test('that have more memory cost more than those that have less', async () => {
    const { price } = await typesOf([size('D8s_v7', 8), size('E8s_v7', 8, 8), size('F8s_v7', 8, 2)]);
    expect(price('D8s_v7')).toBeLessThan(price('E8s_v7'));
    expect(price('F8s_v7')).toBeLessThan(price('D8s_v7'));
  });

  test('that have GPUs cost more than those that have none, whatever the GPU', async () => {
    const { price } = await typesOf(
      [
        size('D4s_v5', 4),
        size('NC4as_T4_v3', 4, 7, 1),
        size('NC8as_T4_v3', 8, 7, 1),
        size('NC96ads_A100_v4', 96, 9, 4),
        size('NC24lds_xl_RTXPRO6000BSE_v6', 24, 4, 1),
      ],
      { D4s_v5: { onDemand: 0.2 } },
    );
    expect(price('NC4as_T4_v3')).toBeGreaterThan(0.4);
    expect(price('NC8as_T4_v3')).toBeLessThan(1);
    expect(price('NC96ads_A100_v4')).toBeGreaterThan(10);
    expect(price('NC96ads_A100_v4')).toBeLessThan(20);
    // No size with this GPU has a price.
    expect(price('NC24lds_xl_RTXPRO6000BSE_v6')).toBeGreaterThan(2);
    expect(price('NC24lds_xl_RTXPRO6000BSE_v6')).toBeLessThan(10);
  });

  test('the log says how many prices are estimated', async () => {
    const { types, world } = await typesOf([...V7, size('D2s_v6', 2)]);
    types();
    types();
    const lines = world.lines.filter(({ message }) => message.includes('estimated'));
    expect(lines).toMatchObject([{ level: 'info', fields: { sizes: 7, of: 8 } }]);
  });
});

describe('a published list that lacks sizes', () => {
  const D = [size('D2s_v5', 2), size('D4s_v5', 4), size('D2s_v6', 2)];

  test('a size in the middle of its series costs what the series says', async () => {
    const { price } = await typesOf(D, { D2s_v5: { onDemand: 0.11, spot: 0.022 } });
    expect(price('D4s_v5')).toBeCloseTo(0.22, 6);
  });

  test('at the level of prices of the region', async () => {
    // The built-in table says 0.096 and 0.1008.
    const { price } = await typesOf(D, { D2s_v5: { onDemand: 0.192 }, D4s_v5: { onDemand: 0.384 } });
    expect(price('D2s_v6')).toBeCloseTo(0.2016, 6);
  });

  test('spot without a price costs the usual share of the price on demand', async () => {
    const { price } = await typesOf(D, {
      D2s_v5: { onDemand: 0.1, spot: 0.02 },
      D4s_v5: { onDemand: 0.2 },
      D2s_v6: { onDemand: 0.11, spot: 0.022 },
    });
    expect(price('D4s_v5', 'spot')).toBeCloseTo(0.04, 6);
  });

  test('a size that a later list leaves out keeps its last price', async () => {
    const { price, prices, published, world } = await typesOf(D, {
      D2s_v5: { onDemand: 0.1, spot: 0.02 },
      D4s_v5: { onDemand: 0.3, spot: 0.07 },
    });
    published.prices = { D2s_v5: { onDemand: 0.11, spot: 0.02 } };
    await world.clock.advance(12 * 60 * 60_000);
    expect(await prices.refreshIfDue()).toBe(true);
    expect([price('D2s_v5'), price('D4s_v5'), price('D4s_v5', 'spot')]).toEqual([0.11, 0.3, 0.07]);
  });
});

describe('every name of a size that Azure has had', () => {
  const skus = KNOWN_NAMES.flatMap(({ template, cpus }) =>
    cpus.split(' ').map((text) => size(template.replace('#', text), Number(text.split('-').at(-1)) || 2)),
  );

  test.each([
    ['with the built-in prices', undefined],
    ['with a list of one size', { D2s_v5: { onDemand: 0.1 } }],
  ])('has a price that fits its cores %s', async (_, listed) => {
    const { types } = await typesOf(skus, listed);
    for (const { name, offerings, sku } of types()) {
      for (const { price } of offerings) {
        const perCore = price / sku.vcpus;
        expect([name, perCore > 0.005 && perCore < 4], `${name}: ${price}`).toEqual([name, true]);
      }
    }
  });
});
