/** Evidence about a claim and about a node: they are two views of one machine. */
import type { KubeObject } from '@chandler/kube';
import { NODES } from '@chandler/kube';
import { KarpenterLabel, NODE_CLAIMS, NODE_POOLS } from '../../../api/index.ts';
import { isTrue } from '../../../causes/index.ts';

import { isFound, listOr } from '../../reader/reader.ts';
import type { Ask } from '../ask.ts';
import { machineAt } from '../azure-eye.ts';
import { claimEvidence } from '../claims.ts';
import { readController } from '../controller.ts';
import { claimOfNode, readBudgets, readNode } from '../nodes.ts';
import { readPool } from '../pools.ts';
import type { ClaimShape, NodeShape, PoolShape } from '../shapes.ts';
import { followClaims, followClass, type Way } from './way.ts';

export async function gatherClaim(way: Way, object: KubeObject): Promise<void> {
  const claim = object as ClaimShape;
  await followMachine(way, claim, await nodeOf(way.ask, claim));
}

export async function gatherNode(way: Way, object: KubeObject): Promise<void> {
  const node = object as NodeShape;
  const claim = await claimOf(way.ask, node);
  if (claim !== undefined) {
    await followMachine(way, claim, node);
    return;
  }
  await readNode(way.ask, node, undefined);
  if (node.metadata.deletionTimestamp !== undefined) await readBudgets(way.ask, node.metadata.name ?? '');
}

// ---------------------------------------------------------------------------------------------------

async function followMachine(way: Way, claim: ClaimShape, node: NodeShape | undefined): Promise<void> {
  const { ask } = way;
  const controller = await readController(ask);
  await followClaims(way, controller, [claim]);
  const evidence = claimEvidence(ask, claim);
  // Once a machine is launched, its pool has done its part.
  const pool = isTrue(evidence, 'Launched')
    ? undefined
    : await ask.reader.get(NODE_POOLS, { name: evidence.nodePool });
  if (pool !== undefined && isFound(pool)) await readPool(ask, pool.found as PoolShape);
  else await followClass(way, claim);
  if (node === undefined) return;
  const owns = node.spec?.providerID === claim.status?.providerID;
  await readNode(ask, node, owns ? claim.metadata.name : undefined);
  const leaves =
    claim.metadata.deletionTimestamp !== undefined || node.metadata.deletionTimestamp !== undefined;
  if (leaves) await readBudgets(ask, node.metadata.name ?? '');
}

/** By the name in its status; while it has none, by the name that its machine would give it. */
async function nodeOf({ reader, ledger }: Ask, claim: ClaimShape): Promise<NodeShape | undefined> {
  const name = claim.status?.nodeName || machineAt(claim.status?.providerID ?? '')?.name.toLowerCase();
  if (name === undefined || name === '') return undefined;
  const looked = await reader.get(NODES, { name });
  if (isFound(looked)) return looked.found as NodeShape;
  // That a node is not there yet is no lack of evidence.
  if (looked.why !== 'notFound' || claim.status?.nodeName) ledger.missed('node', `Node ${name}`, looked);
  return undefined;
}

async function claimOf(ask: Ask, node: NodeShape): Promise<ClaimShape | undefined> {
  const { reader, ledger } = ask;
  const owner = claimOfNode(node);
  if (owner !== undefined) {
    const looked = await reader.get(NODE_CLAIMS, { name: owner });
    if (isFound(looked)) return looked.found as ClaimShape;
    ledger.missed('nodeClaim', `NodeClaim ${owner}`, looked);
    return undefined;
  }
  const providerId = node.spec?.providerID ?? '';
  if (providerId === '') return undefined;
  const pool = node.metadata.labels?.[KarpenterLabel.nodePool];
  const claims = listOr(
    await reader.list(NODE_CLAIMS, pool === undefined ? {} : { labels: { [KarpenterLabel.nodePool]: pool } }),
    (unseen) => ledger.missed('nodeClaim', 'NodeClaims', unseen),
  ) as readonly ClaimShape[];
  return claims.find(({ status }) => status?.providerID === providerId);
}

export { claimOf };
