/** `matchLabelKeys`: the pod's own label values become part of the selectors of its affinity and spread terms. */
import type { V1LabelSelector, V1Pod } from '@kubernetes/client-node';

export function applyMatchLabelKeys(pod: V1Pod): void {
  const labels = pod.metadata?.labels ?? {};
  const spec = pod.spec!;
  for (const constraint of spec.topologySpreadConstraints ?? []) {
    extend(constraint.labelSelector, constraint.matchLabelKeys, 'In', labels);
  }
  if (spec.affinity === undefined) return;
  for (const side of [spec.affinity.podAffinity, spec.affinity.podAntiAffinity]) {
    const terms = [
      ...(side?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(side?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
        ({ podAffinityTerm }) => podAffinityTerm,
      ),
    ];
    for (const term of terms) {
      extend(term.labelSelector, term.matchLabelKeys, 'In', labels);
      extend(term.labelSelector, term.mismatchLabelKeys, 'NotIn', labels);
    }
  }
}

// ---------------------------------------------------------------------------------------------------

function extend(
  selector: V1LabelSelector | undefined,
  keys: readonly string[] | undefined,
  operator: 'In' | 'NotIn',
  labels: Readonly<Record<string, string>>,
): void {
  if (selector === undefined || keys === undefined) return;
  for (const key of keys) {
    const value = labels[key];
    if (value === undefined) continue;
    selector.matchExpressions ??= [];
    selector.matchExpressions.push({ key, operator, values: [value] });
  }
}
