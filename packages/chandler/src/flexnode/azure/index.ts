/** The identity part of the agent: Azure, the cluster, the Arc agent, the node's own tokens. */
export type { AzureClient } from './azure-client.ts';
export type { ClusterClient } from './cluster-client.ts';
export { type AzureClientOptions, createAzureClient } from './create-azure-client.ts';
export { createClusterClient } from './create-cluster-client.ts';
export { createDryRunAzureClient, createDryRunClusterClient } from './dry-run-clients.ts';
