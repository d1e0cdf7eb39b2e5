import { EVENTS, PODS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { CloudError } from '../../packages/chandler/src/cloud/index.ts';
import { DEFAULT_SETTINGS } from '../../packages/chandler/src/controllers/testing.ts';

import { type FullStage, fullStage } from './all-controllers.ts';
import { ZONES } from './fake-cloud.ts';
import { NODE_CLASS, pod, pool } from './stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const claims = async () => (await full.stage.list(NODE_CLAIMS)).length;
const reasons = async (name: string) => (await full.stage.eventsOf(name)).map(({ reason }) => reason);
/** No two of them fit on one machine. */
const large = (name: string) =>
  pod(name, { containers: [{ name: 'main', image: 'i', resources: { requests: { cpu: '9' } } }] });

describe('the guard against runaway launches', () => {
  test('has one budget for static pools and for pending pods', async () => {
    const gates = { ...DEFAULT_SETTINGS.gates, StaticCapacity: true };
    full = await fullStage({ settings: { gates, maxLaunchesPerMinute: 3 } });
    const { stage } = full;
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.apply(NODE_POOLS, pool('fixed', { replicas: 2 }));
    await stage.until('the fixed pool has its claims', async () => (await claims()) === 2);
    await stage.apply(NODE_POOLS, pool('general'));
    for (const name of ['a', 'b', 'c']) await stage.apply(PODS, large(name));
    await stage.world.clock.advance(20_000);
    expect(await claims()).toBe(3);
    expect(await reasons('general')).toContain('LaunchesLimited');
    await stage.until('all are there in the minutes after', async () => (await claims()) === 5, 180_000);
  });

  test('creates no claims while too many launches fail, reports it, and continues when they succeed', async () => {
    full = await fullStage({ settings: { maxFailingLaunches: 1 } });
    const { stage } = full;
    stage.cloud.failures = Array.from({ length: 40 }, () => new CloudError('CreateFailed', 'out of order'));
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.apply(NODE_POOLS, pool('general'));
    await stage.apply(PODS, large('a'));
    await stage.until('the first claim is there', async () => (await claims()) === 1);
    await stage.world.clock.advance(5_000);
    await stage.apply(PODS, large('b'));
    await stage.until('it is said', async () => (await reasons('general')).includes('LaunchesStopped'));
    expect(await claims()).toBe(1);
    stage.cloud.failures = [];
    await stage.until('the second is there', async () => (await claims()) === 2, 180_000);
  });

  test('publishes one event per held pod, and counts held pods as unschedulable', async () => {
    full = await fullStage({ settings: { maxLaunchesPerMinute: 1 } });
    const { stage } = full;
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.apply(NODE_POOLS, pool('general'));
    // Each on its own node, in any order.
    for (const [at, name] of ['a', 'b', 'c'].entries())
      await stage.apply(PODS, pod(name, { nodeSelector: { 'topology.kubernetes.io/zone': ZONES[at] } }));
    await stage.until('the first claim is there', async () => (await claims()) === 1);
    await stage.world.clock.advance(45_000);
    const words = await Promise.all(['a', 'b', 'c'].map(reasons));
    expect(words.map((each) => each.includes('Nominated')).sort()).toEqual([false, false, true]);
    const held = ['a', 'b', 'c'].filter((_, at) => !words[at]!.includes('Nominated'));
    for (const name of held) {
      const own = (await stage.list(EVENTS)).filter(
        (event) =>
          (event['involvedObject'] as { name?: string }).name === name &&
          (event['source'] as { component?: string }).component === 'karpenter',
      );
      expect(own).toMatchObject([{ reason: 'FailedScheduling', count: 1 }]);
      expect(own[0]!['message']).toBe(
        'Failed to schedule pod, nodepool "general", it would take the pod, but its claim is held up: no more launches in this minute, at most 1 may begin (max-launches-per-minute)',
      );
    }
    const gauge = 'karpenter_scheduler_unschedulable_pods_count{controller="provisioner"}';
    expect(stage.world.values.get(gauge)).toBe(2);
    const { podTimes } = stage.context;
    const uids = await Promise.all(held.map(async (name) => (await stage.get(PODS, name))!.metadata.uid!));
    expect(uids.map((uid) => podTimes.schedulableSinceMs(uid))).toEqual([undefined, undefined]);
    await stage.until('all have their claims', async () => (await claims()) === 3, 180_000);
    await stage.world.clock.advance(15_000);
    for (const name of held) expect(await reasons(name)).toContain('Nominated');
    expect(stage.world.values.get(gauge)).toBe(0);
  });

  test('counts the launches of this minute across a restart', async () => {
    full = await fullStage({ settings: { maxLaunchesPerMinute: 2 } });
    const { stage } = full;
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.apply(NODE_POOLS, pool('general'));
    for (const name of ['a', 'b', 'c']) await stage.apply(PODS, large(name));
    await stage.until('two are there', async () => (await claims()) === 2);
    await full.restart();
    await stage.world.clock.advance(30_000);
    expect(await claims()).toBe(2);
    await stage.until('the third comes in its time', async () => (await claims()) === 3);
  });
});
