import { describe, expect, test } from 'vitest';
import { storeSource } from '../cache/sources.ts';
import { Store } from '../cache/store.ts';
import { ApiStatusError } from '../client/api-error.ts';
import { NODES } from '../client/resources.table.ts';
import type { Node } from '../kinds/index.ts';
import type { Stored } from '../object.ts';
import { systemClock } from '../system-world.ts';
import { settle, type VirtualWorld, virtualWorld } from '../testing/virtual-world.ts';
import { WIDGETS } from '../testing/widgets.ts';
import { Controller, type ControllerOptions, TerminalError } from './controller.ts';
import { itemBackoff } from './rate-limiter.ts';
import { singleton } from './singleton.ts';

const anObject = (name: string, version: number): Stored<Node> => ({
  metadata: { name, uid: name, resourceVersion: String(version) },
});

function aController(
  options: Partial<ControllerOptions> & Pick<ControllerOptions, 'reconcile'>,
  world = virtualWorld(),
) {
  const limiter = itemBackoff({ baseMs: 100, maxMs: 1000 });
  return { world, controller: new Controller({ name: 'test', world, limiter, ...options }) };
}

const total = (world: VirtualWorld, result: string) =>
  world.values.get(`controller_runtime_reconcile_total{controller="test",result="${result}"}`);

describe('a controller', () => {
  test('reconciles the keys of its sources, changes before objects of the first list', async () => {
    const claims = new Store({ resource: WIDGETS });
    const nodes = new Store({ resource: NODES });
    claims.replace([anObject('old', 1)], '5');
    const seen: string[] = [];
    const synced = Promise.resolve();
    const { controller } = aController({
      reconcile: async (key) => void seen.push(key),
      sources: [
        storeSource(
          { store: claims, synced },
          { filter: ({ object }) => object.metadata.name !== 'ignored' },
        ),
        storeSource({ store: nodes, synced }, { keys: ({ object }) => [`claim-of-${object.metadata.name}`] }),
      ],
    });
    const started = controller.start();
    nodes.replace([], '1');
    nodes.apply('ADDED', anObject('n', 7));
    claims.apply('ADDED', anObject('ignored', 8));
    await started;
    await settle();
    expect(seen).toEqual(['claim-of-n', 'old']);
    await controller.stop();
    claims.apply('ADDED', anObject('after', 9));
    expect(controller.queue.length).toBe(0);
  });

  test('does not start before its sources are synced, and can be stopped while it waits', async () => {
    let mark: () => void = () => undefined;
    const synced = new Promise<void>((resolve) => {
      mark = resolve;
    });
    const store = new Store({ resource: NODES });
    const seen: string[] = [];
    const reconcile = async (key: string) => void seen.push(key);
    const { controller } = aController({ reconcile, sources: [storeSource({ store, synced })] });
    void controller.start();
    controller.enqueue('a');
    await settle();
    expect(seen).toEqual([]);
    mark();
    await settle();
    expect(seen).toEqual(['a']);
    const never = aController({
      reconcile,
      sources: [storeSource({ store, synced: new Promise<void>(() => undefined) })],
    });
    const starting = never.controller.start();
    await never.controller.stop();
    await starting;
    await controller.stop();
  });

  test('requeues a key after the requested time', async () => {
    let runs = 0;
    const { world, controller } = aController({
      reconcile: async () => (++runs < 3 ? { requeueAfterMs: 500 } : {}),
    });
    await controller.start();
    controller.enqueue('a');
    await world.clock.advance(499);
    expect(runs).toBe(1);
    await world.clock.advance(10_000);
    expect(runs).toBe(3);
    expect([total(world, 'requeue_after'), total(world, 'success')]).toEqual([2, 1]);
    await controller.stop();
  });

  test('retries a failed key with growing delay, and reconciles other keys meanwhile', async () => {
    const seen: string[] = [];
    const { world, controller } = aController({
      async reconcile(key) {
        seen.push(key);
        if (key === 'bad') throw new Error('refused');
      },
    });
    await controller.start();
    controller.enqueue('bad');
    controller.enqueue('good');
    await world.clock.advance(750);
    expect(seen).toEqual(['bad', 'good', 'bad', 'bad', 'bad']);
    expect(world.values.get('controller_runtime_reconcile_errors_total{controller="test"}')).toBe(4);
    expect(world.lines.find(({ level }) => level === 'error')?.fields).toMatchObject({
      controller: 'test',
      name: 'bad',
    });
    await controller.stop();
  });

  test('does not retry a terminal error', async () => {
    let runs = 0;
    const { world, controller } = aController({
      async reconcile() {
        runs += 1;
        throw new TerminalError('the name is taken');
      },
    });
    await controller.start();
    controller.enqueue('a/b');
    await world.clock.advance(60_000);
    expect(runs).toBe(1);
    expect(world.values.get('controller_runtime_terminal_reconcile_errors_total{controller="test"}')).toBe(1);
    await controller.stop();
  });

  test('requeues on a conflict and counts no error', async () => {
    const errors = [new ApiStatusError('conflict', 'changed')];
    let runs = 0;
    const { world, controller } = aController({
      async reconcile() {
        const error = errors[runs++];
        if (error) throw error;
      },
    });
    await controller.start();
    controller.enqueue('a');
    await world.clock.advance(60_000);
    expect(runs).toBe(2);
    expect(world.lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(total(world, 'requeue')).toBe(1);
    await controller.stop();
  });

  test('survives bugs in a reconciler and in a mapping, and counts them', async () => {
    const store = new Store({ resource: NODES });
    const mapping = () => {
      throw new Error('bad mapping');
    };
    const { world, controller } = aController({
      sources: [storeSource({ store, synced: Promise.resolve() }, { keys: mapping })],
      reconcile: (key) => {
        if (key === 'odd') return Promise.reject('not even an error');
        return (undefined as unknown as { f(): Promise<void> }).f();
      },
    });
    await controller.start();
    store.replace([anObject('n', 1)], '1');
    controller.enqueue('bug');
    controller.enqueue('odd');
    await settle();
    expect(world.values.get('controller_runtime_reconcile_panics_total{controller="test"}')).toBe(2);
    expect(world.lines.some(({ message }) => message.includes('map object to reconcile requests'))).toBe(
      true,
    );
    await controller.stop();
  });

  test('reconciles keys concurrently up to its limit, and never one key twice at once', async () => {
    const running = new Set<string>();
    let most = 0;
    const { world, controller } = aController({
      concurrency: 3,
      async reconcile(key) {
        expect(running.has(key)).toBe(false);
        running.add(key);
        most = Math.max(most, running.size);
        await world.clock.sleep(10);
        running.delete(key);
      },
    });
    await controller.start();
    for (let index = 0; index < 10; index++) controller.enqueue(`k${index % 5}`);
    await world.clock.advance(15);
    for (let index = 0; index < 10; index++) controller.enqueue(`k${index % 5}`);
    await world.clock.advance(1000);
    expect(most).toBe(3);
    expect(world.values.get('controller_runtime_max_concurrent_reconciles{controller="test"}')).toBe(3);
    expect(world.values.get('controller_runtime_active_workers{controller="test"}')).toBe(0);
    await controller.stop();
  });

  test('aborts a reconcile that takes too long, or runs when the controller stops', async () => {
    const reasons: string[] = [];
    const { world, controller } = aController({
      timeoutMs: 1000,
      reconcile: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reasons.push(String(signal.reason));
            reject(signal.reason);
          });
        }),
    });
    await controller.start();
    controller.enqueue('a');
    await world.clock.advance(1000);
    expect(world.values.get('controller_runtime_reconcile_timeouts_total{controller="test"}')).toBe(1);
    await world.clock.advance(150);
    await controller.stop();
    expect(reasons).toEqual([
      'Error: the reconcile took longer than 1000 ms',
      'Error: controller test was stopped',
    ]);
  });
});

describe('a reconcile that hangs and ignores its signal', () => {
  test('is aborted by default, and its worker continues with other keys', async () => {
    const done: string[] = [];
    const { world, controller } = aController({
      reconcile: (key) => {
        if (key === 'hangs') return new Promise<never>(() => undefined);
        done.push(key);
        return Promise.resolve();
      },
    });
    await controller.start();
    controller.enqueue('hangs');
    controller.enqueue('next');
    await world.clock.advance(9 * 60_000);
    world.scrape();
    expect(done).toEqual([]);
    expect(
      world.values.get('workqueue_longest_running_processor_seconds{controller="test",name="test"}'),
    ).toBe(540);
    await world.clock.advance(2 * 60_000);
    expect(done).toEqual(['next']);
    expect(world.values.get('controller_runtime_reconcile_timeouts_total{controller="test"}')).toBe(1);
    expect(world.lines.some(({ fields }) => String(fields['error']).includes('took longer than'))).toBe(true);
  });
});

describe('a singleton', () => {
  test('runs at once, then at every interval, earlier when it asks for an earlier requeue', async () => {
    const world = virtualWorld();
    const at: number[] = [];
    const controller = singleton({
      name: 'one',
      world,
      everyMs: 10_000,
      async run() {
        at.push(world.clock.monotonic());
        if (at.length === 2) return { requeueAfterMs: 1000 };
      },
    });
    await controller.start();
    await world.clock.advance(25_000);
    expect(at).toEqual([0, 10_000, 11_000, 21_000]);
    await controller.stop();
    await world.clock.advance(60_000);
    expect(at).toHaveLength(4);
  });
});

describe('a controller under stress', () => {
  test('retries a key that the fence stopped, because the lease may be renewed a moment later', async () => {
    let fenced = true;
    const seen: string[] = [];
    const { world, controller } = aController({
      async reconcile(key) {
        if (fenced) throw new ApiStatusError('fenced', 'not started');
        seen.push(key);
      },
    });
    await controller.start();
    controller.enqueue('a');
    await settle();
    fenced = false;
    await world.clock.advance(10_000);
    expect(seen).toEqual(['a']);
    expect(total(world, 'error')).toBe(0);
    await controller.stop();
  });

  test('aborts a reconcile that begins just when it is stopped', async () => {
    const aborted: boolean[] = [];
    const { controller } = aController({
      reconcile: async (_, { signal }) => void aborted.push(signal.aborted),
    });
    await controller.start();
    controller.enqueue('a');
    await controller.stop();
    expect(aborted).toEqual([true]);
  });

  test('runs other work between the reconciles of a key that requeues itself at once', async () => {
    let rounds = 0;
    const { controller } = aController({
      async reconcile() {
        rounds += 1;
        return rounds < 1000 ? { requeueAfterMs: 0 } : {};
      },
    });
    await controller.start();
    controller.enqueue('a');
    await settle();
    expect(rounds).toBeLessThan(10);
    await controller.stop();
  });

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])(
    'treats "requeue after %s ms" as a bug',
    async (again) => {
      const { world, controller } = aController({ reconcile: async () => ({ requeueAfterMs: again }) });
      await controller.start();
      controller.enqueue('a');
      await settle();
      expect(total(world, 'error')).toBe(1);
      await controller.stop();
    },
  );

  test('resets the back-off of a key after a terminal error', async () => {
    const failures = [new Error('once'), new TerminalError('for good')];
    const { world, controller } = aController({
      async reconcile() {
        const failure = failures.shift();
        if (failure) throw failure;
      },
    });
    await controller.start();
    controller.enqueue('a');
    await world.clock.advance(1000);
    expect(controller.queue.failures('a')).toBe(0);
    await controller.stop();
  });
});

test('many reconciles that wait for nothing let timers run in between', async () => {
  const world = { ...virtualWorld(), clock: systemClock };
  let reconciled = 0;
  const controller = new Controller({
    name: 'busy',
    world,
    reconcile: async () => {
      reconciled += 1;
    },
  });
  for (let at = 0; at < 1_000; at++) controller.enqueue(`w${at}`);
  const atTimer = new Promise<number>((resolve) => systemClock.after(0, () => resolve(reconciled)));
  await controller.start();
  expect(await atTimer).toBeLessThan(1_000);
  await controller.stop();
});
