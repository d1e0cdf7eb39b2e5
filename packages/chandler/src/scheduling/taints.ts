/**
 * Which taints a pod's tolerations answer. The rules are Kubernetes', with the numeric operators Lt and Gt.
 * That a soft taint (PreferNoSchedule) counts until the pod is relaxed, is decided where pods are relaxed.
 */
import type { Taint } from '../api/index.ts';
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
  // A toleration without a key answers every taint, but only with Exists.
  if (key === '' && operator !== 'Exists') return false;
  return OPERATORS.get(operator)?.(taint.value ?? '', toleration.value ?? '') ?? false;
}

/** The first taint that nothing answers. */
export function untoleratedTaint(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
): Taint | undefined {
  return taints.find((taint) => !tolerations.some((toleration) => toleratesTaint(toleration, taint)));
}

/** The first taint that nothing answers and that keeps pods away for good: soft ones do not. */
export function untoleratedHardTaint(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
): Taint | undefined {
  return untoleratedTaint(
    taints.filter((taint) => taint.effect !== 'PreferNoSchedule'),
    tolerations,
  );
}

/** `key=value:effect` as people write it. */
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
