/**
 * The cluster id: eight digits that AKS puts into the names of what it makes in the node resource group. Upstream
 * knows one place, the network security group, and fails without exactly one. Here other names of AKS are tried
 * too: the virtual network of our own subnet, then route tables and virtual networks of the group.
 */
import type { Sourced } from '../../../settings/index.ts';
import type { ClusterOptions, ClusterReaders, Detection, NamedResource } from './facts.ts';

export async function findClusterId(
  ask: ClusterReaders,
  options: ClusterOptions,
): Promise<Detection<Sourced<string>>> {
  const groups = await ask.listNetworkSecurityGroups();
  const [found, ...more] = idsOf(
    groups.map(({ name }) => name),
    [SECURITY_GROUP],
  );
  if (found !== undefined && more.length === 0) {
    return {
      value: { value: found, source: 'cluster', path: `network security group aks-agentpool-${found}-nsg` },
    };
  }
  const inSubnet = idOfOwnNetwork(options);
  if (inSubnet !== undefined) return { value: inSubnet };
  const names = await ask.listNodeResourceNames();
  const [other, ...others] = idsOf(names, [ROUTE_TABLE, VIRTUAL_NETWORK]);
  if (other !== undefined && others.length === 0) {
    const name = names.find((candidate) => candidate.includes(other))!;
    return { value: { value: other, source: 'cluster', path: `name of ${name}` } };
  }
  const all = [found, ...more, other, ...others].filter((id) => id !== undefined);
  const where = `resource group ${options.nodeResourceGroup.value}`;
  if (all.length === 0) {
    return {
      code: 'NotFound',
      message: `${where} has no network security group aks-agentpool-{id}-nsg, nor a route table or virtual network of AKS with the cluster ID in its name; set CLUSTER_ID`,
    };
  }
  return {
    code: 'Ambiguous',
    message: `names in ${where} contain several cluster IDs (${[...new Set(all)].join(', ')}); set CLUSTER_ID`,
  };
}

/** The managed security group; no such group is no reason to launch nothing, since AKS' own subnets carry theirs. */
export async function findSecurityGroup(
  ask: ClusterReaders,
  options: ClusterOptions,
): Promise<Detection<Sourced<NamedResource>>> {
  const groups = (await ask.listNetworkSecurityGroups()).filter(({ name }) => SECURITY_GROUP.test(name));
  const only = groups.length === 1 ? groups[0] : undefined;
  if (only !== undefined) return { value: named(only) };
  const where = `resource group ${options.nodeResourceGroup.value}`;
  if (groups.length === 0) {
    return {
      code: 'NotFound',
      message: `${where} has no network security group aks-agentpool-{id}-nsg; VMs in custom subnets get no network security group; set NETWORK_SECURITY_GROUP_ID to choose one`,
      blocks: false,
    };
  }
  const id = options.clusterId.value || (await idFromElsewhere(ask, options));
  const chosen = groups.find(({ name }) => SECURITY_GROUP.exec(name)![1] === id);
  if (chosen !== undefined) return { value: named(chosen) };
  return {
    code: 'Ambiguous',
    message: `${where} has several network security groups of AKS (${groups.map(({ name }) => name).join(', ')}); set NETWORK_SECURITY_GROUP_ID`,
  };
}

// ---------------------------------------------------------------------------------------------------

const SECURITY_GROUP = /^aks-agentpool-(\d{8})-nsg$/i;
const ROUTE_TABLE = /^aks-agentpool-(\d{8})-routetable$/i;
const VIRTUAL_NETWORK = /^aks-vnet-(\d{8})$/i;

function named(group: NamedResource): Sourced<NamedResource> {
  const { id, name } = group;
  return { value: { id, name }, source: 'cluster', path: `network security group ${name}` };
}

function idsOf(names: readonly string[], patterns: readonly RegExp[]): string[] {
  const ids = names.flatMap((name) => patterns.flatMap((pattern) => pattern.exec(name)?.[1] ?? []));
  return [...new Set(ids)].sort();
}

async function idFromElsewhere(ask: ClusterReaders, options: ClusterOptions): Promise<string | undefined> {
  const detection = await findClusterId(ask, options);
  return 'value' in detection ? detection.value.value : undefined;
}

/** A subnet in the virtual network that AKS made has the id in its own id; one of another group proves nothing. */
function idOfOwnNetwork({ vnetSubnetId, nodeResourceGroup }: ClusterOptions): Sourced<string> | undefined {
  const parts = vnetSubnetId.value.split('/');
  const id = VIRTUAL_NETWORK.exec(parts[8] ?? '')?.[1];
  if (id === undefined || parts[4]?.toLowerCase() !== nodeResourceGroup.value.toLowerCase()) return undefined;
  return { value: id, source: 'computed', path: `virtual network in ${vnetSubnetId.path}` };
}
