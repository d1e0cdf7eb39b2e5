import { seededRandom } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { applyOverlays, readOverlays } from './catalogue/overlays.ts';
import { readRequirements } from './catalogue/read-type.ts';
import { readTemplate } from './engine/pools.ts';
import type { InstanceType, Overlay, PoolObject } from './model.ts';
import { overlaidTypes } from './overlaid-types.ts';
import { Algebra } from './requirements/algebra.ts';

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

describe('what an overlay does in one pool does not depend on the other pools', () => {
  const typeOf = (name: string, requirements: Readonly<Record<string, readonly string[]>>): InstanceType => ({
    name,
    requirements: Object.entries(requirements).map(([key, values]) => ({
      key,
      operator: 'In' as const,
      values: [...values],
    })),
    offerings: [],
    capacity: { cpu: '4' },
  });
  const select = (name: string, requirements: Readonly<Record<string, readonly string[]>>): Overlay => ({
    metadata: { name },
    spec: {
      requirements: Object.entries(requirements).map(([key, values]) => ({
        key,
        operator: 'In' as const,
        values: [...values],
      })),
      capacity: { [`example.com/${name}`]: '1' },
    },
  });
  const withRequirements = (
    name: string,
    allowed: Readonly<Record<string, readonly string[]>>,
  ): PoolObject => {
    const pool = poolOf(name);
    const requirements = Object.entries(allowed).map(([key, values]) => ({
      key,
      operator: 'In' as const,
      values: [...values],
    }));
    const { template } = pool.spec;
    return {
      ...pool,
      spec: { ...pool.spec, template: { ...template, spec: { ...template.spec, requirements } } },
    } as PoolObject;
  };

  test('that do not take the type', () => {
    const types = [typeOf('arm', { arch: ['arm64'], family: ['c7g'] })];
    const overlays = [select('graviton', { family: ['c7g'] })];
    overlaidTypes(types, withRequirements('amd', { arch: ['amd64'] }), overlays);
    const [arm] = overlaidTypes(types, withRequirements('arm', { arch: ['arm64'] }), overlays);
    expect(arm?.capacity).toHaveProperty(['example.com/graviton']);
  });

  test('in random ones: it is what the planner gives', () => {
    const random = seededRandom(7);
    const some = (values: readonly string[]) => values.filter(() => random.next() < 0.5);
    const labels = ['arch', 'zone', 'family'] as const;
    const anyOf = (share: number) =>
      Object.fromEntries(
        labels
          .filter(() => random.next() < share)
          .map((key) => [key, some(['x', 'y', 'z'])] as const)
          .filter(([, values]) => values.length > 0),
      );
    let compared = 0;
    for (let round = 0; round < 200; round++) {
      const types = Array.from({ length: 6 }, (_, index) => typeOf(`t${index}`, anyOf(0.8)));
      const overlays = Array.from({ length: 3 }, (_, index) => select(`o${index}`, anyOf(0.5)));
      for (let index = 0; index < 6; index++) {
        const pool = withRequirements(`pool-${index}`, anyOf(0.6));
        const algebra = new Algebra();
        const template = readTemplate(algebra, pool, `pool-${index}`, [])!.set;
        const expected = applyOverlays(
          algebra,
          readOverlays(algebra, overlays, []),
          types,
          template,
          [],
        ).types;
        const found = overlaidTypes(types, pool, overlays);
        types.forEach(({ requirements = [] }, at) => {
          const own = readRequirements(algebra, requirements, '', '', [])!;
          const isTaken = own.every((requirement) =>
            template.items.every(
              ({ key }, item) =>
                key !== requirement.key || algebra.overlaps(template.items[item]!, requirement),
            ),
          );
          if (!isTaken) return;
          compared++;
          expect(found[at]?.capacity, `round ${round}, ${pool.metadata.name}`).toEqual(
            expected[at]?.capacity,
          );
        });
      }
    }
    expect(compared).toBeGreaterThan(1_000);
  });
});
