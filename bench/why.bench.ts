/**
 * The duration of `why`: on a cluster of 5,000 nodes with 21,000 pods over a real socket, for a pending pod,
 * a crashing pod, a claim and a pool; and from a dump of a thousand nodes, the first and the second answer of
 * a new process. The server is in the same process, so its share is included.
 */

import { fetchTransport, KubeClient } from '@chandler/kube';
import type { ObjectReader } from '../packages/chandler/src/causes/index.ts';
import { cataloguePlanner } from '../packages/chandler/src/cli/testing.ts';
import { azureDiagnosis } from '../packages/chandler/src/cloud/azure/index.ts';
import {
  dumpReader,
  type Explanation,
  encodeDump,
  explain,
  gather,
  liveReader,
  makeDump,
  openDump,
  parseSubject,
  type Subject,
} from '../packages/chandler/src/diagnose/index.ts';

import { NOW_MS } from '../test/why/objects.ts';
import { assertWork, atMost, report, rounded } from './result.ts';
import { clusterOf, wholeDump } from './why-cluster.ts';
import { serve } from './why-server.ts';
import { benchWorld } from './world.ts';

const cloud = azureDiagnosis();
const NODES = 5000;
const world = benchWorld();

const cluster = clusterOf(NODES);
const server = await serve(dumpReader(wholeDump(cluster)));
const client = new KubeClient({ transport: fetchTransport(world.fetch, server.url) });
const live = () => liveReader({ client, clock: { now: () => NOW_MS } });

// A dump answers first: then nothing has been warmed up by the cluster.
const bytes = await dumpBytes();
const cold = await timed(() => ask(dumpReader(openDump(bytes)), 'pod/shop/waiting'));
const warm = await timed(() => ask(dumpReader(openDump(bytes)), 'pod/shop/crashing'));
const waiting = await timed(() => ask(live(), 'pod/shop/waiting'));
const crashing = await timed(() => ask(live(), 'pod/shop/crashing'));
const claim = await timed(() => ask(live(), 'nodeclaim/default-n1'));
const pool = await timed(() => ask(live(), 'nodepool/default'));
server.close();

const slowest = Math.max(waiting.ms, crashing.ms, claim.ms, pool.ms);
report({
  name: 'why',
  figures: {
    nodes: NODES,
    pods: cluster.filter(({ kind }) => kind === 'Pod').length,
    waitingPodMs: rounded(waiting.ms),
    crashingPodMs: rounded(crashing.ms),
    claimMs: rounded(claim.ms),
    poolMs: rounded(pool.ms),
    dumpMiB: rounded(bytes.length / 2 ** 20),
    dumpFirstMs: rounded(cold.ms),
    dumpNextMs: rounded(warm.ms),
  },
  goals: { slowestMs: atMost(slowest, 3000), dumpFirstMs: atMost(cold.ms, 300) },
  checked: [
    assertWork(cold.answer.cause?.id === 'L6.4', 'the dump explains the pod that waits'),
    assertWork(warm.answer.cause?.id === 'L7.2', 'the dump explains the pod that crashes'),
    assertWork(waiting.answer.cause?.id === 'L6.4', 'the cluster explains the pod that waits'),
    assertWork(crashing.answer.cause?.id === 'L7.2', 'the cluster explains the pod that crashes'),
    assertWork(claim.answer.verdict === 'healthy', 'the claim is healthy'),
    assertWork(pool.answer.verdict === 'healthy', 'the pool is healthy'),
  ],
});

async function ask(reader: ObjectReader, words: string): Promise<Explanation> {
  const subject = parseSubject([words]) as Subject;
  const gathered = await gather(subject, { reader, cloud, planner: cataloguePlanner(world, reader, cloud) });
  if (gathered.state !== 'gathered') throw new Error(gathered.message);
  return explain(gathered.subject, gathered.evidence, cloud);
}

async function timed(work: () => Promise<Explanation>) {
  const startedMs = performance.now();
  const answer = await work();
  return { answer, ms: performance.now() - startedMs };
}

async function dumpBytes(): Promise<Uint8Array> {
  const dump = await makeDump({ reader: dumpReader(wholeDump(clusterOf(1000))), cloud, madeBy: 'bench' });
  return encodeDump(dump, false);
}
