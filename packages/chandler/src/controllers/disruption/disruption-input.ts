/**
 * The snapshot for disruption: what provisioning plans with, and every node with its pods. Commands that wait or have just
 * started count as done: their pods are where the command puts them, so that no further command relies on their nodes.
 */
import type { Pod, Stored } from '@chandler/kube';
import { isCloudError } from '../../cloud/index.ts';
import {
  type Command,
  type DisruptionNode,
  isReschedulable,
  type PlanInput,
  staysUntilForced,
} from '../../disruption/index.ts';
import type { Pod as PlannerPod } from '../../scheduling/index.ts';
import { byKey, type ClusterNode, leavingFrom } from '../../state/index.ts';
import type { ControllerContext } from '../context.ts';
import { typesWithOverlays } from '../overlays/overlays-in-force.ts';
import type { Pool } from '../pools/pool-store.ts';
import { type PoolToPlan, planningInput, podsToPlan, poolsToPlan } from '../provisioning/planning.ts';
import { usageOf } from '../provisioning/pool-usage.ts';
import { workloadsOf } from './workloads.ts';

/** What is read from the cloud, before the rest of the snapshot is taken at one moment. */
export interface PoolsOfPass {
  /** Those that may launch nodes now. */
  readonly launching: readonly PoolToPlan[];
  /** All of our cloud; without instance types where the cloud does not tell them. */
  readonly all: readonly PoolToPlan[];
}

export async function poolsOfPass(context: ControllerContext, signal: AbortSignal): Promise<PoolsOfPass> {
  const { pools: launching } = await poolsToPlan(context, signal);
  const known = new Map(launching.map((pool) => [pool.nodePool.metadata.name, pool]));
  const all: PoolToPlan[] = [];
  for (const pool of ourPools(context))
    all.push(known.get(pool.metadata.name) ?? (await poolInput(context, pool, signal)));
  return { launching, all };
}

/** Of our cloud, in the order of their names. */
export function ourPools({ stores }: ControllerContext): readonly Pool[] {
  return [...stores.pools.store.values()]
    .filter(({ spec }) => stores.runs(spec.template.spec.nodeClassRef))
    .sort(byKey);
}

/** The command that a claim is part of. */
export type CommandOf = (claim: string) => string | undefined;

export function disruptionNodes(context: ControllerContext, commandOf: CommandOf): readonly DisruptionNode[] {
  return [...context.cluster.nodes()].map((node) => disruptionNode(context, node, commandOf));
}

/**
 * @param commandOf the command that a claim is part of: in execution, or waiting for its validation.
 * @param given commands of which it is known where their pods go.
 */
export function disruptionInput(
  context: ControllerContext,
  { launching, all }: PoolsOfPass,
  commandOf: CommandOf,
  given: readonly Command[] = [],
): PlanInput {
  const { cluster, stores, world } = context;
  const joined = [...cluster.nodes()];
  // Marked nodes are gone for the planner, and their pods are pending or have a reservation. The same for a node that is
  // gone before its replacement is ready: the replacement is in the cluster.
  const commands = given.filter(({ candidates }) =>
    candidates.every(({ claim }) => {
      const node = cluster.nodeOfClaim(claim);
      return node !== undefined && !cluster.isMarkedForDeletion(node);
    }),
  );
  const known = new Set(commands.flatMap(({ candidates }) => candidates.map(({ claim }) => claim)));
  const removed = joined.filter(
    (node) =>
      node.claim !== undefined &&
      commandOf(node.claim.metadata.name) !== undefined &&
      !known.has(node.claim.metadata.name) &&
      !cluster.isMarkedForDeletion(node),
  );
  const names = new Set(removed.map(({ name }) => name));
  const nowMs = world.clock.now();
  const moves = (pod: PlannerPod) =>
    isReschedulable(pod) &&
    !staysUntilForced(pod, nowMs, stores.budgets.store.values(pod.metadata.namespace));
  const moving = removed.flatMap((node) => cluster.podsOn(node).filter((pod) => moves(pod as PlannerPod)));
  const pods = [...podsToPlan(context).pods, ...moving.map(unbound)].sort(byKey);
  const scheduling = planningInput(context, launching, pods);
  const workloads = workloadsOf(stores);
  const { nodes = [], boundPods = [] } = scheduling;
  return {
    scheduling: {
      ...scheduling,
      ...leavingFrom(cluster, (node) => names.has(node.name) || cluster.isMarkedForDeletion(node)),
      nodes: names.size === 0 ? nodes : nodes.filter(({ name }) => !names.has(name)),
      boundPods:
        names.size === 0 ? boundPods : boundPods.filter(({ spec }) => !names.has(spec.nodeName ?? '')),
    },
    nodes: disruptionNodes(context, commandOf),
    pools: all,
    podDisruptionBudgets: [...stores.budgets.store.values()].sort(byKey),
    ...(workloads === undefined ? {} : { workloads }),
    commands,
  };
}

/** Whether we may disrupt it: another controller or another provider may own it. */
export function isOurs(
  { stores, cloud }: ControllerContext,
  claim: NonNullable<ClusterNode['claim']>,
): boolean {
  return stores.runs(claim.spec.nodeClassRef) && !cloud.ownership.isManagedElsewhere(claim);
}

// ---------------------------------------------------------------------------------------------------

function disruptionNode(
  context: ControllerContext,
  joined: ClusterNode,
  commandOf: CommandOf,
): DisruptionNode {
  const { cluster } = context;
  const { claim, node, name, nodePool, labels, registered, initialized } = joined;
  const ours = claim !== undefined && isOurs(context, claim) ? claim : undefined;
  const command = ours === undefined ? undefined : commandOf(ours.metadata.name);
  return {
    name,
    nodePool,
    labels,
    registered,
    initialized,
    deleting: cluster.isMarkedForDeletion(joined) || node?.metadata.deletionTimestamp !== undefined,
    nominated: cluster.isNominated(joined),
    pods: cluster.podsOn(joined) as readonly PlannerPod[],
    ...(node === undefined ? {} : { node }),
    ...(ours === undefined ? {} : { claim: ours }),
    ...(command === undefined ? {} : { command }),
  };
}

/** Pools that launch nothing now still have budgets, and their nodes a price. */
async function poolInput(
  context: ControllerContext,
  nodePool: Pool,
  signal: AbortSignal,
): Promise<PoolToPlan> {
  const { cloud, cluster, stores } = context;
  const nodeClass = stores.nodeClass(nodePool.spec.template.spec.nodeClassRef);
  if (nodeClass === undefined) return { nodePool, instanceTypes: [] };
  try {
    const instanceTypes = await cloud.instanceTypes({ nodePool, nodeClass }, signal);
    const types = typesWithOverlays(context, nodePool, instanceTypes);
    return { nodePool, instanceTypes, ...usageOf(nodePool, cluster, types) };
  } catch (error) {
    signal.throwIfAborted();
    if (!isCloudError(error)) throw error;
    return { nodePool, instanceTypes: [] };
  }
}

function unbound(pod: Stored<Pod>): Stored<Pod> {
  const { nodeName: _, ...spec } = pod.spec;
  return { ...pod, spec };
}
