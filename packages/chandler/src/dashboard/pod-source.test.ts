import { PODS, type Pod, Store, type StoreChange, type Stored } from '@chandler/kube';
import { stored } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { BY_NODE } from '../state/index.ts';
import type { PagePod } from './page-pods.ts';
import { PageProblems } from './page-problems.ts';
import { rowsOfPods } from './pod-source.ts';

function aStore() {
  const store = new Store<Pod>({
    resource: PODS,
    indexes: { [BY_NODE]: ({ spec }) => (spec?.nodeName === undefined ? [] : [spec.nodeName]) },
  });
  store.replace([], '1');
  let version = 1;
  const put = (name: string, nodeName: string | undefined, phase: string) => {
    const metadata = { name, namespace: 'shop', uid: name, resourceVersion: String(++version) };
    const resources = { requests: { cpu: '250m', memory: '64Mi' } };
    const spec = { containers: [{ name: 'a', image: 'x', resources }], ...(nodeName ? { nodeName } : {}) };
    store.apply(
      version === 2 ? 'ADDED' : 'MODIFIED',
      stored({ metadata, spec, status: { phase } }) as unknown as Stored<Pod>,
    );
  };
  return { store, put };
}

test('rows of whole pods: values, pending ones, and those of a node, without pods that have succeeded', () => {
  const { store, put } = aStore();
  put('web', 'n1', 'Running');
  put('waits', undefined, 'Pending');
  put('job', 'n1', 'Succeeded');
  const rows = rowsOfPods(store);
  const names = (pods: Iterable<PagePod>) => [...pods].map(({ metadata }) => metadata.name);
  expect(names(rows.values())).toEqual(['web', 'waits']);
  expect(names(rows.pending())).toEqual(['waits']);
  expect(names(rows.onNode('n1'))).toEqual(['web']);
  expect(rows.get({ namespace: 'shop', name: 'web' })).toMatchObject({ cpuMillis: 250, phase: 'r' });
  expect(rows.get({ namespace: 'shop', name: 'job' })).toBeUndefined();
});

test('a pod that succeeds is one that goes; values are those of the call', () => {
  const { store, put } = aStore();
  put('job', 'n1', 'Running');
  const rows = rowsOfPods(store);
  const changes: StoreChange<PagePod>[] = [];
  rows.subscribe(
    (change) => changes.push(change),
    (take) => take,
  );
  const before = rows.values();
  put('job', 'n1', 'Succeeded');
  put('job', 'n1', 'Succeeded');
  put('late', 'n1', 'Running');
  expect(changes.map(({ type, object }) => [type, object.metadata.name])).toEqual([
    ['deleted', 'job'],
    ['added', 'late'],
  ]);
  expect([...before].map(({ metadata }) => metadata.name)).toEqual(['job']);
});

test('a pod that no row can be made of is logged, and does not reach the store of the controller', () => {
  const { store, put } = aStore();
  const errors: string[] = [];
  const problems = new PageProblems({ error: (text) => void errors.push(text) });
  const seen: string[] = [];
  rowsOfPods(store).subscribe(
    ({ object }) => seen.push(object.metadata.name),
    (take) => problems.guarded(take),
  );
  const labels = { 'pod-template-hash': 'x' };
  const ownerReferences = [{ kind: 'ReplicaSet', name: 7, controller: true }];
  const metadata = { name: 'broken', namespace: 'shop', labels, ownerReferences };
  store.apply('ADDED', stored({ metadata, spec: { containers: [] } } as never));
  put('web', 'n1', 'Running');
  expect(errors).toEqual(['a change could not be taken for the page']);
  expect(seen).toEqual(['web']);
});
