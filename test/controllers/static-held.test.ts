import { EVENTS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { CloudError } from '../../packages/chandler/src/cloud/index.ts';
import { lifecycle } from '../../packages/chandler/src/controllers/index.ts';
import { staticProvisioning } from '../../packages/chandler/src/controllers/testing.ts';

import { NODE_CLASS, readyPool, type StageSet, setStage } from './stage.ts';

const MINUTE_MS = 60_000;

let stage: StageSet;
afterEach(() => stage.end());

async function fixedPool(spec: Record<string, unknown>) {
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Ready',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const patch = { status: { conditions: [ready] } };
  await stage.admin.patchStatus(AKS_NODE_CLASSES, { name: 'default' }, { type: 'merge', patch });
  await readyPool(stage, 'fixed', spec);
}

const onStage = () => setStage({ controllers: [staticProvisioning, lifecycle] });

/** A cloud that refuses every launch, until the function that comes back is called. */
async function refused(error: () => CloudError) {
  stage = await onStage();
  const { cloud } = stage;
  const { create } = cloud;
  cloud.create = async () => {
    // Without an end the test would have none either.
    if (made() > 100) return { state: 'waiting', retryAfterMs: MINUTE_MS, stages: [] };
    throw error();
  };
  await fixedPool({ replicas: 3 });
  return () => {
    cloud.create = create;
  };
}

const soldOut = () => new CloudError('InsufficientCapacity', 'nothing left');
const notReady = () => new CloudError('NodeClassNotReady', 'a field that it has is not supported');

const claims = () => stage.list(NODE_CLAIMS);
const have = (count: number) => async () => (await claims()).length === count;
const advance = (ms: number) => stage.world.clock.advance(ms);
/** Claims that were ever made. */
const made = () => stage.writes.filter((write) => /^POST .*\/nodeclaims$/.test(write)).length;
const told = async (reason: string) =>
  (await stage.list(EVENTS))
    .filter((event) => event['reason'] === reason)
    .map((event) => ({ message: String(event['message']), count: Number(event['count']) }));
const times = async (reason: string) => (await told(reason)).reduce((sum, { count }) => sum + count, 0);

describe('a static pool without capacity', () => {
  test.each([
    ['nothing is left', soldOut],
    ['its class is not as ready as it says', notReady],
  ])('does not create and delete claims without a pause: %s', async (_, error) => {
    await refused(error);
    await advance(50_000);
    expect(made()).toBe(3);
    await advance(60 * MINUTE_MS);
    expect(made()).toBeGreaterThan(3);
    expect(made()).toBeLessThanOrEqual(15);
    expect(await claims()).toEqual([]);
  });

  test('counts instances that fail together as one failure, and launches again when there is capacity', async () => {
    const mend = await refused(soldOut);
    await advance(30_000);
    mend();
    await stage.until('three claims', have(3), MINUTE_MS);
    expect(made()).toBe(6);
    await advance(10 * MINUTE_MS);
    expect(made()).toBe(6);
  });

  test('launches at once when it is edited', async () => {
    const mend = await refused(soldOut);
    await advance(10 * MINUTE_MS);
    mend();
    await stage.admin.patch(
      NODE_POOLS,
      { name: 'fixed' },
      { type: 'merge', patch: { spec: { replicas: 2 } } },
    );
    await stage.until('two claims', have(2), 5_000);
  });

  test('publishes that launches are held back, until when and why, and leaves the event limit of the pool for other events', async () => {
    await refused(soldOut);
    await advance(2 * MINUTE_MS);
    const before = await times('LaunchesHeldBack');
    expect((await told('LaunchesHeldBack'))[0]?.message).toMatch(
      /^Launches are held back until 2026-01-01T00:0\d:00Z after failures: InsufficientCapacityError$/,
    );
    await advance(60 * MINUTE_MS);
    const more = (await times('LaunchesHeldBack')) - before;
    expect(more).toBeGreaterThanOrEqual(8);
    expect(more).toBeLessThanOrEqual(13);
  });
});

describe('a static pool at its node limit', () => {
  test('publishes an event, and does not repeat it', async () => {
    stage = await onStage();
    // A node that joins would have the pool judged by its own controllers, who are not here.
    stage.cloud.joins = false;
    await fixedPool({ replicas: 5, limits: { nodes: '2' } });
    await advance(12 * MINUTE_MS);
    expect(await claims()).toHaveLength(2);
    const events = await told('NodeLimitReached');
    expect(events.map(({ message }) => message)).toEqual(['3 of 5 replicas are not made: limits.nodes is 2']);
    expect(events[0]?.count).toBe(3);
  });

  test('publishes nothing while a deleting node is being replaced', async () => {
    stage = await onStage();
    stage.cloud.joins = false;
    await fixedPool({ replicas: 2, limits: { nodes: '2' } });
    await stage.until('two claims', have(2));
    await stage.admin.delete(NODE_CLAIMS, { name: (await claims())[0]!.metadata.name! });
    await advance(10 * MINUTE_MS);
    expect(await told('NodeLimitReached')).toEqual([]);
    await stage.admin.patch(
      NODE_POOLS,
      { name: 'fixed' },
      { type: 'merge', patch: { spec: { replicas: 4 } } },
    );
    await stage.until('it is said', async () => (await told('NodeLimitReached')).length > 0, 10_000);
    expect((await told('NodeLimitReached'))[0]?.message).toBe(
      '2 of 4 replicas are not made: limits.nodes is 2',
    );
  });
});
