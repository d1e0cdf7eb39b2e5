/** Prints what objects of the caches take, in bytes each: in a process of its own, with `--expose-gc`, so that nothing else is counted. */
import { NODES, PODS } from '../client/resources.table.ts';
import type { Pod } from '../kinds/index.ts';
import type { KubeObject, Stored } from '../object.ts';
import { Interner } from './interner.ts';
import { StoreIndex } from './store-index.ts';
import { trimFor } from './trim.ts';

const LABELS = { app: 'web' };
const OWNERS = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web' }];
const TOLERATIONS = [{ operator: 'Exists' }];
const USUAL = {
  containers: [],
  schedulerName: 'default-scheduler',
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  nodeName: 'a',
};

export interface MemoryFigures {
  readonly pod: number;
  readonly podWithoutOwner: number;
  readonly podWithoutTolerations: number;
  readonly podWithRareFields: number;
  readonly node: number;
  readonly listOf30: number;
}

// The first objects of a kind are laid out with room to spare.
podBytes({ ownerReferences: OWNERS }, { tolerations: TOLERATIONS, priority: 0 });
const figures: MemoryFigures = {
  pod: podBytes({ ownerReferences: OWNERS }, { tolerations: TOLERATIONS, priority: 0 }),
  podWithoutOwner: podBytes({}, { tolerations: TOLERATIONS, priority: 0 }),
  podWithoutTolerations: podBytes({ ownerReferences: OWNERS }, { priority: 0 }),
  podWithRareFields: podBytes({ ownerReferences: OWNERS }, { nodeSelector: LABELS, hostNetwork: true }),
  node: nodeBytes(),
  listOf30: listBytes(),
};
console.log(JSON.stringify(figures));

// ---------------------------------------------------------------------------------------------------

function bytesEach(make: (at: number) => unknown, count: number): number {
  const values = new Array<unknown>(count);
  const before = heapBytes();
  for (let at = 0; at < count; at++) values[at] = make(at);
  const bytes = heapBytes() - before;
  if (values.length !== count) throw new Error('values are gone');
  return bytes / count;
}

function heapBytes(): number {
  for (let round = 0; round < 3; round++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function podBytes(meta: object, spec: object): number {
  const interner = new Interner();
  const metadata = {
    name: 'web',
    namespace: 'shop',
    uid: 'web',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: LABELS,
    ...meta,
  };
  const status = { phase: 'Running', startTime: '2026-01-01T00:00:00Z' };
  const pod = { metadata, spec: { ...USUAL, ...spec }, status } as unknown as Stored<Pod>;
  return bytesEach(() => trimFor(PODS)(pod, interner), 20_000);
}

function nodeBytes(): number {
  const interner = new Interner();
  const text = JSON.stringify({
    metadata: { name: 'n', uid: 'u', resourceVersion: '1' },
    status: {
      conditions: ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => ({
        type,
        status: 'False',
        reason: `KubeletHas${type}`,
        message: `kubelet has something to say about ${type}`,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      })),
    },
  });
  return bytesEach(() => trimFor(NODES)(JSON.parse(text) as Stored, interner), 2000);
}

function listBytes(): number {
  const objects = Array.from({ length: 30 }, (_, at): KubeObject => ({ metadata: { name: `p${at}` } }));
  let value = 0;
  const index = new StoreIndex<KubeObject>(() => [`${value}`]);
  const bytes = bytesEach((at) => {
    value = at;
    for (const object of objects) index.move(undefined, object);
    return index.get(`${at}`).length;
  }, 5000);
  if (index.get('0').length !== objects.length) throw new Error('the index lost objects');
  return bytes;
}
