import { expect, test } from 'vitest';
import type { Change } from '../../wire.ts';
import { aNode, aPod, aSnapshot, aStore } from './store.fixture.ts';

test('a pod that is placed leaves the pending ones, and its requests are on its node', () => {
  const store = aStore([aNode('n1')], [aPod('a', '', 'p'), aPod('b', 'n1', 'r')]);
  expect([...store.pending.keys()]).toEqual(['shop/a']);
  store.apply([['pod', aPod('a', 'n1', 'c')]], 8);
  expect(store.pending.size).toBe(0);
  expect(store.loadOf('n1')).toMatchObject({ cpuMillis: 200, memoryBytes: 20 });
  expect(store.sequence).toBe(8);
  const { nodes, placed } = store.takeChanged();
  expect([...nodes]).toEqual(['n1']);
  expect(placed.map(([, name]) => name)).toEqual(['a']);
  expect(store.takeChanged().nodes.size).toBe(0);
});

test('a pod that moves, grows or is gone changes both nodes, and keeps its place where it stays', () => {
  const store = aStore([aNode('n1'), aNode('n2')], [aPod('a', 'n1', 'r'), aPod('b', 'n1', 'r')]);
  store.apply([['pod', aPod('a', 'n1', 'l', 300)]], 8);
  expect([...store.loadOf('n1')!.pods.keys()]).toEqual(['shop/a', 'shop/b']);
  expect(store.loadOf('n1')!.cpuMillis).toBe(400);
  store.takeChanged();
  store.apply([['pod', aPod('a', 'n2', 'r')]], 9);
  expect([...store.takeChanged().nodes].sort()).toEqual(['n1', 'n2']);
  expect(store.loadOf('n1')!.cpuMillis).toBe(100);
  store.apply(
    [
      ['pod-gone', 'shop', 'a'],
      ['pod-gone', 'shop', 'unknown'],
    ],
    10,
  );
  expect(store.loadOf('n2')).toBeUndefined();
  expect(store.pods.size).toBe(1);
});

test('pods of a node that is not known yet are there when it is', () => {
  const store = aStore([], [aPod('a', 'later', 'r')]);
  store.apply([['node', aNode('later')]], 8);
  expect(store.loadOf('later')!.pods.size).toBe(1);
});

test('listeners hear of every event once, and revisions say what it was about', () => {
  const store = aStore([aNode('n1')], []);
  let heard = 0;
  const unlisten = store.listen(() => heard++);
  const before = { ...store.revisions };
  const changes: Change[] = [
    ['node', aNode('n1', { phase: 'disrupting' })],
    ['freezes', [{ pool: '*', untilMs: null, text: '' }]],
    ['happened', { atMs: 1, what: 'event', subject: 'Node/n1', reason: 'R', text: 't', warning: false }],
  ];
  store.apply(changes, 8);
  expect(heard).toBe(1);
  expect(store.revisions).toEqual({
    all: before.all + 1,
    nodes: before.nodes + 1,
    pending: before.pending,
    settings: before.settings + 1,
    happened: before.happened + 1,
    gaps: before.gaps,
    claims: before.claims,
  });
  unlisten();
  store.apply([['node-gone', 'n1']], 9);
  expect(heard).toBe(1);
  expect(store.nodes.size).toBe(0);
});

test('a new snapshot replaces everything', () => {
  const store = aStore([aNode('n1')], [aPod('a', 'n1', 'r'), aPod('b', '', 'p')]);
  store.load(aSnapshot([], []));
  expect([store.nodes.size, store.pods.size, store.pending.size, store.loads.size]).toEqual([0, 0, 0, 0]);
});

test('thousands of events do not grow what is kept of the news', () => {
  const store = aStore([], []);
  const happened: Change = [
    'happened',
    { atMs: 1, what: 'event', subject: 's', reason: 'r', text: 't', warning: false },
  ];
  for (let at = 0; at < 2000; at++) store.apply([happened], 8 + at);
  expect(store.happened.length).toBe(500);
  // The newest that was dropped: an answer that knows of it has everything.
  expect(store.changedAt.gaps).toBe(8 + 1499);
});

test('the number of the last change is kept for each thing that answers depend on', () => {
  const store = aStore([aNode('n1')], []);
  expect(store.changedAt).toMatchObject({ nodes: 7, settings: 7 });
  store.apply(
    [
      ['node', aNode('n2')],
      ['freezes', []],
      ['price', { atMs: 1, pricePerHour: 2 }],
    ],
    10,
  );
  expect(store.changedAt).toMatchObject({
    all: 10,
    nodes: 8,
    settings: 9,
    pending: 7,
    happened: 10,
    gaps: 7,
  });
  expect(store.prices).toEqual([{ atMs: 1, pricePerHour: 2 }]);
  store.apply([['happened-cut']], 11);
  expect(store.changedAt.gaps).toBe(11);
});

test('names of nodes that are gone do not gather while nobody draws', () => {
  const store = aStore([aNode('n1')], []);
  for (let at = 0; at < 20_000; at++) {
    store.apply([['node', aNode(`x${at}`)]], 8 + 2 * at);
    store.apply([['node-gone', `x${at}`]], 9 + 2 * at);
  }
  store.apply([['node', aNode('n1')]], 50_000);
  const { nodes } = store.takeChanged();
  expect(nodes.has('n1')).toBe(true);
  expect(nodes.size).toBeLessThan(1_100);
});

test('pods that are not up to date are still known, and their store says so', () => {
  const store = aStore([aNode('n1')], [aPod('a', 'n1', 'r'), aPod('b', '', 'p')]);
  store.apply([['missing', [{ resource: 'pods', reason: 'failed', text: '' }]]], 8);
  expect(store.hasPods).toBe(true);
  store.apply([['missing', [{ resource: 'pods', reason: 'denied', text: '' }]]], 9);
  expect(store.hasPods).toBe(false);
});

test('pods that could not be read yet are not known: that there are none is not said', () => {
  const store = aStore([aNode('n1')], []);
  expect(store.hasPods).toBe(true);
  store.apply([['missing', [{ resource: 'pods', reason: 'failed', text: '' }]]], 8);
  expect(store.hasPods).toBe(false);
});

test('what is written about NodeClaims changes without a row', () => {
  const store = aStore([aNode('n1')], []);
  store.apply([['claims']], 8);
  expect(store.changedAt).toMatchObject({ all: 8, claims: 8, nodes: 7 });
});
