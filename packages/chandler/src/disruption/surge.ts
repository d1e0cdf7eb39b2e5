/**
 * Surge: a pod that a PodDisruptionBudget holds, or that is the only one of its workload, moves by a rolling update of its
 * Deployment or StatefulSet instead of an eviction. Decided here for each pod that asks for it: which workload is rolled, or
 * why it cannot be. `controllers/disruption/surge-rollout.ts` rolls it.
 */
import {
  conditionOf,
  type Deployment,
  type IntOrPercent,
  ownerOf,
  parseTimeMs,
  type ReplicaSet,
  type StatefulSet,
} from '@chandler/kube';
import { ChandlerAnnotation } from '../api/index.ts';
import type { Pod, VolumeClaim } from '../scheduling/index.ts';
import { isEvicted, isProtected, isReschedulable } from './pod-blocks.ts';

/** What kubectl rollout restart writes on the pod template. */
export const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/** A workload is not rolled again within this time, whoever rolled it: a roll that helped nothing is not repeated. */
export const SURGE_PAUSE_MS = 60 * 60_000;

/** Of a command for several nodes, which names them in an annotation of each. */
const MAX_SURGES = 500;

/** Objects by which the workload of a pod is found. */
export interface Workloads {
  readonly deployments: readonly Deployment[];
  readonly replicaSets: readonly Pick<ReplicaSet, 'metadata'>[];
  readonly statefulSets: readonly StatefulSet[];
}

export interface SurgeOwner {
  readonly kind: 'Deployment' | 'StatefulSet';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A pod that moves by the rolling update of its workload. */
export interface PodSurge {
  /** `namespace/name`. */
  readonly pod: string;
  readonly owner: SurgeOwner;
}

/** Why a pod that asks for a surge cannot have it. */
export interface NoSurge {
  readonly why: string;
  /** Until this time (ms since the epoch), if it ends by itself. */
  readonly untilMs?: number;
}

/** Workloads that could not be rolled, by UID: until when they are left alone. */
export type SurgeRefusals = ReadonlyMap<string, Required<NoSurge>>;

/** Who asks: the pod itself, or its NodePool for all pods. */
export type SurgeRequest = 'pod' | 'nodepool';

/** Undefined: nobody asks, or the pod is not evicted in any case. */
export function surgeRequestOf(
  pod: Pod,
  poolAsks: boolean,
  nowMs: number,
): SurgeRequest | NoSurge | undefined {
  const text = pod.metadata.annotations?.[ChandlerAnnotation.disruptionSurge];
  if (text === 'false' || (text === undefined && !poolAsks)) return undefined;
  if (!isEvicted(pod) || !isReschedulable(pod) || isProtected(pod, nowMs)) return undefined;
  if (text === undefined) return 'nodepool';
  if (text === 'true') return 'pod';
  return {
    why: `its annotation ${ChandlerAnnotation.disruptionSurge} must be "true" or "false", not "${text}"`,
  };
}

/** Finds the workload of a pod. Pods refer to it by UID, a pod of a Deployment through its ReplicaSet. */
export class WorkloadIndex {
  readonly #deployments: ReadonlyMap<string, Deployment>;
  readonly #statefulSets: ReadonlyMap<string, StatefulSet>;
  /** By UID of the ReplicaSet: that of its Deployment. */
  readonly #deploymentOf: ReadonlyMap<string, string>;
  readonly #claims: ReadonlyMap<string, VolumeClaim>;

  readonly #refusals: SurgeRefusals;

  constructor(
    { deployments, replicaSets, statefulSets }: Workloads,
    claims: readonly VolumeClaim[] = [],
    refusals: SurgeRefusals = new Map(),
  ) {
    this.#refusals = refusals;
    // Objects of a file have none: no pod refers to them.
    const byUid = <T extends Pick<Deployment, 'metadata'>>(objects: readonly T[]) =>
      new Map(
        objects.flatMap((object) => {
          const { uid } = object.metadata;
          return uid === undefined ? [] : [[uid, object] as const];
        }),
      );
    this.#deployments = byUid(deployments);
    this.#statefulSets = byUid(statefulSets);
    this.#deploymentOf = new Map(
      replicaSets.flatMap((set) => {
        const owner = ownerOf(set);
        return owner?.kind === 'Deployment' ? [[set.metadata.uid ?? '', owner.uid] as const] : [];
      }),
    );
    this.#claims = new Map(
      claims.map((claim) => [`${claim.metadata.namespace ?? 'default'}/${claim.metadata.name}`, claim]),
    );
  }

  /** UID and kind of the workload that would be rolled for the pod. */
  ownerOf(pod: Pick<Pod, 'metadata'>): SurgeOwner | undefined {
    const found = this.#workloadOf(pod);
    if (found === undefined) return undefined;
    const { kind, object } = found;
    const { namespace = 'default', name = '', uid = '' } = object.metadata;
    return { kind, namespace, name, uid };
  }

  /**
   * The workload that is rolled for the pod, or why it cannot be; undefined: it is evicted as always.
   * @param blocked whether PodDisruptionBudgets hold the pod.
   */
  surgeOf(pod: Pod, asks: SurgeRequest, blocked: boolean, nowMs: number): SurgeOwner | NoSurge | undefined {
    const found = this.#workloadOf(pod);
    if (found === undefined)
      return blocked || asks === 'pod'
        ? { why: 'it belongs to no Deployment and no StatefulSet that could be rolled' }
        : undefined;
    if (!blocked && (found.object.spec.replicas ?? 1) !== 1) return undefined;
    const why =
      found.kind === 'Deployment'
        ? (deploymentProblem(found.object) ?? this.#volumeProblem(pod))
        : statefulSetProblem(found.object, pod, asks);
    const lasting = why ?? deletionProblem(found);
    if (lasting !== undefined) return blocked || asks === 'pod' ? { why: lasting } : undefined;
    const passing = this.#refusalOf(found, nowMs) ?? timeProblem(found, nowMs);
    if (passing === undefined) return this.ownerOf(pod);
    // What the NodePool asks for all pods keeps a pod that serves, until it can be rolled, and no other.
    return blocked || asks === 'pod' || conditionOf(pod, 'Ready')?.status === 'True' ? passing : undefined;
  }

  #workloadOf(pod: Pick<Pod, 'metadata'>): Workload | undefined {
    const owner = ownerOf(pod);
    if (owner?.kind === 'StatefulSet') {
      const object = this.#statefulSets.get(owner.uid);
      return object === undefined ? undefined : { kind: 'StatefulSet', object };
    }
    const uid = owner?.kind === 'ReplicaSet' ? this.#deploymentOf.get(owner.uid) : undefined;
    const object = uid === undefined ? undefined : this.#deployments.get(uid);
    return object === undefined ? undefined : { kind: 'Deployment', object };
  }

  #refusalOf({ object }: Workload, nowMs: number): NoSurge | undefined {
    const refusal = this.#refusals.get(object.metadata.uid ?? '');
    if (refusal === undefined || refusal.untilMs <= nowMs) return undefined;
    return { why: refusal.why, untilMs: refusal.untilMs };
  }

  /** Old and new pod run at the same time, on two nodes. */
  #volumeProblem({ metadata, spec }: Pod): string | undefined {
    for (const { persistentVolumeClaim } of spec.volumes ?? []) {
      if (persistentVolumeClaim === undefined) continue;
      const name = `${metadata.namespace ?? 'default'}/${persistentVolumeClaim.claimName}`;
      const modes = this.#claims.get(name)?.spec.accessModes ?? [];
      if (modes.every((mode) => !SHARED_MODES.has(mode)))
        return `its volume claim ${name} can be used on one node at a time`;
    }
    return undefined;
  }
}

/** The first nodes, as long as one command can roll all their workloads. */
export function nodesWithinMaxSurges<T extends { readonly surges: readonly PodSurge[] }>(
  nodes: readonly T[],
): readonly T[] {
  const uids = new Set<string>();
  const end = nodes.findIndex(({ surges }) => {
    for (const { owner } of surges) uids.add(owner.uid);
    return uids.size > MAX_SURGES;
  });
  return end === -1 ? nodes : nodes.slice(0, end);
}

/** Why a restart would not move its pods as it should, whoever asks. */
export function rollProblem({ kind, object }: Workload): string | undefined {
  if (kind === 'Deployment') return deploymentProblem(object);
  const { type = 'RollingUpdate' } = object.spec.updateStrategy ?? {};
  return type === 'RollingUpdate' ? undefined : `${nameOf({ kind, object })} has the update strategy ${type}`;
}

/** Whether a rolling update of the workload has begun and not ended, or a pod is missing: a restart would end another one. */
export function isRolling({ kind, object }: Workload): boolean {
  const { metadata, spec, status } = object;
  const wanted = spec.replicas ?? 1;
  const count = (field: string) => Number(status?.[field] ?? 0);
  if (count('observedGeneration') < (metadata.generation ?? 0)) return true;
  if (count('updatedReplicas') < wanted || count('availableReplicas') < wanted) return true;
  if (kind === 'StatefulSet') return status?.['currentRevision'] !== status?.['updateRevision'];
  return count('replicas') > count('updatedReplicas');
}

/** When the workload was last restarted. */
export function restartedAtMs({ object }: Pick<Workload, 'object'>): number | undefined {
  const ms = parseTimeMs(object.spec.template.metadata?.annotations?.[RESTARTED_AT]);
  return Number.isNaN(ms) ? undefined : ms;
}

export type Workload =
  | { readonly kind: 'Deployment'; readonly object: Deployment }
  | { readonly kind: 'StatefulSet'; readonly object: StatefulSet };

// ---------------------------------------------------------------------------------------------------

const SHARED_MODES: ReadonlySet<string> = new Set(['ReadWriteMany', 'ReadOnlyMany']);

/** Why a rolling update would not start the new pod before the old one ends. */
function deploymentProblem({ metadata, spec }: Deployment): string | undefined {
  const { type = 'RollingUpdate', rollingUpdate = {} } = spec.strategy ?? {};
  const replicas = spec.replicas ?? 1;
  const maxSurge = amountOf(rollingUpdate.maxSurge ?? '25%', replicas, Math.ceil);
  const maxUnavailable = amountOf(rollingUpdate.maxUnavailable ?? '25%', replicas, Math.floor);
  const name = nameOf({ kind: 'Deployment', object: { metadata, spec } });
  if (type !== 'RollingUpdate') return `${name} has the strategy ${type}, which ends the old pod first`;
  if (maxSurge < 1) return `${name} has maxSurge 0, so it ends the old pod first`;
  // One of several pods is rolled only because a budget holds it.
  if (maxUnavailable > 0)
    return `${name} has maxUnavailable ${rollingUpdate.maxUnavailable ?? '25%'}, so ${replicas === 1 ? 'it ends the old pod first' : 'a rolling update could end more pods than the PodDisruptionBudget allows'}`;
  if (spec.paused === true) return `${name} is paused`;
  return undefined;
}

/** It cannot surge: its pod ends before the next one starts. That is for its owner to allow, not for the NodePool. */
function statefulSetProblem(
  { metadata, spec }: StatefulSet,
  { metadata: pod }: Pod,
  asks: SurgeRequest,
): string | undefined {
  const { type = 'RollingUpdate', rollingUpdate = {} } = spec.updateStrategy ?? {};
  const name = nameOf({ kind: 'StatefulSet', object: { metadata, spec } });
  if (asks !== 'pod')
    return `${name} ends its pod before it starts the next one, so the pod itself needs the annotation ${ChandlerAnnotation.disruptionSurge}`;
  if (type !== 'RollingUpdate') return `${name} has the update strategy ${type}`;
  const ordinal = Number(/-(\d+)$/.exec(pod.name ?? '')?.[1] ?? 0);
  const { partition = 0 } = rollingUpdate;
  return ordinal < partition
    ? `${name} has partition ${partition}, so the pod would not be updated`
    : undefined;
}

function nameOf({ kind, object: { metadata } }: Workload): string {
  return `${kind} ${metadata.namespace ?? 'default'}/${metadata.name}`;
}

function deletionProblem(workload: Workload): string | undefined {
  const { deletionTimestamp } = workload.object.metadata;
  return deletionTimestamp === undefined ? undefined : `${nameOf(workload)} is being deleted`;
}

/** What may end by itself. */
function timeProblem(workload: Workload, nowMs: number): NoSurge | undefined {
  const name = nameOf(workload);
  const lastMs = restartedAtMs(workload);
  if (lastMs !== undefined && lastMs + SURGE_PAUSE_MS > nowMs)
    return { why: `${name} was restarted less than an hour ago`, untilMs: lastMs + SURGE_PAUSE_MS };
  return isRolling(workload)
    ? { why: `the rollout of ${name} is in progress, or not all of its pods are available` }
    : undefined;
}

function amountOf(value: IntOrPercent, whole: number, round: (amount: number) => number): number {
  if (typeof value === 'number') return value;
  return round((Number(value.replace(/%$/, '')) * whole) / 100);
}
