import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { NODES, PODS } from '../client/resources.table.ts';
import type { KubeObject, Stored } from '../object.ts';
import { Interner } from './interner.ts';
import { StoreIndex } from './store-index.ts';
import { trimFor } from './trim.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const COUNT = 20_000;

/** Of each of many values. */
function bytesEach(make: (at: number) => unknown, count = COUNT): number {
  const values = new Array<unknown>(count);
  const before = heapBytes();
  for (let at = 0; at < count; at++) values[at] = make(at);
  const bytes = heapBytes() - before;
  expect(values).toHaveLength(count);
  return bytes / count;
}

function heapBytes(): number {
  for (let round = 0; round < 3; round++) collect();
  return process.memoryUsage().heapUsed;
}

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
  const pod = {
    metadata,
    spec: { ...USUAL, ...spec },
    status: { phase: 'Running', startTime: '2026-01-01T00:00:00Z' },
  };
  return bytesEach(() => trimFor(PODS)(pod as Stored, interner));
}

test('a pod without fields that others have takes less memory, and a rare field as much as another', () => {
  const full = podBytes({ ownerReferences: OWNERS }, { tolerations: TOLERATIONS, priority: 0 });
  expect(podBytes({}, { tolerations: TOLERATIONS, priority: 0 })).toBeLessThan(full);
  expect(podBytes({ ownerReferences: OWNERS }, { priority: 0 })).toBeLessThan(full);
  const rare = podBytes({ ownerReferences: OWNERS }, { nodeSelector: LABELS, hostNetwork: true });
  expect(rare).toBeLessThan(full + 8);
});

test('conditions of nodes have their words and times in common', () => {
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
  // An object of 72 bytes for each condition, and the node around them.
  expect(bytesEach(() => trimFor(NODES)(JSON.parse(text) as Stored, interner), 2000)).toBeLessThan(750);
});

test('an index takes a list for a value, and no more when the list is asked for', () => {
  const objects = Array.from({ length: 30 }, (_, at): KubeObject => ({ metadata: { name: `p${at}` } }));
  let value = 0;
  const index = new StoreIndex<KubeObject>(() => [`${value}`]);
  const each = bytesEach((at) => {
    value = at;
    for (const object of objects) index.move(undefined, object);
    return index.get(`${at}`).length;
  }, 5000);
  // The elements of the list, the list itself, and its entry.
  expect(each).toBeLessThan(30 * 8 + 150);
});
