/** Entry point: launch templates in EC2, and the user data in them. */
export { type TemplateLease, TemplateStore, type TemplateStoreOptions } from './template-store.ts';
export { type NodeUserDataRequest, nodeUserData } from './user-data.ts';
export { UserDataGauge } from './user-data-gauge.ts';
