import { EVENTS, NODES, PODS, type ResourceRef, Store, type Stored } from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../api/index.ts';
import { activityLog } from '../cli/testing.ts';

import { type Activity, reportActivity } from './activity-reporter.ts';
import type { ClusterWatch } from './cluster-watch.ts';

/** Stores without reflectors: the test plays the API server. */
function aReporter() {
  const world = virtualWorld();
  const reported: Activity[] = [];
  const store = (resource: ResourceRef) => new Store({ resource });
  const watch = {
    claims: { store: store(NODE_CLAIMS) },
    pools: { store: store(NODE_POOLS) },
    classes: [{ store: store(AKS_NODE_CLASSES) }],
    events: { store: store(EVENTS) },
    pods: store(PODS),
    nodes: store(NODES),
  };
  const { clock } = world;
  const stop = reportActivity({
    watch: watch as unknown as ClusterWatch,
    clock,
    readersClock: clock,
    report: (activity) => reported.push(activity),
  });
  const texts = () => reported.splice(0).map(({ topic, text }) => `${topic}: ${text}`);
  return { world, watch, reported, texts, stop };
}

let version = 0;
function object(name: string, rest: object = {}, metadata: object = {}): Stored {
  version++;
  return { metadata: { name, uid: name, resourceVersion: String(version), ...metadata }, ...rest };
}
const conditions = (...list: [type: string, status: string, reason?: string, message?: string][]) => ({
  status: {
    nodeName: 'aks-a',
    conditions: list.map(([type, status, reason = type, message = '']) => ({
      type,
      status,
      reason,
      message,
    })),
  },
});
const oneSecond = (world: VirtualWorld) => world.clock.advance(1_000);

describe('reported activity', () => {
  test('follows a NodeClaim from creation to deletion', () => {
    const { watch, texts } = aReporter();
    const { store } = watch.claims;
    const labels = {
      'node.kubernetes.io/instance-type': 'Standard_D2s_v5',
      'topology.kubernetes.io/zone': 'eastus-1',
      'karpenter.sh/capacity-type': 'spot',
    };
    store.apply('ADDED', object('a'));
    store.apply('MODIFIED', object('a', conditions(['Launched', 'True']), { labels }));
    store.apply(
      'MODIFIED',
      object('a', conditions(['Launched', 'True'], ['Registered', 'True']), { labels }),
    );
    store.apply(
      'MODIFIED',
      object('a', conditions(['Launched', 'True'], ['Registered', 'True']), { labels }),
    );
    const end = { labels, deletionTimestamp: '2026-01-01T00:00:00Z' };
    store.apply('MODIFIED', object('a', conditions(['Launched', 'True'], ['Registered', 'True']), end));
    store.apply('DELETED', object('a', {}, end));
    expect(texts()).toEqual([
      'claim: a is created',
      'claim: a is launched: Standard_D2s_v5 in eastus-1, spot',
      'claim: a is registered as aks-a',
      'claim: a is being deleted',
      'claim: a is deleted',
    ]);
  });

  test('says why a NodeClaim is not launched, and why a node class is not ready', async () => {
    const { world, watch, reported } = aReporter();
    watch.claims.store.apply('ADDED', object('a', conditions(['Launched', 'False', 'NoQuota', 'no cores'])));
    watch.classes[0]!.store.apply('ADDED', object('c', conditions(['Ready', 'False', 'KeyDisabled', 'off'])));
    await world.clock.advance(5_000);
    expect(reported.map(({ text, warning }) => [text, warning ?? false])).toEqual([
      ['a is created', false],
      ['a: not launched, NoQuota: no cores', true],
      ['c is not ready, KeyDisabled: off', true],
    ]);
  });

  test('does not warn of a pool that is not ready only because it is new', async () => {
    const { world, watch, texts } = aReporter();
    const { store } = watch.pools;
    store.apply(
      'ADDED',
      object('p', conditions(['Ready', 'False', 'UnhealthyDependents', 'NodeClassReady=False'])),
    );
    await oneSecond(world);
    store.apply('MODIFIED', object('p', conditions(['Ready', 'True'])));
    await world.clock.advance(60_000);
    expect(texts()).toEqual(['pool: p is ready']);
    store.apply('MODIFIED', object('p', conditions(['Ready', 'False', 'KeyDisabled', 'off'])));
    expect(texts()).toEqual(['pool: p is not ready, KeyDisabled: off']);
  });

  test('counts pods at most once a second, and only when the counts change', async () => {
    const { world, watch, texts } = aReporter();
    for (let at = 0; at < 50; at++)
      watch.pods.apply('ADDED', object(`p${at}`, { status: { phase: 'Pending' } }));
    await oneSecond(world);
    expect(texts()).toEqual(['pods: 0 running, 50 pending']);
    watch.pods.apply('MODIFIED', object('p0', { status: { phase: 'Pending' } }));
    await oneSecond(world);
    expect(texts()).toEqual([]);
    watch.pods.apply('MODIFIED', object('p0', { status: { phase: 'Running' } }));
    await oneSecond(world);
    expect(texts()).toEqual(['pods: 1 running, 49 pending']);
  });

  test('shows warning events of the controller only, and the same warning about many pods once', () => {
    const { watch, texts } = aReporter();
    const event = (name: string, pod: string, component: string) =>
      object(name, {
        type: 'Warning',
        reason: 'FailedScheduling',
        message: 'no capacity',
        involvedObject: { kind: 'Pod', name: pod },
        source: { component },
      });
    watch.events.store.apply('ADDED', event('1', 'a', 'karpenter'));
    watch.events.store.apply('ADDED', event('2', 'b', 'karpenter'));
    watch.events.store.apply('ADDED', event('3', 'a', 'default-scheduler'));
    expect(texts()).toEqual(['event: FailedScheduling pod/a: no capacity']);
  });

  test('shows nodes that become Ready, become not Ready and are deleted; and nothing once stopped', () => {
    const { watch, texts, stop } = aReporter();
    watch.nodes.apply('ADDED', object('n', conditions(['Ready', 'False'])));
    watch.nodes.apply('MODIFIED', object('n', conditions(['Ready', 'True'])));
    watch.nodes.apply('MODIFIED', object('n', conditions(['Ready', 'Unknown'])));
    watch.nodes.apply('DELETED', object('n'));
    expect(texts()).toEqual([
      'node: n is Ready',
      'node: n is no longer Ready (status Unknown)',
      'node: n is deleted',
    ]);
    stop();
    watch.nodes.apply('ADDED', object('m', conditions(['Ready', 'True'])));
    expect(texts()).toEqual([]);
  });
});

describe('a log that shows errors as activity', () => {
  test('reports errors with their fields, forwards every line, and skips messages that are reported elsewhere', () => {
    const world = virtualWorld();
    const reported: string[] = [];
    const log = activityLog({
      minLevel: 'error',
      clock: world.clock,
      forwardTo: world.log,
      skip: (message) => message.startsWith('stage '),
      report: ({ text }) => reported.push(text),
    }).with({ controller: 'x' });
    log.info('quiet');
    log.warn('hm');
    log.error('stage image: failed');
    log.error('broken', { error: new Error('why') });
    expect(reported).toEqual(['broken controller=x error=why']);
    expect(world.lines.map(({ message }) => message)).toEqual([
      'quiet',
      'hm',
      'stage image: failed',
      'broken',
    ]);
  });
});
