import { ApiStatusError, type Pod, type Stored } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { type ControllerContext, DEFAULT_SETTINGS } from '../context.ts';
import { EvictionQueue } from './eviction-queue.ts';

const POD = {
  metadata: { name: 'a', namespace: 'shop', uid: 'u1' },
  spec: { containers: [], nodeName: 'n' },
} as unknown as Stored<Pod>;

/** A queue with one eviction, on a server that answers with this. */
async function queueOn(
  server: Readonly<Record<'post' | 'delete', (...request: unknown[]) => Promise<void>>>,
) {
  const world = virtualWorld({ seed: 1 });
  const client = { withSignal: () => client, ...server };
  const context = {
    world,
    settings: DEFAULT_SETTINGS,
    stores: { pods: { store: { get: () => POD } } },
    cluster: { nodeNamed: () => undefined },
    events: { publish: () => undefined },
    client,
  } as unknown as ControllerContext;
  const queue = new EvictionQueue(context);
  await queue.controller.start();
  queue.add(POD, false);
  return { queue, world };
}

/** A queue on a server that answers evictions with this error, or accepts them. */
async function queueWith(answer: () => Error | undefined) {
  let asked = 0;
  const post = async () => {
    asked += 1;
    const error = answer();
    if (error !== undefined) throw error;
  };
  const opened = await queueOn({ post, delete: () => Promise.reject(new Error('nothing is forced')) });
  return { ...opened, asked: () => asked };
}

describe('an eviction that is refused', () => {
  test.each([
    ['by a budget', 'tooManyRequests', 'Cannot evict pod: its budget'],
    ['by a webhook', 'forbidden', 'admission webhook "guard" denied the request'],
    ['as malformed by a webhook', 'badRequest', 'admission webhook "guard" denied the request: no'],
  ] as const)('%s is tried again, and what was said is known', async (_, kind, text) => {
    let refuses = true;
    const { queue, world, asked } = await queueWith(() =>
      refuses ? new ApiStatusError(kind, text) : undefined,
    );
    await world.clock.advance(30_000);
    expect(asked()).toBeGreaterThan(3);
    expect(queue.refusalOf(POD)).toBe(text);
    expect(queue.refusalOf({ ...POD, metadata: { ...POD.metadata, uid: 'u2' } })).toBeUndefined();
    refuses = false;
    await world.clock.advance(15_000);
    expect([queue.size, queue.refusalOf(POD)]).toEqual([0, undefined]);
    await queue.controller.stop();
  });

  test('because the server was unreachable is not reported as a rejection', async () => {
    const { queue, world } = await queueWith(() => new ApiStatusError('unreachable', 'no answer'));
    await world.clock.advance(30_000);
    expect(queue.refusalOf(POD)).toBeUndefined();
    await queue.controller.stop();
  });
});

test('an eviction that becomes forced while its request is in flight is carried out by force', async () => {
  const answered = Promise.withResolvers<void>();
  const deletions: unknown[] = [];
  const { queue, world } = await queueOn({
    post: () => answered.promise,
    delete: async (...request) => void deletions.push(request),
  });
  await world.clock.advance(100);
  queue.add(POD, true);
  answered.resolve();
  await world.clock.advance(1_000);
  expect(deletions).toHaveLength(1);
  expect(queue.size).toBe(0);
  await queue.controller.stop();
});
