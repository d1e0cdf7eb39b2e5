/**
 * A pending pod of which no plan is possible, because the pods that its spread counts cannot be read: of what the controller
 * said, only that about NodePools which the pod could use by their labels and taints counts.
 */
import { PODS } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import type { ObjectReader } from '../../packages/chandler/src/causes/index.ts';
import { dumpReader, encodeDump, openDump } from '../../packages/chandler/src/diagnose/index.ts';

import { askThrough } from './ask.fixture.ts';
import { aClass } from './cluster-objects.ts';
import { type CorpusCase, dumpOf } from './corpus.ts';

const SPREAD = [
  {
    maxSkew: 1,
    topologyKey: 'topology.kubernetes.io/zone',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'web' } },
  },
];
const FULL =
  'incompatible with nodepool "batch", all available instance types exceed limits for nodepool (cpu: limit 10, 0 left, 2 needed)';
const BATCH = {
  name: 'batch',
  spec: { limits: { cpu: '10' } },
  status: { resources: { cpu: '10', nodes: '3' } },
};
const TAINT = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };
const gpu = (more: object = {}) => ({
  name: 'gpu',
  spec: {
    template: { metadata: { labels: { dedicated: 'gpu' } }, spec: { requirements: [], taints: [TAINT] } },
  },
  ...more,
});

async function headline(message: string, more: object, spec: object) {
  const pods = [{ spec: { ...spec, topologySpreadConstraints: SPREAD } }];
  const events = [
    {
      on: 'Pod/shop/web',
      reason: 'FailedScheduling',
      message: `Failed to schedule pod, ${message}`,
      by: 'karpenter',
    },
  ];
  const one = { file: '', title: '', ask: 'pod/shop/web', expect: {}, pods, events, ...more };
  const whole = dumpReader(openDump(encodeDump(dumpOf(one as unknown as CorpusCase), false)));
  const reader: ObjectReader = {
    ...whole,
    async *pages(resource, filter) {
      if (resource === PODS) yield { why: 'forbidden', permission: 'list pods in namespace shop' };
      else yield* whole.pages(resource, filter);
    },
  };
  const { cause, also } = await askThrough(reader, one.ask);
  return { cause: cause?.id, also: also.map(({ id }) => id) };
}

describe('without a plan, a NodePool at its limit is not blamed', () => {
  test('that does not have the label which the pod selects', async () => {
    const said = `${FULL}; incompatible with nodepool "gpu", did not tolerate taint (taint=dedicated=gpu:NoSchedule)`;
    const selects = { nodeSelector: { dedicated: 'gpu' } };
    expect(await headline(said, { pool: BATCH, pools: [gpu()] }, selects)).toEqual({
      cause: 'L6.2',
      also: [],
    });
  });

  test('while the NodePool that the pod selects is not ready, and therefore not named', async () => {
    const pools = [
      gpu({ conditions: { NodeClassReady: { status: 'False', reason: 'UnhealthyDependents' } } }),
    ];
    const tolerates = { nodeSelector: { dedicated: 'gpu' }, tolerations: [TAINT] };
    const { cause } = await headline(FULL, { pool: BATCH, pools }, tolerates);
    expect(cause).toBe('planning.pool-not-ready');
  });

  test('that has a taint which the pod does not tolerate', async () => {
    const tainted = { spec: { ...BATCH.spec, template: { spec: { taints: [TAINT] } } } };
    const said = `${FULL}; incompatible with nodepool "default", no instance type has the required offering`;
    const pools = [{ ...BATCH, ...tainted }];
    expect((await headline(said, { pools }, {})).cause).toBe('scheduling.no-offering');
  });

  test('alone, while a NodePool with nodes that the pod could use is not ready', async () => {
    const broken = { SubnetsReady: { status: 'False', reason: 'SubnetNotFound', message: 'gone' } };
    const main = {
      name: 'main',
      conditions: { NodeClassReady: { status: 'False', reason: 'UnhealthyDependents' } },
      spec: { template: { spec: { nodeClassRef: { name: 'main' } } } },
      status: { resources: { nodes: '300' } },
    };
    const objects = [aClass({ name: 'main', conditions: broken })];
    const { cause, also } = await headline(FULL, { pool: BATCH, pools: [main], objects }, {});
    expect({ cause, also }).toEqual({ cause: 'configuration.subnet-not-found', also: ['scheduling.limit'] });
    const unused = { ...main, status: {} };
    const beside = await headline(FULL, { pool: BATCH, pools: [unused], objects }, {});
    expect(beside.cause).toBe('scheduling.limit');
  });

  test('but one that the pod could use is', async () => {
    expect((await headline(FULL, { pool: BATCH }, {})).cause).toBe('scheduling.limit');
  });
});

describe('without a plan, a static NodePool', () => {
  const fixed = (template: object) => ({ name: 'fixed', spec: { replicas: 3, template } });
  const labels = { metadata: { labels: { team: 'payments' } } };
  const unknown = 'incompatible with nodepool "default", label "team" does not have known values';

  test('is the cause for a pod that selects it', async () => {
    const selects = { nodeSelector: { team: 'payments' } };
    const claims = ['a', 'b', 'c'].map((name) => ({ name: `fixed-${name}`, pool: 'fixed' }));
    const nodes = claims.map(({ name }) => ({
      name: `aks-${name}`,
      claim: name,
      metadata: { labels: { 'karpenter.sh/nodepool': 'fixed' } },
    }));
    const all = { pools: [fixed(labels)], claims, nodes };
    expect((await headline(unknown, all, selects)).cause).toBe('scheduling.pool-static');
    const short = { ...all, claims: claims.slice(1), nodes: nodes.slice(1) };
    expect((await headline(unknown, short, selects)).cause).toBeUndefined();
    const gone = { ...all, nodes: nodes.slice(1) };
    expect((await headline(unknown, gone, selects)).cause).toBe('nodes.node-missing');
  });

  test('is not the cause for a pod that does not', async () => {
    const selects = { nodeSelector: { team: 'paymnts' } };
    expect((await headline(unknown, { pools: [fixed(labels)] }, selects)).cause).toBe('L6.4');
  });
});

describe('while NodePools cannot be read, full nodes', () => {
  const message = '0/6 nodes are available: 4 Insufficient cpu, 2 node(s) had untolerated taint {a: b}.';
  const room = async (age: string, metadata: object = {}) => {
    const on = 'Pod/shop/web';
    const events = [{ on, reason: 'FailedScheduling', message, by: 'default-scheduler', ago: age }];
    const one = { file: '', title: '', ask: 'pod/shop/web', expect: {}, pods: [{ age, metadata }], events };
    const whole = dumpReader(openDump(encodeDump(dumpOf(one as CorpusCase), false)));
    const refused = { why: 'forbidden', permission: 'list nodepools' } as const;
    const reader: ObjectReader = {
      ...whole,
      list: async (resource, filter) =>
        resource.plural === 'nodepools' ? refused : whole.list(resource, filter),
    };
    return askThrough(reader, one.ask);
  };

  test('say nothing about a pod of a moment ago: a node may be about to be launched', async () => {
    const { cause, also, verdict } = await room('15s');
    expect({ cause, verdict }).toEqual({ cause: undefined, verdict: 'underWay' });
    expect(also.map(({ id, weight }) => [id, weight])).toContainEqual(['L6.3', 'suspicious']);
  });

  test('are only one explanation later, and are the reason for a pod of a DaemonSet', async () => {
    expect((await room('30m')).verdict).toBe('unexplained');
    const owner = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      name: 'agent',
      uid: 'uid-agent',
      controller: true,
    };
    expect((await room('30m', { ownerReferences: [owner] })).cause?.id).toBe('L6.3');
  });
});
