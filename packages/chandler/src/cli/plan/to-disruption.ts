/**
 * Turns an inventory into the input of disruption. What only the controller knows is taken from objects or left out: a node
 * with the taint of disrupted nodes is part of a command; nominations follow from the pending pods.
 */
import {
  conditionOf,
  isTerminal,
  isTerminating,
  type Node,
  type PodDisruptionBudget,
  type Stored,
} from '@chandler/kube';
import {
  DISRUPTED_TAINT,
  type NodeClaim,
  type NodePool,
  nodePoolKind,
  sameTaint,
  withDefaults,
} from '../../api/index.ts';
import type { DisruptionInput, DisruptionNode } from '../../disruption/index.ts';
import type { Pod, SchedulingInput } from '../../scheduling/index.ts';
import { joinNode } from '../../state/index.ts';
import type { Catalogues } from '../simulate/catalogues.ts';
import type { Inventory } from '../simulate/inventory.ts';

export function toDisruption(
  inventory: Inventory,
  catalogues: Catalogues,
  scheduling: SchedulingInput,
): DisruptionInput {
  return {
    scheduling: {
      ...scheduling,
      boundPods: [...(scheduling.boundPods ?? []), ...terminatingPods(inventory)],
    },
    nodes: nodesOf(inventory),
    pools: inventory.objects<NodePool>('NodePool').map((pool) => ({
      nodePool: { ...pool, spec: withDefaults(nodePoolKind.spec, pool.spec) },
      instanceTypes: catalogues.nameFor(pool),
    })),
    podDisruptionBudgets: inventory.objects<PodDisruptionBudget>('PodDisruptionBudget'),
  };
}

// ---------------------------------------------------------------------------------------------------------------

/** They use their node until they are gone, so no pod can move there; a simulation of new pods ignores them. */
function terminatingPods(inventory: Inventory): Pod[] {
  return inventory
    .objects<Pod>('Pod')
    .filter((pod) => pod.spec.nodeName !== undefined && isTerminating(pod) && !isTerminal(pod));
}

function nodesOf(inventory: Inventory): DisruptionNode[] {
  const claims = inventory.objects<Stored<NodeClaim>>('NodeClaim');
  const claimOf = new Map(claims.map((claim) => [claim.status?.nodeName ?? '', claim]));
  const nodes = inventory.objects<Stored<Node>>('Node');
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  const podsOn = Map.groupBy(inventory.objects<Pod>('Pod'), ({ spec }) => spec.nodeName ?? '');
  const waiting = claims.filter(({ status }) => !names.has(status?.nodeName ?? ''));
  return [
    ...nodes.map((node) => ({ node, claim: claimOf.get(node.metadata.name) })),
    ...waiting.map((claim) => ({ node: undefined, claim })),
  ].map(({ node, claim }): DisruptionNode => {
    const { name, nodePool, labels, registered, initialized, deleting } = joinNode(node, claim);
    const tainted = (node?.spec?.taints ?? []).some((taint) => sameTaint(taint, DISRUPTED_TAINT));
    return {
      name,
      nodePool,
      labels,
      registered,
      initialized,
      deleting,
      pods: podsOn.get(name) ?? [],
      ...(node === undefined ? {} : { node }),
      ...(claim === undefined ? {} : { claim }),
      ...(tainted && !deleting ? { command: commandOf(claim) } : {}),
    };
  });
}

/** Its key is not known; its reason is, if the claim has the condition. */
function commandOf(claim: NodeClaim | undefined): string {
  const reason = claim === undefined ? undefined : conditionOf(claim, 'DisruptionReason')?.reason;
  return `of reason ${reason ?? 'unknown'}`;
}
