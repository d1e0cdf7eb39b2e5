export { type AwsServer, type AwsServerOptions, CONTROLLER_ROLE, startAwsServer } from './aws-server.ts';
export { Catalogue, type CatalogueOptions, type OfferedType } from './catalogue/catalogue.ts';
export {
  type ControllerEnvironment,
  type ControllerFiles,
  controllerEnvironment,
  filesIn,
  removeControllerFiles,
  writeControllerFiles,
} from './controller-files.ts';
export type { InstanceControl, InstanceHooks } from './ec2/instance-states.ts';
export type { QuotaLimits } from './ec2/quotas.ts';
export { FAULTS } from './faults/catalogue.table.ts';
export { readFaultFlags } from './faults/fault-flags.ts';
export { controllerPolicy, withoutAction } from './iam/controller-policy.ts';
export type { PolicyDocument, PolicyStatement } from './iam/policy.ts';
export type { AwsSettings, Zone } from './settings.ts';
export { type AwsEnvironment, type AwsOptions, type RunningAws, startAws } from './simulated-aws.ts';
