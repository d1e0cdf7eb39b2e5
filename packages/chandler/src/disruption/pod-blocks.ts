/**
 * What blocks the eviction of a pod: its annotation, or PodDisruptionBudgets. Also which pods move when their node is
 * removed. Pure; the caller passes the budgets.
 */
import {
  conditionOf,
  isOwnedByDaemonSet,
  isOwnedByNode,
  isOwnedByStatefulSet,
  isTerminal,
  isTerminating,
  type PodDisruptionBudget,
  parseDurationMs,
} from '@chandler/kube';
import { DISRUPTED_TAINT, KarpenterAnnotation, type Taint } from '../api/index.ts';
import { compileSelector, type Pod, toleratesTaint } from '../scheduling/index.ts';

export type DoNotDisrupt =
  | { readonly state: 'none' }
  | { readonly state: 'forever' }
  /** Until this time (ms since the epoch); undefined while the pod has not started. */
  | { readonly state: 'until'; readonly untilMs: number | undefined }
  | { readonly state: 'invalid'; readonly text: string };

/** `true` protects forever, a duration from the start of the pod; any other value is invalid and ignored. */
export function doNotDisruptOf(pod: Pod): DoNotDisrupt {
  const text = pod.metadata.annotations?.[KarpenterAnnotation.doNotDisrupt];
  if (text === undefined || text === 'false') return { state: 'none' };
  if (text === 'true') return { state: 'forever' };
  const forMs = durationOf(text);
  if (forMs === undefined || forMs <= 0) return { state: 'invalid', text };
  const started = pod.status?.startTime;
  return { state: 'until', untilMs: started === undefined ? undefined : Date.parse(started) + forMs };
}

export function isProtected(pod: Pod, nowMs: number): boolean {
  const doNotDisrupt = doNotDisruptOf(pod);
  if (doNotDisrupt.state === 'forever') return true;
  return (
    doNotDisrupt.state === 'until' && (doNotDisrupt.untilMs === undefined || doNotDisrupt.untilMs > nowMs)
  );
}

/** It runs, or is about to: neither over nor terminating. */
export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && !isTerminating(pod);
}

/** It needs another node when its node is removed. A StatefulSet creates its pod again only after the old one is gone. */
export function isReschedulable(pod: Pod): boolean {
  const returns = isActive(pod) || (!isTerminal(pod) && isOwnedByStatefulSet(pod));
  return returns && !isOwnedByDaemonSet(pod) && !isOwnedByNode(pod);
}

/** A drain evicts it, so PodDisruptionBudgets count for it. */
export function isEvicted(pod: Pod): boolean {
  const stays = (pod.spec.tolerations ?? []).some((toleration) => toleratesTaint(toleration, TAINT));
  return isActive(pod) && !stays && !isOwnedByNode(pod);
}

/** Where it can be depends on where other pods are. */
export function hasRequiredAffinity({ spec }: Pod): boolean {
  const { podAffinity } = spec.affinity ?? {};
  return (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0;
}

/** The budgets that select a pod. */
export function budgetsOf(pod: Pod, budgets: Iterable<PodDisruptionBudget>): readonly PodDisruptionBudget[] {
  const { labels = {}, namespace } = pod.metadata;
  return [...budgets].filter(({ metadata, spec }) => {
    if (metadata.namespace !== namespace) return false;
    if (spec?.selector === undefined || spec.selector === null) return false;
    const selector = compiled(spec.selector);
    return !('problem' in selector) && selector.matches(labels);
  });
}

/** Whether it stays until it is forced to leave, so that no place is planned for it: nobody knows when. */
export function staysUntilForced(pod: Pod, nowMs: number, budgets: Iterable<PodDisruptionBudget>): boolean {
  return (isActive(pod) && isProtected(pod, nowMs)) || isFullyBlocked(pod, budgets);
}

/** Whether the budgets block every eviction of the pod, whatever the state of other pods. */
export function isFullyBlocked(pod: Pod, budgets: Iterable<PodDisruptionBudget>): boolean {
  // It leaves with its node, whatever budgets say.
  if (!isEvicted(pod)) return false;
  const own = budgetsOf(pod, budgets);
  if (own.length > 1) return true;
  return own.some((budget) => allowsNone(budget) && !sparesUnhealthy(budget, pod));
}

/** The budgets that block its eviction now; the eviction API rejects a pod with more than one. */
export function blockingBudgets(
  pod: Pod,
  budgets: Iterable<PodDisruptionBudget>,
): readonly PodDisruptionBudget[] {
  const own = budgetsOf(pod, budgets);
  if (own.length > 1) return own;
  return own.filter(
    (budget) => (budget.status?.disruptionsAllowed ?? 0) <= 0 && !sparesUnhealthy(budget, pod),
  );
}

// ---------------------------------------------------------------------------------------------------

const TAINT = DISRUPTED_TAINT as Taint;

type Compiled = ReturnType<typeof compileSelector>;
type BudgetSelector = NonNullable<NonNullable<PodDisruptionBudget['spec']>['selector']>;

/** Objects of the stores are never modified, so each selector is compiled once, not for each pod. */
const SELECTORS = new WeakMap<BudgetSelector, Compiled>();

function compiled(selector: BudgetSelector): Compiled {
  const known = SELECTORS.get(selector) ?? compileSelector(selector);
  SELECTORS.set(selector, known);
  return known;
}

function durationOf(text: string): number | undefined {
  try {
    return parseDurationMs(text);
  } catch {
    return undefined;
  }
}

function allowsNone({ spec }: PodDisruptionBudget): boolean {
  const { maxUnavailable, minAvailable } = spec ?? {};
  return maxUnavailable === 0 || maxUnavailable === '0%' || minAvailable === '100%';
}

function sparesUnhealthy({ spec }: PodDisruptionBudget, pod: Pod): boolean {
  return spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' && conditionOf(pod, 'Ready')?.status !== 'True';
}
