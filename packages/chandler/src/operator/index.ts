/** Builds a running controller out of a World, a way to the API server, a cloud and settings. Start with `createOperator`. */
export { type CreateOperator, createOperator, type Operator, type OperatorEnd } from './operator.ts';
export {
  OPERATOR_OPTIONS,
  type OperatorSettings,
  type OperatorValues,
} from './operator-options.ts';
