/**
 * Memory of a reflector with 50,000 realistic pods, trimmed and untrimmed. The pods come page by page from a
 * server that keeps none of them, so that only the reflector's copy is measured.
 */
import {
  type Fetch,
  fetchTransport,
  KubeClient,
  type KubeObject,
  PODS,
  Reflector,
  Store,
  type Trim,
} from '@chandler/kube';
import { runningPod } from './pods.ts';
import { assertWork, atMost, report, rounded } from './result.ts';
import { benchWorld } from './world.ts';

const PODS_IN_CLUSTER = 50_000;
const MEBIBYTE = 2 ** 20;

/** A list in pages, and a watch that says nothing. */
const server: Fetch = async (input) => {
  const query = new URL(String(input)).searchParams;
  if (query.has('watch')) return new Response(new ReadableStream());
  const from = Number(query.get('continue') ?? 0);
  const to = Math.min(PODS_IN_CLUSTER, from + Number(query.get('limit') ?? PODS_IN_CLUSTER));
  const items = Array.from({ length: to - from }, (_, index) => runningPod(from + index));
  const metadata = { resourceVersion: '999999', ...(to < PODS_IN_CLUSTER ? { continue: String(to) } : {}) };
  return new Response(JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata, items }));
};

async function measure(
  trim?: Trim,
): Promise<{ store: Store; heapMiB: number; externalMiB: number; rssMiB: number }> {
  const before = settledMemory();
  const store = new Store({ resource: PODS, ...(trim === undefined ? {} : { trim }) });
  const client = new KubeClient({ transport: fetchTransport(server) });
  const reflector = new Reflector({ client, store, world: benchWorld() }).start();
  await reflector.synced;
  await reflector.stop();
  const after = settledMemory();
  return {
    store,
    heapMiB: (after.heapUsed - before.heapUsed) / MEBIBYTE,
    externalMiB: (after.external - before.external) / MEBIBYTE,
    rssMiB: after.rss / MEBIBYTE,
  };
}

function settledMemory(): NodeJS.MemoryUsage {
  for (let round = 0; round < 5; round++) globalThis.gc!();
  return process.memoryUsage();
}

const trimmed = await measure();
const sample = trimmed.store.get({ namespace: 'default', name: runningPod(7).metadata.name! }) as KubeObject;
const count = trimmed.store.size;
const untrimmed = await measure((object) => object);
report({
  name: 'reflector-heap',
  figures: {
    pods: count,
    trimmedHeapMiB: rounded(trimmed.heapMiB),
    trimmedExternalMiB: rounded(trimmed.externalMiB),
    rssAfterTrimmedMiB: rounded(trimmed.rssMiB),
    untrimmedHeapMiB: rounded(untrimmed.heapMiB),
    savedTimes: rounded(untrimmed.heapMiB / trimmed.heapMiB),
  },
  goals: { trimmedHeapMiB: atMost(trimmed.heapMiB, 45) },
  checked: [
    assertWork(count === PODS_IN_CLUSTER && untrimmed.store.size === count, 'all pods are in the store'),
    assertWork(
      (sample['spec'] as { nodeName?: string }).nodeName === 'node-7' &&
        sample.metadata.labels?.['app'] === 'app-7',
      'what scheduling reads is kept',
    ),
    assertWork(sample.metadata.managedFields === undefined, 'what nobody reads is gone'),
  ],
});
