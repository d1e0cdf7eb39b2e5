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
async function asked(ready: ConditionWords) {
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
  const one = { claims: [{ age: '24h' }], nodes: [{ age: '24h', ready }] } as unknown as CorpusCase;
  const reader = dumpReader(openDump(encodeDump(dumpOf(one), false)));
  const subject = parseSubject(['node/aks-default-x7k2p']);
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
