/** The identity part of the agent: Azure, the cluster, the Arc agent, the node's own tokens. */
export type { AzureSide } from './azure-side.ts';
export type { ClusterSide } from './cluster-side.ts';
export { type AzureSideOptions, createAzureSide } from './create-azure-side.ts';
export { createClusterSide } from './create-cluster-side.ts';
export { createNotedAzureSide, createNotedClusterSide } from './noted-sides.ts';
