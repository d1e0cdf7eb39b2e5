/** Many claims that fail for one reason: one incident, and one event on the pool. */
import { EVENTS, PODS, type Transport } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { CloudError } from '../../packages/chandler/src/cloud/index.ts';
import { type FullStage, fullStage } from './all-controllers.ts';
import { NODE_CLASS, pod, pool } from './stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const MINUTE_MS = 60_000;
const refusal = () =>
  new CloudError('CreateFailed', 'a policy forbids it', {
    reason: 'PolicyRefused',
    advice: { retry: 'never' },
  });

/** A server with a clock that is ahead: NodeClaims are created in the future. */
const serverAheadBy =
  (ms: number) =>
  (send: Transport): Transport =>
  async (request) => {
    const response = await send(request);
    if (!request.path.includes('/nodeclaims')) return response;
    const moved = (text: string) =>
      text.replace(
        /"creationTimestamp":"([^"]+)"/g,
        (_, time: string) => `"creationTimestamp":"${new Date(Date.parse(time) + ms).toISOString()}"`,
      );
    return {
      ...response,
      text: async () => moved(await response.text()),
      chunks: async function* () {
        for await (const chunk of response.chunks()) yield Buffer.from(moved(Buffer.from(chunk).toString()));
      },
      cancel: () => response.cancel(),
    };
  };

/** Pods that need a node each. */
async function pods(count: number): Promise<void> {
  const containers = [{ name: 'm', image: 'i', resources: { requests: { cpu: '9' } } }];
  await full.stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await full.stage.apply(NODE_POOLS, pool('general'));
  for (let index = 0; index < count; index++) await full.stage.apply(PODS, pod(`p${index}`, { containers }));
}

describe('a batch of claims that the cloud rejects permanently', () => {
  test.each([
    ['as ours', 0],
    ['seconds ahead', 8_000],
  ])('counts as one failure: the pool is tried again at once (clock of the server: %s)', async (_, ms) => {
    full = await fullStage({ wire: serverAheadBy(ms) });
    const { stage } = full;
    stage.cloud.failures = Array.from({ length: 6 }, refusal);
    await pods(6);
    await stage.until('all pods have an instance', () => stage.cloud.machines.size === 6, 40_000);
    const counted = stage.world.lines.filter(({ message }) =>
      message.startsWith('launch failed permanently'),
    );
    expect(counted.map(({ fields }) => fields['failures'])).toEqual([1]);
  });

  test('leaves the event limit of the pool for other events', async () => {
    full = await fullStage();
    const { stage } = full;
    const { create } = stage.cloud;
    stage.cloud.create = async () => {
      throw refusal();
    };
    await pods(40);
    await stage.world.clock.advance(2 * MINUTE_MS);
    const onPool = (await stage.list(EVENTS)).filter(
      (event) => (event['involvedObject'] as { kind?: string }).kind === 'NodePool',
    );
    const count = (reason: string) => onPool.filter((event) => event['reason'] === reason).length;
    expect(count('PolicyRefused')).toBe(1);
    expect(count('LaunchesHeldBack')).toBe(1);
    stage.cloud.create = create;
    expect((await stage.list(NODE_CLAIMS)).length).toBeLessThanOrEqual(40);
  });
});
