import { beforeEach, describe, expect, test } from 'vitest';
import { KubeClient } from '../client/client.ts';
import { PODS } from '../client/resources.table.ts';
import { fetchTransport } from '../client/transport.ts';
import { stored } from '../testing/stored.ts';
import { TinyServer } from '../testing/tiny-server.ts';
import { settle, type VirtualWorld, virtualWorld } from '../testing/virtual-world.ts';
import { EventRecorder, type EventRecorderOptions, type EventSpec } from './events.ts';

let server: TinyServer;
let world: VirtualWorld;
/** What reached the server, in order: `pod reason`. */
let sent: string[];

beforeEach(() => {
  server = new TinyServer();
  world = virtualWorld();
  sent = [];
});

/** One request takes 50 ms, as with a rate limit of 20 a second. */
const recorder = (options: Partial<EventRecorderOptions> = {}) => {
  const send = fetchTransport(server.fetch);
  const client = new KubeClient({
    transport: async (request) => {
      const { involvedObject, reason } = JSON.parse(String(request.body));
      sent.push(`${involvedObject.name} ${reason}`);
      await world.clock.sleep(50);
      return send(request);
    },
  });
  return new EventRecorder({ client, world, component: 'example', ...options });
};

const about = (name: string, type: 'Normal' | 'Warning', reason: string): EventSpec => ({
  resource: PODS,
  type,
  reason,
  message: name,
  object: stored({ metadata: { name, namespace: 'a' } }),
});
const nominated = (index: number): EventSpec => ({
  ...about(`p${index}`, 'Normal', 'Nominated'),
  expendable: true,
});
const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const everythingSent = async (events: EventRecorder) => {
  await world.clock.advance(60 * 60_000);
  await events.flushed();
};

describe('events that wait to be sent', () => {
  test('a Warning is sent before Normal events that wait longer, events of one object in order', async () => {
    const events = recorder();
    events.publish(...range(20).map(nominated));
    await settle();
    events.publish(about('p15', 'Warning', 'FailedScheduling'), about('lease', 'Warning', 'ProgramError'));
    await everythingSent(events);
    expect(sent.indexOf('lease ProgramError')).toBeLessThan(8);
    expect(sent.indexOf('p15 FailedScheduling')).toBeLessThan(10);
    expect(sent.indexOf('p15 Nominated')).toBeLessThan(sent.indexOf('p15 FailedScheduling'));
    expect(sent).toHaveLength(22);
  });

  test('a Normal event is not delayed by Warnings that go on', async () => {
    const events = recorder();
    events.publish(...range(200).map((index) => about(`p${index}`, 'Warning', 'FailedScheduling')));
    await settle();
    events.publish(about('node', 'Normal', 'Launched'));
    await everythingSent(events);
    expect(sent.indexOf('node Launched')).toBeLessThan(20);
    expect(sent).toHaveLength(201);
  });

  test('one Warning is not delayed by thousands of another reason', async () => {
    const events = recorder({ bufferSize: 5_000 });
    events.publish(...range(4_000).map((index) => about(`p${index}`, 'Warning', 'FailedScheduling')));
    await settle();
    events.publish(about('node', 'Warning', 'FailedDraining'));
    await everythingSent(events);
    expect(sent.indexOf('node FailedDraining')).toBeLessThan(8);
    expect(sent).toHaveLength(4_001);
  });

  test('of too many nominations the oldest are dropped, counted and logged; every other event is sent', async () => {
    const events = recorder({ maxExpendable: 10 });
    events.publish(about('first', 'Normal', 'Launched'));
    events.publish(...range(50).map(nominated));
    events.publish(about('last', 'Normal', 'Registered'), about('lease', 'Warning', 'ProgramError'));
    await everythingSent(events);
    expect(sent.filter((line) => !line.endsWith('Nominated')).sort()).toEqual([
      'first Launched',
      'last Registered',
      'lease ProgramError',
    ]);
    expect(sent.filter((line) => line.endsWith('Nominated'))).toEqual(
      range(10).map((index) => `p${40 + index} Nominated`),
    );
    expect(events.dropped).toBe(40);
    expect(world.values.get('chandler_events_dropped_total{component="example",reason="Nominated"}')).toBe(
      40,
    );
    expect(world.lines.filter(({ message }) => message.includes('events dropped'))).toMatchObject([
      { level: 'warn', fields: { reason: 'Nominated' } },
    ]);
  });

  test('a nomination that was dropped can be published again, and used no limit of its pod', async () => {
    const events = recorder({ maxExpendable: 1 });
    for (let pass = 0; pass < 40; pass++) {
      events.publish(nominated(0), nominated(1));
    }
    await everythingSent(events);
    expect(sent).toEqual(['p1 Nominated']);
    events.publish(nominated(0));
    events.publish(...range(24).map((index) => about('p0', 'Warning', `Reason${index}`)));
    await everythingSent(events);
    expect(sent.filter((line) => line.startsWith('p0 '))).toHaveLength(25);
  });

  test('a Warning finds room in a buffer that is full of Normal events', async () => {
    const events = recorder({ bufferSize: 10 });
    events.publish(...range(20).map((index) => about(`p${index}`, 'Normal', 'Launched')));
    events.publish(about('lease', 'Warning', 'ProgramError'));
    await everythingSent(events);
    expect(sent).toContain('lease ProgramError');
    expect(sent).toHaveLength(10);
  });

  test('a Warning finds room in a buffer that is full of Warnings of another reason', async () => {
    const events = recorder({ bufferSize: 10 });
    events.publish(...range(20).map((index) => about(`p${index}`, 'Warning', 'FailedScheduling')));
    events.publish(about('lease', 'Warning', 'ProgramError'), about('p', 'Normal', 'Launched'));
    await everythingSent(events);
    expect(sent).toContain('lease ProgramError');
    expect(sent).not.toContain('p Launched');
    expect(sent).toHaveLength(10);
  });
});
