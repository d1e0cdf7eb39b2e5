import type { ConfigMap, Stored } from '@chandler/kube';
import { stored } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import type { NodeClaim } from '../api/index.ts';
import { KEPT_COMMANDS_NAME, KEPT_JOURNEYS_NAME } from '../diagnose/index.ts';
import { inOrder } from './happened-key.ts';
import { History } from './history.ts';
import type { PagePod } from './page-pods.ts';
import type { Happened } from './wire.ts';

const START_MS = Date.UTC(2026, 0, 1);

function aHistory() {
  const clock = { nowMs: START_MS, now: () => clock.nowMs };
  return { clock, history: new History(clock) };
}

const aPod = (name: string, nodeName: string) =>
  ({
    metadata: { namespace: 'shop', name },
    nodeName,
    phase: nodeName === '' ? 'p' : 'c',
    workload: 'Deployment/web',
    createdMs: 0,
  }) as unknown as PagePod;

const textsOf = (history: History) =>
  history.take().map((change) => (change[0] === 'happened' ? change[1].text : change[0]));

test('pods of a workload that stay pending are one entry, and one when they are placed', () => {
  const { clock, history } = aHistory();
  for (const name of ['a', 'b', 'c']) history.podChanged(undefined, aPod(name, ''));
  expect(textsOf(history)).toEqual([]);
  // The scheduler places this one at once.
  history.podChanged(aPod('c', ''), aPod('c', 'n1'));
  expect(history.dueInMs()).toBe(3_000);
  clock.nowMs += 3_000;
  expect(textsOf(history)).toEqual(['2 pods of Deployment/web are pending']);
  expect(history.dueInMs()).toBeUndefined();
  history.podChanged(aPod('a', ''), aPod('a', 'n1'));
  history.podChanged(aPod('b', ''), aPod('b', 'n2'));
  expect(textsOf(history)).toEqual(['2 pods of Deployment/web were placed on 2 nodes']);
  expect([...history.all()].map(({ what, atMs }) => [what, atMs - START_MS])).toEqual([
    ['pending', 0],
    ['pending', 3_000],
  ]);
});

test('a pending pod that is deleted was not placed', () => {
  const { clock, history } = aHistory();
  history.podChanged(undefined, aPod('a', ''));
  clock.nowMs += 3_000;
  expect(textsOf(history)).toEqual(['1 pod of Deployment/web is pending']);
  history.podChanged(aPod('a', ''), undefined);
  expect(textsOf(history)).toEqual([]);
});

test('a command of disruption is an entry when it is kept, and not again when another one is', () => {
  const { history } = aHistory();
  const command = (id: string) =>
    JSON.stringify({
      id,
      startedAt: '2026-01-01T00:00:00Z',
      endedAt: '2026-01-01T00:01:00Z',
      reason: 'Underutilized',
      method: 'single',
      decision: 'delete',
      nodes: [`node-${id}`],
      nodeCount: 1,
      nodePools: ['general'],
      replacements: [],
      priceBefore: 1,
      priceAfter: 0,
      podsMoved: 2,
      outcome: 'done',
    });
  const kept = (data: Record<string, string>) =>
    stored({ metadata: { name: KEPT_COMMANDS_NAME, namespace: 'kube-system' }, data }) as Stored<ConfigMap>;
  const first = kept({ one: command('one') });
  history.keptChanged({ type: 'added', object: first });
  expect(textsOf(history)).toEqual(['delete node-one: done']);
  history.keptChanged({
    type: 'updated',
    before: first,
    object: kept({ one: command('one'), two: command('two') }),
  });
  expect(textsOf(history)).toEqual(['delete node-two: done']);
});

test('where more happens than is sent, that is said, and it is kept', () => {
  const { history } = aHistory();
  for (let at = 0; at < 300; at++)
    history.eventChanged({
      object: `Node/n${at}`,
      reason: 'Ready',
      message: 'm',
      type: 'Normal',
      lastMs: START_MS,
      count: 1,
    } as never);
  const taken = history.take();
  expect(taken).toHaveLength(201);
  expect(taken.at(-1)).toEqual(['happened-cut']);
  expect([...history.all()]).toHaveLength(300);
  expect(history.take()).toEqual([]);
});

test('the same failure, as an event and as a kept claim, is one entry', () => {
  const failure: Happened = {
    atMs: START_MS,
    what: 'failure',
    subject: 'NodeClaim/a',
    reason: 'LaunchFailed',
    text: 'no capacity',
    warning: true,
  };
  const later = { ...failure, atMs: START_MS + 60_000 };
  expect(inOrder([later, failure, { ...failure, atMs: START_MS + 400 }])).toEqual([failure, later]);
});

test('claims are to be asked for again when a launch is refused or goes on, and when one that failed is kept', () => {
  const { history } = aHistory();
  const claim = (journey: string, message: string, labels: Readonly<Record<string, string>> = {}) => {
    const annotations = { 'chandler.sh/journey': journey };
    const conditions = [{ type: 'Launched', status: 'Unknown', reason: 'LaunchFailed', message }];
    return stored({ metadata: { name: 'c', labels, annotations }, status: { conditions } }) as never;
  };
  const change = (before: Stored<NodeClaim>, object: Stored<NodeClaim>) => {
    history.claimChanged({ type: 'updated', before, object });
    return history.isDue ? textsOf(history) : [];
  };
  expect(change(claim('', ''), claim('', 'throttled'))).toEqual(['claims']);
  expect(change(claim('', ''), claim('a stage', ''))).toEqual(['claims']);
  expect(change(claim('a stage', ''), claim('a stage', '', { other: 'label' }))).toEqual([]);
  const kept = (data: Readonly<Record<string, string>>) =>
    stored({ metadata: { name: KEPT_JOURNEYS_NAME }, data }) as Stored<ConfigMap>;
  history.keptChanged({ type: 'updated', before: kept({}), object: kept({ c: '{}' }) });
  expect(textsOf(history)).toEqual(['claims']);
  history.keptChanged({ type: 'updated', before: kept({ c: '{}' }), object: kept({ c: '{}' }) });
  expect(textsOf(history)).toEqual([]);
});
