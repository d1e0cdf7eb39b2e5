import { promMetrics } from '@chandler/kube';
import { neverAborted, stored, virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { type Cloud, CloudError, type LaunchRequest, type LaunchStep } from '../../cloud/index.ts';
import { withCloudMetrics } from './cloud-calls.ts';

const WAITING: LaunchStep = { state: 'waiting', retryAfterMs: 1, stages: [] };
const launched = (settled: boolean) => ({ state: 'launched', settled, stages: [] }) as unknown as LaunchStep;

const request = (uid: string) => {
  const claim = stored({ metadata: { name: uid, uid } });
  return { claim, nodeClass: stored({ metadata: { name: 'default' } }) } as unknown as LaunchRequest;
};

/** A cloud whose launches take these steps, one a second. */
function metered(steps: readonly (LaunchStep | CloudError)[]) {
  const { clock } = virtualWorld();
  const metrics = promMetrics({ processMetrics: false });
  const left = [...steps];
  const create = async () => {
    const step = left.shift()!;
    if (step instanceof CloudError) throw step;
    return step;
  };
  const cloud = withCloudMetrics({ name: 'fake', create } as unknown as Cloud, { clock, metrics });
  return {
    async run(uid = 'a') {
      await clock.advance(1_000);
      await cloud.create(request(uid), neverAborted()).catch(() => undefined);
    },
    async shown(text: string) {
      const lines = (await metrics.text()).split('\n');
      return lines.filter((line) => line.startsWith(text)).map((line) => Number(line.split(' ').at(-1)));
    },
  };
}

describe('a launch', () => {
  test('is measured once, from its first step until the instance is accepted', async () => {
    const { run, shown } = metered([
      WAITING,
      WAITING,
      WAITING,
      launched(false),
      launched(false),
      launched(true),
    ]);
    for (let step = 0; step < 6; step++) await run();
    expect(await shown('karpenter_cloudprovider_duration_seconds_count')).toEqual([1]);
    expect(await shown('karpenter_cloudprovider_duration_seconds_sum')).toEqual([3]);
  });

  test('counts an error once, although every retry fails', async () => {
    const throttled = new CloudError('Throttled', 'later');
    const { run, shown } = metered([throttled, throttled, throttled, WAITING, launched(true)]);
    for (let step = 0; step < 5; step++) await run();
    expect(await shown('karpenter_cloudprovider_errors_total')).toEqual([1]);
    expect(await shown('karpenter_cloudprovider_duration_seconds_count')).toEqual([1]);
  });

  test('is measured when the cloud rejects it, and each instance for itself', async () => {
    const full = new CloudError('InsufficientCapacity', 'nothing is left');
    const { run, shown } = metered([WAITING, full, full, launched(true)]);
    await run('a');
    await run('a');
    await run('b');
    await run('c');
    expect(await shown('karpenter_cloudprovider_duration_seconds_count')).toEqual([3]);
    expect(await shown('karpenter_cloudprovider_errors_total')).toEqual([2]);
  });
});
