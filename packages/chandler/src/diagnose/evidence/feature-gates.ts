/** Feature gates of the controller, as far as its options can be seen. */
import type { OptionsEvidence } from '../../causes/index.ts';
import type { FeatureGate } from '../../settings/index.ts';

/** Undefined: where no Deployment can be seen, or the gates are set from a Secret, it may be on. */
export function isGateOn(
  options: Pick<OptionsEvidence, 'values'> | undefined,
  gate: FeatureGate,
): boolean | undefined {
  const text = options?.values['featureGates']?.value;
  if (text === undefined) return undefined;
  const given = text.split(',').map((part) => part.trim().split('='));
  return given.findLast(([name]) => name === gate)?.[1] === 'true';
}
