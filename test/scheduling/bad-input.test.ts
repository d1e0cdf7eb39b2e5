/**
 * Invalid input never breaks a plan: invalid objects are reported by object and field or refused, and
 * everything else is planned as if they did not exist. The engine neither throws nor hangs.
 */
import { describe, expect, test } from 'vitest';
import {
  type InstanceType,
  type Plan,
  type Pod,
  type SchedulingInput,
  solve,
} from '../../packages/chandler/src/scheduling/index.ts';
import { someOf } from '../part.ts';
import { aCluster, aDaemonSet, aNode, aPod, aPool, aType, podKey, podsLike } from './builders.ts';
import { Chance } from './chance.ts';
import { randomCluster } from './random-cluster.ts';

const good = aPod({ name: 'good' });

function withPod(pod: unknown): SchedulingInput {
  return aCluster({ pods: [good, pod as Pod] });
}

function withType(type: unknown): SchedulingInput {
  return aCluster({
    pods: [good],
    pools: [aPool({ types: [type as InstanceType, aType({ name: 'fine' })] })],
  });
}

function isPlaced(plan: Plan, key = 'default/good'): boolean {
  return [...plan.claims, ...plan.placements].some(({ pods }) => pods.includes(key));
}

/** The bad pod is refused as invalid with the field, or left out with an input error. */
const BAD_PODS: readonly (readonly [why: string, pod: unknown, field: RegExp])[] = [
  ['a request that is no quantity', aPod({ name: 'bad', cpu: 'much' }), /requests|cpu/],
  ['a request below zero', aPod({ name: 'bad', cpu: '-1' }), /requests|cpu/],
  ['a request that is empty', aPod({ name: 'bad', memory: '' }), /requests|memory/],
  [
    'an operator that does not exist',
    aPod({ name: 'bad', require: ['zone Near zone-1'] }),
    /operator|affinity/i,
  ],
  ['Gt without a number', aPod({ name: 'bad', require: ['size Gt large'] }), /values|affinity/i],
  [
    'a selector operator that does not exist',
    aPod({
      name: 'bad',
      antiAffinity: [
        {
          topologyKey: 'kubernetes.io/hostname',
          labelSelector: { matchExpressions: [{ key: 'app', operator: 'Like', values: ['web'] }] },
        },
      ],
    }),
    /operator|selector|affinity/i,
  ],
  [
    'a skew of nothing',
    aPod({
      name: 'bad',
      spread: [{ maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} }],
    }),
    /maxSkew/,
  ],
  [
    'a spread over no key',
    aPod({
      name: 'bad',
      spread: [{ maxSkew: 1, topologyKey: '', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} }],
    }),
    /topologyKey/,
  ],
];

const BAD_TYPES: readonly (readonly [why: string, type: unknown])[] = [
  ['a price that is no number', aType({ name: 'bad', offerings: [{ price: Number.NaN }] })],
  ['a price below zero', aType({ name: 'bad', offerings: [{ price: -1 }] })],
  ['a price without end', aType({ name: 'bad', offerings: [{ price: Number.POSITIVE_INFINITY }] })],
  ['a capacity that is no quantity', aType({ name: 'bad', cpu: 'many', price: 1 })],
  [
    'an operator that does not exist',
    { ...aType({ name: 'bad' }), requirements: [{ key: 'size', operator: 'About', values: ['3'] }] },
  ],
];

const BAD_POOLS: readonly (readonly [why: string, parts: Parameters<typeof aPool>[0]])[] = [
  ['an operator that does not exist', { requirements: ['zone Near zone-1'] }],
  ['Gte without a number', { requirements: ['size Gte large'] }],
  ['a limit that is no quantity', { limits: { cpu: 'plenty' } }],
  ['a catalogue that does not exist', { types: 'nowhere' }],
];

/** Invalid objects that must at least be reported. */
const ODD: readonly (readonly [why: string, input: SchedulingInput])[] = [
  ['nothing at all', { pools: [], pods: [] }],
  ['no pools', aCluster({ pods: [good], pools: [] })],
  ['pools without types', aCluster({ pods: [good], pools: [aPool({ types: [] })] })],
  [
    'types without offerings',
    aCluster({ pods: [good], pools: [aPool({ types: [aType({ offerings: [] })] })] }),
  ],
  ['an absurd request', withPod(aPod({ name: 'bad', cpu: '1e300' }))],
  ['a request of more digits than a number has', withPod(aPod({ name: 'bad', cpu: '9'.repeat(400) }))],
  ['a request smaller than anything', withPod(aPod({ name: 'bad', cpu: '1n' }))],
  [
    'contradictory requirements',
    withPod(aPod({ name: 'bad', require: ['zone In zone-1', 'zone NotIn zone-1'] })),
  ],
  ['bounds that cross', withPod(aPod({ name: 'bad', require: ['size Gt 5', 'size Lt 3'] }))],
  ['bounds beyond every number', withPod(aPod({ name: 'bad', require: ['size Gt 9223372036854775807'] }))],
  [
    'a pod that is affine to its enemy',
    withPod(
      aPod({ name: 'bad', labels: { app: 'x' }, affinity: ['host app=x'], antiAffinity: ['host app=x'] }),
    ),
  ],
  [
    'a cycle of pod affinities',
    aCluster({
      pods: ['a', 'b', 'c'].map((app, at) =>
        aPod({ name: app, labels: { app }, affinity: [`zone app=${['b', 'c', 'a'][at]}`] }),
      ),
    }),
  ],
  [
    'a circle of distance',
    aCluster({
      pods: ['a', 'b', 'c'].map((app, at) =>
        aPod({ name: app, labels: { app }, antiAffinity: [`zone app=${['b', 'c', 'a'][at]}`] }),
      ),
    }),
  ],
  ['two pods of one name', aCluster({ pods: [good, good] })],
  ['two nodes of one name', aCluster({ pods: [good], nodes: [aNode(), aNode()] })],
  ['two pools of one name', aCluster({ pods: [good], pools: [aPool(), aPool()] })],
  ['two types of one name', aCluster({ pods: [good], pools: [aPool({ types: [aType(), aType()] })] })],
  [
    'labels with names of the language',
    withPod(
      aPod({
        name: 'bad',
        labels: { constructor: 'x', toString: 'y' },
        nodeSelector: { hasOwnProperty: 'z' },
        antiAffinity: ['host constructor=x'],
      }),
    ),
  ],
  [
    'a label called __proto__',
    withPod(
      JSON.parse(
        '{"metadata":{"name":"bad","labels":{"__proto__":"x"}},"spec":{"nodeSelector":{"__proto__":"x"},"containers":[]}}',
      ),
    ),
  ],
  ['a pod without containers', withPod({ metadata: { name: 'bad' }, spec: { containers: [] } })],
  ['a pod without spec', withPod({ metadata: { name: 'bad' } })],
  ['a pod without name', withPod({ metadata: {}, spec: { containers: [] } })],
  [
    'a pod on a node that is not there',
    aCluster({ pods: [good], boundPods: [aPod({ name: 'lost', on: 'gone' })] }),
  ],
  [
    'a daemon that is larger than every type',
    aCluster({ pods: [good], daemonSets: [aDaemonSet({ cpu: 999 })] }),
  ],
  [
    'minValues beyond all types',
    aCluster({ pods: [good], pools: [aPool({ requirements: ['type Exists min=50'] })] }),
  ],
  ['a node with less than nothing', aCluster({ pods: [good], nodes: [aNode({ cpu: '-4' })] })],
  ['options out of range', aCluster({ pods: [good], options: { maxInstanceTypes: 0, improveEffort: -1 } })],
  ['a port beyond all ports', withPod(aPod({ name: 'bad', ports: [99999] }))],
];

const SPOILED = someOf('spoiled clusters', 600, 100);

describe('bad input', () => {
  for (const [why, pod, field] of BAD_PODS) {
    test(`a pod with ${why} is refused by field, and others are placed`, () => {
      const plan = solve(withPod(pod));
      expect(isPlaced(plan)).toBe(true);
      expect(isPlaced(plan, 'default/bad')).toBe(false);
      const refusal = plan.refusals.find(({ pods }) => pods.includes('default/bad'));
      expect(refusal?.problem?.code).toBe('InvalidPod');
      expect(refusal?.problem && 'field' in refusal.problem ? refusal.problem.field : '').toMatch(field);
    });
  }

  for (const [why, type] of BAD_TYPES) {
    test(`a type with ${why} is reported and not used`, () => {
      const plan = solve(withType(type));
      expect(plan.claims.map(({ instanceTypes }) => instanceTypes)).toEqual([['fine']]);
      expect(plan.inputErrors.map(({ object }) => object)).toContain('InstanceType/bad');
      expect(Number.isFinite(plan.pricePerHour)).toBe(true);
    });
  }

  for (const [why, parts] of BAD_POOLS) {
    test(`a pool with ${why} is reported and other pools are used`, () => {
      const plan = solve(
        aCluster({
          pods: [good],
          pools: [aPool({ name: 'bad', weight: 9, ...parts }), aPool({ name: 'fine' })],
        }),
      );
      expect(plan.claims.map(({ nodePool }) => nodePool)).toEqual(['fine']);
      expect(plan.inputErrors.map(({ object }) => object)).toContain('NodePool/bad');
    });
  }

  for (const [why, input] of ODD) {
    test(`${why} neither throws nor drops a pod`, () => accountFor(input));
  }

  test('an invalid overlay is reported', () => {
    const spec = { requirements: [], price: 'cheap' };
    const plan = solve(aCluster({ pods: [good], overlays: [{ metadata: { name: 'odd' }, spec }] }));
    expect(isPlaced(plan)).toBe(true);
    expect(plan.inputErrors.map(({ object }) => object)).toContain('NodeOverlay/odd');
  });

  test('the last of a thousand required terms is found', () => {
    const terms = Array.from({ length: 1000 }, (_, at) => [
      `zone In ${at === 999 ? 'zone-2' : `zone-x${at}`}`,
    ]);
    expect(isPlaced(solve(withPod(aPod({ name: 'bad', require: terms }))), 'default/bad')).toBe(true);
  });

  test('volumes with too many combinations of alternatives still get a result', () => {
    const names = Array.from({ length: 30 }, (_, at) => `v${at}`);
    const terms = ['zone-1', 'zone-2', 'zone-3'].map((zone) => ({
      matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] }],
    }));
    accountFor({
      ...aCluster({ pods: [good, aPod({ name: 'bad', claims: names })] }),
      volumes: {
        claims: names.map((name) => ({
          metadata: { name, namespace: 'default' },
          spec: { volumeName: name },
        })),
        volumes: names.map((name) => ({
          metadata: { name },
          spec: { nodeAffinity: { required: { nodeSelectorTerms: terms } } },
        })),
      },
    });
  });

  test('two thousand unschedulable pods do not block a schedulable one', () => {
    const giants = podsLike(2000, { name: 'giant', cpu: 999 });
    const plan = solve(aCluster({ pods: [...giants, good] }));
    expect(isPlaced(plan)).toBe(true);
    expect(plan.counts.refused).toBe(2000);
    expect(plan.refusals.length).toBe(1);
  });

  test('junk values neither throw nor drop a pod', () => {
    forSpoiled((input, chance) => spoiled(input, chance, 'values'));
  });

  test('junk in place of lists and objects neither throws nor drops a pod', () => {
    forSpoiled((input, chance) => spoiled(input, chance, 'anything'));
  });
});

// ---------------------------------------------------------------------------------------------------

/** Every pod of the input that can be named is placed once or refused once. */
function accountFor(input: SchedulingInput): void {
  const plan = solve(input);
  const reported = [...plan.claims, ...plan.placements, ...plan.refusals].flatMap(({ pods }) => pods);
  const named = input.pods.filter((pod) => typeof pod?.metadata?.name === 'string').map(podKey);
  const missing = named.filter(
    (key) => !reported.includes(key) && !plan.inputErrors.some(({ object }) => object.includes(key)),
  );
  expect(missing).toEqual([]);
  expect(new Set(reported).size).toBe(reported.length);
  expect(plan.pricePerHour).toBeGreaterThanOrEqual(0);
  expect(() => JSON.stringify(plan)).not.toThrow();
}

function forSpoiled(spoil: (input: SchedulingInput, chance: Chance) => SchedulingInput): void {
  for (let seed = 70_000; seed < 70_000 + SPOILED; seed += 1) {
    const input = spoil(randomCluster(seed).input, new Chance(seed));
    try {
      accountFor(input);
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }
}

const JUNK_VALUES: readonly unknown[] = [
  null,
  '',
  'junk',
  -1,
  0,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '-5',
  '1e999',
  '9'.repeat(50),
  true,
  '__proto__',
  '\u0000',
  'ключ',
];
const JUNK_SHAPES: readonly unknown[] = [[], {}, ['x'], { x: 'y' }, [null], { key: null }];

/** One to three places, anywhere in the tree, get something that does not belong there. */
function spoiled(input: SchedulingInput, chance: Chance, what: 'values' | 'anything'): SchedulingInput {
  const copy = structuredClone(input) as unknown as Record<string, unknown>;
  for (let times = chance.between(1, 3); times > 0; times -= 1) {
    let at = copy;
    for (let depth = 0; Object.keys(at).length > 0; depth += 1) {
      const key = chance.one(Object.keys(at));
      const next = at[key];
      // The lists at the top are the contract; everything in them may be wrong.
      const goesDown = depth === 0 || what === 'values' || chance.happens(0.85);
      if (typeof next === 'object' && next !== null && goesDown) {
        at = next as Record<string, unknown>;
        continue;
      }
      const junk = what === 'values' ? JUNK_VALUES : [...JUNK_VALUES, ...JUNK_SHAPES];
      if (depth > 0) at[key] = structuredClone(chance.one(junk));
      break;
    }
  }
  return copy as unknown as SchedulingInput;
}
