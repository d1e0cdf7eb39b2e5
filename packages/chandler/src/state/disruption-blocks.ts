/** What blocks the disruption of a pod: its annotation, or disruption budgets that allow no eviction. */
import { type Pod, type PodDisruptionBudget, parseDurationMs, type Stored } from '@chandler/kube';
import { KarpenterAnnotation } from '../api/index.ts';
import { compileSelector } from '../scheduling/index.ts';

import { conditionOf } from './objects.ts';
import type { Stores } from './stores.ts';

export type DoNotDisrupt =
  | { readonly state: 'none' }
  | { readonly state: 'forever' }
  /** Until this time (ms since the epoch); undefined while the pod has not started. */
  | { readonly state: 'until'; readonly untilMs: number | undefined }
  | { readonly state: 'invalid'; readonly text: string };

/** `true` protects forever, a duration from the start of the pod; any other value is invalid and ignored. */
export function doNotDisruptOf(pod: Stored<Pod>): DoNotDisrupt {
  const text = pod.metadata.annotations?.[KarpenterAnnotation.doNotDisrupt];
  if (text === undefined || text === 'false') return { state: 'none' };
  if (text === 'true') return { state: 'forever' };
  const forMs = durationOf(text);
  if (forMs === undefined || forMs <= 0) return { state: 'invalid', text };
  const started = pod.status?.startTime;
  return { state: 'until', untilMs: started === undefined ? undefined : Date.parse(started) + forMs };
}

export function isProtected(pod: Stored<Pod>, nowMs: number): boolean {
  const doNotDisrupt = doNotDisruptOf(pod);
  if (doNotDisrupt.state === 'forever') return true;
  return (
    doNotDisrupt.state === 'until' && (doNotDisrupt.untilMs === undefined || doNotDisrupt.untilMs > nowMs)
  );
}

/** The budgets that select a pod. */
export function budgetsOf(pod: Stored<Pod>, stores: Stores): readonly Stored<PodDisruptionBudget>[] {
  const labels = pod.metadata.labels ?? {};
  return [...stores.budgets.store.values(pod.metadata.namespace)].filter(({ spec }) => {
    if (spec?.selector === undefined || spec.selector === null) return false;
    const selector = compiled(spec.selector);
    return !('problem' in selector) && selector.matches(labels);
  });
}

/** Whether the budgets block every eviction of the pod. */
export function isFullyBlocked(pod: Stored<Pod>, stores: Stores): boolean {
  const budgets = budgetsOf(pod, stores);
  if (budgets.length > 1) return true;
  return budgets.some((budget) => allowsNone(budget) && !sparesUnhealthy(budget, pod));
}

// ---------------------------------------------------------------------------------------------------

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

function allowsNone({ spec }: Stored<PodDisruptionBudget>): boolean {
  const { maxUnavailable, minAvailable } = spec ?? {};
  return maxUnavailable === 0 || maxUnavailable === '0%' || minAvailable === '100%';
}

function sparesUnhealthy({ spec }: Stored<PodDisruptionBudget>, pod: Stored<Pod>): boolean {
  return spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' && conditionOf(pod, 'Ready')?.status !== 'True';
}
