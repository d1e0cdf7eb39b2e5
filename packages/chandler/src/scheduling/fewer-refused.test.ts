import { describe, expect, test } from 'vitest';
import { placed } from './attempt.ts';
import { aPod, aPool, aType, awayFrom, HOST, near, pods, TYPE } from './cluster.fixture.ts';
import { compiling } from './engine/compiled.ts';
import { Kept } from './engine/kept.ts';
import { limitsMayHoldMore } from './engine/limit-room.ts';
import type { SchedulingInput } from './model.ts';
import { NO_PODS } from './shapes/named-pods.ts';
import { Planner, solve } from './solve.ts';
import { finish } from './steps.ts';

const small = aType('small', { cpu: 2 });
const large = aType('large', { cpu: 8 });

/** Pods that share a host, which the pool with the highest weight has only a small type for. */
const together: SchedulingInput = {
  pools: [aPool('first', { types: [small], weight: 10 }), aPool('second', { types: [large] })],
  pods: pods(4, 'web', { cpu: '1', labels: { app: 'web' }, ...near(HOST, 'web') }),
};

/** Claims that may become the large type, too, use up the limit although their pods are small. */
const apart: SchedulingInput = {
  pools: [aPool('p', { types: [small, large], limits: { cpu: '9' } })],
  pods: pods(4, 'web', { cpu: '1', labels: { app: 'web' }, ...awayFrom(HOST, 'web') }),
};

describe('plans near one that refuses pods', () => {
  test('open a claim in a pool of lower weight, where the first one would refuse pods', () => {
    const { claims, counts } = solve(together);
    expect(counts).toMatchObject({ placed: 4, refused: 0 });
    expect(claims.map(({ nodePool }) => nodePool)).toEqual(['second']);
  });

  test('keep the first pool where the other one places as many', () => {
    const { claims } = solve({ ...together, pods: together.pods.slice(0, 2) });
    expect(claims.map(({ nodePool }) => nodePool)).toEqual(['first']);
  });

  test('open all other claims as usual', () => {
    const pools = [together.pools[0]!, aPool('second', { types: [small, large] })];
    const alone = { labels: { app: 'job' }, ...awayFrom(HOST, 'job'), nodeSelector: { [TYPE]: 'small' } };
    const list = [...together.pods, ...pods(3, 'job', { cpu: '1', ...alone })];
    const { claims, counts } = solve({ pools, pods: list });
    expect(counts.refused).toBe(0);
    expect(claims.map(({ nodePool }) => nodePool).sort()).toEqual(['first', 'first', 'first', 'second']);
  });

  test('open small claims where a limit is used up', () => {
    const { claims, counts } = solve(apart);
    expect(counts).toMatchObject({ placed: 4, refused: 0 });
    expect(claims.flatMap(({ instanceTypes }) => instanceTypes)).toEqual([
      'small',
      'small',
      'small',
      'small',
    ]);
  });

  test('leave claims all of their types where the limit is not used up', () => {
    const { claims } = solve({ ...apart, pods: apart.pods.slice(0, 1) });
    expect(claims.map(({ instanceTypeCount }) => instanceTypeCount)).toEqual([2]);
  });

  test('are the same from a new planner and from one in use', () => {
    const planner = new Planner();
    planner.plan({ pools: apart.pools, pods: pods(3, 'other', { cpu: '300m' }) });
    for (const input of [apart, together, apart]) expect(planner.plan(input)).toEqual(solve(input));
  });
});

describe('what limits leave room for', () => {
  const pools = [
    aPool('p', { types: [small], limits: { cpu: '4' } }),
    aPool('other', { types: [large], taints: [{ key: 'gpu', effect: 'NoSchedule' }] }),
  ];
  const mayHoldMore = (input: SchedulingInput) => {
    const compiled = finish(compiling(input, new Kept()));
    const queue = compiled.queue.with(NO_PODS);
    const { run } = placed(compiled, { queue, removed: [], number: 1, detailed: undefined, errors: [] });
    expect(run.unplaced.length).toBeGreaterThan(0);
    return limitsMayHoldMore(run);
  };

  test('is no pod more when their sum is used up', () => {
    expect(mayHoldMore({ pools, pods: pods(6, 'web', { cpu: '1' }) })).toBe(false);
  });

  test('may be a pod more when smaller ones could take the place of a larger one', () => {
    expect(
      mayHoldMore({ pools, pods: [aPod('big', { cpu: '1500m' }), ...pods(6, 'web', { cpu: '1' })] }),
    ).toBe(true);
  });

  test('may be a pod more in a pool without a limit', () => {
    const open = aPool('open', { types: [small] });
    expect(mayHoldMore({ pools: [pools[0]!, open], pods: pods(6, 'web', { cpu: '7' }) })).toBe(true);
  });
});
