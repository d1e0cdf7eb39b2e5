/** The clusters of the differential run, what upstream is given of them, and how its answer is read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { solve } from '../../packages/chandler/src/scheduling/index.ts';
import { CLASSES, REASONS } from './classes.table.ts';
import { FEATURES } from './features.ts';
import { judge, outcomeOf } from './judge.ts';
import { requestOf } from './objects.ts';
import { randomCluster } from './random-cluster.ts';
import { readUpstreamPlan } from './read-plan.ts';
import type { UpstreamPlan } from './upstream.ts';

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);

/** Our own plan as upstream's program would write it. */
function asUpstream(seed: number): UpstreamPlan {
  const plan = solve(randomCluster(seed).input);
  return {
    claims: plan.claims,
    placements: plan.placements,
    refusals: plan.refusals.flatMap(({ pods }) => pods.map((pod) => ({ pod, reason: 'refused' }))),
  };
}

describe('random clusters', () => {
  test('are the same for the same seed, of the promised size, and valid', () => {
    for (const seed of SEEDS) {
      const { input } = randomCluster(seed);
      expect(randomCluster(seed).input).toEqual(input);
      expect(input.pods.length).toBeGreaterThanOrEqual(5);
      expect(input.pods.length).toBeLessThanOrEqual(40);
      expect(input.pools.length).toBeLessThanOrEqual(4);
      expect(solve(input).inputErrors, `seed ${seed}`).toEqual([]);
    }
  });

  test('have every feature at some seed', () => {
    const drawn = new Set(SEEDS.flatMap((seed) => randomCluster(seed).features));
    expect(Object.keys(FEATURES).filter((name) => !drawn.has(name as keyof typeof FEATURES))).toEqual([]);
  });
});

describe('what upstream is given', () => {
  test('names every object of the cluster once', () => {
    for (const seed of SEEDS) {
      const { input } = randomCluster(seed);
      const { objects, instanceTypes } = requestOf(input, seed, 1);
      expect(objects['pods']).toHaveLength(input.pods.length + (input.boundPods ?? []).length);
      expect(objects['nodes']).toHaveLength((input.nodes ?? []).length);
      expect(objects['nodePools']).toHaveLength(input.pools.length);
      expect(objects['persistentVolumeClaims']).toHaveLength((input.volumes?.claims ?? []).length);
      expect(Object.keys(instanceTypes)).toHaveLength(input.pools.length);
    }
  });
});

describe('a plan of upstream', () => {
  test('that is ours has the same price and breaks the same rules', () => {
    for (const seed of SEEDS.slice(0, 8)) {
      const { input } = randomCluster(seed);
      const plan = solve(input);
      const read = readUpstreamPlan(input, asUpstream(seed));
      expect(read.pricePerHour, `seed ${seed}`).toBeCloseTo(plan.pricePerHour, 9);
      expect(outcomeOf(input, read), `seed ${seed}`).toEqual(outcomeOf(input, plan));
      expect(judge(seed, input, [asUpstream(seed)])).toMatchObject({ class: 'equal', reason: 'same' });
    }
  });

  test('that holds only because other zones have no node explains why ours has fewer pods that share a host', () => {
    const { input } = randomCluster(301108);
    const shared = ['default/w1-1', 'default/w1-6'];
    const claim = solve(input).claims[0]!;
    const counts = 'unsatisfiable topology constraint for pod affinity, key=kubernetes.io/hostname';
    const refused = input.pods
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
      .filter((pod) => !shared.includes(pod));
    const plan: UpstreamPlan = {
      claims: [{ ...claim, labels: { ...claim.labels, rack: 'r3' }, pods: shared }],
      placements: [],
      refusals: refused.map((pod) => ({ pod, reason: counts })),
    };
    expect(judge(301108, input, [plan])).toMatchObject({
      class: 'fewer placed',
      reason: 'domain without nodes',
    });
  });

  test('that puts all pods on one claim breaks rules', () => {
    const seed = SEEDS.find((each) => solve(randomCluster(each).input).claims.length > 3)!;
    const { input } = randomCluster(seed);
    const { claims, refusals } = asUpstream(seed);
    const pods = input.pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    const crowded = { claims: [{ ...claims[0]!, pods }], placements: [], refusals: refusals.slice(0, 0) };
    expect(outcomeOf(input, readUpstreamPlan(input, crowded)).broken).not.toEqual([]);
  });
});

test('the documentation lists every class and every reason with its sentence', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/upstream-scheduling.md'), 'utf8');
  for (const [name, text] of Object.entries(CLASSES)) expect(page).toContain(`| ${name} | ${text} |`);
  for (const [name, { of, text }] of Object.entries(REASONS))
    expect(page).toContain(`| ${name} | ${of.join(', ')} | ${text} |`);
});
