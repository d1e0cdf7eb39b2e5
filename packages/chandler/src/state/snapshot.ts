/**
 * The input of the scheduler: plain objects in a fixed order, so that the same cluster gives the same plan. Sharing
 * is safe because stored objects are never modified.
 */
import type { NamedObject, Pod, Stored, Turns } from '@chandler/kube';
import type { NodeClaim } from '../api/index.ts';
import {
  byCodeUnit,
  type DaemonSet,
  type ExistingNode,
  type Namespace,
  type Pod as PlannerPod,
  type SchedulingInput,
  type VolumeFacts,
} from '../scheduling/index.ts';

import type { Cluster } from './cluster.ts';
import { type ClusterNode, existingNode } from './cluster-node.ts';
import { conditionOf, isOwnedByDaemonSet, isTerminal } from './objects.ts';
import { BY_OWNER } from './stores.ts';

/** Everything except pools, the pods to schedule and the options. */
export type ClusterPart = Pick<
  SchedulingInput,
  | 'nodes'
  | 'boundPods'
  | 'leavingNodes'
  | 'leavingPods'
  | 'daemonSets'
  | 'namespaces'
  | 'volumes'
  | 'overlays'
>;

export function snapshotOf(cluster: Cluster): ClusterPart {
  const { stores } = cluster;
  const staying = [...cluster.nodes()].filter((node) => hasCapacity(cluster, node)).sort(byName);
  const boundPods: PlannerPod[] = [];
  for (const node of staying) {
    for (const pod of livePodsOn(cluster, node)) boundPods.push(pod);
    for (const pod of reservedOn(cluster, node)) boundPods.push(pod);
  }
  return {
    nodes: staying.map((node): ExistingNode => existingNode(node)),
    boundPods,
    ...leavingFrom(cluster),
    daemonSets: [...stores.daemonSets.store.values()].sort(byKey).map(
      (daemonSet): DaemonSet => ({
        metadata: daemonSet.metadata,
        spec: daemonSet.spec,
        ...newestPod(stores.pods.store.by(BY_OWNER, daemonSet.metadata.uid)),
      }),
    ),
    namespaces: [...stores.namespaces.store.values()].sort(byKey).map(
      ({ metadata }): Namespace => ({
        name: metadata.name,
        ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
      }),
    ),
    volumes: volumesOf(cluster),
    ...(stores.overlays === undefined ? {} : { overlays: [...stores.overlays.store.values()].sort(byKey) }),
  };
}

/** Nodes that are being removed, with their pods that still exist. @param isRemoved by default: those that are marked. */
export function leavingFrom(
  cluster: Cluster,
  isRemoved: (node: ClusterNode) => boolean = (node) => cluster.isMarkedForDeletion(node),
): Pick<ClusterPart, 'leavingNodes' | 'leavingPods'> {
  const leaving = [...cluster.nodes()]
    .filter((node) => node.node !== undefined && isRemoved(node))
    .sort(byName)
    .map((node) => ({ node, pods: livePodsOn(cluster, node) }))
    .filter(({ pods }) => pods.length > 0);
  return {
    leavingNodes: leaving.map(({ node }) => existingNode(node)),
    leavingPods: leaving.flatMap(({ pods }) => pods),
  };
}

/** Pods that use the capacity of a node, in their order. */
export function livePodsOn(cluster: Cluster, node: ClusterNode): readonly PlannerPod[] {
  const pods = cluster.podsOn(node);
  let live = livePods.get(pods);
  if (live === undefined) {
    // A copy: the list that `filter` gives has room to grow.
    const sorted = pods.filter((pod) => !isTerminal(pod)).toSorted(byKey);
    const isSame = sorted.length === pods.length && sorted.every((pod, at) => pod === pods[at]);
    // Most are in their order already: then nothing more is kept.
    live = (isSame ? pods : sorted) as readonly PlannerPod[];
    livePods.set(pods, live);
  }
  return live;
}

/** By the pods of a node as the store gives them: another list when one of them changes. */
const livePods = new WeakMap<readonly Stored<Pod>[], readonly PlannerPod[]>();

/** In turns: reads the pods of all nodes, which makes the next picture of the cluster short. */
export async function readPods(
  cluster: Cluster,
  turns: Pick<Turns, 'pass'>,
  signal: AbortSignal,
): Promise<void> {
  let read = 0;
  for (const node of [...cluster.nodes()]) {
    livePodsOn(cluster, node);
    existingNode(node);
    if (++read % NODES_AT_ONCE !== 0) continue;
    await turns.pass();
    signal.throwIfAborted();
  }
}

/** In the order of namespaces and names, by code unit. */
export function byKey({ metadata: one }: NamedObject, { metadata: other }: NamedObject): number {
  return byCodeUnit(one.namespace ?? '', other.namespace ?? '') || byCodeUnit(one.name, other.name);
}

// ---------------------------------------------------------------------------------------------------

/** Nodes that are read between two looks at the length of the turn: others may wait for theirs, and each gets one in turn. */
const NODES_AT_ONCE = 50;

/** A claim whose registered Node is gone has no capacity: the Node may never return. */
function hasCapacity(cluster: Cluster, node: ClusterNode): boolean {
  if (cluster.isMarkedForDeletion(node)) return false;
  return node.node !== undefined || node.claim === undefined || !hasJoined(node.claim);
}

/** Pods with a reservation use the capacity of their claim. */
function reservedOn(cluster: Cluster, node: ClusterNode): readonly PlannerPod[] {
  if (node.initialized || node.claim === undefined) return [];
  return cluster
    .reservedPods(node.claim.metadata.name)
    .map((pod): Stored<Pod> => ({ ...pod, spec: { ...pod.spec, nodeName: node.name } }))
    .sort(byKey) as readonly PlannerPod[];
}

function hasJoined(claim: NodeClaim): boolean {
  return conditionOf(claim, 'Registered')?.status === 'True';
}

function byName(one: ClusterNode, other: ClusterNode): number {
  return byCodeUnit(one.name, other.name);
}

/** Admission plugins may change requests, so the newest pod is used instead of the template. */
function newestPod(pods: readonly Stored<Pod>[]): { pod: PlannerPod } | Record<string, never> {
  let newest: Stored<Pod> | undefined;
  for (const pod of pods) {
    if (!isOwnedByDaemonSet(pod) || isTerminal(pod)) continue;
    const order =
      newest === undefined
        ? 1
        : byCodeUnit(pod.metadata.creationTimestamp ?? '', newest.metadata.creationTimestamp ?? '') ||
          byKey(pod, newest);
    if (order > 0) newest = pod;
  }
  return newest === undefined ? {} : { pod: newest as PlannerPod };
}

function volumesOf({ stores }: Cluster): VolumeFacts {
  return {
    claims: [...stores.volumeClaims.store.values()].sort(byKey),
    volumes: [...stores.volumes.store.values()].sort(byKey),
    classes: [...stores.storageClasses.store.values()].sort(byKey),
    csiNodes: [...stores.csiNodes.store.values()].sort(byKey),
  };
}
