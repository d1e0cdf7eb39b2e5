/**
 * Every action that the controller uses in Azure: who is asked once it is missing, and what `why` must say. An action without a row
 * fails the suite.
 */

export interface MissingRow {
  readonly action: string;
  /** What happens after the start, and whom `why` is asked about. */
  readonly scenario: ScenarioName;
  /** Cause: it explains why something does not work. Suspicious: everything else works. */
  readonly as: 'cause' | 'suspicious';
  /** What the scope contains. */
  readonly scope: string;
  /** Part of `npm test`. */
  readonly quick?: true;
}

export type ScenarioName =
  /** A pod that needs a node. */
  | 'pod'
  /** A pod that runs: nothing but the background is denied. */
  | 'running'
  /** A NodeClaim of a running node is deleted. */
  | 'deleteClaim'
  /** The same, with a disk and a network interface that are left. */
  | 'leftovers'
  /** The VM boots and does not become a node. */
  | 'neverJoins'
  /** Somebody asks for a restart of a running node. */
  | 'reboot'
  /** VMs get the identity of the kubelets. */
  | 'identities'
  /** The cluster has a disk encryption set. */
  | 'encryption'
  /** The controller ends. */
  | 'start';

const GROUP = '/resourceGroups/MC_playground_playground_eastus';
const VM = `${GROUP}/providers/Microsoft.Compute/virtualMachines/aks-default-`;
const row = (
  action: string,
  scenario: ScenarioName,
  as: MissingRow['as'],
  scope: string,
  quick?: true,
): MissingRow => ({ action, scenario, as, scope, ...(quick === true ? { quick } : {}) });

export const MISSING: readonly MissingRow[] = [
  row('Microsoft.Compute/disks/delete', 'leftovers', 'suspicious', '/disks/aks-default-'),
  row('Microsoft.Compute/disks/read', 'deleteClaim', 'cause', '/disks/aks-default-'),
  row('Microsoft.Compute/disks/write', 'pod', 'cause', '/disks/aks-default-'),
  row('Microsoft.Compute/virtualMachines/delete', 'deleteClaim', 'cause', VM),
  row('Microsoft.Compute/virtualMachines/extensions/write', 'running', 'suspicious', VM),
  row('Microsoft.Compute/virtualMachines/read', 'pod', 'cause', VM),
  row('Microsoft.Compute/virtualMachines/restart/action', 'reboot', 'suspicious', VM),
  row('Microsoft.Compute/virtualMachines/retrieveBootDiagnosticsData/action', 'neverJoins', 'suspicious', VM),
  row('Microsoft.Compute/virtualMachines/write', 'pod', 'cause', VM, true),
  row(
    'Microsoft.Network/loadBalancers/backendAddressPools/join/action',
    'pod',
    'cause',
    '/loadBalancers/kubernetes',
  ),
  row('Microsoft.Network/loadBalancers/read', 'pod', 'cause', GROUP),
  row(
    'Microsoft.Network/networkInterfaces/delete',
    'leftovers',
    'suspicious',
    '/networkInterfaces/aks-default-',
  ),
  row('Microsoft.Network/networkInterfaces/join/action', 'pod', 'cause', '/networkInterfaces/aks-default-'),
  row('Microsoft.Network/networkInterfaces/read', 'pod', 'cause', '/networkInterfaces/aks-default-'),
  row('Microsoft.Network/networkInterfaces/write', 'pod', 'cause', '/networkInterfaces/aks-default-'),
  row('Microsoft.Network/networkSecurityGroups/read', 'pod', 'cause', GROUP),
  row('Microsoft.Network/virtualNetworks/read', 'pod', 'cause', '/virtualNetworks/aks-vnet-12345678'),
  row('Microsoft.Network/virtualNetworks/subnets/join/action', 'pod', 'cause', '/subnets/aks-subnet'),
  row('Microsoft.Network/virtualNetworks/subnets/read', 'pod', 'cause', '/subnets/aks-subnet'),
  row(
    'Microsoft.ManagedIdentity/userAssignedIdentities/assign/action',
    'identities',
    'cause',
    '/playground-agentpool',
  ),
  row(
    'Microsoft.ContainerService/managedClusters/read',
    'running',
    'suspicious',
    '/managedClusters/playground',
  ),
  row('Microsoft.Compute/diskEncryptionSets/read', 'encryption', 'cause', '/diskEncryptionSets/'),
  row('Microsoft.Compute/skus/read', 'start', 'cause', '/subscriptions/00000000-0000-4000-8000-000000000001'),
  row('Microsoft.Compute/locations/usages/read', 'running', 'suspicious', '/locations/eastus', true),
  row(
    'Microsoft.Compute/locations/communityGalleries/images/versions/read',
    'pod',
    'cause',
    '/communityGalleries/AKSUbuntu-',
  ),
];

/** Actions that no scenario needs, with the reason. */
export const NOT_ASKED_FOR: Readonly<Record<string, string>> = {
  'Microsoft.Compute/virtualMachines/extensions/read':
    'read only of VMs whose extension installs the node; extension-reader.test.ts denies it',
  'Microsoft.Network/networkSecurityGroups/join/action':
    'network interfaces get the group only in a network that is not that of AKS',
  'Microsoft.Network/routeTables/read':
    'read only where the cluster has no security group whose name contains its ID',
};
