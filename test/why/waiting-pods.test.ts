/** What `why nodepool/x` reads of pods that wait: lists that several of them need are read once. */
import { NODES, PODS } from '@chandler/kube';
import { expect, test } from 'vitest';
import type { ObjectReader } from '../../packages/chandler/src/causes/index.ts';
import { dumpReader } from '../../packages/chandler/src/diagnose/index.ts';

import { askThrough } from './ask.fixture.ts';
import { type CorpusCase, dumpOf } from './corpus.ts';

async function answer(more: object) {
  const one = { file: '', title: '', ask: 'nodepool/default', expect: {}, ...more };
  const whole = dumpReader(dumpOf(one as unknown as CorpusCase));
  const read: string[] = [];
  const reader: ObjectReader = {
    ...whole,
    list(resource, filter) {
      if (resource === NODES) read.push('nodes');
      return whole.list(resource, filter);
    },
    pages(resource, filter) {
      if (resource === PODS && filter?.namespace !== undefined) read.push(`pods in ${filter.namespace}`);
      return whole.pages(resource, filter);
    },
  };
  return { explanation: await askThrough(reader, one.ask), read };
}

const SPREAD = {
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      minDomains: 5,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
    },
  ],
};

test('nodes, and the pods of a namespace, are read once for all pods that wait', async () => {
  const pods = ['a', 'b', 'c', 'd'].map((name, index) => ({
    name,
    metadata: { labels: { app: 'web' } },
    spec: { ...SPREAD, tolerations: [{ key: `t-${index}` }] },
  }));
  const ofOne = await answer({ pods: pods.slice(0, 1), claims: [{}], nodes: [{}] });
  const ofAll = await answer({ pods, claims: [{}], nodes: [{}] });
  expect(ofOne.read).toContain('pods in shop');
  expect(ofAll.read).toEqual(ofOne.read);
});

test('of several pods that wait, one of the most is shown, and one that selects the NodePool before all', async () => {
  const full = { spec: { limits: { cpu: '10' } }, status: { resources: { cpu: '10', nodes: '3' } } };
  const alone = { name: 'alone', age: '5h', spec: { tolerations: [{ key: 'alone' }] } };
  const many = ['a', 'b', 'c'].map((name) => ({ name, age: '10m' }));
  const most = await answer({ pool: full, pods: [alone, ...many] });
  expect(most.explanation.cause?.summary).toContain('shop/a');
  const selecting = {
    name: 'selecting',
    age: '1m',
    spec: { nodeSelector: { 'karpenter.sh/nodepool': 'default' } },
  };
  const selected = await answer({ pool: full, pods: [alone, ...many, selecting] });
  expect(selected.explanation.cause?.summary).toContain('shop/selecting');
});

test('failures of half an hour ago are over while only pods wait that the NodePool could not take', async () => {
  const events = [
    {
      on: 'NodePool/default',
      reason: 'SKUNotAvailable',
      message: 'NodeClaim default-old11 event: SkuNotAvailable: The requested size is not available',
      by: 'karpenter',
      ago: '30m',
    },
  ];
  const request = (memory: string) => ({
    containers: [{ name: 'app', image: 'a', resources: { requests: { cpu: '1', memory } } }],
  });
  const quiet = await answer({ events });
  const beside = await answer({ events, pods: [{ name: 'big', age: '5h', spec: request('4000Ti') }] });
  const waiting = await answer({ events, pods: [{ name: 'small', age: '5h', spec: request('1Gi') }] });
  expect(beside.explanation.verdict).toBe(quiet.explanation.verdict);
  expect(beside.explanation.cause?.id).toBe(quiet.explanation.cause?.id);
  expect(waiting.explanation.verdict).toBe('broken');
});
