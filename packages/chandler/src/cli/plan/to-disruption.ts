/**
 * Turns an inventory into the input of disruption. What only the controller knows is taken from objects or left out: a node
 * with the taint of disrupted nodes is part of a command; nominations follow from the pending pods.
 */
import {
  conditionOf,
  type Deployment,
  type KubeObject,
  type PodDisruptionBudget,
  type ReplicaSet,
  type StatefulSet,
} from '@chandler/kube';
import { type NodeClaim, type NodePool, nodePoolKind, withDefaults } from '../../api/index.ts';
import type { DisruptionInput, DisruptionNode } from '../../disruption/index.ts';
import type { Pod, SchedulingInput } from '../../scheduling/index.ts';
import { isTainted } from '../../state/index.ts';
import type { Catalogues } from '../simulate/catalogues.ts';
import { type Inventory, SELECTING } from '../simulate/inventory.ts';
import { joinedNodes } from '../simulate/nodes.ts';

export function toDisruption(
  inventory: Inventory,
  catalogues: Catalogues,
  scheduling: SchedulingInput,
): DisruptionInput {
  return {
    scheduling,
    nodes: nodesOf(inventory),
    pools: inventory.objects<NodePool>('NodePool').map((pool) => ({
      nodePool: { ...pool, spec: withDefaults(nodePoolKind.spec, pool.spec) },
      instanceTypes: catalogues.nameFor(pool),
    })),
    podDisruptionBudgets: inventory.objects<PodDisruptionBudget>('PodDisruptionBudget'),
    workloads: {
      deployments: workloadsOf<Deployment>(inventory, 'Deployment'),
      replicaSets: workloadsOf<ReplicaSet>(inventory, 'ReplicaSet'),
      statefulSets: workloadsOf<StatefulSet>(inventory, 'StatefulSet'),
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

/** Of files, and of the cluster. */
function workloadsOf<T extends KubeObject>(inventory: Inventory, kind: string): readonly T[] {
  return [...inventory.objects<T>(kind), ...inventory.objects<T>(`${SELECTING}${kind}`)];
}

function nodesOf(inventory: Inventory): DisruptionNode[] {
  const podsOn = Map.groupBy(inventory.objects<Pod>('Pod'), ({ spec }) => spec.nodeName ?? '');
  return joinedNodes(inventory).map((joined): DisruptionNode => {
    const { name, nodePool, labels, registered, initialized, deleting, node, claim } = joined;
    const tainted = isTainted(joined);
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
