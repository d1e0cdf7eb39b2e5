/**
 * A Node and its NodeClaim as one: values that one of them lacks come from the other. It computes what scheduling
 * reads; disruption is decided elsewhere.
 */
import type { Node, Stored, Taint } from '@chandler/kube';
import {
  KarpenterLabel,
  KubernetesLabel,
  type NodeClaim,
  REBOOTING_TAINT,
  type ResourceList,
  sameTaint,
} from '../api/index.ts';
import type { ExistingNode } from '../scheduling/index.ts';

import { conditionOf, failedToBootstrap } from './objects.ts';

export interface ClusterNode {
  /** The providerID; without one the name of the claim, or of an unmanaged Node. */
  readonly key: string;
  readonly node?: Stored<Node>;
  readonly claim?: Stored<NodeClaim>;
  /** The name of the Node, or of the claim while there is no Node. */
  readonly name: string;
  readonly nodePool: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
  /** The cloud has accepted the instance. True for unmanaged nodes. */
  readonly launched: boolean;
  readonly registered: boolean;
  readonly initialized: boolean;
  /** It is being deleted: its pods are rescheduled and it gets no new ones. */
  readonly deleting: boolean;
}

export function joinNode(node: Stored<Node> | undefined, claim: Stored<NodeClaim> | undefined): ClusterNode {
  const nodeLabels = node?.metadata.labels ?? {};
  const nodePool = claim?.metadata.labels?.[KarpenterLabel.nodePool] ?? nodeLabels[KarpenterLabel.nodePool];
  const managed = claim !== undefined || nodePool !== undefined;
  const registered =
    !managed ||
    (node !== undefined &&
      (claim === undefined ? KarpenterLabel.registered in nodeLabels : isTrue(claim, 'Registered')));
  const initialized =
    !managed ||
    (registered &&
      (claim === undefined ? KarpenterLabel.initialized in nodeLabels : isTrue(claim, 'Initialized')));
  return {
    key:
      claim?.status?.providerID ||
      node?.spec?.providerID ||
      claim?.metadata.name ||
      node?.metadata.name ||
      '',
    ...(node === undefined ? {} : { node }),
    ...(claim === undefined ? {} : { claim }),
    name: node?.metadata.name ?? claim?.metadata.name ?? '',
    nodePool,
    labels: labelsOf(node, claim, registered),
    taints: taintsOf(node, claim, { registered, initialized }),
    ...resourcesOf(node, claim, initialized),
    launched: claim === undefined || (claim.status?.providerID ?? '') !== '',
    registered,
    initialized,
    deleting: isDeleting(node, claim),
  };
}

/** The node as input of the scheduler. The same node gives the same object, so that a planner knows it again. */
export function existingNode(node: ClusterNode): ExistingNode {
  let existing = existingNodes.get(node);
  if (existing === undefined) {
    existing = toExistingNode(node);
    existingNodes.set(node, existing);
  }
  return existing;
}

const existingNodes = new WeakMap<ClusterNode, ExistingNode>();

function toExistingNode(node: ClusterNode): ExistingNode {
  return {
    name: node.name,
    labels: node.labels,
    taints: node.taints,
    allocatable: node.allocatable,
    capacity: node.capacity,
    managed: node.claim !== undefined || node.nodePool !== undefined,
    initialized: node.initialized,
    startupTaints: node.claim?.spec.startupTaints ?? [],
  };
}

// ---------------------------------------------------------------------------------------------------

function isTrue(claim: NodeClaim, type: string): boolean {
  return conditionOf(claim, type)?.status === 'True';
}

/** Before registration the Node may lack labels and taints, so the claim's are used. */
function labelsOf(
  node: Stored<Node> | undefined,
  claim: NodeClaim | undefined,
  registered: boolean,
): Readonly<Record<string, string>> {
  const own = node?.metadata.labels ?? {};
  // Nearly always: then nothing more is kept of the node.
  if ((claim === undefined || registered) && KubernetesLabel.hostname in own) return own;
  const hostname = { [KubernetesLabel.hostname]: node?.metadata.name ?? claim?.metadata.name ?? '' };
  if (claim === undefined || registered) return { ...hostname, ...own };
  return { ...hostname, ...own, ...singleValues(claim), ...(claim.metadata.labels ?? {}) };
}

/** Requirements with a single value become labels of the future node. */
function singleValues(claim: NodeClaim): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const { key, operator, values = [] } of claim.spec.requirements) {
    if (operator === 'In' && values.length === 1) labels[key] = values[0]!;
  }
  return labels;
}

function taintsOf(
  node: Stored<Node> | undefined,
  claim: NodeClaim | undefined,
  { registered, initialized }: Pick<ClusterNode, 'registered' | 'initialized'>,
): readonly Taint[] {
  if (node !== undefined && (claim === undefined || registered)) {
    const taints = node.spec?.taints ?? [];
    // A node that reboots comes back: no other is launched for the pods that wait for it.
    const returns = claim !== undefined && (isTrue(claim, 'Rebooting') || !initialized);
    return returns ? taints.filter((taint) => !sameTaint(taint, REBOOTING_TAINT)) : taints;
  }
  return [...(claim?.spec.taints ?? []), ...(claim?.spec.startupTaints ?? [])];
}

/**
 * A kubelet that has just started may not report all resources (no GPUs yet), so until initialization missing ones are
 * taken from the claim. A claim without an instance has exactly the capacity that its pods request.
 */
function resourcesOf(
  node: Stored<Node> | undefined,
  claim: NodeClaim | undefined,
  initialized: boolean,
): Pick<ClusterNode, 'capacity' | 'allocatable'> {
  const capacity = node?.status?.capacity ?? {};
  const allocatable = node?.status?.allocatable ?? {};
  if (claim === undefined || initialized) return { capacity, allocatable };
  const requested = claim.spec.resources?.requests ?? {};
  return {
    capacity: completed(capacity, claim.status?.capacity ?? requested),
    allocatable: completed(allocatable, claim.status?.allocatable ?? requested),
  };
}

function completed(reported: ResourceList, expected: ResourceList): ResourceList {
  const all: Record<string, ResourceList[string]> = { ...reported };
  for (const [name, amount] of Object.entries(expected)) {
    if (all[name] === undefined || String(all[name]) === '0') all[name] = amount;
  }
  return all;
}

/** A deleted Node counts for its claim too: the termination controller deletes the claim. */
function isDeleting(node: Stored<Node> | undefined, claim: NodeClaim | undefined): boolean {
  if (claim !== undefined)
    return (
      claim.metadata.deletionTimestamp !== undefined ||
      isTrue(claim, 'InstanceTerminating') ||
      failedToBootstrap(claim)
    );
  return node?.metadata.deletionTimestamp !== undefined;
}
