/**
 * The menu of the room: give it a snapshot of a cluster and get a plan with reasons.
 */
export * from './model.ts';
export * from './plan.ts';
export * from './refusal.ts';
export * from './refusal-text.ts';
export * from './solve.ts';
