import { describe, expect, test } from 'vitest';
import type { InstanceType, Overlay, PoolObject } from './model.ts';
import { overlaidTypes } from './overlaid-types.ts';

const TYPES = ['small', 'large'].map(
  (name): InstanceType => ({
    name,
    requirements: [{ key: 'size', operator: 'In', values: [name] }],
    offerings: [],
    capacity: { cpu: '4' },
  }),
);

const overlay = (key: string, value: string, weight = 0): Overlay => ({
  metadata: { name: `${key}-${value}` },
  spec: {
    weight,
    requirements: [{ key, operator: 'In', values: [value] }],
    capacity: { [`example.com/${value}`]: '1' },
  },
});

const poolOf = (name: string, labels: Readonly<Record<string, string>> = {}): PoolObject => ({
  metadata: { name },
  spec: {
    template: {
      metadata: { labels },
      spec: { nodeClassRef: { group: 'g', kind: 'Class', name: 'default' }, requirements: [] },
    },
  },
});

const POOLS = Array.from({ length: 80 }, (_, index) => poolOf(`pool-${index}`, { team: `${index % 2}` }));

function listsOf(overlays: readonly Overlay[], pools = POOLS): ReadonlySet<readonly InstanceType[]> {
  return new Set(pools.map((pool) => overlaidTypes(TYPES, pool, overlays)));
}

describe('the list of types', () => {
  test('is the same one where no overlay applies to any type', () => {
    expect([...listsOf([overlay('size', 'huge')])]).toEqual([TYPES]);
    expect(overlaidTypes(TYPES, POOLS[0]!, [overlay('size', 'huge')])).toBe(TYPES);
  });

  test('is one for all pools for which the same overlays count', () => {
    expect(listsOf([overlay('size', 'large')]).size).toBe(1);
    expect(listsOf([overlay('size', 'large'), overlay('team', '1')]).size).toBe(2);
  });

  test('is one of its own for a pool that an overlay names', () => {
    const overlays = [overlay('karpenter.sh/nodepool', 'pool-7')];
    expect(listsOf(overlays).size).toBe(2);
    const [small] = overlaidTypes(TYPES, POOLS[7]!, overlays);
    expect(small?.capacity).toEqual({ cpu: '4', 'example.com/pool-7': '1' });
    expect(overlaidTypes(TYPES, POOLS[8]!, overlays)).toBe(TYPES);
  });
});

test('only types that the overlay selects are new objects, and each pool has what its own overlays add', () => {
  const overlays = [overlay('size', 'large'), overlay('team', '1')];
  const [even, odd] = POOLS.map((pool) => overlaidTypes(TYPES, pool, overlays));
  expect(even![0]).toBe(TYPES[0]);
  expect(even!.map(({ capacity }) => Object.keys(capacity))).toEqual([['cpu'], ['cpu', 'example.com/large']]);
  expect(odd!.map(({ capacity }) => Object.keys(capacity))).toEqual([
    ['cpu', 'example.com/1'],
    ['cpu', 'example.com/1', 'example.com/large'],
  ]);
});
