/**
 * Pods on nodes that are being removed exist until they are evicted, one after the other. kube-scheduler counts them for
 * affinity: a group with affinity to itself cannot start in another domain as long as one of them exists.
 */
import { describe, expect, test } from 'vitest';
import {
  aNode,
  aPod,
  aPool,
  aType,
  bound,
  cluster,
  near,
  type PodShape,
  pods,
  ZONE,
} from './cluster.fixture.ts';
import type { Pod, SchedulingInput } from './model.ts';
import type { Plan } from './plan.ts';
import { Planner, prepare, solve } from './solve.ts';

const web: PodShape = { cpu: '1', labels: { app: 'web' }, ...near(ZONE, 'web') };
const cache: PodShape = { cpu: '1', labels: { app: 'cache' } };
const nearCache: PodShape = { cpu: '1', labels: { app: 'reader' }, ...near(ZONE, 'cache') };

const old = aNode('old', { zone: 'zone-c' });
const inB = aNode('in-b', { zone: 'zone-b' });
const inC = aNode('in-c', { zone: 'zone-c' });

/** Where the pods go: names of nodes, and zones of new nodes. */
function whereOf({ placements, claims }: Plan): string[] {
  const zoneOf = ({ requirements }: Plan['claims'][number]) =>
    requirements.find(({ key }) => key === ZONE)?.values?.join() ?? 'any zone';
  return [...placements.map(({ node }) => node), ...claims.map(zoneOf)];
}

function without(group: readonly Pod[], more: Partial<SchedulingInput> = {}): Plan {
  const input = cluster({ nodes: [old], boundPods: bound('old', ...group), ...more });
  return prepare(input).solveWithout({ nodes: ['old'], extraPods: group });
}

/** The node is being drained. */
function drained(leaving: readonly Pod[], toPlace: readonly Pod[], more: Partial<SchedulingInput> = {}) {
  const leavingPods = bound('old', ...leaving);
  return cluster({ leavingNodes: [old], leavingPods, pods: toPlace, ...more });
}

describe('a group with affinity by zone to itself, all on a removed node', () => {
  test('gets its replacement in the same zone', () => {
    expect(whereOf(without(pods(2, 'web', web)))).toEqual(['zone-c']);
  });

  test('is not moved to a node with room in another zone', () => {
    expect(whereOf(without(pods(2, 'web', web), { nodes: [old, inB] }))).toEqual(['zone-c']);
    expect(whereOf(without(pods(2, 'web', web), { nodes: [old, inB, inC] }))).toEqual(['in-c']);
  });

  test('joins its pods that stay, in their zone', () => {
    const staying = bound('in-b', aPod('stays', web));
    const group = pods(2, 'web', web);
    const boundPods = [...bound('old', ...group), ...staying];
    expect(whereOf(without(group, { nodes: [old, inB], boundPods }))).toEqual(['in-b']);
  });

  test('is refused when no node is possible there', () => {
    const pools = [
      aPool('default', { requirements: [{ key: ZONE, operator: 'In', values: ['zone-a', 'zone-b'] }] }),
    ];
    const plan = without(pods(2, 'web', web), { pools, nodes: [old, inB] });
    expect(plan.counts).toMatchObject({ placed: 0, refused: 2 });
  });

  test('is planned in the same way on a snapshot of its own', () => {
    const group = pods(2, 'web', web);
    // A selector with a label that the snapshot does not track needs a new one.
    const other = aPod('other', { cpu: '1', ...near(ZONE, 'web') });
    const strange = {
      ...other,
      spec: {
        ...other.spec,
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: ZONE, labelSelector: { matchLabels: { tier: 'new' } } },
            ],
          },
        },
      },
      metadata: { ...other.metadata, labels: { tier: 'new' } },
    };
    const input = cluster({ nodes: [old, inB], boundPods: bound('old', ...group) });
    const plan = prepare(input).solveWithout({ nodes: ['old'], extraPods: [...group, strange] });
    expect(whereOf(plan)).toEqual(['in-b', 'zone-c']);
  });
});

describe('while a node is drained', () => {
  const [first, second] = pods(2, 'web', web);

  test('the successor of an evicted pod is planned in the zone of those that still exist', () => {
    for (const toPlace of [[first!], [first!, second!]]) {
      expect(whereOf(solve(drained([second!], toPlace, { nodes: [inB] })))).toEqual(['zone-c']);
      expect(whereOf(solve(drained([second!], toPlace, { nodes: [inB, inC] })))).toEqual(['in-c']);
    }
  });

  test('the group starts anywhere once none of its pods exists', () => {
    const finished: Pod = { ...second!, status: { phase: 'Succeeded' } };
    for (const leaving of [[], [finished], pods(1, 'cache', cache)])
      expect(whereOf(solve(drained(leaving, [first!], { nodes: [inB] })))).toEqual(['in-b']);
  });

  test('pods with affinity to a pod that stays there until it is forced to leave are planned in its zone', () => {
    const input = drained(pods(1, 'cache', cache), pods(1, 'reader', nearCache), { nodes: [inB] });
    expect(whereOf(solve(input))).toEqual(['zone-c']);
  });

  test('pods with affinity to a pod that is planned itself follow it', () => {
    const [moving] = pods(1, 'cache', cache);
    const input = drained([moving!], [...pods(1, 'a-reader', nearCache), moving!], { nodes: [inB] });
    expect(solve(input).placements).toEqual([
      { node: 'in-b', pods: ['shop/cache-001', 'shop/a-reader-001'] },
    ]);
  });

  test('a planner that lives on plans as a new one, whatever leaves', () => {
    const planner = new Planner();
    const large = [aPool('default', { types: [aType('large', { cpu: 16 })] })];
    for (const leaving of [[], [second!], [], pods(1, 'cache', cache), [first!, second!]]) {
      const input = drained(leaving, [first!, ...pods(1, 'reader', nearCache)], {
        nodes: [inB],
        pools: large,
      });
      expect(JSON.stringify(planner.plan(input))).toBe(JSON.stringify(solve(input)));
    }
  });
});
