export { tellBuild } from './build-info.ts';
export { coreControllers } from './controllers.ts';
