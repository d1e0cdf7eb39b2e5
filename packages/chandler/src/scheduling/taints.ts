/**
 * Which taints the tolerations of a pod tolerate. The rules are those of Kubernetes, with the numeric
 * operators Lt and Gt. When a soft taint (PreferNoSchedule) stops counting is decided by
 * `pods/relaxations.ts`.
 */
import type { Taint } from '@chandler/kube';
import type { Toleration } from './model.ts';
import { parseInteger } from './requirements/label-table.ts';

export const TOLERATE_SOFT_TAINTS: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' };

export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== undefined && toleration.effect !== '' && toleration.effect !== taint.effect) {
    return false;
  }
  const key = toleration.key ?? '';
  if (key !== '' && key !== taint.key) return false;
  const operator = toleration.operator ?? '';
  // A toleration without a key tolerates every taint, but only with Exists.
  if (key === '' && operator !== 'Exists') return false;
  return OPERATORS.get(operator)?.(taint.value ?? '', toleration.value ?? '') ?? false;
}

/** The first taint that is not tolerated. */
export function untoleratedTaint(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
): Taint | undefined {
  return taints.find((taint) => !tolerations.some((toleration) => toleratesTaint(toleration, taint)));
}

/** The first taint that is not tolerated; soft taints are ignored. */
export function untoleratedHardTaint(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
): Taint | undefined {
  return untoleratedTaint(
    taints.filter((taint) => taint.effect !== 'PreferNoSchedule'),
    tolerations,
  );
}

/** `key=value:effect` as kubectl writes it. */
export function taintText(taint: Taint): string {
  const value = taint.value === undefined || taint.value === '' ? '' : `=${taint.value}`;
  return `${taint.key}${value}:${taint.effect}`;
}

// ---------------------------------------------------------------------------------------------------------------

type Comparison = (taintValue: string, tolerationValue: string) => boolean;

const equal: Comparison = (taintValue, tolerationValue) => taintValue === tolerationValue;

const OPERATORS = new Map<string, Comparison>([
  ['', equal],
  ['Equal', equal],
  ['Exists', () => true],
  ['Lt', (taintValue, tolerationValue) => parseInteger(taintValue) < parseInteger(tolerationValue)],
  ['Gt', (taintValue, tolerationValue) => parseInteger(taintValue) > parseInteger(tolerationValue)],
]);
