/**
 * The input of one plan: the pods, the pools with their instance types, and the cluster state. Pools that cannot be
 * used now are excluded with a reason.
 */
import type { Pod, Stored } from '@chandler/kube';
import type { NodePool } from '../../api/index.ts';
import { isCloudError } from '../../cloud/index.ts';
import { isReschedulable, staysUntilForced } from '../../disruption/index.ts';
import {
  type Pod as PlannerPod,
  type PoolInput,
  type SchedulingInput,
  withoutPlacesOf,
} from '../../scheduling/index.ts';
import {
  byKey,
  type ClassReference,
  type ClusterNode,
  classKey,
  conditionOf,
  isProvisionable,
  type PodRejection,
  rejectionOf,
  selectorsOf,
  snapshotOf,
  wantsNoPool,
} from '../../state/index.ts';

import { heldByImage } from '../bootstrap-outcome/image-holds.ts';
import type { ControllerContext } from '../context.ts';
import type { BackoffKey } from '../launch-backoff.ts';
import { typesWithOverlays } from '../overlays/overlays-in-force.ts';
import { usageOf } from './pool-usage.ts';

export interface PodsToPlan {
  readonly pods: readonly Stored<Pod>[];
  readonly rejected: readonly { readonly pod: Stored<Pod>; readonly rejection: PodRejection }[];
  /** Pods with a reservation, and the claim they wait for. */
  readonly awaited: readonly { readonly pod: Stored<Pod>; readonly claim: string }[];
}

export type PoolExclusion =
  | {
      readonly code: 'NodeClassMissing' | 'NodeClassUnknown' | 'NodeClassTerminating';
      readonly reference: ClassReference;
    }
  | { readonly code: 'NodeClassNotReady'; readonly reference: ClassReference; readonly message: string }
  | { readonly code: 'ClaimRefused'; readonly message: string }
  | { readonly code: 'NotReady'; readonly reason: string; readonly message: string }
  | { readonly code: 'HeldBack'; readonly reason: string; readonly remainingMs: number }
  | { readonly code: 'TypesUnknown'; readonly message: string };

/** A pool as it was read. */
export interface PoolToPlan extends PoolInput {
  readonly nodePool: Stored<NodePool>;
}

export interface PoolsToPlan {
  readonly pools: readonly PoolToPlan[];
  readonly excluded: readonly { readonly nodePool: Stored<NodePool>; readonly why: PoolExclusion }[];
}

/** Pending pods, and pods on nodes that are being deleted. */
export function podsToPlan({
  cluster,
  stores,
  labelRules,
  podRefusals,
  world,
}: ControllerContext): PodsToPlan {
  const pods: Stored<Pod>[] = [];
  const rejected: { pod: Stored<Pod>; rejection: PodRejection }[] = [];
  const awaited: { pod: Stored<Pod>; claim: string }[] = [];
  const reservedFor = ({ metadata }: Stored<Pod>) => cluster.reservedClaim(metadata.uid)?.metadata.name;
  for (const pod of stores.pods.store.values()) {
    if (!isProvisionable(pod) || wantsNoPool(pod)) continue;
    const rejection = rejectionOf(pod, stores, labelRules) ?? podRefusals.of(pod);
    const claim = reservedFor(pod);
    if (rejection !== undefined) rejected.push({ pod, rejection });
    else if (claim !== undefined) awaited.push({ pod, claim });
    else pods.push(pod);
  }
  for (const node of cluster.nodes()) {
    if (!cluster.isMarkedForDeletion(node)) continue;
    for (const pod of cluster.podsOn(node)) {
      const budgets = stores.budgets.store.values(pod.metadata.namespace);
      const stays = cluster.hasSuccessor(pod) || staysUntilForced(pod, world.clock.now(), budgets);
      if (!isReschedulable(pod) || stays) continue;
      const claim = reservedFor(pod);
      if (claim !== undefined) awaited.push({ pod, claim });
      else pods.push(unbound(pod));
    }
  }
  const free = pods.filter((pod) => podRefusals.of(pod) === undefined);
  return { pods: free.sort(byKey), rejected, awaited };
}

/** Those of these pods that still have to be planned, as they are now. */
export function stillToPlan(
  context: ControllerContext,
  pods: readonly Stored<Pod>[],
): readonly Stored<Pod>[] {
  const uids = new Set(pods.map(({ metadata }) => metadata.uid));
  return podsToPlan(context).pods.filter(({ metadata }) => uids.has(metadata.uid));
}

/** Dynamic pools, each with its instance types. */
export async function poolsToPlan(context: ControllerContext, signal: AbortSignal): Promise<PoolsToPlan> {
  const pools: PoolToPlan[] = [];
  const excluded: { nodePool: Stored<NodePool>; why: PoolExclusion }[] = [];
  const candidates = [...context.stores.pools.store.values()].filter(isDynamic).sort(byKey);
  for (const nodePool of candidates) {
    const found = await poolInput(context, nodePool, signal);
    if ('code' in found) excluded.push({ nodePool, why: found });
    else pools.push(found);
  }
  return { pools, excluded };
}

export function planningInput(
  context: ControllerContext,
  pools: readonly PoolInput[],
  pods: readonly Stored<Pod>[],
): SchedulingInput {
  const { settings, cloud, cluster, stores } = context;
  const { overlays, ...part } = snapshotOf(cluster);
  const selectors = selectorsOf(stores);
  const { defaultConstraints: constraints } = settings;
  return {
    ...part,
    ...(selectors === undefined || constraints.length === 0
      ? {}
      : { defaultSpread: { constraints, ...selectors } }),
    ...(settings.gates.NodeOverlay && overlays !== undefined ? { overlays } : {}),
    pools: withoutHeldPlaces(pools, cluster.unlaunched(), cloud.reservationLabel),
    pods: pods as readonly PlannerPod[],
    wellKnownLabels: cloud.wellKnownLabels,
    ...(cloud.reservationLabel === undefined ? {} : { reservationLabel: cloud.reservationLabel }),
    options: {
      preferencePolicy: settings.preferencePolicy,
      maxPreferenceCost: settings.maxPreferenceCost,
      minValuesPolicy: settings.minValuesPolicy,
      reservedMode: settings.gates.ReservedCapacity ? 'strict' : 'fallback',
    },
  };
}

export function backoffKey(context: ControllerContext, nodePool: Stored<NodePool>): BackoffKey {
  const reference = nodePool.spec.template.spec.nodeClassRef;
  const nodeClass = context.stores.nodeClass(reference);
  const { uid, generation } = nodePool.metadata;
  return {
    nodePool: nodePool.metadata.name,
    nodeClass: classKey(reference),
    generation: `${uid}/${generation} ${nodeClass?.metadata.uid}/${nodeClass?.metadata.generation}`,
  };
}

// ---------------------------------------------------------------------------------------------------

/** Claims that are not launched yet will use a place each; the cloud does not count them yet. */
function withoutHeldPlaces(
  pools: readonly PoolInput[],
  unlaunched: readonly ClusterNode[],
  label: string | undefined,
): readonly PoolInput[] {
  if (label === undefined) return pools;
  const named = unlaunched.flatMap(({ claim }) =>
    (claim?.spec.requirements ?? []).flatMap(({ key, operator, values = [] }) =>
      key === label && operator === 'In' ? [values] : [],
    ),
  );
  return withoutPlacesOf({ pools }, named).pools;
}

function isDynamic({ metadata, spec }: Stored<NodePool>): boolean {
  return metadata.deletionTimestamp === undefined && spec.replicas === undefined;
}

async function poolInput(
  context: ControllerContext,
  nodePool: Stored<NodePool>,
  signal: AbortSignal,
): Promise<PoolToPlan | PoolExclusion> {
  const { cloud, cluster, stores, backoff, refusals } = context;
  const reference = nodePool.spec.template.spec.nodeClassRef;
  if (!stores.runs(reference)) return { code: 'NodeClassUnknown', reference };
  const nodeClass = stores.nodeClass(reference);
  if (nodeClass === undefined) return { code: 'NodeClassMissing', reference };
  if (nodeClass.metadata.deletionTimestamp !== undefined) return { code: 'NodeClassTerminating', reference };
  const refusal = refusals.of(nodePool);
  if (refusal !== undefined) return { code: 'ClaimRefused', message: refusal.message };
  const ready = conditionOf(nodePool, 'Ready');
  const classReady = conditionOf(nodePool, 'NodeClassReady');
  if (classReady?.status === 'False')
    return { code: 'NodeClassNotReady', reference, message: classReady.message ?? '' };
  if (ready?.status !== 'True')
    return { code: 'NotReady', reason: ready?.reason ?? '', message: ready?.message ?? '' };
  const held = backoff.holding(backoffKey(context, nodePool)) ?? heldByImage(context, nodePool);
  if (held !== undefined) return { code: 'HeldBack', reason: held.reason, remainingMs: held.remainingMs };
  try {
    const instanceTypes = await cloud.instanceTypes({ nodePool, nodeClass }, signal);
    const types = typesWithOverlays(context, nodePool, instanceTypes);
    return { nodePool, instanceTypes, ...usageOf(nodePool, cluster, types) };
  } catch (error) {
    signal.throwIfAborted();
    if (!isCloudError(error)) throw error;
    return { code: 'TypesUnknown', message: error.message };
  }
}

/** Scheduled like a new pod, since its node is being deleted. */
function unbound(pod: Stored<Pod>): Stored<Pod> {
  const { nodeName: _, ...spec } = pod.spec;
  return { ...pod, spec };
}
