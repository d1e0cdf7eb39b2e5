/** Entry point: what an EKS cluster needs for the controller, as resources and as files. */
export { eksFiles } from './files.ts';
export {
  callersAccount,
  type EksCluster,
  type EksTarget,
  eksClusterArn,
  type IdentityChoice,
  readEksCluster,
} from './read-cluster.ts';
export { eksRecorded } from './recorded.ts';
export { eksResources } from './resources.ts';
export { type EksSetup, type EksSetupOptions, eksSetup } from './setup.ts';
