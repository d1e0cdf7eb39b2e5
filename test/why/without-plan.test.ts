/**
 * A pending pod of which no plan is possible, because the pods that its spread counts cannot be read: of what the controller
 * said, only that about NodePools which the pod could use by their labels and taints counts.
 */
import { PODS } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import type { ObjectReader } from '../../packages/chandler/src/causes/index.ts';
import { dumpReader, encodeDump, openDump } from '../../packages/chandler/src/diagnose/index.ts';

import { askThrough } from './ask.fixture.ts';
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

  test('but one that the pod could use is', async () => {
    expect((await headline(FULL, { pool: BATCH }, {})).cause).toBe('scheduling.limit');
  });
});
