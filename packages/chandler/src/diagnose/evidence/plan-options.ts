/** The options of the controller that its plans follow, as far as its Deployment and its ConfigMap show them; else its defaults. */
import type { TopologySpreadConstraint } from '@chandler/kube';
import type { OptionsEvidence } from '../../causes/index.ts';
import type { SchedulingOptions } from '../../scheduling/index.ts';
import { readSchedulerConfig, schedulerConfigProblem } from '../../settings/index.ts';

import { isGateOn } from './feature-gates.ts';

type Options = Pick<OptionsEvidence, 'values'> | undefined;

export function planOptions(
  options: Options,
): Pick<SchedulingOptions, 'preferencePolicy' | 'minValuesPolicy' | 'reservedMode'> {
  return {
    preferencePolicy: textOf(options, 'preferencePolicy') === 'Ignore' ? 'Ignore' : 'Respect',
    minValuesPolicy: textOf(options, 'minValuesPolicy') === 'BestEffort' ? 'BestEffort' : 'Strict',
    reservedMode: usesReservations(options) ? 'strict' : 'fallback',
  };
}

/** The gate is on by default. */
export function usesReservations(options: Options): boolean {
  return isGateOn(options, 'ReservedCapacity') ?? true;
}

/** Of `--scheduler-config`: for pods without constraints of their own. */
export function defaultConstraints(options: Options): readonly TopologySpreadConstraint[] {
  const text = textOf(options, 'schedulerConfig');
  return schedulerConfigProblem(text) === undefined ? readSchedulerConfig(text).defaultConstraints : [];
}

// ---------------------------------------------------------------------------------------------------

function textOf(options: Options, name: string): string {
  return options?.values[name]?.value ?? '';
}
