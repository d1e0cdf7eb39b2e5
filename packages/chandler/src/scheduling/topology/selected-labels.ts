/**
 * The pod labels that some selector uses: of the pods to place, of bound pods, and of the default spread
 * constraints. Other labels do not affect a plan.
 */
import type { DefaultSpread, LabelSelector } from '../model.ts';
import type { ReadSpec } from '../pods/read-spec.ts';

export function selectedLabels(
  specs: Iterable<ReadSpec>,
  defaultSpread: DefaultSpread | undefined,
): Set<string> {
  const asked = new Set<string>();
  for (const spec of specs) addSpec(asked, spec);
  for (const { selector } of defaultSpread?.services ?? []) {
    for (const key of Object.keys(selector)) asked.add(key);
  }
  for (const { selector } of defaultSpread?.controllers ?? []) addSelector(asked, selector);
  for (const { matchLabelKeys } of defaultSpread?.constraints ?? []) {
    for (const key of matchLabelKeys ?? []) asked.add(key);
  }
  return asked;
}

// ---------------------------------------------------------------------------------------------------------------

function addSpec(asked: Set<string>, { affinity, antiAffinity, spreads }: ReadSpec): void {
  for (const { required, preferred } of [affinity, antiAffinity]) {
    for (const term of required) addSelector(asked, term.labelSelector);
    for (const term of preferred) addSelector(asked, term.labelSelector);
  }
  for (const { labelSelector, matchLabelKeys } of spreads) {
    addSelector(asked, labelSelector);
    for (const key of matchLabelKeys ?? []) asked.add(key);
  }
}

function addSelector(asked: Set<string>, selector: LabelSelector | undefined): void {
  for (const key of Object.keys(selector?.matchLabels ?? {})) asked.add(key);
  for (const { key } of selector?.matchExpressions ?? []) asked.add(key);
}
