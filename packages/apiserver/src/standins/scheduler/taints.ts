/** Taints and tolerations: which taints exclude a pod, and which only lower the score of a node. */
import type { Taint, Toleration } from '@chandler/kube';
import { type Filter, unresolvable } from './filter.ts';

export const taintFilter: Filter = (pod) => {
  const { tolerations } = pod.spec;
  return (node) => (node.taints.length > 0 && untolerated(node.taints, tolerations) ? TAINTED : undefined);
};

/** The first taint that excludes the pod from the node. */
export function untolerated(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] | undefined,
): Taint | undefined {
  return taints.find(
    (taint) =>
      (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !tolerates(tolerations, taint),
  );
}

/** The number of PreferNoSchedule taints that the pod does not tolerate. */
export function countPreferNoSchedule(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] | undefined,
): number {
  let count = 0;
  for (const taint of taints) {
    if (taint.effect === 'PreferNoSchedule' && !tolerates(tolerations, taint)) count += 1;
  }
  return count;
}

export function tolerates(tolerations: readonly Toleration[] | undefined, taint: Taint): boolean {
  return (tolerations ?? []).some((toleration) => toleratesTaint(toleration, taint));
}

export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  const { key = '', operator = 'Equal', value = '', effect = '' } = toleration;
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (operator === 'Equal' || operator === '') && value === (taint.value ?? '');
}

// ---------------------------------------------------------------------------------------------------

const TAINTED = unresolvable('node(s) had untolerated taint(s)');
