/** Evidence about a claim and about a node: they are two views of one VM. */
import { NODES } from '@chandler/kube';
import { KarpenterLabel, NODE_CLAIMS, NODE_POOLS } from '../../../api/index.ts';
import { isFound, isTrue, listOr, type ReadObject, wholeFailure } from '../../../causes/index.ts';

import { oldestFirst } from '../claim-order.ts';
import { claimEvidence } from '../claims.ts';
import { readController } from '../controller.ts';
import { readEventsOf } from '../events.ts';
import type { GatherContext } from '../gather-context.ts';
import { claimOfNode, readBudgets, readNode } from '../nodes.ts';
import { readPool } from '../pools.ts';
import type { ClaimShape, NodeShape, PoolShape } from '../shapes.ts';
import { followClaims, followClass, isJoining } from './follow-claims.ts';

export async function gatherClaim(context: GatherContext, object: ReadObject): Promise<void> {
  const claim = object as ClaimShape;
  await followMachine(context, claim, await nodeOf(context, claim));
}

export async function gatherNode(context: GatherContext, object: ReadObject): Promise<void> {
  const node = object as NodeShape;
  const claim = await claimOf(context, node);
  if (claim !== undefined) {
    await followMachine(context, claim, node);
    return;
  }
  await readNode(context, node, undefined);
  if (node.metadata.deletionTimestamp !== undefined) await readBudgets(context, node.metadata.name);
}

/** The name of the claim, if the node is of its VM. */
export function owningClaim(claim: ClaimShape, node: NodeShape): string | undefined {
  return node.spec?.providerID === claim.status?.providerID ? claim.metadata.name : undefined;
}

/** By the name in its status; while it has none, by the name of its VM. */
export async function nodeOf(
  { reader, recorder }: GatherContext,
  claim: ClaimShape,
): Promise<NodeShape | undefined> {
  const name = claim.status?.nodeName || instanceOf(claim.status?.providerID);
  if (name === undefined || name === '') return undefined;
  const looked = await reader.get(NODES, { name });
  if (isFound(looked)) return looked.found as NodeShape;
  // That a node is not there yet is no lack of evidence.
  if (looked.why !== 'notFound' || claim.status?.nodeName) recorder.addUnread('node', `Node ${name}`, looked);
  return undefined;
}

/** Nodes of claims that are joining, where another provider ID, or none, keeps these from being registered: of the oldest. */
export async function readUnregistered(context: GatherContext, claims: readonly ClaimShape[]): Promise<void> {
  const joining = claims.filter((claim) => isJoining(claimEvidence(context, claim)));
  for (const claim of oldestFirst(joining).slice(0, MAX_JOINING)) {
    const node = await nodeOf(context, claim);
    if (node !== undefined && owningClaim(claim, node) === undefined)
      await readNode(context, node, undefined);
  }
}

// ---------------------------------------------------------------------------------------------------

/** Each is a request. */
const MAX_JOINING = 3;

async function followMachine(
  context: GatherContext,
  claim: ClaimShape,
  node: NodeShape | undefined,
): Promise<void> {
  const controller = await readController(context);
  await followClaims(context, controller, [claim], node);
  const evidence = claimEvidence(context, claim);
  // Once a VM is launched, the NodePool no longer matters.
  const pool = isTrue(evidence, 'Launched') ? undefined : await poolOf(context, evidence.nodePool);
  if (pool !== undefined) await readPool(context, pool);
  else await followClass(context, claim);
  // Budgets that keep it are told on the NodePool.
  if (isTrue(evidence, 'Initialized') && evidence.nodePool !== '')
    await readEventsOf(context, { kind: 'NodePool', name: evidence.nodePool }, 'DisruptionBlocked');
  if (node === undefined) return;
  await readNode(context, node, owningClaim(claim, node));
  const leaves =
    claim.metadata.deletionTimestamp !== undefined || node.metadata.deletionTimestamp !== undefined;
  if (leaves) await readBudgets(context, node.metadata.name);
}

/** A claim that somebody created by hand has none. */
async function poolOf({ reader, recorder }: GatherContext, name: string): Promise<PoolShape | undefined> {
  if (name === '') return undefined;
  const looked = await reader.get(NODE_POOLS, { name });
  if (isFound(looked)) return looked.found as PoolShape;
  recorder.addUnread('nodePool', `NodePool ${name}`, looked);
  return undefined;
}

/** The instance gives the Node its name. */
function instanceOf(providerId: string | undefined): string | undefined {
  return providerId?.split('/').at(-1)?.toLowerCase();
}

async function claimOf(context: GatherContext, node: NodeShape): Promise<ClaimShape | undefined> {
  const { reader, recorder } = context;
  const owner = claimOfNode(node);
  if (owner !== undefined) {
    const looked = await reader.get(NODE_CLAIMS, { name: owner });
    if (isFound(looked)) return looked.found as ClaimShape;
    recorder.addUnread('nodeClaim', `NodeClaim ${owner}`, looked);
    return undefined;
  }
  const providerId = node.spec?.providerID ?? '';
  const pool = node.metadata.labels?.[KarpenterLabel.nodePool];
  const looked = await reader.list(
    NODE_CLAIMS,
    pool === undefined ? {} : { labels: { [KarpenterLabel.nodePool]: pool } },
  );
  const claims = listOr(looked) as readonly ClaimShape[];
  // A kubelet may register its Node before the cloud controller manager sets the ID.
  const claim = claims.find(({ status }) =>
    providerId === ''
      ? instanceOf(status?.providerID) === node.metadata.name
      : status?.providerID === providerId,
  );
  const failure = wholeFailure(looked);
  if (claim === undefined && failure !== undefined) recorder.addUnread('nodeClaim', 'NodeClaims', failure);
  return claim;
}

export { claimOf };
