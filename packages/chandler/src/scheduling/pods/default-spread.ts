/**
 * The default topology spread constraints of the cluster, for pods that have none. The label selector is
 * deduced from the services that select the pod and from its controller. When no selector can be deduced, no
 * constraint applies.
 */
import type { DefaultSpread, LabelSelector, Pod, TopologySpreadConstraint } from '../model.ts';
import { compileSelector } from '../selectors.ts';
import { namespaceOf } from '../shapes/named-pods.ts';

export function defaultSpreadsFor(defaults: DefaultSpread, pod: Pod): readonly TopologySpreadConstraint[] {
  const namespace = namespaceOf(pod.metadata);
  const labels = pod.metadata.labels ?? {};
  const matchLabels: Record<string, string> = {};
  const matchExpressions: NonNullable<LabelSelector['matchExpressions']>[number][] = [];
  for (const { metadata, selector } of defaults.services ?? []) {
    if (namespaceOf(metadata) !== namespace || Object.keys(selector).length === 0) continue;
    if (Object.entries(selector).every(([key, value]) => labels[key] === value)) {
      Object.assign(matchLabels, selector);
    }
  }
  const owner = pod.metadata.ownerReferences?.find((reference) => reference.controller === true);
  const controller = defaults.controllers?.find(
    ({ metadata, kind }) => owner !== undefined && kind === owner.kind && metadata.uid === owner.uid,
  );
  if (controller !== undefined) {
    Object.assign(matchLabels, controller.selector.matchLabels);
    matchExpressions.push(...(controller.selector.matchExpressions ?? []));
  }
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) return [];
  const labelSelector = { matchLabels, matchExpressions };
  if ('problem' in compileSelector(labelSelector)) return [];
  return defaults.constraints.map((constraint) => ({ ...constraint, labelSelector }));
}
