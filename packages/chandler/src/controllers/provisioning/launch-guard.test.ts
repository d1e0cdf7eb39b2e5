import { describe, expect, test } from 'vitest';
import { aClaim, handmade } from '../../state/testing.ts';
import { type ControllerContext, type ControllerSettings, DEFAULT_SETTINGS } from '../context.ts';
import { LaunchBudget } from './launch-budget.ts';
import { LaunchGuard } from './launch-guard.ts';

const MINUTE_MS = 60_000;

/** A guard over claims that are put there by hand. */
function stage(settings: Partial<ControllerSettings>) {
  const { world, stores, cluster, put } = handmade();
  const restart = () =>
    new LaunchGuard({
      world,
      stores,
      cluster,
      launches: new LaunchBudget(world.clock),
      settings: { ...DEFAULT_SETTINGS, ...settings },
    } as unknown as ControllerContext);
  const stamp = (ageMs: number) => new Date(world.clock.now() - ageMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return {
    world,
    restart,
    stamp,
    claim(name: string, more: { ageMs?: number; metadata?: object; spec?: object; conditions?: object[] }) {
      const { metadata, spec } = aClaim(name);
      put(stores.claims, {
        metadata: { ...metadata, creationTimestamp: stamp(more.ageMs ?? 0), ...more.metadata },
        spec: { ...spec, ...more.spec },
        status: { conditions: more.conditions ?? [] },
      });
    },
  };
}

const wanted = (count: number) => Array.from({ length: count }, () => ({ nodePool: 'general' }));
const silent = () => undefined;

describe('launches that are of use only together', () => {
  test('all begin or none, and none counts when they do not', () => {
    const { restart } = stage({ maxLaunchesPerMinute: 3 });
    const guard = restart();
    expect(guard.judgeTogether(wanted(2)).allowed).toHaveLength(2);
    const { allowed, held, why } = guard.judgeTogether(wanted(2));
    expect([allowed.length, held.length]).toEqual([0, 2]);
    expect(why).toMatchObject({ code: 'LaunchesLimited', waiting: 2, planned: 2 });
    expect(guard.judgeTogether(wanted(1)).allowed).toHaveLength(1);
  });

  test('begin also when they are more than a minute allows, once none was launched in the last minute', async () => {
    const { world, restart } = stage({ maxLaunchesPerMinute: 3 });
    const guard = restart();
    expect(guard.judgeTogether(wanted(1)).allowed).toHaveLength(1);
    expect(guard.judgeTogether(wanted(5)).allowed).toHaveLength(0);
    await world.clock.advance(MINUTE_MS);
    expect(guard.judgeTogether(wanted(5)).allowed).toHaveLength(3);
  });

  test('all begin without a limit', () => {
    expect(stage({}).restart().judgeTogether(wanted(5)).allowed).toHaveLength(5);
  });
});

describe('launches per minute', () => {
  test('include those of an earlier process', async () => {
    const { world, restart, claim } = stage({ maxLaunchesPerMinute: 3 });
    claim('a', { ageMs: 50_000 });
    claim('b', { ageMs: 5_000 });
    claim('old', { ageMs: 2 * MINUTE_MS });
    const guard = restart();
    expect(guard.allow(wanted(5), silent)).toHaveLength(1);
    claim('own', {});
    expect(guard.allow(wanted(5), silent)).toHaveLength(0);
    await world.clock.advance(15_000);
    expect(guard.allow(wanted(5), silent)).toHaveLength(1);
  });

  test('count a claim once, although it is both remembered and stored', () => {
    const { restart, claim } = stage({ maxLaunchesPerMinute: 3 });
    const guard = restart();
    expect(guard.allow(wanted(2), silent)).toHaveLength(2);
    for (const name of ['a', 'b']) claim(name, {});
    expect(guard.allow(wanted(2), silent)).toHaveLength(1);
  });

  test('exclude claims of another cloud and claims with a creation time in the future', () => {
    const { restart, claim } = stage({ maxLaunchesPerMinute: 1 });
    claim('theirs', {
      spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' } },
    });
    claim('future', { ageMs: -10 * MINUTE_MS });
    expect(restart().allow(wanted(1), silent)).toHaveLength(1);
  });
});

describe('launches that fail', () => {
  const at = (
    guarded: ReturnType<typeof stage>,
    type: string,
    status: string,
    ageMs: number,
    reason = type,
  ) => ({
    type,
    status,
    reason,
    message: '',
    lastTransitionTime: guarded.stamp(ageMs),
  });
  const isStopped = (guarded: ReturnType<typeof stage>) =>
    guarded.restart().allow(wanted(1), silent).length === 0;

  test.each<[string, boolean, (guarded: ReturnType<typeof stage>) => object]>([
    [
      'has not been tried',
      false,
      (on) => ({ conditions: [at(on, 'Launched', 'Unknown', 0, 'AwaitingReconciliation')] }),
    ],
    [
      'was refused by the cloud',
      true,
      (on) => ({ conditions: [at(on, 'Launched', 'Unknown', 0, 'QuotaExceeded')] }),
    ],
    ['is on its way to join', false, (on) => ({ conditions: [at(on, 'Launched', 'True', 4 * MINUTE_MS)] })],
    [
      'should have joined long ago',
      true,
      (on) => ({ conditions: [at(on, 'Launched', 'True', 6 * MINUTE_MS)] }),
    ],
    [
      'did not come through its bootstrap',
      true,
      (on) => ({
        conditions: [at(on, 'Launched', 'True', 0), at(on, 'CSEProvisioned', 'False', 0, 'CSEFailed')],
      }),
    ],
    [
      'has joined',
      false,
      (on) => ({ conditions: [at(on, 'Launched', 'True', 9 * MINUTE_MS), at(on, 'Registered', 'True', 0)] }),
    ],
    [
      'failed and is being deleted',
      false,
      (on) => ({
        metadata: { deletionTimestamp: on.stamp(0) },
        conditions: [
          at(on, 'Launched', 'True', 6 * MINUTE_MS),
          at(on, 'CSEProvisioned', 'False', 0, 'CSEFailed'),
        ],
      }),
    ],
  ])('with a claim that %s: stopped %s', (_, stopped, how) => {
    const guarded = stage({ maxFailingLaunches: 1 });
    guarded.claim('a', how(guarded));
    expect(isStopped(guarded)).toBe(stopped);
  });
});
