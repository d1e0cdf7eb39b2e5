/**
 * Evidence about a pod. On a node: the node, its claim and machine, and why its containers are not well. Without one: who
 * would take it, and how far the claim has come that it waits for.
 */
import type { KubeObject } from '@chandler/kube';
import { NODES } from '@chandler/kube';
import { KarpenterLabel, NODE_CLAIMS, NODE_POOLS } from '../../../api/index.ts';
import { isTrue, podIsWell } from '../../../causes/index.ts';
import { isOwnedByDaemonSet } from '../../../state/index.ts';

import { isFound } from '../../reader/reader.ts';
import type { Ask } from '../ask.ts';
import { claimEvidence } from '../claims.ts';
import { readPoolErrors } from '../cloud-errors.ts';
import { readController, type SeenController } from '../controller.ts';
import { readCseEvents } from '../cse-events.ts';
import { type ReadEvent, readEvents } from '../events.ts';
import { poolOfName } from '../gone-claim.ts';
import { readNode } from '../nodes.ts';
import { type PlannedPod, type PoolWithClass, readPlan } from '../plan.ts';
import { readPod, readWords } from '../pods.ts';
import { readPool } from '../pools.ts';
import { type ClaimShape, type NodeShape, type PodShape, type PoolShape, timeMs } from '../shapes.ts';
import { claimOf } from './claim-way.ts';
import { claimsOfPool, sinceOf, troubled } from './pool-way.ts';
import { followClaims, followClass, lookAtClass, type Way } from './way.ts';

const MOST_CLAIMS = 10;

export async function gatherPod(way: Way, object: KubeObject): Promise<void> {
  const pod = object as PodShape;
  const { ask } = way;
  const evidence = await readPod(ask, pod);
  const { name = '', namespace, uid } = pod.metadata;
  const events = await readEvents(ask, { kind: 'Pod', name, namespace, uid });
  const controller = await readController(ask);
  if (evidence.nodeName !== undefined) {
    if (!podIsWell(ask.ledger.evidence())) await readWords(ask, pod, evidence);
    await onNode(way, controller, evidence.nodeName);
  } else if (evidence.phase === 'Pending' && evidence.deletingSinceMs === undefined) {
    await waiting(way, controller, pod, events);
  }
}

// ---------------------------------------------------------------------------------------------------

async function onNode(way: Way, controller: SeenController | undefined, nodeName: string): Promise<void> {
  const { ask } = way;
  const looked = await ask.reader.get(NODES, { name: nodeName });
  if (!isFound(looked)) {
    ask.ledger.missed('node', `Node ${nodeName}`, looked);
    return;
  }
  const node = looked.found as NodeShape;
  const claim = await claimOf(ask, node);
  await readNode(ask, node, claim?.metadata.name);
  if (claim === undefined) return;
  await followClaims(way, controller, [claim]);
  await followClass(way, claim);
}

async function waiting(
  way: Way,
  controller: SeenController | undefined,
  pod: PodShape,
  events: readonly ReadEvent[],
): Promise<void> {
  const { ask } = way;
  // Nobody buys nodes for daemons; those that wait, wait for their own node.
  if (isOwnedByDaemonSet(pod)) return;
  const pools = await poolsWithClasses(ask);
  const planned = await readPlan(ask, pod, events, pools, (claim) => isUsable(ask, claim));
  if (planned.claim !== undefined) await promised(way, controller, pod, planned.claim, pools ?? []);
  else await followPools(way, controller, pod, planned);
}

/** Undefined: they may not be read, which is not the same as none. */
async function poolsWithClasses(ask: Ask): Promise<readonly PoolWithClass[] | undefined> {
  const looked = await ask.reader.list(NODE_POOLS);
  if (!isFound(looked)) {
    ask.ledger.missed('nodePool', 'NodePools', looked);
    return undefined;
  }
  const pools = looked.found as readonly PoolShape[];
  return Promise.all(
    pools.map(async (pool) => ({
      pool,
      nodeClass: await lookAtClass(ask, pool.spec.template.spec.nodeClassRef),
    })),
  );
}

/** The claim is a node by now: why the pod is not on it, the scheduler says. */
async function isUsable(ask: Ask, name: string): Promise<boolean> {
  const looked = await ask.reader.get(NODE_CLAIMS, { name });
  return isFound(looked) && isTrue(claimEvidence(ask, looked.found as ClaimShape), 'Initialized');
}

/** The controller has named a claim for it. */
async function promised(
  way: Way,
  controller: SeenController | undefined,
  pod: PodShape,
  claimName: string,
  pools: readonly PoolWithClass[],
): Promise<void> {
  const { ask } = way;
  const looked = await ask.reader.get(NODE_CLAIMS, { name: claimName });
  if (isFound(looked)) {
    const claim = looked.found as ClaimShape;
    await followClaims(way, controller, [claim]);
    await followNode(ask, claim);
    await followClass(way, claim);
    await earlierMachines(ask, pod, claim);
    return;
  }
  // It failed and went: what is left of it stands on its pool.
  const name = poolOfName(
    claimName,
    pools.map(({ pool }) => pool.metadata.name ?? ''),
  );
  const pool = pools.find((each) => each.pool.metadata.name === name)?.pool;
  if (pool !== undefined) await followPools(way, controller, pod, { pools: [pool], outcome: 'newClaim' });
}

/** Machines that came to nothing while this pod waited: the next will most likely fail alike. */
async function earlierMachines(ask: Ask, pod: PodShape, claim: ClaimShape): Promise<void> {
  const name = claim.metadata.labels?.[KarpenterLabel.nodePool];
  if (name === undefined || isTrue(claimEvidence(ask, claim), 'Registered')) return;
  const events = await readEvents(ask, { kind: 'NodePool', name });
  await readCseEvents(ask, events, timeMs(pod.metadata.creationTimestamp) ?? 0);
}

async function followNode(ask: Ask, claim: ClaimShape): Promise<void> {
  const name = claim.status?.nodeName;
  if (!name) return;
  const looked = await ask.reader.get(NODES, { name });
  if (isFound(looked)) await readNode(ask, looked.found as NodeShape, claim.metadata.name);
}

async function followPools(
  way: Way,
  controller: SeenController | undefined,
  pod: PodShape,
  { pools, outcome }: PlannedPod,
): Promise<void> {
  const { ask } = way;
  for (const pool of pools) {
    const events = await readPool(ask, pool);
    // Where no pool takes the pod, claims for others have nothing to do with it.
    if (outcome === 'refused') continue;
    const name = pool.metadata.name ?? '';
    const claims = await claimsOfPool(ask, name);
    await followClaims(way, controller, troubled(ask, claims).slice(0, MOST_CLAIMS));
    const since = Math.max(sinceOf(ask, claims), timeMs(pod.metadata.creationTimestamp) ?? 0);
    readPoolErrors(ask, name, events, since);
    await readCseEvents(ask, events, since);
  }
}
