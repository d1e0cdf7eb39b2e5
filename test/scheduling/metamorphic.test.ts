/**
 * Irrelevant changes do not change a plan: the order of the input, names, and objects that no pod can use.
 * Results over random clusters are compared exactly: pods are ordered by uid and everything else by name or
 * price, so there is no noise.
 */
import { describe, expect, test } from 'vitest';
import {
  type InstanceType,
  type Plan,
  type SchedulingInput,
  solve,
} from '../../packages/chandler/src/scheduling/index.ts';
import { everyNth } from '../part.ts';
import { aPool } from './builders.ts';
import { Chance } from './chance.ts';
import { randomCluster } from './random-cluster.ts';

const ALL_SEEDS = Array.from({ length: 120 }, (_, at) => 50_000 + at);
const SEEDS = everyNth('random clusters', ALL_SEEDS, 8);

/** What a plan decides, without the measure of the work and without how many things were looked at in vain. */
function decisions(plan: Plan): object {
  return {
    claims: plan.claims,
    placements: plan.placements,
    price: plan.pricePerHour,
    refusals: plan.refusals.map(({ pods, problem, pools }) => ({
      pods,
      problem,
      pools: pools.map(({ nodePool, refusal }) => ({ nodePool, code: refusal.code })),
    })),
  };
}

function everySeed(
  change: (input: SchedulingInput, chance: Chance) => SchedulingInput,
  same = decisions,
): void {
  for (const seed of SEEDS) {
    const { input } = randomCluster(seed);
    const changed = change(input, new Chance(seed + 1));
    expect(same(solve(changed)), `seed ${seed}`).toEqual(same(solve(input)));
  }
}

/** Every text that contains the old name gets the new one, in keys and in values. */
function renamed<T>(value: T, names: ReadonlyMap<RegExp, string>): T {
  let text = JSON.stringify(value);
  for (const [old, now] of names) text = text.replace(old, now);
  return JSON.parse(text) as T;
}

function typesOf(input: SchedulingInput, at: number): readonly InstanceType[] {
  const { instanceTypes } = input.pools[at]!;
  return typeof instanceTypes === 'string' ? [] : instanceTypes;
}

describe('a plan', () => {
  test('is identical for the same input', () => {
    for (const seed of SEEDS) {
      const { input } = randomCluster(seed);
      const copy = structuredClone(input);
      expect(JSON.stringify(solve(copy)), `seed ${seed}`).toBe(JSON.stringify(solve(input)));
    }
  });

  test('does not modify its input', () => {
    for (const seed of SEEDS) {
      const { input } = randomCluster(seed);
      const before = JSON.stringify(input);
      solve(deepFreeze(input));
      expect(JSON.stringify(input)).toBe(before);
    }
  });

  test('does not depend on the order of the pods', () => {
    everySeed((input, chance) => ({ ...input, pods: chance.shuffled(input.pods) }));
  });

  test('does not depend on the order of pools', () => {
    everySeed((input, chance) => ({ ...input, pools: chance.shuffled(input.pools) }));
  });

  test('does not depend on the order of nodes and of the pods on them', () => {
    everySeed((input, chance) => ({
      ...input,
      nodes: chance.shuffled(input.nodes ?? []),
      boundPods: chance.shuffled(input.boundPods ?? []),
    }));
  });

  test('does not depend on the order of DaemonSets and overlays', () => {
    everySeed((input, chance) => ({
      ...input,
      daemonSets: chance.shuffled(input.daemonSets ?? []),
      overlays: chance.shuffled(input.overlays ?? []),
    }));
  });

  test('does not depend on the order of types and offerings', () => {
    everySeed((input, chance) => ({
      ...input,
      pools: input.pools.map((pool, at) => ({
        ...pool,
        instanceTypes: chance
          .shuffled(typesOf(input, at))
          .map((type) => ({ ...type, offerings: chance.shuffled(type.offerings) })),
      })),
    }));
  });

  test('does not depend on whether types are given by name of a catalogue', () => {
    everySeed((input) => ({
      ...input,
      catalogues: Object.fromEntries(
        input.pools.map((pool, at) => [pool.nodePool.metadata.name!, typesOf(input, at)]),
      ),
      pools: input.pools.map((pool) => ({ ...pool, instanceTypes: pool.nodePool.metadata.name! })),
    }));
  });

  test('is the same under other names', () => {
    const names = new Map([
      [/zone-(\d)/g, 'area-$1'],
      [/pool-(\d)/g, 'quarter-$1'],
      [/type-([a-z])/g, 'sort-$1'],
      [/node-(\d)/g, 'place-$1'],
      [/"app"/g, '"application"'],
      [/"(web|db|job)"/g, '"the-$1"'],
      [/\b(w\d-\d)"/g, 'x$1"'],
      [/example\.com/g, 'example.org'],
    ]);
    for (const seed of SEEDS) {
      const { input } = randomCluster(seed);
      // Uids decide the order of pods of one size and age: they stay.
      const uids = input.pods.map(({ metadata }) => metadata.uid);
      const other = renamed(input, names);
      const pods = other.pods.map((pod, at) => ({ ...pod, metadata: { ...pod.metadata, uid: uids[at]! } }));
      expect(decisions(solve({ ...other, pods })), `seed ${seed}`).toEqual(
        renamed(decisions(solve(input)), names),
      );
    }
  });

  test('does not change for a type that is too small for every pod', () => {
    everySeed((input) => ({
      ...input,
      pools: input.pools.map((pool, at) => {
        const [like] = typesOf(input, at);
        // In all else it is like one that is there: it adds no domain to spread over and no smaller step to a limit.
        const full = { ...like!, name: 'full', capacity: { ...like?.capacity, pods: '0' } };
        const useless = { ...full, requirements: withName(full, 'full') };
        return { ...pool, instanceTypes: like ? [...typesOf(input, at), useless] : [] };
      }),
    }));
  });

  test('does not change for a type without an available offering', () => {
    everySeed((input) => ({
      ...input,
      pools: input.pools.map((pool, at) => {
        const gone = typesOf(input, at).map((type) => ({
          ...type,
          name: `gone-${type.name}`,
          requirements: withName(type, `gone-${type.name}`),
          offerings: type.offerings.map((offering) => ({ ...offering, available: false })),
        }));
        return { ...pool, instanceTypes: [...typesOf(input, at), ...gone] };
      }),
    }));
  });

  test('does not change for a pool that may have no nodes', () => {
    const withoutClosed = (plan: Plan) => {
      const { refusals, ...rest } = decisions(plan) as { refusals: { pools: { nodePool: string }[] }[] };
      const open = refusals.map((refusal) => ({
        ...refusal,
        pools: refusal.pools.filter(({ nodePool }) => nodePool !== 'closed'),
      }));
      return { ...rest, refusals: open };
    };
    everySeed((input) => {
      const [first] = input.pools;
      const { template } = first!.nodePool.spec;
      const closed = aPool({ name: 'closed', weight: 100, limits: { nodes: 0 }, types: typesOf(input, 0) });
      const spec = { ...closed.nodePool.spec, template };
      return { ...input, pools: [...input.pools, { ...closed, nodePool: { ...closed.nodePool, spec } }] };
    }, withoutClosed);
  });

  test('does not change for a node that accepts no pod', () => {
    everySeed((input) => {
      const zone = input.nodes?.[0]?.labels['topology.kubernetes.io/zone'];
      if (zone === undefined || /kubernetes.io\/hostname|rack/.test(JSON.stringify(input.pods))) return input;
      const labels = {
        ...input.nodes![0]!.labels,
        'kubernetes.io/hostname': 'wall',
        'karpenter.sh/nodepool': 'nobody',
      };
      const wall = { name: 'wall', labels, allocatable: { cpu: '0', memory: '0', pods: '0' } };
      return { ...input, nodes: [...(input.nodes ?? []), wall] };
    });
  });
});

// ---------------------------------------------------------------------------------------------------

function withName(type: InstanceType, name: string): InstanceType['requirements'] {
  return type.requirements.map((requirement) =>
    requirement.key === 'node.kubernetes.io/instance-type' ? { ...requirement, values: [name] } : requirement,
  );
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}
