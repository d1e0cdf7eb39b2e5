import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { aClaim, aModel, aNode, anEvent, aPod, aPool, READY, TestModel } from './dashboard.fixture.ts';
import { Snapshots } from './snapshot.ts';
import type { Change, Snapshot } from './wire.ts';

const kindsOf = (changes: readonly Change[]) => changes.map(([kind]) => kind);

async function snapshotOf({ model, world }: Awaited<ReturnType<typeof aModel>>): Promise<Snapshot> {
  let text = '';
  for await (const piece of new Snapshots(model, world.clock).pieces()) text += piece;
  return JSON.parse(text) as Snapshot;
}

const filled = () =>
  aModel((made) => {
    made.put(made.nodes, aNode('n1'));
    made.put(made.claims, aClaim('c1', 'n1', READY));
    made.put(made.claims, aClaim('c2', undefined, []));
    made.put(made.pools, aPool('general'));
    made.put(made.pods, aPod('web-1', 'n1'));
    made.put(made.pods, aPod('web-2', undefined));
  });

test('the snapshot has every row once, and the number after which the stream goes on', async () => {
  const snapshot = await snapshotOf(await filled());
  expect(snapshot).toMatchObject({ version: 1, epoch: 'epoch-1', sequence: 0 });
  expect(snapshot.nodes.map(({ name, node, claim, phase }) => [name, node, claim, phase])).toEqual([
    ['n1', 'n1', 'c1', 'ready'],
    ['c2', null, 'c2', 'planned'],
  ]);
  expect(snapshot.pods).toEqual([
    ['shop', 'web-1', 'n1', 'r', 500, 2 ** 30, 'Pod/web-1'],
    ['shop', 'web-2', '', 'p', 500, 2 ** 30, 'Pod/web-2'],
  ]);
  expect(snapshot.pools).toMatchObject([
    { name: 'general', nodeClass: 'Class/default', budgets: [{ nodes: '10%' }] },
  ]);
  expect(snapshot.totals).toMatchObject({
    pricePerHour: null,
    unpriced: 2,
    cpuRequestedMillis: 500,
    cpuAllocatableMillis: 4000,
    pods: 2,
    pending: 1,
  });
});

test('what changes while the first objects are read is read after them', async () => {
  const made = new TestModel(virtualWorld());
  for (let at = 0; at < 50; at++) {
    made.put(made.nodes, aNode(`n${at}`));
    made.put(made.claims, aClaim(`c${at}`, `n${at}`, READY));
  }
  const started = made.model.start();
  made.remove(made.nodes, 'n7');
  made.put(made.nodes, aNode('n8', { spec: { providerID: 'cloud:///n8', unschedulable: true } }));
  // The machine of n9 is that of another claim now.
  made.put(made.claims, aClaim('c9', undefined, []));
  made.put(made.claims, aClaim('late', 'n9', READY));
  await started;
  const { nodes, totals } = await snapshotOf(made);
  const of = (name: string) => nodes.filter((row) => row.name === name || row.claim === name);
  expect(nodes).toHaveLength(51);
  expect(of('c7')).toMatchObject([{ name: 'c7', node: null }]);
  expect(of('n8')).toMatchObject([{ claim: 'c8', phase: 'cordoned' }]);
  expect(of('n9')).toMatchObject([{ claim: 'late' }]);
  expect(of('c9')).toMatchObject([{ name: 'c9', node: null, phase: 'planned' }]);
  expect(totals.unpriced).toBe(51);
  made.remove(made.claims, 'c9');
  await made.world.clock.advance(1_000);
  expect(made.changes()).toContainEqual(['node-gone', 'c9']);
});

test('a change of one object makes one row anew, and what nobody sees is not sent', async () => {
  const made = await filled();
  const beat = aNode('n1');
  beat.status.conditions[0]!.lastHeartbeatTime = '2026-01-01T00:05:00Z';
  made.put(made.nodes, beat);
  made.put(made.pods, {
    ...aPod('web-1', 'n1'),
    metadata: { ...aPod('web-1', 'n1').metadata, labels: { a: 'b' } },
  });
  await made.world.clock.advance(1_000);
  expect(made.changes()).toEqual([]);
  made.put(made.nodes, aNode('n1', { spec: { providerID: 'cloud:///n1', unschedulable: true } }));
  await made.world.clock.advance(1_000);
  expect(made.changes()).toMatchObject([['node', { name: 'n1', phase: 'cordoned' }]]);
});

test('a pod moves onto a node: its row and the totals are sent, together', async () => {
  const made = await filled();
  made.put(made.pods, aPod('web-2', 'n1'));
  await made.world.clock.advance(1_000);
  expect(made.changes()).toMatchObject([
    ['pod', ['shop', 'web-2', 'n1', 'r', 500, 2 ** 30, 'Pod/web-2']],
    ['happened', { what: 'pending', text: 'pod shop/web-2 was placed on node n1' }],
    ['totals', { cpuRequestedMillis: 1000, pending: 0 }],
  ]);
  made.remove(made.pods, 'web-2', 'shop');
  await made.world.clock.advance(1_000);
  expect(made.changes(3)).toMatchObject([
    ['pod-gone', 'shop', 'web-2'],
    ['totals', { pods: 1 }],
  ]);
});

test('a claim becomes its Node: one row takes the place of the other', async () => {
  const made = await filled();
  made.put(made.claims, aClaim('c2', 'n2', ['Launched']));
  await made.world.clock.advance(1_000);
  expect(made.changes()).toMatchObject([['node', { name: 'c2', phase: 'booting' }], ['claims']]);
  made.put(made.nodes, aNode('n2'));
  await made.world.clock.advance(1_000);
  const changes = made.changes(1);
  expect(changes).toContainEqual(['node-gone', 'c2']);
  expect(changes).toContainEqual(['node', expect.objectContaining({ name: 'n2', claim: 'c2' })]);
});

test('a claim whose launch is refused changes no row: readers get one change that claims are to be read again', async () => {
  const made = await filled();
  const refused = { type: 'Launched', status: 'Unknown', reason: 'LaunchFailed', message: 'throttled' };
  for (let at = 0; at < 2; at++) {
    made.put(made.claims, { ...aClaim('c2', undefined, []), status: { conditions: [refused] } });
    await made.world.clock.advance(60_000);
  }
  expect(made.changes()).toEqual([['claims']]);
});

test('an event says why a node stays, until it is no longer believed', async () => {
  const made = await filled();
  const at = new Date(made.world.clock.now()).toISOString();
  made.put(made.events, anEvent('NodeClaim', 'c1', 'DisruptionBlocked', 'Pdb prevents pod evictions', at));
  await made.world.clock.advance(1_000);
  expect(made.changes()).toMatchObject([
    ['node', { name: 'n1', staying: [{ code: 'DisruptionBlocked', text: 'Pdb prevents pod evictions' }] }],
    ['happened', { subject: 'NodeClaim/c1', reason: 'DisruptionBlocked' }],
  ]);
  await made.world.clock.advance(25 * 60_000);
  expect(made.changes(2)).toMatchObject([['node', { name: 'n1', staying: [] }]]);
});

test('a freeze is shown with its end as far as its ConfigMap may be read', async () => {
  const made = await filled();
  const message =
    'disruption is frozen until 2026-06-02T18:00:00Z by ops (ConfigMap kube-system/chandler-freeze)';
  const frozen = { type: 'DisruptionFrozen', status: 'True', reason: 'Frozen', message };
  made.put(made.pools, aPool('general', { status: { conditions: [frozen] } }));
  await made.world.clock.advance(1_000);
  expect(made.model.freezes).toEqual([{ pool: 'general', untilMs: null, text: message }]);
  made.put(made.freezes, {
    metadata: { name: 'chandler-freeze', namespace: 'kube-system' },
    data: { freeze: '2026-06-02T18:00:00Z', by: 'ops' },
  });
  await made.world.clock.advance(1_000);
  const untilMs = Date.UTC(2026, 5, 2, 18);
  expect(made.model.freezes).toEqual([{ pool: '*', untilMs, text: message }]);
  expect(kindsOf(made.changes())).toContain('freezes');
});

test('one object that no row can be made of does not keep the others back', async () => {
  const errors: unknown[] = [];
  const made = await filled();
  made.problems.error = (...words: unknown[]) => void errors.push(words);
  made.put(made.nodes, aNode('a-broken', { status: { conditions: 7 } }));
  made.put(made.nodes, aNode('n3'));
  made.put(made.pods, aPod('web-3', 'n3'));
  await made.world.clock.advance(1_000);
  expect(kindsOf(made.changes())).toEqual(['node', 'pod', 'totals']);
  expect(made.changes()[0]).toMatchObject(['node', { name: 'n3' }]);
  expect(errors).toMatchObject([['a row of the page could not be made', { name: 'a-broken' }]]);
});

test('a NodePool that comes while the first rows are made is shown at once', async () => {
  const made = new TestModel(virtualWorld());
  for (let at = 0; at < 50; at++) made.put(made.nodes, aNode(`n${at}`));
  const started = made.model.start();
  while ([...made.model.nodeTexts()].length === 0) await undefined;
  made.put(made.pools, aPool('late'));
  await started;
  expect([...made.model.poolTexts()]).toEqual([]);
  await made.world.clock.advance(1_000);
  expect([...made.model.poolTexts()]).toHaveLength(1);
});

test('an error of the page itself is logged, and ends nothing', async () => {
  const errors: unknown[] = [];
  const made = await filled();
  made.problems.error = (...words: unknown[]) => void errors.push(words);
  const take = made.model.history.take.bind(made.model.history);
  made.model.history.take = () => {
    throw new Error('a defect');
  };
  made.put(made.pods, aPod('web-3', undefined));
  made.put(made.nodes, aNode('n3'));
  await made.world.clock.advance(60_000);
  // Logged once, and no change is lost.
  expect(errors).toEqual([['changes could not be taken for the page', { error: 'a defect' }]]);
  expect(kindsOf(made.changes())).toEqual(['node', 'pod']);
  made.model.history.take = take;
  made.put(made.nodes, aNode('n4'));
  await made.world.clock.advance(6_000);
  expect(kindsOf(made.changes())).toContain('totals');
});

test('a change that the page cannot take is logged, and whoever made it goes on', async () => {
  const errors: unknown[] = [];
  const made = await filled();
  made.problems.error = (...words: unknown[]) => void errors.push(words);
  const defect = () => {
    throw new Error('a defect');
  };
  Object.assign(made.model.history, { podChanged: defect, claimChanged: defect });
  made.put(made.pods, aPod('web-3', undefined));
  made.put(made.claims, aClaim('c3', undefined, []));
  expect(errors).toEqual([['a change could not be taken for the page', { error: 'a defect' }]]);
});

test('a launch, its node and its end are streamed, and stay when the claim is gone', async () => {
  const made = await filled();
  const at = (seconds: number) => new Date(made.world.clock.now() + seconds * 1000).toISOString();
  const launched = aClaim('c3', undefined, []);
  const created = { ...launched.metadata, creationTimestamp: at(0) };
  made.put(made.claims, { ...launched, metadata: created });
  await made.world.clock.advance(1_000);
  const registered = {
    type: 'Registered',
    status: 'True',
    reason: 'R',
    message: '',
    lastTransitionTime: at(5),
  };
  made.put(made.claims, { ...launched, metadata: created, status: { conditions: [registered] } });
  await made.world.clock.advance(1_000);
  made.remove(made.claims, 'c3');
  await made.world.clock.advance(1_000);
  const told = made.changes().flatMap((change) => (change[0] === 'happened' ? [change[1]] : []));
  const ofClaim = told.filter(({ subject }) => subject === 'NodeClaim/c3').map(({ what }) => what);
  expect(ofClaim).toEqual(['launch', 'registered', 'removed']);
  const kept = [...made.model.history.all()].filter(({ subject }) => subject === 'NodeClaim/c3');
  expect(kept.map(({ what }) => what)).toEqual(['launch', 'registered', 'removed']);
});

test('what somebody did on the page is streamed once, and stays', async () => {
  const made = await filled();
  const atMs = made.world.clock.now();
  const pressed = {
    atMs,
    what: 'event',
    subject: 'Playground/page',
    reason: 'Speed',
    text: 't',
    warning: false,
  } as const;
  made.model.note(pressed);
  await made.world.clock.advance(1_000);
  expect(made.changes()).toEqual([['happened', pressed]]);
  expect([...made.model.history.all()]).toContainEqual(pressed);
});

test('prices concern all nodes, and what they cost is remembered', async () => {
  const made = await filled();
  made.model.setPrices({ of: () => 0.25, notes: [] });
  await made.world.clock.advance(1_000);
  expect(made.model.totals).toMatchObject({ pricePerHour: 0.5, unpriced: 0 });
  const nowMs = made.world.clock.now();
  expect(made.model.prices.between(0, nowMs)).toMatchObject([{ pricePerHour: 0.5 }]);
  expect(made.changes()).toContainEqual(['price', { atMs: expect.any(Number), pricePerHour: 0.5 }]);
});

test('what changes while a snapshot is made is in the stream after its number', async () => {
  const made = await aModel((empty) => {
    for (let at = 0; at < 2_500; at++) empty.put(empty.pods, aPod(`web-${at}`, undefined));
  });
  const pieces = new Snapshots(made.model, made.world.clock).pieces();
  let text = String((await pieces.next()).value);
  made.remove(made.pods, 'web-2400', 'shop');
  made.put(made.pods, aPod('late', undefined));
  let count = 1;
  for await (const piece of pieces) {
    text += piece;
    count += 1;
  }
  expect(count).toBeGreaterThan(4);
  const { sequence, pods } = JSON.parse(text) as Snapshot;
  await made.world.clock.advance(1_000);
  const shown = new Set(pods.map(([, name]) => name));
  for (const change of made.changes(sequence)) {
    if (change[0] === 'pod') shown.add(change[1][1]);
    if (change[0] === 'pod-gone') shown.delete(change[2]);
  }
  expect(shown.size).toBe(2_500);
  expect([shown.has('late'), shown.has('web-2400')]).toEqual([true, false]);
});

test('a compressed snapshot is made once for all who ask, and again when it is too old', async () => {
  const made = await filled();
  const snapshots = new Snapshots(made.model, made.world.clock);
  const [one, other] = await Promise.all([snapshots.compressed(), snapshots.compressed()]);
  expect(one).toBe(other);
  await made.world.clock.advance(60_000);
  expect(await snapshots.compressed()).toBe(one);
  made.put(made.pods, aPod('web-3', undefined));
  await made.world.clock.advance(60_000);
  expect(await snapshots.compressed()).not.toBe(one);
});

test('a price that is not known any more is no price of 0; without nodes of NodePools it is 0', async () => {
  const made = await aModel((model) => {
    model.put(model.nodes, aNode('n1'));
    model.put(model.claims, aClaim('c1', 'n1', READY));
  });
  const points = () => made.model.prices.between(0, Number.MAX_SAFE_INTEGER).map((each) => each.pricePerHour);
  made.model.setPrices({ notes: [], of: () => 2 });
  await made.world.clock.advance(1_000);
  expect(points()).toEqual([2]);
  made.model.setPrices({ notes: [], of: () => undefined });
  await made.world.clock.advance(1_000);
  expect(points()).toEqual([2]);
  made.remove(made.claims, 'c1');
  made.remove(made.nodes, 'n1');
  await made.world.clock.advance(1_000);
  expect(points()).toEqual([2, 0]);
});
