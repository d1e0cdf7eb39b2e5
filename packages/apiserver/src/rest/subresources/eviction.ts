/**
 * Eviction: a deletion that checks the disruption budget of the pod first and is counted against it. The whole request is
 * synchronous, so the retries of a real server are not needed.
 */
import type { KubeObject, Status, Stored as StoredObject } from '@chandler/kube';
import { decodeAs } from '../../builtin/strategy.ts';
import { structureOf } from '../../builtin/structures.ts';
import { type ApiError, badRequest, forbidden, notFound, tooManyRequests } from '../../errors.ts';
import { cloneJson } from '../../storage/json.ts';
import { Call } from '../call.ts';
import { deleteObject } from '../delete.ts';
import { selectorOf, selectsLabels } from '../label-selector.ts';
import { deletePreconditionError } from '../preconditions.ts';
import { updateObject } from '../update.ts';
import { type DeleteOptions, deleteOptionsOf } from '../write-options.ts';
import { podCondition, setPodCondition } from './pod-conditions.ts';

/** `call` is on pods/eviction. */
export function evictPod(call: Call, body: unknown, duplicates: readonly string[]): Status {
  const structure = structureOf('policy', 'v1', 'Eviction')!;
  const kind = { group: 'policy', version: 'v1', kind: 'Eviction', namespaced: true, structure };
  const eviction = decodeAs(kind, body, call, duplicates);
  const name = call.objectName;
  if ((eviction.metadata?.name ?? '') !== name)
    throw badRequest('name in URL does not match name in Eviction object');
  const given = deleteOptionsOf(eviction['deleteOptions'] ?? {}, undefined);
  const options: DeleteOptions = { ...given, dryRun: given.dryRun || call.dryRun };
  const stored = call.parts.store.get('pods', call.namespace ?? '', name);
  if (stored === undefined) throw notFound({ group: '', plural: 'pods' }, name);
  const pod = stored.object;
  if (!needsNoBudget(pod)) {
    const refusal = chargeBudget(call, pod, options.dryRun);
    if (refusal !== undefined) return refusal;
  }
  markAndDelete(call, pod, options);
  return EVICTED;
}

// ---------------------------------------------------------------------------------------------------

const PDB_KEY = 'poddisruptionbudgets.policy';
const MAX_DISRUPTED_PODS = 2000;
const EVICTED: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
const VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget.";

interface Budget extends KubeObject {
  spec: { selector?: unknown; unhealthyPodEvictionPolicy?: string };
  status?: {
    observedGeneration?: number;
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
    disruptedPods?: Record<string, string>;
    conditions?: Condition[];
  };
}

interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  observedGeneration?: number | undefined;
  lastTransitionTime?: string | undefined;
}

/** Evicting a pod that has ended, has not started or is being deleted disrupts nothing. */
function needsNoBudget(pod: KubeObject): boolean {
  const phase = (pod['status'] as { phase?: string } | undefined)?.phase;
  return (
    phase === 'Succeeded' ||
    phase === 'Failed' ||
    phase === 'Pending' ||
    pod.metadata.deletionTimestamp !== undefined
  );
}

/** Throws the error; returns the one that a real server sends as a plain Status. */
function chargeBudget(call: Call, pod: StoredObject, dryRun: boolean): Status | undefined {
  const budgets = budgetsOf(call, pod);
  if (budgets.length > 1) {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      code: 500,
    };
  }
  const budget = budgets[0];
  if (budget === undefined || isFreeToGo(pod, budget)) return undefined;
  checkBudget(budget);
  if (!dryRun) decrement(call, budget, pod.metadata.name);
  return undefined;
}

function budgetsOf(call: Call, pod: KubeObject): Budget[] {
  const budgets: Budget[] = [];
  for (const object of call.list(PDB_KEY, call.namespace)) {
    const budget = object as Budget;
    const selector = selectorOf(budget.spec?.selector);
    if (selector !== undefined && selectsLabels(selector, pod.metadata.labels)) budgets.push(budget);
  }
  return budgets;
}

/** A pod that is not ready is not counted by the budget, as long as the others suffice. */
function isFreeToGo(pod: KubeObject, budget: Budget): boolean {
  if (podCondition(pod, 'Ready')?.status === 'True') return false;
  if (budget.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

function checkBudget(budget: Budget): void {
  const { name = '', generation = 0 } = budget.metadata;
  const { observedGeneration = 0, disruptionsAllowed = 0, disruptedPods = {} } = budget.status ?? {};
  const subject = { group: 'policy', plural: 'poddisruptionbudget' };
  if (observedGeneration < generation) {
    throw violation(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (disruptionsAllowed < 0) throw forbidden(subject, name, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > MAX_DISRUPTED_PODS) {
    throw forbidden(
      subject,
      name,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    );
  }
  if (disruptionsAllowed === 0) throw violation(exhausted(budget), 0);
}

function exhausted(budget: Budget): string {
  const { name } = budget.metadata;
  const { currentHealthy = 0, desiredHealthy = 0, conditions = [] } = budget.status ?? {};
  const condition = conditions.find(({ type }) => type === 'DisruptionAllowed');
  const why = condition?.status === 'False' ? (condition.message ?? '') : '';
  if (why !== '' && condition?.reason === 'SyncFailed') {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${why}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  if (why !== '')
    return `The disruption budget ${name} does not allow evicting pods currently (${condition?.reason}): ${why}`;
  return `The disruption budget ${name} does not allow evicting pods currently`;
}

function violation(message: string, retryAfterSeconds: number): ApiError {
  return tooManyRequests(VIOLATION, retryAfterSeconds, [{ reason: 'DisruptionBudget', message }]);
}

function decrement(call: Call, budget: Budget, podName: string): void {
  const next = cloneJson(budget);
  const status = next.status ?? {};
  next.status = status;
  status.disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1;
  status.disruptedPods = { ...status.disruptedPods, [podName]: call.now };
  if (status.disruptionsAllowed === 0) {
    const conditions = status.conditions ?? [];
    const before = conditions.find(({ type }) => type === 'DisruptionAllowed');
    const condition: Condition = {
      type: 'DisruptionAllowed',
      status: 'False',
      reason: 'InsufficientPods',
      message: '',
      observedGeneration: status.observedGeneration,
      lastTransitionTime: before?.status === 'False' ? before.lastTransitionTime : call.now,
    };
    status.conditions = [...conditions.filter((other) => other !== before), condition];
  }
  call.parts.store.update(PDB_KEY, next);
}

/** First the pod gets a condition with the reason. */
function markAndDelete(call: Call, pod: StoredObject, options: DeleteOptions): void {
  const pods = call.resource;
  const target = { resource: pods, namespace: call.namespace ?? '', name: call.objectName };
  const own = new Call(call.parts, target, call.user, call.userAgent);
  let preconditions = options.preconditions;
  if (!options.dryRun) {
    const refusal = deletePreconditionError(pods, pod, preconditions);
    if (refusal !== undefined) throw refusal;
    const { item } = updateObject(
      new Call(call.parts, { ...target, subresource: 'status' }, call.user, call.userAgent),
      {
        next: (current) => evicted(current ?? pod, call.now),
        skipAdmission: true,
      },
    );
    if (preconditions?.resourceVersion !== undefined) {
      preconditions = { ...preconditions, resourceVersion: item.object.metadata.resourceVersion };
    }
  }
  deleteObject(own, preconditions === undefined ? options : { ...options, preconditions });
}

function evicted(pod: KubeObject, now: string): KubeObject {
  const next = cloneJson(pod);
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  } as const;
  setPodCondition(next, condition, now);
  return next;
}
