/**
 * PodDisruptionBudgets: how many pods are healthy, how many must be, and how many disruptions are allowed. The decision is
 * pure; the API server decides evictions from the status that is written here.
 */
import {
  Controller,
  formatTime,
  type KubeClient,
  keyOf,
  type NamespacedObject,
  POD_DISRUPTION_BUDGETS,
  type Pod,
  type PodDisruptionBudget,
  parseKey,
  parseTimeMs,
  type Result,
  type Stored,
  storeSource,
  type World,
  withConditions,
} from '@chandler/kube';
import { matchesSelector } from './label-selector.ts';
import { controllerOf, isReady, isTerminating, labelsOf, nameOf, namespaceOf } from './object-facts.ts';
import { writeStatus } from './status.ts';
import type { Watched } from './watched.ts';
import { scaledValue } from './workloads/owned-pods.ts';

export function disruptionBudgetController(options: {
  world: World;
  watched: Watched;
  client: KubeClient;
}): Controller {
  const { world, watched, client } = options;
  const budgetsIn = (namespace: string, pods: readonly Stored<Pod>[]) =>
    [...watched.budgets.store.values(namespace)]
      .filter(({ spec }) => pods.some((pod) => matchesSelector(spec?.selector, labelsOf(pod))))
      .map(keyOf);
  const allBudgetsIn = ({ object }: { object: NamespacedObject }) =>
    [...watched.budgets.store.values(namespaceOf(object))].map(keyOf);
  return new Controller({
    name: 'standin.disruption',
    world,
    concurrency: 2,
    reconcile: (key) => reconcile(world, watched, client, key),
    sources: [
      storeSource(watched.budgets),
      storeSource(watched.pods, {
        keys: ({ object, before }) => budgetsIn(namespaceOf(object), before ? [object, before] : [object]),
      }),
      storeSource(watched.deployments, { keys: allBudgetsIn }),
      storeSource(watched.replicaSets, { keys: allBudgetsIn }),
      storeSource(watched.statefulSets, { keys: allBudgetsIn }),
    ],
  });
}

/** The replicas of the owner of the pods, and its name; undefined when there is no owner with replicas. */
export type ScaleOf = (pod: Stored<Pod>) => { readonly uid: string; readonly replicas: number } | undefined;

export function budgetStatus(
  budget: Stored<PodDisruptionBudget>,
  pods: readonly Stored<Pod>[],
  scaleOf: ScaleOf,
  nowMs: number,
): { status: NonNullable<PodDisruptionBudget['status']>; requeueAfterMs?: number } {
  const { expected, desired } = expectation(budget, pods, scaleOf);
  const { disruptedPods, requeueAfterMs } = stillExpectedToGo(budget, pods, nowMs);
  const healthy = pods.filter(
    (pod) => !isTerminating(pod) && !(nameOf(pod) in disruptedPods) && isReady(pod),
  ).length;
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
  const generation = budget.metadata.generation ?? 0;
  const condition = {
    type: 'DisruptionAllowed',
    status: allowed > 0 ? 'True' : 'False',
    reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    observedGeneration: generation,
  };
  const status = {
    observedGeneration: generation,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    conditions: withConditions(budget.status?.conditions, [condition], formatTime(nowMs)),
  };
  return requeueAfterMs === undefined ? { status } : { status, requeueAfterMs };
}

// ---------------------------------------------------------------------------------------------------

/** A pod whose eviction was granted is treated as deleted for this long, and then counted again. */
const DELETION_TIMEOUT_MS = 120_000;

function expectation(budget: Stored<PodDisruptionBudget>, pods: readonly Stored<Pod>[], scaleOf: ScaleOf) {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  if (maxUnavailable !== undefined) {
    const expected = expectedScale(pods, scaleOf);
    return { expected, desired: Math.max(0, expected - scaledValue(maxUnavailable, expected, 'up')) };
  }
  if (typeof minAvailable === 'number') return { expected: pods.length, desired: minAvailable };
  if (minAvailable === undefined) return { expected: 0, desired: 0 };
  const expected = expectedScale(pods, scaleOf);
  return { expected, desired: scaledValue(minAvailable, expected, 'up') };
}

function expectedScale(pods: readonly Stored<Pod>[], scaleOf: ScaleOf): number {
  const scales = new Map<string, number>();
  for (const pod of pods) {
    const scale = scaleOf(pod);
    if (scale) scales.set(scale.uid, scale.replicas);
  }
  let sum = 0;
  for (const replicas of scales.values()) sum += replicas;
  return sum;
}

function stillExpectedToGo(budget: Stored<PodDisruptionBudget>, pods: readonly Stored<Pod>[], nowMs: number) {
  const disruptedPods: Record<string, string> = {};
  let requeueAfterMs: number | undefined;
  for (const pod of pods) {
    const since = budget.status?.disruptedPods?.[nameOf(pod)];
    if (since === undefined || isTerminating(pod)) continue;
    const leftMs = parseTimeMs(since) + DELETION_TIMEOUT_MS - nowMs;
    if (leftMs < 0) continue;
    disruptedPods[nameOf(pod)] = since;
    requeueAfterMs = Math.min(requeueAfterMs ?? Number.POSITIVE_INFINITY, leftMs + 1);
  }
  return { disruptedPods, requeueAfterMs };
}

async function reconcile(world: World, watched: Watched, client: KubeClient, key: string): Promise<Result> {
  const budget = watched.budgets.store.get(parseKey(key));
  if (!budget) return {};
  const pods = [...watched.pods.store.values(namespaceOf(budget))].filter((pod) =>
    matchesSelector(budget.spec?.selector, labelsOf(pod)),
  );
  const { status, requeueAfterMs } = budgetStatus(
    budget,
    pods,
    (pod) => findScale(watched, pod),
    world.clock.now(),
  );
  await writeStatus(client, POD_DISRUPTION_BUDGETS, budget, status);
  return requeueAfterMs === undefined ? {} : { requeueAfterMs: requeueAfterMs };
}

/** A ReplicaSet of a Deployment has the Deployment's size, whatever the rollout is doing. */
function findScale(watched: Watched, pod: Stored<Pod>): { uid: string; replicas: number } | undefined {
  const owner = controllerOf(pod);
  if (!owner) return undefined;
  const at = (name: string) => ({ namespace: namespaceOf(pod), name });
  if (owner.kind === 'StatefulSet') return scale(watched.statefulSets.store.get(at(owner.name)), owner.uid);
  if (owner.kind !== 'ReplicaSet') return undefined;
  const set = watched.replicaSets.store.get(at(owner.name));
  const above = set && controllerOf(set);
  if (above?.kind === 'Deployment') return scale(watched.deployments.store.get(at(above.name)), above.uid);
  return scale(set, owner.uid);
}

function scale(
  workload: { metadata: { uid?: string }; spec: { replicas?: number } } | undefined,
  uid: string,
): { uid: string; replicas: number } | undefined {
  return workload?.metadata.uid === uid ? { uid, replicas: workload.spec.replicas ?? 1 } : undefined;
}
