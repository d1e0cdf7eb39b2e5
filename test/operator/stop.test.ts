/** How long a stop takes when something does not end: a pod has 30 s from SIGTERM to SIGKILL. */
import { ADMIN } from '@chandler/apiserver';
import {
  type Controller,
  EVENTS,
  type EventRecorder,
  fetchTransport,
  LEASES,
  singleton,
} from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { fakeProvider } from '../controllers/fake-cloud.ts';
import { pool } from '../controllers/stage.ts';
import { type OperatorStage, operatorStage } from './operator-stage.ts';

const POD_GRACE_MS = 30_000;

let stage: OperatorStage;
afterEach(() => stage.end());

const never = () => new Promise<never>(() => undefined);

/** Work that publishes an event, and then does not end. */
const stuck = (report: () => void = () => undefined): Controller => {
  const run = () => {
    report();
    return never();
  };
  return singleton({ name: 'stuck', world: stage.world, everyMs: 0, run });
};

async function stopTime(stop: () => Promise<void>): Promise<number> {
  const startMs = stage.world.clock.monotonic();
  await stage.inTime(stop());
  return stage.world.clock.monotonic() - startMs;
}

describe('a graceful stop', () => {
  test('releases the lease after 20 s, although work and events have not ended', async () => {
    stage = await operatorStage();
    const object = await stage.apply(NODE_POOLS, pool('default'));
    const wire = fetchTransport(stage.playground.server.fetchAs(ADMIN));
    const operator = stage.operator({
      kube: {
        host: 'kubernetes',
        // Events are answered late, one after the other; the fence does not wait for these.
        transport: async (request) => {
          if (request.path.includes(`/${EVENTS.plural}`)) await stage.world.clock.sleep(4_000);
          return wire(request);
        },
      },
      controllers: ({ events }) => [
        stuck(() => {
          for (let count = 0; count < 20; count++)
            events.publish({
              resource: NODE_POOLS,
              object,
              type: 'Normal',
              reason: 'Counted',
              message: `${count}`,
            });
        }),
      ],
    });
    await stage.inTime(operator.start());
    await stage.until('it leads', () => operator.isLeading);
    const tookMs = await stopTime(() => operator.stop());
    expect(tookMs).toBeGreaterThanOrEqual(20_000);
    expect(tookMs).toBeLessThan(26_000);
    expect(await stage.leaseHolder()).toBe('');
  });

  test('releases the lease after 3 s, although events are answered late', async () => {
    stage = await operatorStage();
    const object = await stage.apply(NODE_POOLS, pool('default'));
    const wire = fetchTransport(stage.playground.server.fetchAs(ADMIN));
    const publish = (events: EventRecorder) => async () => {
      for (let count = 0; count < 20; count++) {
        const message = `${count}`;
        events.publish({ resource: NODE_POOLS, object, type: 'Normal', reason: 'Counted', message });
      }
      return {};
    };
    const operator = stage.operator({
      kube: {
        host: 'kubernetes',
        transport: async (request) => {
          if (request.path.includes(`/${EVENTS.plural}`)) await stage.world.clock.sleep(4_000);
          return wire(request);
        },
      },
      controllers: ({ events }) => [
        singleton({ name: 'publisher', world: stage.world, everyMs: 60_000, run: publish(events) }),
      ],
    });
    await stage.inTime(operator.start());
    await stage.until('it leads', () => operator.isLeading);
    await stage.world.clock.advance(5_000);
    expect(await stopTime(() => operator.stop())).toBeLessThan(10_000);
    expect(await stage.leaseHolder()).toBe('');
  });

  test('ends before the pod is killed when the API server accepts no request', async () => {
    stage = await operatorStage();
    const wire = fetchTransport(stage.playground.server.fetchAs(ADMIN));
    let gone = false;
    const operator = stage.operator({
      kube: {
        host: 'kubernetes',
        transport: (request) =>
          gone && request.path.includes(`/${LEASES.plural}`) ? never() : wire(request),
      },
      controllers: () => [stuck()],
    });
    await stage.inTime(operator.start());
    await stage.until('it leads', () => operator.isLeading);
    const stopping = operator.stop();
    await stage.world.clock.advance(19_000);
    gone = true;
    expect(19_000 + (await stopTime(() => stopping))).toBeLessThan(POD_GRACE_MS);
  });

  test('does not wait for a loop that hangs in a call to the cloud', async () => {
    stage = await operatorStage();
    const { cloud } = stage;
    const background = [{ name: 'prices', run: never }];
    const operator = stage.operator({
      provider: fakeProvider(cloud, { background }),
    });
    await stage.inTime(operator.start());
    await stage.until('it leads', () => operator.isLeading);
    expect(await stopTime(() => operator.stop())).toBeLessThan(POD_GRACE_MS);
    expect(await stage.leaseHolder()).toBe('');
  });

  test('during a start does not wait for a cloud that does not answer', async () => {
    stage = await operatorStage();
    const { cloud } = stage;
    let asked = false;
    const prepare = () => {
      asked = true;
      return never();
    };
    const operator = stage.operator({
      provider: fakeProvider(cloud, { prepare }),
    });
    const starting = operator.start();
    starting.catch(() => undefined);
    await stage.until('the cloud is asked', () => asked);
    expect(await stopTime(() => operator.stop())).toBeLessThan(5_000);
    await expect(starting).rejects.toMatchObject({ code: 'Stopped' });
  });

  test('while it acquires the lease starts no work, and releases the lease', async () => {
    stage = await operatorStage();
    const wire = fetchTransport(stage.playground.server.fetchAs(ADMIN));
    const answers: (() => void)[] = [];
    const made: string[] = [];
    const operator = stage.operator({
      kube: {
        host: 'kubernetes',
        // The lease is written, and its answer is late; giving up is not noticed in between.
        transport: async ({ signal, ...request }) => {
          const isClaim = request.method === 'POST' && request.path.includes(`/${LEASES.plural}`);
          const answer = await wire(isClaim ? request : { ...request, ...(signal ? { signal } : {}) });
          if (isClaim) await new Promise<void>((resolve) => answers.push(resolve));
          return answer;
        },
      },
      controllers: () => {
        made.push('controllers');
        return [];
      },
    });
    await stage.inTime(operator.start());
    await stage.until('the lease is claimed', () => answers.length > 0);
    const stopping = operator.stop();
    await stage.world.clock.advance(0);
    for (const answer of answers) answer();
    await stage.inTime(stopping);
    expect(made).toEqual([]);
    expect(await stage.leaseHolder()).toBe('');
  });
});
