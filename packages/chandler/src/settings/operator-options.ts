/** The options that every cloud has: those of Karpenter's core, and the guard against runaway launches. */
import { CORE_OPTIONS } from './core-options.ts';
import { LAUNCH_LIMITS } from './launch-limits.ts';

export const OPERATOR_OPTIONS = { ...CORE_OPTIONS, ...LAUNCH_LIMITS };
