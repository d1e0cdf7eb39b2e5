export { recordBuildInfo } from './build-info.ts';
export { cloudContext } from './cloud-context.ts';
export { coreControllers } from './controllers.ts';
export { withoutWrites } from './read-only.ts';
