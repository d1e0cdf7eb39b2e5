/** Entry point of the module: which nodes are disrupted, and what keeps the others. Pure: no clock, no network. */
export { approvedText, type Score, scoreOf } from './balanced.ts';
export * from './block.ts';
export * from './budgets.ts';
export * from './candidates.ts';
export * from './command.ts';
export * from './costs.ts';
export * from './disruption-plan.ts';
export * from './freezes.ts';
export * from './methods.table.ts';
export * from './model.ts';
export * from './plan-input.ts';
export * from './pod-blocks.ts';
export * from './pool-rules.ts';
export * from './rejection.ts';
export type { RepairDecision, RepairOptions, RepairPolicy } from './repair-policies.ts';
export { MAX_REBOOTS, rebootsOfDay } from './repair-policies.ts';
export * from './steps.ts';
export * from './validation.ts';
