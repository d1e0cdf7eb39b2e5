import { beforeEach, describe, expect, test } from 'vitest';
import { KubeClient } from '../client/client.ts';
import { EVENTS, NODES, PODS } from '../client/resources.table.ts';
import { fetchTransport, type TransportRequest } from '../client/transport.ts';
import { TokenBucket } from '../controller/rate-limiter.ts';
import { RecentMap } from '../controller/recent-map.ts';
import type { KubeObject } from '../object.ts';
import { stored } from '../testing/stored.ts';
import { failure, TinyServer } from '../testing/tiny-server.ts';
import { settle, type VirtualWorld, virtualWorld } from '../testing/virtual-world.ts';
import { EventRecorder, type EventRecorderOptions, type EventSpec } from './events.ts';

let server: TinyServer;
let world: VirtualWorld;
let client: KubeClient;

beforeEach(() => {
  server = new TinyServer();
  world = virtualWorld();
  client = new KubeClient({ transport: fetchTransport(server.fetch) });
});

const recorder = (options: Partial<EventRecorderOptions> = {}) =>
  new EventRecorder({ client, world, component: 'example', ...options });

const anEvent = (overrides: Partial<EventSpec> = {}): EventSpec => ({
  resource: PODS,
  object: { metadata: { name: 'p', namespace: 'a', uid: 'u', resourceVersion: '5' } },
  type: 'Normal',
  reason: 'Nominated',
  message: 'Pod should schedule on: nodeclaim/x',
  ...overrides,
});

const written = async () => (await client.listAll(EVENTS)).items as (KubeObject & Record<string, unknown>)[];

describe('the event recorder', () => {
  test('carries the time it was published, also when sending was delayed', async () => {
    const events = recorder();
    server.intercept = () => failure(503, 'ServiceUnavailable', 'not now');
    events.publish(anEvent());
    events.publish(anEvent({ reason: 'Later' }));
    await world.clock.advance(15_000);
    server.intercept = undefined;
    await world.clock.advance(30_000);
    await events.flushed();
    expect((await written()).map(({ reason, lastTimestamp }) => [reason, lastTimestamp])).toEqual([
      ['Nominated', '2026-01-01T00:00:00Z'],
      ['Later', '2026-01-01T00:00:00Z'],
    ]);
  });

  test('is sent again when it is published after the server rejected it', async () => {
    const events = recorder();
    server.intercept = () => failure(500, 'InternalError', 'not now');
    events.publish(anEvent());
    await events.flushed();
    server.intercept = undefined;
    events.publish(anEvent());
    await events.flushed();
    expect(await written()).toHaveLength(1);
  });

  test('writes an event the way kubectl describe finds it', async () => {
    const events = recorder({ host: 'pod-1' });
    events.publish(anEvent());
    await events.flushed();
    const [event] = await written();
    expect(event?.metadata.name).toMatch(/^p\.[0-9a-f]{16}$/);
    expect(event?.metadata.namespace).toBe('a');
    expect(event).toMatchObject({
      involvedObject: {
        apiVersion: 'v1',
        kind: 'Pod',
        name: 'p',
        namespace: 'a',
        uid: 'u',
        resourceVersion: '5',
      },
      type: 'Normal',
      reason: 'Nominated',
      message: 'Pod should schedule on: nodeclaim/x',
      source: { component: 'example', host: 'pod-1' },
      reportingComponent: 'example',
      reportingInstance: 'pod-1',
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      count: 1,
    });
  });

  test('puts events about objects without a namespace into default', async () => {
    const events = recorder();
    const name = 'n'.repeat(250);
    events.publish(anEvent({ resource: NODES, object: stored({ metadata: { name } }) }));
    await events.flushed();
    const [event] = await written();
    expect(event?.metadata.namespace).toBe('default');
    expect(event?.metadata.name).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is recorded once within two minutes, and increases the count after that', async () => {
    const events = recorder();
    events.publish(anEvent(), anEvent());
    await world.clock.advance(119_000);
    events.publish(anEvent());
    await events.flushed();
    expect(await written()).toHaveLength(1);
    await world.clock.advance(1000);
    events.publish(anEvent());
    await events.flushed();
    const all = await written();
    expect(all).toHaveLength(1);
    expect(all[0]).toMatchObject({ count: 2, lastTimestamp: '2026-01-01T00:02:00Z' });
    server.remove(`/api/v1/namespaces/a/events/${all[0]?.metadata.name}`);
    await world.clock.advance(130_000);
    events.publish(anEvent());
    await events.flushed();
    expect(await written()).toMatchObject([{ count: 1 }]);
  });

  test('deduplicates by the key and the TTL of the caller', async () => {
    const events = recorder();
    const blocked = { reason: 'DisruptionBlocked', dedupeValues: ['pool'], dedupeMs: 60_000 };
    events.publish(anEvent({ ...blocked, message: 'one' }), anEvent({ ...blocked, message: 'two' }));
    await world.clock.advance(60_000);
    events.publish(anEvent({ ...blocked, message: 'three' }));
    await events.flushed();
    expect((await written()).map(({ message }) => message)).toEqual(['one', 'three']);
  });

  test('respects the shared rate limit, and the limit of 25 events per object', async () => {
    const events = recorder();
    const limiter = new TokenBucket(world.clock, { perSecond: 5, burst: 10 });
    for (let index = 0; index < 20; index++) {
      const object = stored({ metadata: { name: `p${index}`, namespace: 'a' } });
      events.publish(anEvent({ object, limiter }));
    }
    for (let index = 0; index < 40; index++)
      events.publish(anEvent({ message: `m${index}`, reason: 'Other' }));
    await events.flushed();
    const all = await written();
    expect(all.filter(({ reason }) => reason === 'Nominated')).toHaveLength(10);
    expect(all.filter(({ reason }) => reason === 'Other')).toHaveLength(25);
  });

  test('never blocks: with an unavailable server the buffer fills, further events are dropped, and buffered ones are sent later', async () => {
    server.stop();
    const events = recorder({ bufferSize: 3 });
    for (let index = 0; index < 10; index++) {
      events.publish(anEvent({ object: stored({ metadata: { name: `p${index}`, namespace: 'a' } }) }));
    }
    await settle();
    expect(events.dropped).toBe(7);
    expect(world.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    server.start();
    await world.clock.advance(30_000);
    expect(await written()).toHaveLength(3);
  });

  test('gives up on an event that the server rejects, and after twelve attempts', async () => {
    server.intercept = () => failure(403, 'Forbidden', 'no');
    const events = recorder();
    events.publish(anEvent());
    await events.flushed();
    expect(server.requests).toHaveLength(1);
    server.intercept = undefined;
    server.stop();
    events.publish(anEvent({ message: 'other' }));
    await world.clock.advance(600_000);
    expect(server.requests).toHaveLength(13);
  });

  test('sends buffered events when it is stopped, and accepts no more', async () => {
    const events = recorder();
    events.publish(anEvent());
    await events.stop();
    events.publish(anEvent({ message: 'too late' }));
    expect(await written()).toHaveLength(1);
  });

  test('does not delay a stop: after one failure the rest is dropped', async () => {
    server.stop();
    const events = recorder();
    for (let index = 0; index < 50; index++)
      events.publish(anEvent({ object: stored({ metadata: { name: `p${index}`, namespace: 'a' } }) }));
    await settle();
    const tried = server.requests.length;
    await events.stop();
    // Requests in flight may have been answered; pending ones were not sent.
    expect(server.requests.length - tried).toBeLessThanOrEqual(4);
    expect(world.clock.pendingTimers).toBe(0);
    await events.flushed();
  });

  test('is recorded once when the answer to the request is lost', async () => {
    server.intercept = async (request) => {
      server.intercept = undefined;
      await server.fetch(request);
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    };
    const events = recorder();
    events.publish(anEvent());
    await world.clock.advance(30_000);
    expect(await written()).toHaveLength(1);
  });

  test('keeps secrets out of messages', async () => {
    const events = recorder();
    events.publish(anEvent({ message: 'PUT https://x/y?sig=abcdef with Bearer 0123456789abcdef refused' }));
    await events.flushed();
    expect((await written())[0]?.['message']).toBe(
      'PUT https://x/y?sig=[redacted] with Bearer [redacted] refused',
    );
  });
});

describe('an event that exceeds a limit', () => {
  const pods = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      anEvent({
        object: stored({ metadata: { name: `p${index}`, namespace: 'a' } }),
        reason: 'FailedScheduling',
        type: 'Warning',
      }),
    );
  const over = (before: (request: TransportRequest) => Promise<void>) => {
    const send = fetchTransport(server.fetch);
    return new KubeClient({ transport: (request) => before(request).then(() => send(request)) });
  };
  const objectsWithEvents = async () =>
    new Set((await written()).map(({ involvedObject }) => (involvedObject as { name: string }).name));

  test('is recorded for the dropped objects when it is published again, once for each', async () => {
    const events = recorder({ bufferSize: 10 });
    events.publish(...pods(25));
    await events.flushed();
    expect((await objectsWithEvents()).size).toBe(10);
    for (let pass = 0; pass < 2; pass++) {
      await world.clock.advance(1_000);
      events.publish(...pods(25));
      await events.flushed();
    }
    expect((await objectsWithEvents()).size).toBe(25);
    expect((await written()).every(({ count }) => count === 1)).toBe(true);
  });

  test('uses no rate limit when it is dropped because the buffer is full', async () => {
    server.stop();
    const limiter = new TokenBucket(world.clock, { perSecond: 0.001, burst: 3 });
    const events = recorder({ bufferSize: 1 });
    events.publish(anEvent({ message: 'first' }));
    const last = anEvent({ object: stored({ metadata: { name: 'last', namespace: 'a' } }), limiter });
    for (let pass = 0; pass < 40; pass++) events.publish(last);
    server.start();
    await world.clock.advance(20_000);
    events.publish(last);
    await events.flushed();
    expect(await objectsWithEvents()).toContain('last');
    expect([limiter.tryTake(), limiter.tryTake(), limiter.tryTake()]).toEqual([true, true, false]);
  });

  test('that is dropped by the limit of its object can be published again', async () => {
    const events = recorder();
    for (let index = 0; index < 25; index++)
      events.publish(anEvent({ message: `${index}`, dedupeValues: [`${index}`] }));
    const late = anEvent({ reason: 'Late', dedupeValues: ['late'], dedupeMs: 60 * 60_000 });
    events.publish(late);
    await events.flushed();
    expect((await written()).some(({ reason }) => reason === 'Late')).toBe(false);
    await world.clock.advance(5 * 60_000);
    events.publish(late);
    await events.flushed();
    expect((await written()).some(({ reason }) => reason === 'Late')).toBe(true);
  });

  test('is recorded for the last object before it is repeated for the first', async () => {
    const slow = over(() => world.clock.sleep(1_000));
    const events = recorder({ bufferSize: 8, client: slow });
    const all = pods(40).map((event) => ({ ...event, dedupeMs: 3_000 }));
    for (let pass = 0; pass < 20; pass++) {
      events.publish(...all);
      await world.clock.advance(1_000);
    }
    expect((await objectsWithEvents()).size).toBe(40);
  });

  test('is remembered for thousands of objects: none gets it twice', async () => {
    const events = recorder({ bufferSize: 10_000 });
    events.publish(...pods(6_000));
    await events.flushed();
    const before = server.requests.length;
    events.publish(...pods(6_000));
    await events.flushed();
    expect(server.requests.length - before).toBe(0);
  });

  test('is sent with limited concurrency, in order per object, and a hanging request delays no other object', async () => {
    let answer = () => {};
    let held = 0;
    const hanging = over(async ({ body }) => {
      const { involvedObject } = JSON.parse(String(body)) as { involvedObject: { name: string } };
      if (involvedObject.name === 'p0' && held++ === 0)
        await new Promise<void>((resolve) => (answer = resolve));
    });
    const events = recorder({ client: hanging });
    const [first, ...others] = pods(20);
    events.publish(first!, { ...first!, reason: 'Nominated', type: 'Normal' }, ...others);
    await settle();
    expect([...(await objectsWithEvents())].sort()).toEqual(
      others.map(({ object }) => object.metadata.name).sort(),
    );
    answer();
    await events.flushed();
    const about = (await written()).filter(
      ({ involvedObject }) => (involvedObject as { name: string }).name === 'p0',
    );
    const age = ({ metadata }: KubeObject) => Number(metadata.resourceVersion);
    const inOrder = about.sort((one, other) => age(one) - age(other));
    expect(inOrder.map(({ reason }) => reason)).toEqual(['FailedScheduling', 'Nominated']);
  });
});

describe('the memory of the recorder', () => {
  test('evicts the least recently used entry', () => {
    const recent = new RecentMap<number>(2);
    recent.set('a', 1);
    recent.set('b', 2);
    recent.get('a');
    recent.set('c', 3);
    expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual([1, undefined, 3]);
    expect(recent.size).toBe(2);
  });
});
