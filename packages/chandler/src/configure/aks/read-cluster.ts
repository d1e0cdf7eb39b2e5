/** Reads the AKS cluster that is configured, and refuses one that the controller could not work with. It changes nothing. */
import type { ManagedCluster, ManagedClusterAgentPoolProfile } from '@azure/arm-containerservice';
import type { VirtualNetwork } from '@azure/arm-network';
import { type ArmClients, pagesOf, parseResourceId, resourceId } from '../../arm/index.ts';
import { ConfigureError } from '../resource.ts';
import { azureCall, azureRead } from './azure-error.ts';

export interface AksTarget {
  readonly subscriptionId: string;
  readonly resourceGroup: string;
  readonly clusterName: string;
  /** Of nodes. Default: the one of the node pools. */
  readonly subnetId?: string | undefined;
}

export interface AksCluster {
  readonly id: string;
  readonly name: string;
  readonly subscriptionId: string;
  readonly resourceGroup: string;
  /** `westeurope`. */
  readonly location: string;
  readonly issuer: string;
  readonly endpoint: string;
  readonly nodeResourceGroup: string;
  readonly nodeResourceGroupId: string;
  readonly subnetId: string;
  readonly vnetGuid?: string;
  readonly kubeletIdentity?: { readonly id: string; readonly clientId: string };
  readonly diskEncryptionSetId?: string;
  readonly sshPublicKey?: string;
  /** What the user should know, as sentences. */
  readonly notes: readonly string[];
}

export function aksClusterId({ subscriptionId, resourceGroup, clusterName }: AksTarget): string {
  return `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}/providers/Microsoft.ContainerService/managedClusters/${clusterName}`;
}

/** @throws {ConfigureError} and {NotAllowed} */
export async function readAksCluster(
  clients: ArmClients,
  target: AksTarget,
  signal: AbortSignal,
): Promise<AksCluster> {
  const { subscriptionId, resourceGroup, clusterName } = target;
  const id = aksClusterId(target);
  const cluster = await orNoSubscription(target, () =>
    azureRead({ action: 'Microsoft.ContainerService/managedClusters/read', scope: id }, async () =>
      (await clients.containerService()).managedClusters.get(resourceGroup, clusterName, {
        abortSignal: signal,
      }),
    ),
  );
  if (cluster === undefined)
    throw new ConfigureError(
      `there is no AKS cluster ${clusterName} in the resource group ${resourceGroup} of the subscription ${subscriptionId}; "az aks list -o table" lists the clusters`,
    );
  const issuer = requireWorkloadIdentity(target, cluster);
  const nodeResourceGroup = requireNodeGroup(target, cluster);
  const { location } = cluster;
  const network = await findNetwork(clients, target, cluster, nodeResourceGroup, signal);
  const kubelet = cluster.identityProfile?.['kubeletidentity'];
  const sshPublicKey = cluster.linuxProfile?.ssh?.publicKeys?.[0]?.keyData?.trim();
  return {
    id: cluster.id ?? id,
    name: clusterName,
    subscriptionId,
    resourceGroup,
    location: location.toLowerCase().replaceAll(' ', ''),
    issuer,
    endpoint: `https://${cluster.privateFqdn ?? cluster.fqdn}:443`,
    nodeResourceGroup,
    nodeResourceGroupId: `/subscriptions/${subscriptionId}/resourceGroups/${nodeResourceGroup}`,
    ...network,
    ...(kubelet?.resourceId === undefined
      ? {}
      : { kubeletIdentity: { id: kubelet.resourceId, clientId: kubelet.clientId ?? '' } }),
    ...(cluster.diskEncryptionSetID === undefined
      ? {}
      : { diskEncryptionSetId: cluster.diskEncryptionSetID }),
    ...(sshPublicKey === undefined || sshPublicKey === '' ? {} : { sshPublicKey }),
    notes: notesOf(target, cluster),
  };
}

// ---------------------------------------------------------------------------------------------------------------

async function orNoSubscription<T>(target: AksTarget, read: () => Promise<T>): Promise<T> {
  const { subscriptionId, resourceGroup } = target;
  try {
    return await read();
  } catch (error) {
    const message = error instanceof ConfigureError ? error.message : '';
    if (/^(SubscriptionNotFound|InvalidSubscriptionId)\b/.test(message))
      throw new ConfigureError(
        `the subscription ${subscriptionId} is not known with these credentials; "az account list -o table" lists yours`,
      );
    if (message.startsWith('ResourceGroupNotFound'))
      throw new ConfigureError(
        `there is no resource group ${resourceGroup} in the subscription ${subscriptionId}; it must be the one of the cluster, not that of its nodes`,
      );
    throw error;
  }
}

function requireWorkloadIdentity({ resourceGroup, clusterName }: AksTarget, cluster: ManagedCluster): string {
  const issuer = cluster.oidcIssuerProfile?.issuerURL ?? '';
  const hasIssuer = cluster.oidcIssuerProfile?.enabled === true && issuer !== '';
  const hasWorkloadIdentity = cluster.securityProfile?.workloadIdentity?.enabled === true;
  if (hasIssuer && hasWorkloadIdentity) return issuer;
  const lacks = [
    ...(hasIssuer ? [] : ['no OIDC issuer']),
    ...(hasWorkloadIdentity ? [] : ['no workload identity']),
  ].join(' and ');
  throw new ConfigureError(
    `the cluster ${clusterName} has ${lacks}, so the controller could not sign in; enable it first: az aks update -g ${resourceGroup} -n ${clusterName} --enable-oidc-issuer --enable-workload-identity`,
  );
}

function requireNodeGroup({ resourceGroup, clusterName }: AksTarget, cluster: ManagedCluster): string {
  const level = cluster.nodeResourceGroupProfile?.restrictionLevel?.toLowerCase();
  if (level === 'readonly')
    throw new ConfigureError(
      `the node resource group ${cluster.nodeResourceGroup} is locked, so the controller could not create VMs in it; unlock it first: az aks update -g ${resourceGroup} -n ${clusterName} --nrg-lockdown-restriction-level Unrestricted`,
    );
  if (cluster.nodeResourceGroup === undefined)
    throw new ConfigureError(`Azure does not say which node resource group the cluster ${clusterName} has`);
  return cluster.nodeResourceGroup;
}

function notesOf({ resourceGroup, clusterName }: AksTarget, cluster: ManagedCluster): readonly string[] {
  const notes: string[] = [];
  if (cluster.nodeProvisioningProfile?.mode === 'Auto')
    notes.push(
      `Node auto-provisioning of the cluster is on, and would create nodes for the same NodePools. Turn it off before the controller is installed: az aks update -g ${resourceGroup} -n ${clusterName} --node-provisioning-mode Manual`,
    );
  return notes;
}

type Network = Pick<AksCluster, 'subnetId' | 'vnetGuid'>;

async function findNetwork(
  clients: ArmClients,
  target: AksTarget,
  cluster: ManagedCluster,
  nodeResourceGroup: string,
  signal: AbortSignal,
): Promise<Network> {
  const subnetId = target.subnetId ?? subnetOfPools(cluster.agentPoolProfiles ?? []);
  if (subnetId === undefined)
    return subnetIn(nodeResourceGroup, await networksIn(clients, nodeResourceGroup, signal));
  const parsed = parseResourceId(subnetId, 'Microsoft.Network/virtualNetworks/subnets');
  if ('problem' in parsed) throw new ConfigureError(`the ID of the subnet ${parsed.problem}`);
  const { id } = parsed;
  const vnet = id.segments[0]![1];
  const vnetId = subnetId.slice(0, subnetId.lastIndexOf('/subnets/'));
  const network = await azureRead({ action: READ_NETWORK, scope: vnetId }, async () =>
    (await clients.network(id.subscriptionId)).virtualNetworks.get(id.resourceGroup, vnet, {
      abortSignal: signal,
    }),
  );
  const names = network?.subnets?.map(({ name }) => name?.toLowerCase()) ?? [];
  if (!names.includes(id.segments[1]![1].toLowerCase()))
    throw new ConfigureError(`the subnet ${subnetId} does not exist; give another one with --subnet-id`);
  return withGuid(subnetId, network!);
}

const READ_NETWORK = 'Microsoft.Network/virtualNetworks/read';

/** @throws {ConfigureError} where the pools have several. */
function subnetOfPools(pools: readonly ManagedClusterAgentPoolProfile[]): string | undefined {
  const ids = pools.flatMap(({ vnetSubnetID }) => vnetSubnetID ?? []);
  const different = [...new Map(ids.map((id) => [id.toLowerCase(), id])).values()];
  if (different.length < 2) return different[0];
  throw new ConfigureError(
    `the node pools of the cluster have several subnets (${different.join(', ')}); choose the one of new nodes with --subnet-id`,
  );
}

async function networksIn(
  clients: ArmClients,
  group: string,
  signal: AbortSignal,
): Promise<VirtualNetwork[]> {
  const scope = `/subscriptions/${clients.subscriptionId}/resourceGroups/${group}`;
  return await azureCall({ action: READ_NETWORK, scope }, async () => {
    const networks: VirtualNetwork[] = [];
    const client = await clients.network();
    for await (const network of pagesOf(client.virtualNetworks.list(group, { abortSignal: signal })))
      networks.push(network);
    return networks;
  });
}

/** AKS creates one network with one subnet, where it creates the network itself. */
function subnetIn(group: string, networks: readonly VirtualNetwork[]): Network {
  const subnets = networks.flatMap((network) =>
    (network.subnets ?? []).flatMap(({ id }) => (id === undefined ? [] : [{ id, network }])),
  );
  const [only, ...more] = subnets;
  if (only !== undefined && more.length === 0) return withGuid(only.id, only.network);
  const found =
    only === undefined ? 'no subnet' : `several subnets (${subnets.map(({ id }) => id).join(', ')})`;
  throw new ConfigureError(
    `there is ${found} in the node resource group ${group}; give the one of new nodes with --subnet-id`,
  );
}

function withGuid(subnetId: string, { resourceGuid }: VirtualNetwork): Network {
  resourceId(subnetId, 'Microsoft.Network/virtualNetworks/subnets');
  return { subnetId, ...(resourceGuid === undefined ? {} : { vnetGuid: resourceGuid }) };
}
