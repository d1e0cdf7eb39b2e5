/** The log of a VM says why its node died: it is read for a node that is not Ready, also long after it has joined. */
import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { cataloguePlanner } from '../../packages/chandler/src/cli/testing.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import {
  dumpReader,
  encodeDump,
  explain,
  gather,
  openDump,
  parseSubject,
} from '../../packages/chandler/src/diagnose/index.ts';

import { type CorpusCase, dumpOf } from './corpus.ts';
import { type ConditionWords, NOW_MS } from './objects.ts';

const PANIC = '[ 9000.1] Kernel panic - not syncing: Fatal exception in interrupt';
const DEAD = { status: 'Unknown', reason: 'NodeStatusUnknown', ago: '10m' };

/** The answer about a node that was Initialized a day ago, and how often its log was read. */
async function asked(ready: ConditionWords, ask = 'node/aks-default-x7k2p', more: object = {}) {
  let logs = 0;
  const refused = { why: 'forbidden' } as const;
  const cloud = azureDiagnosis({
    vm: async () => ({ found: { name: 'aks-default-x7k2p', location: 'westeurope' } }),
    serialLog: async () => {
      logs += 1;
      return { found: PANIC };
    },
    cluster: async () => refused,
    clusterOfNodes: async () => refused,
    set: () => Promise.reject(new Error('no set is in question')),
  });
  const one = { claims: [{ age: '24h' }], nodes: [{ age: '24h', ready }], ...more } as unknown as CorpusCase;
  const reader = dumpReader(openDump(encodeDump(dumpOf(one), false)));
  const subject = parseSubject([ask]);
  if (typeof subject === 'string') throw new Error(subject);
  const planner = cataloguePlanner(virtualWorld({ startMs: NOW_MS }), reader, cloud);
  const gathered = await gather(subject, { reader, cloud, planner });
  if (gathered.state !== 'gathered') throw new Error(gathered.message);
  return { cause: explain(gathered.subject, gathered.evidence, cloud).cause?.id, logs };
}

test('the log of a node that is not Ready is read, and names what killed it', async () => {
  expect(await asked(DEAD)).toEqual({ cause: 'nodes.kernel-failed', logs: 1 });
});

test('the log of a Ready node is not read', async () => {
  expect(await asked({ ago: '10m' })).toEqual({ cause: undefined, logs: 0 });
});

const POD = { age: '24h', node: 'aks-default-x7k2p', ready: false };

test('the log is read for a pod on such a node, and for its workload', async () => {
  const named = { cause: 'nodes.kernel-failed', logs: 1 };
  expect(await asked(DEAD, 'pod/shop/web', { pods: [POD] })).toEqual(named);
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'uid-web', controller: true };
  const workload = {
    pods: [{ ...POD, name: 'web-0', metadata: { labels: { app: 'web' }, ownerReferences: [owner] } }],
    objects: [
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 'web', namespace: 'shop', uid: 'uid-web', generation: 1 },
        spec: { replicas: 1, selector: { matchLabels: { app: 'web' } } },
        status: { replicas: 1, readyReplicas: 0, observedGeneration: 1 },
      },
    ],
  };
  expect(await asked(DEAD, 'statefulset/shop/web', workload)).toEqual(named);
});

test('the log is not read for a pod on a Ready node', async () => {
  expect((await asked({ ago: '10m' }, 'pod/shop/web', { pods: [POD] })).logs).toBe(0);
});

test('the log is read for a pod that was nominated to a NodeClaim whose node died', async () => {
  const message = 'Pod should schedule on: nodeclaim/default-x7k2p';
  const events = [{ on: 'Pod/shop/web', reason: 'Nominated', message, by: 'karpenter', ago: '1m' }];
  for (const claim of [{ age: '20m', upTo: 'registered' }, { age: '20m' }]) {
    const more = { claims: [claim], pods: [{ age: '20m' }], events };
    expect(await asked(DEAD, 'pod/shop/web', more)).toEqual({ cause: 'nodes.kernel-failed', logs: 1 });
  }
});
