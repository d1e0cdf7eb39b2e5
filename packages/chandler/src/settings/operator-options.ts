/** The options that every cloud has: those of Karpenter's core, the guard against runaway launches, and disruption. */
import { CORE_OPTIONS } from './core-options.ts';
import { DISRUPTION_OPTIONS } from './disruption-options.ts';
import { LAUNCH_LIMITS } from './launch-limits.ts';

export const OPERATOR_OPTIONS = { ...CORE_OPTIONS, ...LAUNCH_LIMITS, ...DISRUPTION_OPTIONS };
