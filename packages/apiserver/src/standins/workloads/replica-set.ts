/**
 * ReplicaSets: the requested number of pods. Pods are found by their owner reference; pods without an owner are not adopted.
 */
import {
  Controller,
  formatTime,
  isApiError,
  type Pod,
  parseKey,
  REPLICA_SETS,
  type ReplicaSet,
  type Result,
  type Stored,
  storeSource,
} from '@chandler/kube';
import { isReady, isTerminating, labelsOf, nameOf } from '../object-facts.ts';
import { writeStatus } from '../status.ts';
import { BY_OWNER } from '../watched.ts';
import {
  inDeletionOrder,
  isActive,
  isAvailable,
  nextAvailableMs,
  podFromTemplate,
  randomName,
} from './owned-pods.ts';
import { createPods, deletePods, podsOf, refusalText, type WorkloadOptions } from './workload.ts';

export function replicaSetController(options: WorkloadOptions): Controller {
  const { world, watched } = options;
  const reconciledMs = new Map<string, number>();
  return new Controller({
    name: 'standin.replicaset',
    world,
    concurrency: 4,
    reconcile: (key) => waitIfLarge(options, key, reconciledMs) ?? reconcile(options, key),
    sources: [storeSource(watched.replicaSets), podsOf(watched, 'ReplicaSet')],
  });
}

/** How many pods to create, and which to delete. */
export function planReplicas(
  set: Stored<ReplicaSet>,
  pods: readonly Stored<Pod>[],
): { create: number; remove: readonly Stored<Pod>[] } {
  if (isTerminating(set)) return { create: 0, remove: [] };
  const active = pods.filter(isActive);
  const missing = (set.spec.replicas ?? 1) - active.length;
  return missing >= 0
    ? { create: missing, remove: [] }
    : { create: 0, remove: inDeletionOrder(active).slice(0, -missing) };
}

export function replicaSetStatus(
  set: Stored<ReplicaSet>,
  pods: readonly Stored<Pod>[],
  nowMs: number,
  /** What the API server said when it refused a pod. */
  failure?: string,
): NonNullable<ReplicaSet['status']> {
  const active = pods.filter(isActive);
  const wanted = Object.entries(set.spec.template.metadata?.labels ?? {});
  const labeled = active.filter((pod) => wanted.every(([key, value]) => labelsOf(pod)[key] === value));
  const ready = active.filter(isReady);
  const available = ready.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs));
  const terminating = pods.filter((pod) => isTerminating(pod));
  return {
    ...conditionsWith(set, failure, nowMs),
    replicas: active.length,
    ...(labeled.length === 0 ? {} : { fullyLabeledReplicas: labeled.length }),
    ...(ready.length === 0 ? {} : { readyReplicas: ready.length }),
    ...(available.length === 0 ? {} : { availableReplicas: available.length }),
    terminatingReplicas: terminating.length,
    observedGeneration: set.metadata.generation ?? 0,
  };
}

// ---------------------------------------------------------------------------------------------------

/** Kept while it is the same, and gone once pods are created again. */
function conditionsWith(
  { status }: Stored<ReplicaSet>,
  failure: string | undefined,
  nowMs: number,
): Pick<NonNullable<ReplicaSet['status']>, 'conditions'> {
  const others = (status?.conditions ?? []).filter(({ type }) => type !== 'ReplicaFailure');
  const before = status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
  if (failure === undefined) return others.length === 0 ? {} : { conditions: others };
  if (before?.reason === 'FailedCreate') return { conditions: [...others, before] };
  const condition = {
    type: 'ReplicaFailure',
    status: 'True' as const,
    reason: 'FailedCreate',
    message: failure,
    lastTransitionTime: formatTime(nowMs),
  };
  return { conditions: [...others, condition] };
}

/** From this number of pods on, their changes are counted together, because every reconcile reads all of them. */
const LARGE_SET = 500;
const LARGE_SET_INTERVAL_MS = 500;

/** The time that a large set still has to wait since its last reconcile; undefined: none. */
function waitIfLarge(
  { world, watched }: WorkloadOptions,
  key: string,
  reconciledMs: Map<string, number>,
): Promise<Result> | undefined {
  const set = watched.replicaSets.store.get(parseKey(key));
  if (set === undefined || watched.pods.store.by(BY_OWNER, set.metadata.uid).length < LARGE_SET) {
    reconciledMs.delete(key);
    return undefined;
  }
  const nowMs = world.clock.monotonic();
  const leftMs = (reconciledMs.get(key) ?? Number.NEGATIVE_INFINITY) + LARGE_SET_INTERVAL_MS - nowMs;
  if (leftMs > 0) return Promise.resolve({ requeueAfterMs: leftMs });
  reconciledMs.set(key, nowMs);
  return undefined;
}

async function reconcile(options: WorkloadOptions, key: string): Promise<Result> {
  const { world, watched, client } = options;
  const set = watched.replicaSets.store.get(parseKey(key));
  if (!set) return {};
  const podsNow = () => watched.pods.store.by(BY_OWNER, set.metadata.uid);
  const plan = planReplicas(set, podsNow());
  const owner = { resource: REPLICA_SETS, object: set };
  const fresh = Array.from({ length: plan.create }, () =>
    podFromTemplate(set.spec.template, owner, randomName(nameOf(set), world.random)),
  );
  const refusal = await createPods(options, owner, fresh).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  await deletePods(options, owner, plan.remove);
  const nowMs = world.clock.now();
  const failure = isApiError(refusal?.error) ? refusalText(refusal.error) : undefined;
  await writeStatus(client, REPLICA_SETS, set, replicaSetStatus(set, podsNow(), nowMs, failure));
  if (refusal !== undefined) throw refusal.error;
  const again = nextAvailableMs(podsNow(), set.spec.minReadySeconds ?? 0, nowMs);
  return again === undefined ? {} : { requeueAfterMs: again };
}
