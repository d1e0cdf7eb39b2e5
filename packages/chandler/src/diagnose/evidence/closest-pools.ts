/** Which of the NodePools that refuse a pod come closest to taking it. */
import type { Refusal } from '../../scheduling/index.ts';

/**
 * A pool for other pods refuses this pod at an early check; the intended pool refuses it at a later one. Refusals of an unknown
 * code are kept.
 */
export function closest<T>(refusals: readonly T[], codeOf: (refusal: T) => string): readonly T[] {
  const further = (refusal: T) => CHECKS.indexOf(codeOf(refusal));
  const furthest = Math.max(...refusals.map(further));
  return refusals.filter((refusal) => further(refusal) === furthest || further(refusal) === -1);
}

// ---------------------------------------------------------------------------------------------------

const FURTHER: readonly Refusal['code'][] = [
  'PoolWithoutTypes',
  'TaintNotTolerated',
  'LabelUndefined',
  'RequirementIncompatible',
  'TopologyUnsatisfiable',
  'LimitExceeded',
  'MinValuesUnmet',
  'ReservedOnly',
  'NoOffering',
  'NoTypeMeetsAll',
  'HostPortTaken',
  'VolumeLimit',
  'ResourceInsufficient',
];
const CHECKS: readonly string[] = FURTHER;
