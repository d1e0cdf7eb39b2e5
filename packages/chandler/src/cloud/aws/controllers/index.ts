/** Entry point: controllers that only AWS needs. */
export { type InstanceStatusInput, instanceStatus } from './instance-status.ts';
export { type InterruptionInput, interruption } from './interruption.ts';
export { InterruptionActions, type InterruptionActionsInput } from './interruption-actions.ts';
