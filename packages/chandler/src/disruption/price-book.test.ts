import { describe, expect, test } from 'vitest';
import type { InstanceType, LabelRequirement, Overlay } from '../scheduling/index.ts';
import { anOffering, aType } from '../scheduling/testing.ts';
import { aDisruptedPool } from './disruption.fixture.ts';
import { PriceBook } from './price-book.ts';

const LABELS = {
  'node.kubernetes.io/instance-type': 'm',
  'topology.kubernetes.io/zone': 'zone-a',
  'karpenter.sh/capacity-type': 'on-demand',
};

function book(types: readonly InstanceType[], overlays: readonly Overlay[] = []): PriceBook {
  return new PriceBook([aDisruptedPool('default', { types })], { pools: [], pods: [], overlays });
}

function options(types: readonly InstanceType[], requirements: LabelRequirement[], capacityType?: string) {
  const claim = { nodePool: 'default', instanceTypes: types.map(({ name }) => name), requirements };
  return book(types)
    .launchOptions(claim, capacityType)
    .map(({ type, cheapest, worst }) => [type.name, cheapest.price, worst]);
}

describe('the price of a node', () => {
  test('is that of its zone and capacity type', () => {
    const offerings = [anOffering('zone-a', 'on-demand', 0.2), anOffering('zone-b', 'on-demand', 0.3)];
    const prices = book([aType('m', { offerings })]);
    expect(prices.nodePrice('default', LABELS)).toBe(0.2);
    expect(prices.nodePrice('default', { ...LABELS, 'topology.kubernetes.io/zone': 'zone-b' })).toBe(0.3);
    expect(
      prices.nodePrice('default', { ...LABELS, 'topology.kubernetes.io/zone': 'zone-c' }),
    ).toBeUndefined();
    expect(prices.nodePrice('other', LABELS)).toBeUndefined();
  });

  test('is that of the regional offering where its zone is none', () => {
    const regional = anOffering('eastus', 'on-demand', 0.25, { regional: true });
    const prices = book([aType('m', { offerings: [anOffering('zone-a', 'on-demand', 0.2), regional] })]);
    expect(prices.nodePrice('default', { ...LABELS, 'topology.kubernetes.io/zone': '0' })).toBe(0.25);
  });

  test('is changed by overlays', () => {
    const overlay: Overlay = {
      metadata: { name: 'discount' },
      spec: {
        requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m'] }],
        priceAdjustment: '-50%',
      },
    };
    const types = [aType('m', { price: 0.2 }), aType('l', { price: 0.8 })];
    expect(book(types, [overlay]).nodePrice('default', LABELS)).toBeCloseTo(0.1);
    const large = { ...LABELS, 'node.kubernetes.io/instance-type': 'l' };
    expect(book(types, [overlay]).nodePrice('default', large)).toBeCloseTo(0.8);
  });
});

describe('the prices of a launch', () => {
  const zones = (...values: string[]): LabelRequirement => ({
    key: 'topology.kubernetes.io/zone',
    operator: 'In',
    values,
  });

  test('are those of the zones that the claim allows; the worst is that of spot, where spot is allowed', () => {
    const offerings = [
      anOffering('zone-a', 'on-demand', 0.5),
      anOffering('zone-a', 'spot', 0.1),
      anOffering('zone-b', 'spot', 0.3),
      anOffering('zone-c', 'spot', 0.9),
    ];
    const types = [aType('m', { offerings })];
    expect(options(types, [zones('zone-a', 'zone-b')])).toEqual([['m', 0.1, 0.3]]);
    expect(options(types, [zones('zone-a', 'zone-b')], 'on-demand')).toEqual([['m', 0.5, 0.5]]);
    expect(options(types, [zones('zone-b')], 'on-demand')).toEqual([]);
  });

  test('leave out what cannot be launched: sold out, not launchable, a full reservation', () => {
    const offerings = [
      anOffering('zone-a', 'on-demand', 0.5),
      anOffering('zone-b', 'on-demand', 0.1, { available: false }),
      anOffering('zone-b', 'on-demand', 0.2, { launchable: false }),
      anOffering('zone-a', 'reserved', 0, { reservation: { id: 'r', capacity: 0 } }),
    ];
    expect(options([aType('m', { offerings })], [])).toEqual([['m', 0.5, 0.5]]);
    const free = anOffering('zone-a', 'reserved', 0.01, { reservation: { id: 'r', capacity: 1 } });
    expect(options([aType('m', { offerings: [...offerings, free] })], [])).toEqual([['m', 0.01, 0.01]]);
  });

  test('are in the order of price, then of name', () => {
    const types = ['z', 'b', 'a'].map((name) =>
      aType(name, { offerings: [anOffering('zone-a', 'on-demand', name === 'z' ? 0.1 : 0.2)] }),
    );
    expect(options(types, []).map(([name]) => name)).toEqual(['z', 'a', 'b']);
  });

  test('of a template are those of the types that meet its requirements', () => {
    const types = [aType('m', { price: 0.2 }), aType('arm', { price: 0.1, arch: 'arm64' })];
    const required = { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] };
    const found = book(types).templateOptions('default', [required]);
    expect(found.map(({ type }) => type.name)).toEqual(['m']);
  });
});
