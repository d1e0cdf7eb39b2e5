import type { World } from '@chandler/kube';
import type { VirtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { aPod, fill, type TestCluster, withCluster } from './top.fixture.ts';
import { TopObjects } from './top-objects.ts';
import type { TopOutput, TopRequest } from './top-request.ts';
import { watchTop } from './watch-top.ts';

const TO_MAIN_SCREEN = '\u001b[?25h\u001b[?1049l';

/** A watch that runs, and what it wrote. */
class Watch {
  readonly printed: string[] = [];
  readonly said: string[] = [];
  readonly drawn: string[] = [];
  readonly rawModes: boolean[] = [];
  readonly interrupt = new AbortController();
  readonly screen = { columns: 100, rows: 24, write: (text: string) => this.drawn.push(text) };
  readonly ended: Promise<number>;
  readonly #world: VirtualWorld;
  #listener: (data: Buffer) => void = () => undefined;

  constructor(
    { world, transport }: Pick<TestCluster, 'world' | 'transport'>,
    output: TopOutput,
    inTerminal: boolean,
  ) {
    this.#world = world;
    const signal = this.interrupt.signal;
    const objects = new TopObjects({ transport, world, signal });
    const keys = {
      setRawMode: (on: boolean) => this.rawModes.push(on),
      on: (_: 'data', listener: (data: Buffer) => void) => {
        this.#listener = listener;
      },
      off: () => undefined,
      resume: () => undefined,
      pause: () => undefined,
    };
    const request: TopRequest = {
      live: { env: {}, world: world as World, signal },
      terminal: { out: (text) => this.printed.push(text), err: (text) => this.said.push(text), color: false },
      output,
      choice: { nodePools: [], zones: [], selector: () => true, text: '' },
      sort: 'name',
      reverse: false,
      catalogue: 'generic',
      watch: true,
      plan: undefined,
      screen: inTerminal ? this.screen : undefined,
      keys: inTerminal ? keys : undefined,
    };
    this.ended = watchTop(request, objects, world).finally(() => objects.stop());
  }

  press(keys: string): void {
    this.#listener(Buffer.from(keys));
  }

  until(holds: () => boolean): Promise<void> {
    return this.#world.clock.until(holds, 100);
  }

  get lastDrawn(): string {
    return this.drawn.at(-1) ?? '';
  }
}

test('in a terminal it draws in place, follows changes and keys, and q restores the terminal', async () => {
  await withCluster(async (cluster) => {
    await fill(cluster.client);
    const watch = new Watch(cluster, 'text', true);
    await watch.until(() => watch.lastDrawn.includes('aks-general-a'));
    expect(watch.rawModes).toEqual([true]);
    expect(watch.lastDrawn).toContain('by name');
    await aPod(cluster.client, 'web-3', 'aks-general-b', '4');
    await watch.until(() => watch.lastDrawn.includes('100%'));
    watch.press('s');
    await watch.until(() => watch.lastDrawn.includes('by nodepool'));
    watch.press('r');
    await watch.until(() => watch.lastDrawn.includes('by nodepool, reversed'));
    watch.screen.columns = 30;
    await watch.until(() => !watch.lastDrawn.includes('MEMORY'));
    watch.press('q');
    expect(await watch.ended).toBe(0);
    expect(watch.rawModes).toEqual([true, false]);
    expect(watch.lastDrawn).toBe(TO_MAIN_SCREEN);
    expect(watch.printed).toEqual([]);
  });
});

test.each([
  ['Ctrl-C', (watch: Watch) => watch.press('\u0003')],
  ['a signal', (watch: Watch) => watch.interrupt.abort(new Error('stopped by SIGTERM'))],
])('%s ends a watch with exit code 0 and restores the terminal', async (_, stop) => {
  await withCluster(async (cluster) => {
    const watch = new Watch(cluster, 'text', true);
    await watch.until(() => watch.lastDrawn.includes('The cluster has no nodes.'));
    stop(watch);
    expect(await watch.ended).toBe(0);
    expect(watch.lastDrawn).toBe(TO_MAIN_SCREEN);
  });
});

test('before the first frame a signal interrupts it', async () => {
  await withCluster(async (cluster) => {
    const watch = new Watch(cluster, 'text', true);
    const reason = new Error('stopped by SIGINT');
    watch.interrupt.abort(reason);
    await expect(watch.ended).rejects.toThrow();
    expect(watch.drawn).toEqual([]);
  });
});

test('without a terminal it prints a frame when something has changed, not when nodes grow older', async () => {
  await withCluster(async (cluster) => {
    await fill(cluster.client);
    const watch = new Watch(cluster, 'json', false);
    await watch.until(() => watch.printed.length === 1);
    await cluster.world.clock.advance(10_000);
    expect(watch.printed).toHaveLength(1);
    await aPod(cluster.client, 'web-3', undefined, '4');
    await watch.until(() => watch.printed.length === 2);
    const frames = watch.printed.map((text) => JSON.parse(text));
    expect(frames.map(({ summary }) => summary.pendingPods)).toEqual([1, 2]);
    watch.interrupt.abort(new Error('stopped'));
    expect(await watch.ended).toBe(0);
  });
});

test('an API server that does not answer: after two seconds it says what it waits for, once', async () => {
  await withCluster(async ({ world }) => {
    const watch = new Watch({ world, transport: () => new Promise(() => undefined) }, 'json', false);
    watch.ended.catch(() => undefined);
    await world.clock.advance(1_900);
    expect(watch.said).toEqual([]);
    await world.clock.advance(60_000);
    expect(watch.said).toEqual([
      'chandler top: the API server has not answered yet; waiting for its lists of nodes, pods and NodeClaims …\n',
    ]);
  });
});
