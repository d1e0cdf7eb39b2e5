/**
 * `chandler top` on 5,000 nodes with 150,000 pods over a socket: reading once, watching, a frame of a terminal, and a
 * thousand pods that move at once. CPU time is that of this process; the server is another one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fetchTransport } from '@chandler/kube';
import {
  frameOf,
  readPrices,
  renderTop,
  TopObjects,
  topNodes,
} from '../packages/chandler/src/cli/testing.ts';
import { NOW_MS } from '../test/why/objects.ts';
import { assertWork, atMost, report, rounded } from './result.ts';
import { benchWorld } from './world.ts';

const [NODES, PODS, MOVED] = [5000, 150_000, 1000];
const CPU_MILLIS = 250;

const server = spawn(process.execPath, [join(import.meta.dirname, 'top-server.ts'), `${NODES}`, `${PODS}`], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const [url] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
const world = benchWorld();
const transport = fetchTransport(world.fetch, url);
const objectsOf = () => new TopObjects({ transport, world, signal: new AbortController().signal });

const first = objectsOf();
const reading = await measured(() => first.read());
const prices = await readPrices(first, undefined);
const frame = await measured(async () => frameFrom(first));
const text = await measured(async () =>
  renderTop(frame.result, { columns: 200, rows: 60, color: true, wide: false }),
);

const watched = objectsOf();
const heapBefore = heapMiB();
const watching = await measured(() => watched.watch(() => undefined));
const heap = heapMiB() - heapBefore;
const firstNode = 'aks-default-n0';
const before = watched.pods!.on(firstNode).pods;
const moving = await measured(async () => {
  server.stdin.write(`${MOVED}\n`);
  // Of those that move, some are there already.
  const there = Math.ceil(MOVED / NODES);
  while (watched.pods!.on(firstNode).pods < before + MOVED - there) await world.clock.sleep(5);
});
await watched.stop();
server.stdin.end();

report({
  name: 'top',
  figures: {
    nodes: NODES,
    pods: PODS,
    readMs: rounded(reading.ms),
    readCpuMs: rounded(reading.cpuMs),
    watchCpuMs: rounded(watching.cpuMs),
    watchedHeapMiB: rounded(heap),
    frameCpuMs: rounded(frame.cpuMs),
    drawCpuMs: rounded(text.cpuMs),
    movedPods: MOVED,
    movedCpuMs: rounded(moving.cpuMs),
  },
  goals: {
    readCpuMs: atMost(reading.cpuMs, 20_000),
    watchedHeapMiB: atMost(heap, 150),
    frameCpuMs: atMost(frame.cpuMs + text.cpuMs, 250),
  },
  checked: [
    assertWork(frame.result.nodes.length === NODES, 'every node has a row'),
    assertWork(
      frame.result.totals.cpu.requested === PODS * CPU_MILLIS,
      'the requests of every pod are in the total',
    ),
    assertWork(
      frame.result.nodes.every(({ staying }) => staying.some(({ code }) => code === 'DisruptionBlocked')),
      'every node has the reason that its event gives',
    ),
    assertWork(text.result.lines.length === 60, 'the frame fills the screen'),
    assertWork(
      watched.pods!.on(firstNode).cpuMillis > before * CPU_MILLIS,
      'moved pods count where they are',
    ),
  ],
});

function frameFrom(objects: TopObjects) {
  const view = { nodes: topNodes(objects, prices, NOW_MS), pendingPods: objects.pods?.pending, notes: [] };
  const choice = { nodePools: [], zones: [], selector: () => true, text: '' };
  return frameOf(view, { choice, sort: 'cpu', reverse: false }, NOW_MS);
}

async function measured<T>(work: () => Promise<T>) {
  const [startMs, cpu] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { result, ms: performance.now() - startMs, cpuMs: (user + system) / 1000 };
}

function heapMiB(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
