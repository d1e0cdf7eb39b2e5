/**
 * Nodes and NodeClaims, each machine once, as input of the planner. A machine counts as in the controller (`state/`); only
 * what manifests leave out is added. Nodes that are being deleted are returned apart, because their pods must be
 * scheduled again.
 */
import type { Node, Stored, Taint } from '@chandler/kube';
import { type NodeClaim, sameTaint } from '../../api/index.ts';
import type { ExistingNode } from '../../scheduling/index.ts';
import { type ClusterNode, conditionOf, existingNode, isTainted, joinNodes } from '../../state/index.ts';

import type { Inventory } from './inventory.ts';

export interface ReadNodes {
  readonly nodes: readonly ExistingNode[];
  /** Those that are being deleted. */
  readonly leaving: readonly ExistingNode[];
}

export function readNodes(inventory: Inventory): ReadNodes {
  const nodes: ExistingNode[] = [];
  const leaving: ExistingNode[] = [];
  for (const joined of joinedNodes(inventory)) {
    if (joined.deleting || isTainted(joined)) {
      if (joined.node !== undefined) leaving.push(asInput(joined));
    } else if (!hasLost(joined)) nodes.push(asInput(joined));
  }
  return { nodes, leaving };
}

/** Every Node with its claim, then the claims without a Node. */
export function joinedNodes(inventory: Inventory): readonly ClusterNode[] {
  return joinNodes(
    inventory.objects<Stored<Node>>('Node').map(completed),
    inventory.objects<Stored<NodeClaim>>('NodeClaim'),
  );
}

// ---------------------------------------------------------------------------------------------------------------

const CORDONED: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
/** The default maximum of pods of a kubelet, for manifests without the field. */
const DEFAULT_PODS = '110';

/** A claim whose registered Node is gone has no capacity: the Node may never return. */
function hasLost({ node, claim }: ClusterNode): boolean {
  return node === undefined && claim !== undefined && conditionOf(claim, 'Registered')?.status === 'True';
}

/** A Node without its claim, as manifests have it, counts as one that is ready. */
function asInput(joined: ClusterNode): ExistingNode {
  if (joined.claim !== undefined) return existingNode(joined);
  const { managed: _, initialized: __, startupTaints: ___, ...ready } = existingNode(joined);
  return ready;
}

/** With what a cluster would have added to a manifest. */
function completed(node: Stored<Node>): Stored<Node> {
  const taints = node.spec?.taints ?? [];
  const cordoned = node.spec?.unschedulable === true && !taints.some((taint) => sameTaint(taint, CORDONED));
  return {
    ...node,
    spec: { ...node.spec, taints: cordoned ? [...taints, CORDONED] : taints },
    status: {
      ...node.status,
      allocatable: { pods: DEFAULT_PODS, ...(node.status?.allocatable ?? node.status?.capacity) },
    },
  };
}
