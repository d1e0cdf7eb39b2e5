import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Heap } from '../observability/heap.ts';
import { settle, virtualWorld } from '../testing/virtual-world.ts';
import { itemBackoff } from './rate-limiter.ts';
import { LOW_PRIORITY, WorkQueue } from './work-queue.ts';

function aQueue(limiter = itemBackoff({ baseMs: 100, maxMs: 1000 })) {
  const world = virtualWorld();
  return { world, queue: new WorkQueue({ name: 'q', world, limiter }) };
}

describe('a work queue', () => {
  test('returns each key once, in the order of arrival', async () => {
    const { queue } = aQueue();
    for (const key of ['a', 'b', 'a', 'c', 'a']) queue.add(key);
    expect(queue.length).toBe(3);
    expect((await queue.take())?.key).toBe('a');
    expect((await queue.take())?.key).toBe('b');
    expect((await queue.take())?.key).toBe('c');
  });

  test('returns a key that was added during its reconcile after that reconcile', async () => {
    const { queue } = aQueue();
    queue.add('a');
    await queue.take();
    queue.add('a');
    const next = queue.take();
    let given = false;
    void next.then(() => {
      given = true;
    });
    await settle();
    expect(given).toBe(false);
    queue.done('a');
    expect((await next)?.key).toBe('a');
    queue.done('a');
    queue.done('never taken');
    expect(queue.length + queue.working).toBe(0);
  });

  test('returns keys of higher priority first, and raises the priority of a waiting key', async () => {
    const { queue } = aQueue();
    queue.add('listed', { priority: LOW_PRIORITY });
    queue.add('raised', { priority: LOW_PRIORITY });
    queue.add('changed');
    queue.add('raised');
    queue.add('changed', { priority: LOW_PRIORITY });
    const order = [await queue.take(), await queue.take(), await queue.take()];
    expect(order).toEqual([
      { key: 'changed', priority: 0 },
      { key: 'raised', priority: 0 },
      { key: 'listed', priority: LOW_PRIORITY },
    ]);
  });

  test('delays a key, and shortens the delay when the key is added with a shorter one', async () => {
    const { world, queue } = aQueue();
    queue.add('late', { afterMs: 1000 });
    queue.add('later', { afterMs: 5000 });
    queue.add('late', { afterMs: 9000 });
    const first = queue.take();
    await world.clock.advance(999);
    expect(queue.working).toBe(0);
    await world.clock.advance(1);
    expect((await first)?.key).toBe('late');
    queue.add('later');
    expect((await queue.take())?.key).toBe('later');
    await world.clock.advance(10_000);
    expect(queue.length).toBe(0);
    expect(world.clock.pendingTimers).toBe(0);
  });

  test('counts a delay also during a reconcile of the key', async () => {
    const { world, queue } = aQueue();
    queue.add('a');
    await queue.take();
    queue.add('a', { afterMs: 100 });
    await world.clock.advance(500);
    queue.done('a');
    expect((await queue.take())?.key).toBe('a');
    queue.add('a', { afterMs: 100 });
    queue.done('a');
    const again = queue.take();
    await world.clock.advance(100);
    expect((await again)?.key).toBe('a');
  });

  test('increases the delay of a key with each failure until it succeeds', async () => {
    const { world, queue } = aQueue();
    const waits: number[] = [];
    for (let failure = 0; failure < 5; failure++) {
      const startMs = world.clock.monotonic();
      queue.addRateLimited('a');
      const taking = queue.take();
      await world.clock.advance(1000);
      await taking;
      waits.push(world.clock.monotonic() - startMs);
      queue.done('a');
    }
    expect(queue.failures('a')).toBe(5);
    queue.forget('a');
    expect(queue.failures('a')).toBe(0);
    expect(world.values.get('workqueue_retries_total{controller="q",name="q"}')).toBe(5);
  });

  test('releases all waiters on shutdown, and resolves when all work is done', async () => {
    const { queue } = aQueue();
    queue.add('a');
    await queue.take();
    const waiting = queue.take();
    let drained = false;
    const shut = queue.shutDown().then(() => {
      drained = true;
    });
    expect(await waiting).toBeUndefined();
    expect(await queue.take()).toBeUndefined();
    queue.add('b');
    expect(queue.length).toBe(0);
    await settle();
    expect(drained).toBe(false);
    queue.done('a');
    await shut;
    await aQueue().queue.shutDown();
  });

  test('has the metrics of controller-runtime', async () => {
    const { world, queue } = aQueue();
    queue.add('a');
    queue.add('b', { priority: LOW_PRIORITY });
    queue.add('b');
    const depth = (priority: number) =>
      world.values.get(`workqueue_depth{controller="q",name="q",priority="${priority}"}`);
    expect([depth(0), depth(LOW_PRIORITY)]).toEqual([2, 0]);
    await queue.take();
    queue.add('a');
    queue.add('a', { priority: 5 });
    await world.clock.advance(2000);
    const other = new WorkQueue({ name: 'other', world });
    world.scrape();
    expect(world.values.get('workqueue_unfinished_work_seconds{controller="other",name="other"}')).toBe(0);
    await other.shutDown();
    expect(world.values.get('workqueue_longest_running_processor_seconds{controller="q",name="q"}')).toBe(2);
    expect(world.values.get('workqueue_unfinished_work_seconds{controller="q",name="q"}')).toBe(2);
    queue.done('a');
    expect(world.values.get('workqueue_work_duration_seconds{controller="q",name="q"}')).toBe(2);
    expect(world.values.get('workqueue_adds_total{controller="q",name="q"}')).toBe(3);
    expect([depth(0), depth(5)]).toEqual([1, 1]);
    await queue.shutDown();
    expect([depth(0), depth(5)]).toEqual([0, 0]);
  });

  test('loses no key and never returns one twice at once, in random sequences of operations', async () => {
    const add = fc.record({
      atMs: fc.nat(500),
      key: fc.constantFrom('a', 'b', 'c'),
      afterMs: fc.nat(80),
      workMs: fc.nat(60),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(add, { maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        async (adds, workers) => {
          const { world, queue } = aQueue();
          const working = new Set<string>();
          const lastTaken = new Map<string, number>();
          const work = async () => {
            for (let taken = await queue.take(); taken; taken = await queue.take()) {
              expect(working.has(taken.key)).toBe(false);
              working.add(taken.key);
              lastTaken.set(taken.key, world.clock.monotonic());
              await world.clock.sleep(adds[lastTaken.size]?.workMs ?? 5);
              working.delete(taken.key);
              queue.done(taken.key);
            }
          };
          const all = Array.from({ length: workers }, work);
          for (const { atMs, key, afterMs } of adds)
            world.clock.after(atMs, () => queue.add(key, { afterMs }));
          await world.clock.advance(60_000);
          await queue.shutDown();
          await Promise.all(all);
          for (const { key, atMs } of adds) expect(lastTaken.get(key)).toBeGreaterThanOrEqual(atMs);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('a heap', () => {
  test('returns items in order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (numbers) => {
        const heap = new Heap<number>((left, right) => left < right);
        for (const number of numbers) heap.push(number);
        expect(heap.size).toBe(numbers.length);
        const sorted = numbers.toSorted((left, right) => left - right);
        expect(heap.peek()).toBe(sorted[0]);
        expect(numbers.map(() => heap.pop())).toEqual(sorted);
        expect(heap.pop()).toBeUndefined();
      }),
    );
  });
});

describe('delays of weeks', () => {
  test('are split into timers that do not overflow', async () => {
    const { world, queue } = aQueue();
    const asked: number[] = [];
    const after = world.clock.after.bind(world.clock);
    world.clock.after = (delayMs, task) => {
      asked.push(delayMs);
      return after(delayMs, task);
    };
    const monthMs = 30 * 24 * 3_600_000;
    queue.add('expires', { afterMs: monthMs });
    const taken = queue.take();
    await world.clock.advance(monthMs);
    expect((await taken)?.key).toBe('expires');
    expect(Math.max(...asked)).toBeLessThan(2 ** 31);
  });

  test('leave no timers behind when a key is added again before they end', async () => {
    const { queue } = aQueue();
    for (let round = 0; round < 10_000; round++) {
      queue.add('busy');
      await queue.take();
      queue.add('busy', { afterMs: 1e9 });
      queue.done('busy');
    }
    expect(queue.length).toBe(1);
    expect(queue.held).toBeLessThan(200);
    await queue.shutDown();
  });
});
