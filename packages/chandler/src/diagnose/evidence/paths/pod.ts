/**
 * Evidence about a pod. On a node: the node, its claim and VM, and why its containers are not ready. Without a node: which
 * pool would take it, and the progress of the claim that it waits for.
 */
import { NODES } from '@chandler/kube';
import { KarpenterLabel, KubernetesLabel, NODE_CLAIMS } from '../../../api/index.ts';
import { isFound, isHeld, isTooYoung, isTrue, podIsWell, type ReadObject } from '../../../causes/index.ts';
import type { ControllerDeployment } from '../../../cloud/index.ts';
import { isOwnedByDaemonSet } from '../../../state/index.ts';

import { claimEvidence } from '../claims.ts';
import { readPodErrors, readPoolErrors } from '../cloud-errors.ts';
import { readController } from '../controller.ts';
import { readCseEvents } from '../cse-events.ts';
import { aboutPod, type ReadEvent, readEvents } from '../events.ts';
import type { GatherContext } from '../gather-context.ts';
import { poolOfName } from '../gone-claim.ts';
import { readNode } from '../nodes.ts';
import { readPlan } from '../plan.ts';
import type { PoolWithClass } from '../plan-input.ts';
import { readPod, readWords } from '../pods.ts';
import { readPool } from '../pools.ts';
import type { PlannedPod } from '../record-plan.ts';
import { type ClaimShape, fullName, type NodeShape, type PodShape, timeMs } from '../shapes.ts';
import { readVolumeHolders } from '../volume-holders.ts';
import { claimOf, nodeOf, owningClaim, readUnregistered } from './claim.ts';
import { followClaims, followClass } from './follow-claims.ts';
import { claimsOfPool, sinceOf, unfinishedClaims } from './pool.ts';
import { poolsWithClasses } from './pools-with-classes.ts';

const MAX_CLAIMS = 10;

export async function gatherPod(context: GatherContext, object: ReadObject): Promise<void> {
  const pod = object as PodShape;
  const evidence = await readPod(context, pod);
  const events = await readEvents(context, aboutPod(pod));
  const controller = await readController(context);
  if (evidence.nodeName !== undefined) {
    if (!podIsWell(context.recorder.evidence())) {
      await readWords(context, pod, evidence);
      await readVolumeHolders(context, pod, events);
    }
    await onNode(context, controller, evidence.nodeName);
  } else if (evidence.phase === 'Pending' && evidence.deletingSinceMs === undefined) {
    if (isTooYoung(evidence, context.recorder.atMs)) return;
    await waiting(context, controller, pod, events, isHeld(evidence));
  }
}

// ---------------------------------------------------------------------------------------------------

async function onNode(
  context: GatherContext,
  controller: ControllerDeployment | undefined,
  nodeName: string,
): Promise<void> {
  const looked = await context.reader.get(NODES, { name: nodeName });
  if (!isFound(looked)) {
    context.recorder.addUnread('node', `Node ${nodeName}`, looked);
    return;
  }
  const node = looked.found as NodeShape;
  const claim = await claimOf(context, node);
  await readNode(context, node, claim?.metadata.name);
  if (claim === undefined) return;
  await followClaims(context, controller, [claim], node);
  await followClass(context, claim);
}

async function waiting(
  context: GatherContext,
  controller: ControllerDeployment | undefined,
  pod: PodShape,
  events: readonly ReadEvent[],
  isHeldBack: boolean,
): Promise<void> {
  // No node is launched for DaemonSet pods; a pending one waits for its own node.
  if (isOwnedByDaemonSet(pod)) return;
  const pools = await poolsWithClasses(context);
  const planned = await readPlan(context, pod, events, pools, (claim) => isUsable(context, claim));
  // What the NodePools launch, and what fails there, is for other pods.
  if (isHeldBack) return followPools(context, controller, pod, { pools: planned.pools, outcome: 'refused' });
  if (planned.claim !== undefined)
    await followNominated(context, controller, pod, planned.claim, pools ?? [], events);
  else {
    await followPools(context, controller, pod, planned);
    const sinceMs = context.recorder.atMs - UNAVAILABLE_MS;
    const late = events.filter(({ lastMs }) => lastMs >= sinceMs);
    if (lacksZone(context)) readPodErrors(context, fullName(pod), late);
  }
}

/** Offerings without capacity are not tried for at most this time. */
const UNAVAILABLE_MS = 3600_000;

/** Where the cloud had no capacity for the pod, the zone is no domain of its spread any more. */
function lacksZone({ recorder }: GatherContext): boolean {
  const refusals = recorder.evidence().first('plan')?.refusals ?? [];
  return refusals.some(
    ({ code, text }) => code === 'TopologyUnsatisfiable' && text.includes(KubernetesLabel.zone),
  );
}

/** The claim has become a node: events of the scheduler say why the pod is not on it. */
async function isUsable(context: GatherContext, name: string): Promise<boolean> {
  const looked = await context.reader.get(NODE_CLAIMS, { name });
  return isFound(looked) && isTrue(claimEvidence(context, looked.found as ClaimShape), 'Initialized');
}

/** The controller has named a claim for it. */
async function followNominated(
  context: GatherContext,
  controller: ControllerDeployment | undefined,
  pod: PodShape,
  claimName: string,
  pools: readonly PoolWithClass[],
  events: readonly ReadEvent[],
): Promise<void> {
  const looked = await context.reader.get(NODE_CLAIMS, { name: claimName });
  if (isFound(looked)) {
    const claim = looked.found as ClaimShape;
    const node = await nodeOf(context, claim);
    await followClaims(context, controller, [claim], node);
    if (node !== undefined) await readNode(context, node, owningClaim(claim, node));
    await followClass(context, claim);
    if (!isTrue(claimEvidence(context, claim), 'Launched')) readPodErrors(context, fullName(pod), events);
    await earlierMachines(context, pod, claim);
    return;
  }
  if (looked.why !== 'notFound') context.recorder.addUnread('nodeClaim', `NodeClaim ${claimName}`, looked);
  // The claim failed and was deleted: its events on the pool remain.
  const name = poolOfName(
    claimName,
    pools.map(({ pool }) => pool.metadata.name),
  );
  const pool = pools.find((each) => each.pool.metadata.name === name)?.pool;
  if (pool !== undefined) await followPools(context, controller, pod, { pools: [pool], outcome: 'newClaim' });
}

/** Claims that failed while this pod was pending: the next one will most likely fail for the same reason, if none has joined since. */
async function earlierMachines(context: GatherContext, pod: PodShape, claim: ClaimShape): Promise<void> {
  const name = claim.metadata.labels?.[KarpenterLabel.nodePool];
  if (name === undefined || isTrue(claimEvidence(context, claim), 'Registered')) return;
  const events = await readEvents(context, { kind: 'NodePool', name });
  const sinceMs = pendingSinceMs(context, pod, await claimsOfPool(context, name));
  await readCseEvents(context, events, { sinceMs });
  readPoolErrors(context, name, events.filter(isLateFailure), { sinceMs });
}

/** The cloud had accepted the launch. What it refuses at once is launched elsewhere the next time. */
function isLateFailure({ reason }: ReadEvent): boolean {
  return reason === 'AsyncProvisioningError';
}

/** Since the pod was created, and since the last VM joined. */
function pendingSinceMs(context: GatherContext, pod: PodShape, claims: readonly ClaimShape[]): number {
  return Math.max(sinceOf(context, claims), timeMs(pod.metadata.creationTimestamp) ?? 0);
}

async function followPools(
  context: GatherContext,
  controller: ControllerDeployment | undefined,
  pod: PodShape,
  { pools, outcome, unready }: PlannedPod,
): Promise<void> {
  if (unready !== undefined) {
    await readNode(context, unready.node, unready.claim.metadata.name);
    await followClaims(context, controller, [unready.claim], unready.node);
  }
  for (const pool of pools) {
    const events = await readPool(context, pool);
    // Where no pool takes the pod, claims for others have nothing to do with it.
    if (outcome === 'refused') continue;
    const name = pool.metadata.name;
    const claims = await claimsOfPool(context, name);
    const unfinished = unfinishedClaims(context, claims);
    await followClaims(context, controller, unfinished.slice(0, MAX_CLAIMS));
    await readUnregistered(context, unfinished);
    const sinceMs = pendingSinceMs(context, pod, claims);
    readPoolErrors(context, name, events, { sinceMs });
    await readCseEvents(context, events, { sinceMs });
  }
}
