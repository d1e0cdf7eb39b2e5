/**
 * All that a process of this suite takes of the product. One file, so that the build can bundle it (`--with-operator`) and
 * the suite can run the bundle instead of the sources; see `operator-code.ts`.
 */
export { fetchTransport } from '@chandler/kube';
export { loadCloud } from '../../packages/chandler/src/cloud/registry.ts';
export { createOperator } from '../../packages/chandler/src/operator/index.ts';
export { cloudContext, coreControllers } from '../../packages/chandler/src/operator/testing.ts';
export {
  BUILD,
  GlobalSettings,
  OPERATOR_OPTIONS,
  resolveOptions,
} from '../../packages/chandler/src/settings/index.ts';

/** Where this was loaded from: this file, or the bundle. */
export const ORIGIN = import.meta.url;
