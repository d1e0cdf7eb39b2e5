export { type AwsServer, type AwsServerOptions, CONTROLLER_ROLE, startAwsServer } from './aws-server.ts';
export { Catalogue, type CatalogueOptions, type OfferedType } from './catalogue/catalogue.ts';
export type { AwsSettings, Zone } from './context.ts';
export type { InstanceControl, InstanceHooks } from './ec2/instance-states.ts';
export type { QuotaLimits } from './ec2/quotas.ts';
export { controllerPolicy, withoutAction } from './iam/controller-policy.ts';
export type { PolicyDocument, PolicyStatement } from './iam/policy.ts';
