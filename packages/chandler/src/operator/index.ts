/**
 * Runs the controllers with a World, a transport to the API server, a cloud and settings. Start with
 * `createOperator`.
 */
export type { CreateOperator, WatchedObjects } from './create-operator.ts';
export { createOperator, type Operator, type OperatorEnd } from './operator.ts';
export type { OperatorSettings, OperatorValues } from './operator-options.ts';
