/**
 * The detector's questions put to ARM. What is asked of Kubernetes comes from outside: this module has no client for
 * it. Only reads; what the answers mean is decided in finders.ts.
 */
import type { World } from '@chandler/kube';
import { type ArmClients, pagesOf, parseResourceId, toArmError } from '../../../arm/index.ts';
import type { Sourced } from '../../../settings/index.ts';

import type { ClusterReaders, ManagedClusterView, NamedResource } from './facts.ts';
import { readTlsCA } from './tls-ca.ts';

export interface ArmReadersOptions {
  readonly clients: ArmClients;
  readonly world: Pick<World, 'clock'>;
  readonly options: () => ArmReaderOptions;
  readonly kubernetes: Pick<ClusterReaders, 'serverVersion' | 'kubeDnsServiceIP' | 'clientConfigCA'>;
}

export interface ArmReaderOptions {
  readonly clusterName: Sourced<string>;
  readonly clusterEndpoint: Sourced<string>;
  readonly nodeResourceGroup: Sourced<string>;
  /** Of the managed cluster; empty: it is not read. */
  readonly armResourceGroup: Sourced<string>;
}

export function armClusterReaders({
  clients,
  world,
  options,
  kubernetes,
}: ArmReadersOptions): ClusterReaders {
  const nodeGroup = () => options().nodeResourceGroup.value;
  return {
    ...kubernetes,
    managedCluster: () => {
      const { armResourceGroup, clusterName } = options();
      if (armResourceGroup.value === '') return Promise.resolve(undefined);
      return said(() => readManagedCluster(clients, armResourceGroup.value, clusterName.value));
    },
    listNetworkSecurityGroups: () =>
      said(async () => namedOf((await clients.network()).networkSecurityGroups.list(nodeGroup()))),
    listNodeResourceNames: () =>
      said(async () => {
        const network = await clients.network();
        const tables = await namedOf(network.routeTables.list(nodeGroup()));
        const networks = await namedOf(network.virtualNetworks.list(nodeGroup()));
        return [...tables, ...networks].map(({ name }) => name);
      }),
    getVirtualNetwork: (id) => said(() => readVirtualNetwork(clients, id)),
    tlsCA: () => readTlsCA({ endpoint: options().clusterEndpoint.value, clock: world.clock }),
  };
}

// ---------------------------------------------------------------------------------------------------

async function said<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw toArmError(error);
  }
}

async function readManagedCluster(
  clients: ArmClients,
  group: string,
  name: string,
): Promise<ManagedClusterView> {
  const cluster = await (await clients.containerService()).managedClusters.get(group, name);
  const { nodeResourceGroup, diskEncryptionSetID, networkProfile } = cluster;
  return {
    ...(nodeResourceGroup === undefined ? {} : { nodeResourceGroup }),
    ...(diskEncryptionSetID === undefined ? {} : { diskEncryptionSetID }),
    ...(networkProfile === undefined ? {} : { networkProfile }),
  };
}

async function readVirtualNetwork(
  clients: ArmClients,
  id: string,
): Promise<{ readonly resourceGuid?: string }> {
  const parsed = parseResourceId(id, 'Microsoft.Network/virtualNetworks');
  if ('problem' in parsed) throw new Error(`the ID of the virtual network ${parsed.problem}`);
  const { subscriptionId, resourceGroup, segments } = parsed.id;
  const network = await clients.network(subscriptionId);
  const { resourceGuid } = await network.virtualNetworks.get(resourceGroup, segments[0]![1]);
  return resourceGuid === undefined ? {} : { resourceGuid };
}

async function namedOf(
  list: Parameters<typeof pagesOf<{ readonly id?: string; readonly name?: string }>>[0],
): Promise<NamedResource[]> {
  const found: NamedResource[] = [];
  for await (const { id, name } of pagesOf(list)) {
    // Azure gives both; an answer without them is of no use to anybody.
    if (id !== undefined && name !== undefined) found.push({ id, name });
  }
  return found;
}
