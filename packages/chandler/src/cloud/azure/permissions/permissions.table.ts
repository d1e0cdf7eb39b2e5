/**
 * What the controller may do in Azure, and why: the actions of its calls, by what they are called on. `chandler configure aks` makes
 * roles of it, docs/configure.md prints it, and a test launches nodes with nothing else.
 */

/** What an action is called on. */
export type PermissionScope = 'nodes' | 'subnet' | 'kubeletIdentity' | 'cluster' | 'diskEncryptionSet';

export interface ControllerPermission {
  readonly action: string;
  readonly on: PermissionScope;
  /** Completes "It is needed to …". */
  readonly to: string;
}

const on = (scope: PermissionScope, action: string, to: string): ControllerPermission => ({
  action,
  on: scope,
  to,
});

export const CONTROLLER_PERMISSIONS: readonly ControllerPermission[] = [
  on('nodes', 'Microsoft.Compute/disks/delete', 'delete the OS disk of a VM that was deleted'),
  on('nodes', 'Microsoft.Compute/disks/read', 'find OS disks without a VM'),
  on('nodes', 'Microsoft.Compute/disks/write', 'create the OS disk of a VM'),
  on('nodes', 'Microsoft.Compute/virtualMachines/delete', 'delete VMs'),
  on(
    'nodes',
    'Microsoft.Compute/virtualMachines/extensions/read',
    'see whether a VM has become a node, and why not',
  ),
  on('nodes', 'Microsoft.Compute/virtualMachines/extensions/write', 'add the extensions of AKS to VMs'),
  on('nodes', 'Microsoft.Compute/virtualMachines/read', 'read VMs'),
  on(
    'nodes',
    'Microsoft.Compute/virtualMachines/restart/action',
    'restart the VM of a node that is repaired',
  ),
  on(
    'nodes',
    'Microsoft.Compute/virtualMachines/retrieveBootDiagnosticsData/action',
    'read what a VM that does not join wrote to its console',
  ),
  on('nodes', 'Microsoft.Compute/virtualMachines/write', 'create VMs and change their tags'),
  on(
    'nodes',
    'Microsoft.Network/loadBalancers/backendAddressPools/join/action',
    'put nodes behind the load balancers of the cluster',
  ),
  on('nodes', 'Microsoft.Network/loadBalancers/read', 'find the load balancers of the cluster'),
  on('nodes', 'Microsoft.Network/networkInterfaces/delete', 'delete network interfaces'),
  on('nodes', 'Microsoft.Network/networkInterfaces/join/action', 'attach network interfaces to VMs'),
  on('nodes', 'Microsoft.Network/networkInterfaces/read', 'read network interfaces'),
  on('nodes', 'Microsoft.Network/networkInterfaces/write', 'create network interfaces'),
  on(
    'nodes',
    'Microsoft.Network/networkSecurityGroups/join/action',
    'give network interfaces the security group of the cluster',
  ),
  on('nodes', 'Microsoft.Network/networkSecurityGroups/read', 'find the security group of the cluster'),
  on(
    'nodes',
    'Microsoft.Network/routeTables/read',
    'find out the ID of the cluster by the names of its resources',
  ),
  on(
    'nodes',
    'Microsoft.Network/virtualNetworks/read',
    'find out the ID of the cluster by the names of its resources',
  ),
  on('subnet', 'Microsoft.Network/virtualNetworks/subnets/join/action', 'put VMs into the subnet'),
  on(
    'subnet',
    'Microsoft.Network/virtualNetworks/subnets/read',
    'see whether the subnet exists and has addresses',
  ),
  on(
    'kubeletIdentity',
    'Microsoft.ManagedIdentity/userAssignedIdentities/assign/action',
    'give VMs the identity of kubelets',
  ),
  on(
    'cluster',
    'Microsoft.ContainerService/managedClusters/read',
    'read the network and the disk encryption set of the cluster',
  ),
  on(
    'diskEncryptionSet',
    'Microsoft.Compute/diskEncryptionSets/read',
    'encrypt OS disks with the key of the set',
  ),
];

/**
 * What belongs to no resource group. Azure answers these calls for every identity that has a role in the subscription, so that no role
 * has them; where it does not, a role on the subscription must.
 */
export const SUBSCRIPTION_READS: readonly Omit<ControllerPermission, 'on'>[] = [
  {
    action: 'Microsoft.Compute/skus/read',
    to: 'list the VM sizes of the region; without it the controller does not start',
  },
  {
    action: 'Microsoft.Compute/locations/usages/read',
    to: 'see how much of the quota is left; without it all sizes are tried',
  },
  {
    action: 'Microsoft.Compute/locations/communityGalleries/images/versions/read',
    to: 'find node images; without it no NodeClass becomes Ready',
  },
];

export interface RoleGrant {
  /** The built-in role that allows the actions, by name. */
  readonly builtinRole: string;
  /** The built-in role allows much more than the actions: with least privilege, a role of its own is defined. */
  readonly isWide: boolean;
  /** Completes "It is needed …". */
  readonly why: string;
}

export const ROLE_GRANTS: Readonly<Record<PermissionScope, RoleGrant>> = {
  nodes: {
    builtinRole: 'Virtual Machine Contributor',
    isWide: true,
    why: 'so that the controller can create and delete VMs in the node resource group',
  },
  subnet: {
    builtinRole: 'Network Contributor',
    isWide: true,
    why: 'so that new VMs can join the subnet of nodes',
  },
  kubeletIdentity: {
    builtinRole: 'Managed Identity Operator',
    isWide: false,
    why: 'so that new VMs get the identity with which kubelets pull images',
  },
  cluster: {
    builtinRole: 'Reader',
    isWide: false,
    why: 'so that the controller can read the settings of the cluster',
  },
  diskEncryptionSet: {
    builtinRole: 'Reader',
    isWide: false,
    why: 'so that OS disks are encrypted with the key of the cluster',
  },
};

/** Completes "It is needed to …". */
export function useOf(action: string): string | undefined {
  const same = (each: { readonly action: string }) => each.action.toLowerCase() === action.toLowerCase();
  return [...CONTROLLER_PERMISSIONS, ...SUBSCRIPTION_READS].find(same)?.to;
}

export function actionsOn(scope: PermissionScope): readonly string[] {
  return CONTROLLER_PERMISSIONS.filter((each) => each.on === scope).map(({ action }) => action);
}
