/**
 * Which pod labels some selector looks at: of the pods to place, the pods that are there, and the cluster's
 * default spread. All other labels are of no interest to a plan.
 */
import type { LabelSelector, Pod, PodAffinity, SchedulingInput } from '../model.ts';

export function askedLabels(input: SchedulingInput): Set<string> {
  const asked = new Set<string>();
  for (const pod of input.pods) addPod(asked, pod);
  for (const pod of input.boundPods ?? []) addPod(asked, pod);
  for (const { selector } of input.defaultSpread?.services ?? []) {
    for (const key of Object.keys(selector)) asked.add(key);
  }
  for (const { selector } of input.defaultSpread?.controllers ?? []) addSelector(asked, selector);
  return asked;
}

export function addPod(asked: Set<string>, pod: Pod): void {
  try {
    addSelectors(asked, pod);
  } catch (error) {
    // A pod of the wrong shape is refused when it is read; here it asks for nothing.
    if (!(error instanceof TypeError)) throw error;
  }
}

// ---------------------------------------------------------------------------------------------------------------

function addSelectors(asked: Set<string>, pod: Pod): void {
  const spec = pod.spec;
  if (spec?.affinity !== undefined) {
    addAffinity(asked, spec.affinity?.podAffinity);
    addAffinity(asked, spec.affinity?.podAntiAffinity);
  }
  for (const spread of spec?.topologySpreadConstraints ?? []) {
    addSelector(asked, spread.labelSelector);
    for (const key of spread.matchLabelKeys ?? []) asked.add(key);
  }
}

function addAffinity(asked: Set<string>, affinity: PodAffinity | undefined): void {
  if (affinity === undefined || affinity === null) return;
  for (const term of affinity.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
    addSelector(asked, term?.labelSelector);
  }
  for (const term of affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []) {
    addSelector(asked, term?.podAffinityTerm?.labelSelector);
  }
}

function addSelector(asked: Set<string>, selector: LabelSelector | undefined): void {
  if (selector === undefined || selector === null) return;
  if (selector.matchLabels !== undefined) for (const key in selector.matchLabels) asked.add(key);
  for (const expression of selector.matchExpressions ?? []) asked.add(expression.key);
}
