/** Entry point: what an AKS cluster needs for the controller, as resources and as files. */
export { aksFiles } from './files.ts';
export { type AksCluster, type AksTarget, aksClusterId, readAksCluster } from './read-cluster.ts';
export { aksRecorded } from './recorded.ts';
export { aksResources } from './resources.ts';
export { type AksSetup, type AksSetupOptions, aksSetup, type RoleChoice } from './setup.ts';
