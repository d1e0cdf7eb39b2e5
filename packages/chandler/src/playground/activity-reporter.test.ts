import { EVENTS, NODES, PODS, type ResourceRef, Store, type Stored } from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../api/index.ts';
import { newsLog } from '../cli/testing.ts';

import { type News, tellNews } from './activity-reporter.ts';
import type { ClusterWatch } from './cluster-watch.ts';

/** Stores without reflectors: the test is the server. */
function aDesk() {
  const world = virtualWorld();
  const told: News[] = [];
  const store = (resource: ResourceRef) => new Store({ resource });
  const watch = {
    claims: { store: store(NODE_CLAIMS) },
    pools: { store: store(NODE_POOLS) },
    classes: { store: store(AKS_NODE_CLASSES) },
    events: { store: store(EVENTS) },
    pods: store(PODS),
    nodes: store(NODES),
  };
  const { clock } = world;
  const stop = tellNews({
    watch: watch as unknown as ClusterWatch,
    clock,
    readersClock: clock,
    tell: (news) => told.push(news),
  });
  const texts = () => told.splice(0).map(({ topic, text }) => `${topic}: ${text}`);
  return { world, watch, told, texts, stop };
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
const passing = (world: VirtualWorld) => world.clock.advance(1_000);

describe('the news', () => {
  test('follow a claim from its creation to its end', () => {
    const { watch, texts } = aDesk();
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
      'claim: a has joined as aks-a',
      'claim: a is being deleted',
      'claim: a is gone',
    ]);
  });

  test('say why a claim is not launched, and why a class is not ready', () => {
    const { watch, told } = aDesk();
    watch.claims.store.apply('ADDED', object('a', conditions(['Launched', 'False', 'NoQuota', 'no cores'])));
    watch.classes.store.apply('ADDED', object('c', conditions(['Ready', 'False', 'KeyDisabled', 'off'])));
    expect(told.map(({ text, warning }) => [text, warning ?? false])).toEqual([
      ['a is created', false],
      ['a: not launched, NoQuota: no cores', true],
      ['c is not ready, KeyDisabled: off', true],
    ]);
  });

  test('count pods once a second, however many change, and only when the numbers do', async () => {
    const { world, watch, texts } = aDesk();
    for (let at = 0; at < 50; at++)
      watch.pods.apply('ADDED', object(`p${at}`, { status: { phase: 'Pending' } }));
    await passing(world);
    expect(texts()).toEqual(['pods: 0 running, 50 pending']);
    watch.pods.apply('MODIFIED', object('p0', { status: { phase: 'Pending' } }));
    await passing(world);
    expect(texts()).toEqual([]);
    watch.pods.apply('MODIFIED', object('p0', { status: { phase: 'Running' } }));
    await passing(world);
    expect(texts()).toEqual(['pods: 1 running, 49 pending']);
  });

  test('tell warnings of the controller, the same of many pods once, and of nobody else', () => {
    const { watch, texts } = aDesk();
    const event = (name: string, pod: string, component: string) =>
      object(name, {
        type: 'Warning',
        reason: 'FailedScheduling',
        message: 'no place',
        involvedObject: { kind: 'Pod', name: pod },
        source: { component },
      });
    watch.events.store.apply('ADDED', event('1', 'a', 'karpenter'));
    watch.events.store.apply('ADDED', event('2', 'b', 'karpenter'));
    watch.events.store.apply('ADDED', event('3', 'a', 'default-scheduler'));
    expect(texts()).toEqual(['event: FailedScheduling pod/a: no place']);
  });

  test('tell of nodes that come, fall ill and go; and of nothing once stopped', () => {
    const { watch, texts, stop } = aDesk();
    watch.nodes.apply('ADDED', object('n', conditions(['Ready', 'False'])));
    watch.nodes.apply('MODIFIED', object('n', conditions(['Ready', 'True'])));
    watch.nodes.apply('MODIFIED', object('n', conditions(['Ready', 'Unknown'])));
    watch.nodes.apply('DELETED', object('n'));
    expect(texts()).toEqual([
      'node: n is Ready',
      'node: n is not Ready any more (Unknown)',
      'node: n is gone',
    ]);
    stop();
    watch.nodes.apply('ADDED', object('m', conditions(['Ready', 'True'])));
    expect(texts()).toEqual([]);
  });
});

describe('a log whose serious lines are news', () => {
  test('tells errors with their facts, passes everything on, and leaves out what is told elsewhere', () => {
    const world = virtualWorld();
    const told: string[] = [];
    const log = newsLog({
      from: 'error',
      clock: world.clock,
      also: world.log,
      except: (message) => message.startsWith('stage '),
      tell: ({ text }) => told.push(text),
    }).with({ controller: 'x' });
    log.info('quiet');
    log.warn('hm');
    log.error('stage image: failed');
    log.error('broken', { error: new Error('why') });
    expect(told).toEqual(['broken controller=x error=why']);
    expect(world.lines.map(({ message }) => message)).toEqual([
      'quiet',
      'hm',
      'stage image: failed',
      'broken',
    ]);
  });
});
