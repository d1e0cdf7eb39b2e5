import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Pod } from '../scheduling/index.ts';
import { aPod, aType, pods } from '../scheduling/testing.ts';
import type { JudgedNode } from './candidates.ts';
import { aCluster, aDisruptedPool, aManagedNode, NOW, type NodeShape } from './disruption.fixture.ts';
import { DisruptionPlanner, planDisruption } from './disruption-plan.ts';
import { Judgements } from './judgements.ts';
import type { DisruptionInput, DisruptionNode } from './model.ts';
import { Pass } from './pass.ts';
import { clusters } from './random-clusters.fixture.ts';
import type { Rejection } from './rejection.ts';

const MINUTE = 60_000;

/** A node with three pods of an application. */
function web(name: string, shape: NodeShape = {}): DisruptionNode {
  return aManagedNode(name, { pods: pods(3, name, { cpu: '1', labels: { app: 'web' } }), ...shape });
}

function judged(input: DisruptionInput, name: string): JudgedNode {
  return new Pass(input, {}, NOW).nodes.find((node) => node.name === name)!;
}

function refusedPod(name: string): Rejection {
  return { code: 'PodsUnschedulable', pods: [{ pod: name, why: 'too large' }] };
}

describe('a judgement', () => {
  const input = aCluster([web('a'), web('b'), web('other', { type: 'l' })]);

  function after(later: DisruptionInput, afterMs: number, about = 'a'): Rejection | undefined {
    const judgements = new Judgements();
    judgements.begin(input, {}, NOW, { hasPending: false, moves: () => true });
    judgements.keep(judged(input, 'a'), refusedPod('shop/a-002'));
    judgements.end();
    judgements.begin(later, {}, NOW + afterMs, { hasPending: false, moves: () => true });
    return judgements.known(judged(later, about));
  }

  test('about a node is one about every equal node, with its own pods', () => {
    expect(after(input, 0, 'a')).toEqual(refusedPod('shop/a-002'));
    expect(after(input, 0, 'b')).toEqual(refusedPod('shop/b-002'));
    expect(after(input, 0, 'other')).toBeUndefined();
  });

  test.each([
    [true, 'does not count in the next one'],
    [false, 'counts in the next one, which goes on from there'],
  ])('of a pass that was given up, pods pending: %s, %s', (hasPending) => {
    const judgements = new Judgements();
    const begin = (pending: boolean) =>
      judgements.begin(input, {}, NOW, { hasPending: pending, moves: () => true });
    begin(hasPending);
    judgements.keep(judged(input, 'a'), refusedPod('shop/a-002'));
    judgements.keepFruitless([judged(input, 'a')]);
    begin(false);
    expect(judgements.known(judged(input, 'a'))).toEqual(hasPending ? undefined : refusedPod('shop/a-002'));
    expect(judgements.isFruitless([judged(input, 'a')])).toBe(!hasPending);
  });

  test('about a node is one about every equal node, also with daemons, whose affinity names their node', () => {
    const daemon = (node: string) => {
      const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }];
      const terms = { nodeSelectorTerms: [{ matchFields }] };
      const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
      const own = aPod(`daemon-${node}`, { cpu: '100m', affinity } as Parameters<typeof aPod>[1]);
      const ownerReferences = [
        { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd', controller: true },
      ];
      return { ...own, metadata: { ...own.metadata, ownerReferences } } as Pod;
    };
    const beside = (node: string) => [...pods(3, node, { cpu: '1', labels: { app: 'web' } }), daemon(node)];
    const all = aCluster([web('a', { pods: beside('a') }), web('c', { pods: beside('c') })]);
    const judgements = new Judgements();
    judgements.begin(all, {}, NOW, { hasPending: false, moves: () => true });
    judgements.keep(judged(all, 'a'), refusedPod('shop/a-001'));
    expect(judgements.known(judged(all, 'c'))).toEqual(refusedPod('shop/c-001'));
  });

  test.each<[string, NodeShape]>([
    ['in its labels', { labels: { team: 'a' } }],
    ['in its zone', { zone: 'zone-b' }],
    ['in its size', { cpu: 5 }],
    ['in its capacity type', { capacityType: 'spot' }],
    ['in the number of its pods', { pods: pods(2, 'c', { cpu: '1', labels: { app: 'web' } }) }],
    ['in the size of its pods', { pods: pods(3, 'c', { cpu: '2', labels: { app: 'web' } }) }],
    ['in the labels of its pods', { pods: pods(3, 'c', { cpu: '1', labels: { app: 'db' } }) }],
    [
      'in what its pods tolerate',
      { pods: pods(3, 'c', { cpu: '1', labels: { app: 'web' }, tolerations: [{ operator: 'Exists' }] }) },
    ],
  ])('is not about a node that differs %s', (_, shape) => {
    const known = (other: NodeShape) => {
      const all = aCluster([web('a'), web('c', other)]);
      const judgements = new Judgements();
      judgements.begin(all, {}, NOW, { hasPending: false, moves: () => true });
      judgements.keep(judged(all, 'a'), refusedPod('shop/a-001'));
      return judgements.known(judged(all, 'c'));
    };
    expect(known({})).toEqual(refusedPod('shop/c-001'));
    expect(known(shape)).toBeUndefined();
  });

  test('holds while nothing that matters changed, for five minutes', () => {
    const restarted = aCluster([web('a'), web('b'), web('other', { type: 'l', ready: false })]);
    expect(after(restarted, MINUTE)).toBeDefined();
    expect(after(input, 5 * MINUTE - 1)).toBeDefined();
    expect(after(input, 5 * MINUTE)).toBeUndefined();
    expect(after(input, -1)).toBeUndefined();
  });

  test('is made again when pods of other nodes are gone, unless they were small', () => {
    const few = (cpu: string) => [aPod('one', { cpu }), aPod('two', { cpu: '1' })];
    const rest = (cpu: string, left: readonly Pod[]) => {
      const before = aCluster([web('a'), aManagedNode('x', { type: 'l', pods: few(cpu) })]);
      const judgements = new Judgements();
      judgements.begin(before, {}, NOW, { hasPending: false, moves: () => true });
      judgements.keep(judged(before, 'a'), { code: 'NotCheaper', price: 1 });
      judgements.end();
      const later = aCluster([web('a'), aManagedNode('x', { type: 'l', pods: left })]);
      judgements.begin(later, {}, NOW + MINUTE, { hasPending: false, moves: () => true });
      return judgements.known(judged(later, 'a'));
    };
    expect(rest('2', [few('2')[1]!])).toBeUndefined();
    expect(rest('100m', [few('100m')[1]!])).toBeDefined();
  });

  test('is made again when there is another node, or one that may get pods now', () => {
    expect(after(aCluster([...input.nodes, aManagedNode('new')]), MINUTE)).toBeUndefined();
    const started = (initialized: boolean) => aManagedNode('new', { more: { initialized } });
    expect(after(aCluster([...input.nodes, started(false)]), MINUTE)).toBeDefined();
  });

  test('is made again when a NodePool or a price changes', () => {
    const dearer = aDisruptedPool('default', { types: [aType('m', { cpu: 4, price: 0.2 })] });
    expect(after(aCluster(input.nodes, { pools: [dearer] }), MINUTE)).toBeUndefined();
    const limited = aDisruptedPool('default', { limits: { cpu: '100' } });
    expect(after(aCluster(input.nodes, { pools: [limited] }), MINUTE)).toBeUndefined();
  });

  test('is not kept for another pass while pods are pending, nor what depends on other nodes', () => {
    const pending = aCluster(input.nodes, { pending: [aPod('waits', { cpu: '64' })] });
    const judgements = new Judgements();
    judgements.begin(pending, {}, NOW, { hasPending: true, moves: () => true });
    judgements.keep(judged(pending, 'a'), refusedPod('shop/a-001'));
    expect(judgements.known(judged(pending, 'b'))).toEqual(refusedPod('shop/b-001'));
    judgements.end();
    judgements.begin(pending, {}, NOW, { hasPending: true, moves: () => true });
    expect(judgements.known(judged(pending, 'a'))).toBeUndefined();
    judgements.keep(judged(pending, 'a'), { code: 'Destination', command: 'x' });
    expect(judgements.known(judged(pending, 'a'))).toBeUndefined();
  });

  test('about a node whose pods may be evicted only now is another one', () => {
    const judgements = new Judgements();
    judgements.begin(input, {}, NOW, { hasPending: false, moves: () => false });
    judgements.keep(judged(input, 'a'), refusedPod('shop/a-001'));
    judgements.end();
    judgements.begin(input, {}, NOW, { hasPending: false, moves: () => true });
    expect(judgements.known(judged(input, 'a'))).toBeUndefined();
  });
});

test('of a pass that has ended the simulation is not kept', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const judgements = new Judgements();
  const input = aCluster([web('a')]);
  const begin = () => {
    const moves = () => true;
    judgements.begin(input, {}, NOW, { hasPending: false, moves });
    return new WeakRef(moves);
  };
  const moves = begin();
  judgements.end();
  // What was made in this turn is kept until it ends.
  await sleep(0);
  collect();
  expect(moves.deref()).toBeUndefined();
});

test('room that appears is used in turns: a part of the judgements is made again in each pass, until all are', () => {
  const many = (more: readonly DisruptionNode[] = []) =>
    aCluster([...Array.from({ length: 60 }, (_, at) => web(`n${at}`, { labels: { at: `${at}` } })), ...more]);
  const judgements = new Judgements();
  const ask = (input: DisruptionInput, afterMs: number) => {
    judgements.begin(input, {}, NOW + afterMs, { hasPending: false, moves: () => true });
    const nodes = new Pass(input, {}, NOW).nodes.filter(({ name }) => name.startsWith('n'));
    const asked = nodes.filter((node) => judgements.known(node) === undefined);
    for (const node of asked) judgements.keep(node, { code: 'NotCheaper', price: 1 });
    judgements.end();
    return asked.length;
  };
  const later = many([aManagedNode('room', { type: 'l' })]);
  const passes = [many(), later, later, later, later].map((input, at) => ask(input, at * 1000));
  expect(passes).toEqual([60, 20, 20, 20, 0]);
});

describe('a planner that has planned before', () => {
  test('gives the same plan again', () => {
    fc.assert(
      fc.property(clusters, ({ input, options }) => {
        const planner = new DisruptionPlanner();
        const first = planner.plan(input, options, NOW);
        expect(planner.plan(input, options, NOW + 1)).toEqual(first);
      }),
      { numRuns: 60 },
    );
  });

  test('gives the plan of a new one for every cluster after five minutes', () => {
    fc.assert(
      fc.property(fc.array(clusters, { minLength: 2, maxLength: 4 }), (list) => {
        const planner = new DisruptionPlanner();
        for (const [at, { input, options }] of list.entries()) {
          const nowMs = NOW + at * 5 * MINUTE;
          expect(planner.plan(input, options, nowMs)).toEqual(planDisruption(input, options, nowMs));
        }
      }),
      { numRuns: 40 },
    );
  });
});
