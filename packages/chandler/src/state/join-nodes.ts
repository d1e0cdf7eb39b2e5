/** Nodes and their NodeClaims, each machine once, for those who have all of them at hand. `Cluster` joins one by one. */
import type { Node, Stored } from '@chandler/kube';
import { DISRUPTED_TAINT, type NodeClaim, sameTaint } from '../api/index.ts';
import { type ClusterNode, joinNode } from './cluster-node.ts';

/** Every Node with its claim, then the claims without a Node. */
export function joinNodes(
  nodes: readonly Stored<Node>[],
  claims: readonly Stored<NodeClaim>[],
): readonly ClusterNode[] {
  const byId = new Map(claims.flatMap((claim) => keyed(claim.status?.providerID, claim)));
  const byName = new Map(claims.flatMap((claim) => keyed(claim.status?.nodeName, claim)));
  const joined = new Set<NodeClaim>();
  const withClaims = nodes.map((node) => {
    // A Node may register before its claim has its name, and a manifest may lack the providerID.
    const claim = byId.get(node.spec?.providerID ?? '') ?? byName.get(node.metadata.name);
    if (claim === undefined || joined.has(claim)) return joinNode(node, undefined);
    joined.add(claim);
    return joinNode(node, claim);
  });
  const alone = claims.filter((claim) => !joined.has(claim)).map((claim) => joinNode(undefined, claim));
  return [...withClaims, ...alone];
}

/** It has the taint of a disruption. */
export function isTainted({ node }: Pick<ClusterNode, 'node'>): boolean {
  return (node?.spec?.taints ?? []).some((taint) => sameTaint(taint, DISRUPTED_TAINT));
}

// ---------------------------------------------------------------------------------------------------

function keyed<T>(key: string | undefined, value: T): [string, T][] {
  return key === undefined || key === '' ? [] : [[key, value]];
}
