import { describe, expect, test } from 'vitest';
import type { TransportRequest, TransportResponse } from '../client/transport.ts';
import { virtualWorld } from '../testing/virtual-world.ts';
import { Fence, withFence } from './fence.ts';

const OK: TransportResponse = {
  status: 200,
  headers: {},
  text: async () => '',
  async *chunks() {},
  cancel() {},
};
const PUT: TransportRequest = { method: 'PUT', path: '/x', body: '{}' };

describe('a fence', () => {
  test('allows reads always and writes only while it is open', async () => {
    const { clock } = virtualWorld();
    const fence = new Fence(clock);
    const send = withFence(async () => OK, fence);
    expect((await send({ method: 'GET', path: '/x' })).status).toBe(200);
    await expect(send(PUT)).rejects.toMatchObject({ kind: 'fenced' });
    fence.openFor(10_000, clock.monotonic());
    expect((await send(PUT)).status).toBe(200);
    await clock.advance(10_000);
    await expect(send(PUT)).rejects.toMatchObject({ kind: 'fenced' });
    fence.openFor(10_000, clock.monotonic());
    fence.close();
    await expect(send(PUT)).rejects.toMatchObject({ kind: 'fenced' });
  });

  test('checks again immediately before the request is sent', async () => {
    const { clock } = virtualWorld();
    const fence = new Fence(clock);
    let written = 0;
    const send = withFence(async (request) => {
      await clock.sleep(20_000);
      request.lastCheck?.();
      written += 1;
      return OK;
    }, fence);
    fence.openFor(10_000, clock.monotonic());
    const outcome = expect(send(PUT)).rejects.toMatchObject({ kind: 'fenced' });
    await clock.advance(20_000);
    await outcome;
    expect(written).toBe(0);
  });

  test('closes after a suspend, although the monotonic clock stopped', () => {
    let wallMs = 1_000_000;
    const fence = new Fence({ monotonic: () => 5000, now: () => wallMs });
    fence.openFor(10_000, 4000);
    expect(fence.isOpen).toBe(true);
    wallMs += 60_000;
    expect(fence.isOpen).toBe(false);
  });

  test('reports when the last write has been answered', async () => {
    const { clock } = virtualWorld();
    const fence = new Fence(clock);
    let finish: (response: TransportResponse) => void = () => undefined;
    const send = withFence(() => new Promise((resolve) => (finish = resolve)), fence);
    await fence.idle();
    fence.openFor(10_000, 0);
    const sending = send(PUT);
    expect(fence.inFlight).toBe(1);
    let idle = false;
    const waiting = fence.idle().then(() => {
      idle = true;
    });
    await Promise.resolve();
    expect(idle).toBe(false);
    finish(OK);
    await sending;
    await waiting;
    expect(fence.inFlight).toBe(0);
  });
});
