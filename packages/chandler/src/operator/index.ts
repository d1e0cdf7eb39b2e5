/** Builds a running controller out of a World, a way to the API server, a cloud and settings. Start with `createOperator`. */
export { type AzureAccess, azureAccess } from './azure/azure-access.ts';
export { type AzureWires, azureCloudParts } from './azure/azure-cloud-parts.ts';
export { type AzureParts, type AzurePartsOptions, azureParts } from './azure/azure-parts.ts';
export type { BackgroundTask, CloudParts, MakeCloudParts, PartsRequest } from './cloud-parts.ts';
export { type CreateOperator, createOperator, type Operator, type OperatorEnd } from './operator.ts';
export {
  CONTROLLER_OPTIONS,
  type ControllerValues,
  OPERATOR_OPTIONS,
  type OperatorSettings,
  type OperatorValues,
} from './operator-options.ts';
export { withAzureFence, withoutAzureWrites, withoutWrites } from './read-only.ts';
export { StartError, type StartErrorCode } from './start-error.ts';
