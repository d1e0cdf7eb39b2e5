/**
 * The usage of a pool, for its limits. A claim without an instance counts as the largest type it may become, so that
 * the limit holds whatever the cloud launches. Nodes that are being deleted do not count: their pods must be
 * rescheduled first.
 */
import { parseQuantity, Quantity } from '@chandler/kube';
import { KubernetesLabel, type NodeClaim, type ResourceList } from '../../api/index.ts';
import type { InstanceType } from '../../scheduling/index.ts';
import type { Cluster, ClusterNode } from '../../state/index.ts';

export function usedBy(
  nodePool: string,
  cluster: Cluster,
  instanceTypes: readonly InstanceType[],
  /** Names of claims that do not count. */
  except: ReadonlySet<string> = new Set(),
): ResourceList {
  const sums = new Map<string, Quantity>();
  const add = (resource: string, amount: string | number) =>
    sums.set(resource, (sums.get(resource) ?? Quantity.zero).add(parseQuantity(amount)));
  for (const node of cluster.nodes()) {
    if (node.nodePool !== nodePool || cluster.isMarkedForDeletion(node)) continue;
    if (node.claim !== undefined && except.has(node.claim.metadata.name)) continue;
    add('nodes', 1);
    for (const [resource, amount] of Object.entries(capacityOf(node, instanceTypes))) add(resource, amount);
  }
  return Object.fromEntries([...sums].map(([resource, sum]) => [resource, sum.toString()]));
}

// ---------------------------------------------------------------------------------------------------

function capacityOf(node: ClusterNode, instanceTypes: readonly InstanceType[]): ResourceList {
  if (node.launched || node.claim === undefined) return node.capacity;
  return largestOf(node.claim, instanceTypes) ?? node.capacity;
}

/** The most that a claim without an instance may take of each resource. */
export function largestOf(
  claim: NodeClaim,
  instanceTypes: readonly InstanceType[],
): ResourceList | undefined {
  const names = new Set(
    claim.spec.requirements.find(
      ({ key, operator }) => key === KubernetesLabel.instanceType && operator === 'In',
    )?.values ?? [],
  );
  const most = new Map<string, Quantity>();
  for (const { name, capacity } of instanceTypes) {
    if (!names.has(name)) continue;
    for (const [resource, amount] of Object.entries(capacity)) {
      const quantity = parseQuantity(amount);
      if ((most.get(resource) ?? Quantity.zero).compare(quantity) < 0) most.set(resource, quantity);
    }
  }
  if (most.size === 0) return undefined;
  return Object.fromEntries([...most].map(([resource, quantity]) => [resource, quantity.toString()]));
}
