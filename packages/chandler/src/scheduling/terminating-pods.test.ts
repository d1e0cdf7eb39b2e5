/** Pods that are being deleted: kube-scheduler counts them for affinity and anti-affinity, but not for spreads. */
import { describe, expect, test } from 'vitest';
import {
  aNode,
  aPod,
  awayFrom,
  bound,
  cluster,
  HOST,
  near,
  type PodShape,
  pods,
  spreadOver,
  ZONE,
} from './cluster.fixture.ts';
import type { Pod, SchedulingInput } from './model.ts';
import { Planner, prepare, solve } from './solve.ts';

const web = (more: PodShape = {}): PodShape => ({ cpu: '1', labels: { app: 'web' }, ...more });

function terminating(node: string, pod: Pod): Pod {
  const [placed] = bound(node, pod);
  return { ...placed!, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
}

function withOld(shape: PodShape, next: PodShape, more: Partial<SchedulingInput> = {}): SchedulingInput {
  return cluster({
    nodes: [aNode('n')],
    boundPods: [terminating('n', aPod('old', shape))],
    pods: [aPod('next', next)],
    ...more,
  });
}

function nodesOf(input: SchedulingInput): string[] {
  return solve(input).placements.map(({ node }) => node);
}

describe('a pod that is being deleted', () => {
  test('keeps its successor with anti-affinity by host off its node', () => {
    const plan = solve(withOld(web(awayFrom(HOST, 'web')), web(awayFrom(HOST, 'web'))));
    expect(plan.placements).toEqual([]);
    expect(plan.claims.map((claim) => claim.pods)).toEqual([['shop/next']]);
  });

  test('is kept away from by a pod with anti-affinity', () => {
    expect(nodesOf(withOld(web(), web(awayFrom(HOST, 'web'))))).toEqual([]);
    expect(nodesOf(withOld(web(), web(awayFrom(HOST, 'other'))))).toEqual(['n']);
  });

  test('keeps others away by its own anti-affinity, by host and by zone', () => {
    for (const key of [HOST, ZONE]) {
      expect(nodesOf(withOld(awayFrom(key, 'web'), web()))).toEqual([]);
      expect(nodesOf(withOld(awayFrom(key, 'other'), web()))).toEqual(['n']);
    }
    const plan = solve(withOld(awayFrom(ZONE, 'web'), web()));
    const zone = plan.claims[0]!.requirements.find(({ key }) => key === ZONE);
    expect(zone?.values).toEqual(['zone-b', 'zone-c']);
  });

  test('satisfies an affinity', () => {
    expect(nodesOf(withOld(web(), { cpu: '1', ...near(HOST, 'web') }))).toEqual(['n']);
  });

  test('does not count for a spread', () => {
    expect(nodesOf(withOld(web(), web(spreadOver(HOST, 'web'))))).toEqual(['n']);
    expect(nodesOf(withOld(web(), web(spreadOver(ZONE, 'web'))))).toEqual(['n']);
  });

  test('does not count any more when its node is removed', () => {
    const input = withOld(web(awayFrom(ZONE, 'web')), web(awayFrom(ZONE, 'web')), {
      nodes: [aNode('n'), aNode('other')],
    });
    const plan = prepare(input).solveWithout({ nodes: ['n'] });
    expect(plan.placements.map(({ node }) => node)).toEqual(['other']);
  });

  test('counts from the plan after its deletion on, in a planner that lives on', () => {
    const [running] = bound('n', aPod('old', web(awayFrom(HOST, 'web'))));
    const old = terminating('n', aPod('old', web(awayFrom(HOST, 'web'))));
    const planner = new Planner();
    const base = cluster({
      nodes: [aNode('n'), aNode('m')],
      pods: pods(2, 'next', web(spreadOver(HOST, 'web'))),
    });
    for (const boundPods of [[running!], [old], [], [old], [running!]]) {
      const input = { ...base, boundPods };
      expect(JSON.stringify(planner.plan(input))).toBe(JSON.stringify(solve(input)));
    }
  });
});
