import { PODS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { CloudError } from '../../packages/chandler/src/cloud/index.ts';

import { type FullStage, fullStage, settledPod } from './all-controllers.ts';
import { pod } from './stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

interface Claim {
  status?: { lastPodEventTime?: string; conditions?: { type: string; status: string }[] };
}
const claim = async (name: string) => (await full.stage.get(NODE_CLAIMS, name)) as Claim;
const stampMs = async (name: string) => Date.parse((await claim(name)).status?.lastPodEventTime ?? '');
const consolidatable = async (name: string) =>
  (await claim(name)).status?.conditions?.find(({ type }) => type === 'Consolidatable')?.status;
const now = () => full.stage.world.clock.now();
const MINUTE_MS = 60_000;

describe('what happens to the pods of a node', () => {
  test('sets lastPodEventTime of its claim: a pod is bound, a pod is removed', async () => {
    full = await fullStage();
    const name = await settledPod(full);
    const first = await stampMs(name);
    expect(first).toBeGreaterThan(0);
    await full.stage.world.clock.advance(MINUTE_MS);
    await full.stage.apply(PODS, pod('b'));
    await full.stage.world.clock.advance(3_000);
    const second = await stampMs(name);
    expect(second).toBeGreaterThan(first + 50_000);
    await full.stage.world.clock.advance(MINUTE_MS);
    await full.stage.admin.delete(PODS, { name: 'b', namespace: 'default' });
    await full.stage.world.clock.advance(2_000);
    expect(await stampMs(name)).toBeGreaterThan(second + 50_000);
  });

  test('sets it at most every ten seconds', async () => {
    full = await fullStage();
    const name = await settledPod(full);
    await full.stage.world.clock.advance(MINUTE_MS);
    await full.stage.apply(PODS, pod('b'));
    await full.stage.world.clock.advance(3_000);
    const stamp = await stampMs(name);
    await full.stage.apply(PODS, pod('c'));
    await full.stage.world.clock.advance(3_000);
    expect(await stampMs(name)).toBe(stamp);
  });

  test('while no controller ran is recorded with the time of the pod event', async () => {
    full = await fullStage();
    const name = await settledPod(full);
    await full.stage.world.clock.advance(MINUTE_MS);
    await full.stage.startAll(() => []);
    await full.stage.apply(PODS, pod('b'));
    await full.stage.world.clock.advance(5_000);
    const boundMs = now();
    await full.stage.world.clock.advance(10 * MINUTE_MS);
    await full.restart();
    await full.stage.world.clock.advance(5_000);
    const stamp = await stampMs(name);
    expect(stamp).toBeLessThanOrEqual(boundMs);
    expect(stamp).toBeGreaterThan(boundMs - 10_000);
  });
});

describe('a claim', () => {
  test('is Consolidatable after consolidateAfter without pod events, and not after the next pod event', async () => {
    full = await fullStage();
    const name = await settledPod(full, { pool: { disruption: { consolidateAfter: '5m' } } });
    await full.stage.world.clock.advance(4 * MINUTE_MS);
    expect(await consolidatable(name)).toBeUndefined();
    await full.stage.world.clock.advance(2 * MINUTE_MS);
    expect(await consolidatable(name)).toBe('True');
    await full.stage.apply(PODS, pod('b'));
    await full.stage.world.clock.advance(5_000);
    expect(await consolidatable(name)).toBeUndefined();
    await full.stage.world.clock.advance(6 * MINUTE_MS);
    expect(await consolidatable(name)).toBe('True');
  });

  test('is never Consolidatable with consolidateAfter Never', async () => {
    full = await fullStage();
    const name = await settledPod(full, { pool: { disruption: { consolidateAfter: 'Never' } } });
    await full.stage.world.clock.advance(60 * MINUTE_MS);
    expect(await consolidatable(name)).toBeUndefined();
  });
});

describe('the registration health of a pool', () => {
  const health = async () =>
    (
      (await full.stage.get(NODE_POOLS, 'general')) as {
        status?: { nodeClassObservedGeneration?: number; conditions?: { type: string; status: string }[] };
      }
    ).status;
  const status = async () =>
    (await health())?.conditions?.find(({ type }) => type === 'NodeRegistrationHealthy')?.status;

  test('is True after a node registered, and Unknown again when the class or the pool is edited', async () => {
    full = await fullStage();
    await settledPod(full);
    expect(await status()).toBe('True');
    expect((await health())?.nodeClassObservedGeneration).toBe(1);
    const edit = { type: 'merge' as const, patch: { spec: { tags: { team: 'red' } } } };
    await full.stage.admin.patch(AKS_NODE_CLASSES, { name: 'default' }, edit);
    await full.stage.world.clock.advance(2_000);
    expect(await status()).toBe('Unknown');
    expect((await health())?.nodeClassObservedGeneration).toBe(2);
    const patch = { spec: { limits: { cpu: '100' } } };
    await full.stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
    await full.stage.world.clock.advance(2_000);
    expect(await status()).toBe('Unknown');
  });

  test('is False with the error of the cloud when launches fail until their timeout', async () => {
    full = await fullStage();
    full.stage.cloud.failures = Array.from({ length: 200 }, () => new CloudError('CreateFailed', 'no way'));
    await expect(settledPod(full)).rejects.toThrow('the pod runs');
    await full.stage.until('it is False', async () => (await status()) === 'False', 60 * MINUTE_MS);
    expect((await health())?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'NodeRegistrationHealthy',
        reason: 'CreateInstanceFailed',
        message: 'no way',
      }),
    );
  });

  test('is False when nodes do not register, and an edit resets it', async () => {
    full = await fullStage();
    full.stage.cloud.joins = false;
    await expect(settledPod(full)).rejects.toThrow('the pod runs');
    await full.stage.until('it is False', async () => (await status()) === 'False', 60 * MINUTE_MS);
    const edit = { type: 'merge' as const, patch: { spec: { tags: { team: 'red' } } } };
    full.stage.cloud.joins = true;
    await full.stage.admin.patch(AKS_NODE_CLASSES, { name: 'default' }, edit);
    await full.stage.until('it is True', async () => (await status()) === 'True', 60 * MINUTE_MS);
  });
});
