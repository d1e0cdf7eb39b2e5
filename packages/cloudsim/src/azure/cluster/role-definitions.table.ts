/**
 * Built-in roles of Azure that a node autoscaler and its keys use: name, GUID, actions and data actions.
 * Source: Azure built-in roles (learn.microsoft.com/azure/role-based-access-control/built-in-roles), 2026-08; lists of
 * actions limited to those that this server has. The last one is not a role of Azure: see its description.
 */
export interface RoleDefinition {
  readonly roleName: string;
  readonly guid: string;
  readonly description: string;
  readonly custom?: true;
  readonly actions: readonly string[];
  readonly notActions?: readonly string[];
  readonly dataActions?: readonly string[];
  readonly notDataActions?: readonly string[];
  /** Of a custom role. Default: the subscription. */
  readonly assignableScopes?: readonly string[];
}

const AUTHORIZATION_READ = 'Microsoft.Authorization/*/read';
const GROUPS_READ = 'Microsoft.Resources/subscriptions/resourceGroups/read';

export const ROLE_DEFINITIONS = [
  {
    roleName: 'Owner',
    guid: '8e3af657-a8ff-443c-a75c-2fe8c4bcb635',
    description: 'Everything, including who may do what.',
    actions: ['*'],
  },
  {
    roleName: 'Contributor',
    guid: 'b24988ac-6180-42a0-ab88-20f7382dd24c',
    description: 'Everything but who may do what.',
    actions: ['*'],
    notActions: [
      'Microsoft.Authorization/*/Delete',
      'Microsoft.Authorization/*/Write',
      'Microsoft.Authorization/elevateAccess/Action',
    ],
  },
  {
    roleName: 'Reader',
    guid: 'acdd72a7-3385-48ef-bd42-f606fba81ae7',
    description: 'Sees all resources, changes none.',
    actions: ['*/read'],
  },
  {
    roleName: 'User Access Administrator',
    guid: '18d7d88d-d35e-4fb5-a5c3-7773c20a72d9',
    description: 'Decides who may do what.',
    actions: ['*/read', 'Microsoft.Authorization/*'],
  },
  {
    roleName: 'Virtual Machine Contributor',
    guid: '9980e02c-c2be-4d73-94e8-173b1dc7cf3c',
    description: 'Virtual machines, not the networks and accounts they use.',
    actions: [
      AUTHORIZATION_READ,
      'Microsoft.Compute/availabilitySets/*',
      'Microsoft.Compute/locations/*',
      'Microsoft.Compute/virtualMachines/*',
      'Microsoft.Compute/virtualMachineScaleSets/*',
      'Microsoft.Compute/disks/write',
      'Microsoft.Compute/disks/read',
      'Microsoft.Compute/disks/delete',
      'Microsoft.Network/applicationGateways/backendAddressPools/join/action',
      'Microsoft.Network/loadBalancers/backendAddressPools/join/action',
      'Microsoft.Network/loadBalancers/inboundNatPools/join/action',
      'Microsoft.Network/loadBalancers/inboundNatRules/join/action',
      'Microsoft.Network/loadBalancers/probes/join/action',
      'Microsoft.Network/loadBalancers/read',
      'Microsoft.Network/locations/*',
      'Microsoft.Network/networkInterfaces/*',
      'Microsoft.Network/networkSecurityGroups/join/action',
      'Microsoft.Network/networkSecurityGroups/read',
      'Microsoft.Network/publicIPAddresses/join/action',
      'Microsoft.Network/publicIPAddresses/read',
      'Microsoft.Network/virtualNetworks/read',
      'Microsoft.Network/virtualNetworks/subnets/join/action',
      GROUPS_READ,
    ],
  },
  {
    roleName: 'Network Contributor',
    guid: '4d97b98b-1d4f-4787-a291-c67834d212e7',
    description: 'Networks, not access to them.',
    actions: [AUTHORIZATION_READ, 'Microsoft.Network/*', GROUPS_READ],
  },
  {
    roleName: 'Managed Identity Operator',
    guid: 'f1a07417-d97a-45cb-824c-7a7467783830',
    description: 'Reads and assigns user-assigned identities.',
    actions: [
      'Microsoft.ManagedIdentity/userAssignedIdentities/*/read',
      'Microsoft.ManagedIdentity/userAssignedIdentities/read',
      'Microsoft.ManagedIdentity/userAssignedIdentities/*/assign/action',
      'Microsoft.ManagedIdentity/userAssignedIdentities/assign/action',
      AUTHORIZATION_READ,
      GROUPS_READ,
    ],
  },
  {
    roleName: 'Managed Identity Contributor',
    guid: 'e40ec5ca-96e0-45a2-b4ff-59039f2c2b59',
    description: 'Creates, reads, changes and deletes user-assigned identities.',
    actions: [
      'Microsoft.ManagedIdentity/userAssignedIdentities/read',
      'Microsoft.ManagedIdentity/userAssignedIdentities/write',
      'Microsoft.ManagedIdentity/userAssignedIdentities/delete',
      'Microsoft.ManagedIdentity/userAssignedIdentities/*/read',
      'Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials/*',
      AUTHORIZATION_READ,
      GROUPS_READ,
    ],
  },
  {
    roleName: 'Role Based Access Control Administrator',
    guid: 'f58310d9-a9f6-439a-9e8d-f62e7b41a168',
    description: 'Decides who may do what, by role assignments only.',
    actions: [
      'Microsoft.Authorization/roleAssignments/write',
      'Microsoft.Authorization/roleAssignments/delete',
      '*/read',
    ],
  },
  {
    roleName: 'Azure Kubernetes Service Contributor Role',
    guid: 'ed7f3fbd-7b88-4dd4-9017-9adb7ce333f8',
    description: 'Reads and writes clusters of AKS.',
    actions: [
      'Microsoft.ContainerService/locations/*',
      'Microsoft.ContainerService/managedClusters/read',
      'Microsoft.ContainerService/managedClusters/write',
      GROUPS_READ,
    ],
  },
  {
    roleName: 'Azure Kubernetes Service Cluster User Role',
    guid: '4abbcc35-e782-43d8-92c5-2d3f1bd2253f',
    description: 'Lists the credentials of a cluster.',
    actions: [
      'Microsoft.ContainerService/managedClusters/listClusterUserCredential/action',
      'Microsoft.ContainerService/managedClusters/read',
    ],
  },
  {
    roleName: 'Key Vault Administrator',
    guid: '00482a5a-887f-4fb3-b363-3b7fe8e74483',
    description: 'All of a vault and what is in it.',
    actions: [
      AUTHORIZATION_READ,
      GROUPS_READ,
      'Microsoft.KeyVault/locations/*/read',
      'Microsoft.KeyVault/vaults/*/read',
      'Microsoft.KeyVault/deletedVaults/read',
    ],
    dataActions: ['Microsoft.KeyVault/vaults/*'],
  },
  {
    roleName: 'Key Vault Reader',
    guid: '21090545-7ca7-4776-b22c-e363652d74d2',
    description: 'Sees vaults, keys and their attributes, no values.',
    actions: [
      AUTHORIZATION_READ,
      GROUPS_READ,
      'Microsoft.KeyVault/locations/*/read',
      'Microsoft.KeyVault/vaults/*/read',
      'Microsoft.KeyVault/vaults/read',
      'Microsoft.KeyVault/deletedVaults/read',
    ],
    dataActions: [
      'Microsoft.KeyVault/vaults/*/read',
      'Microsoft.KeyVault/vaults/secrets/readMetadata/action',
    ],
  },
  {
    roleName: 'Key Vault Crypto Officer',
    guid: '14b46e9e-c2b7-41b4-b07b-48a6ebf60603',
    description: 'Anything with keys, not with permissions.',
    actions: [AUTHORIZATION_READ, GROUPS_READ, 'Microsoft.KeyVault/vaults/*/read'],
    dataActions: ['Microsoft.KeyVault/vaults/keys/*', 'Microsoft.KeyVault/vaults/keyrotationpolicies/*'],
  },
  {
    roleName: 'Key Vault Crypto User',
    guid: '12338af0-0e69-4776-bea7-57ae8d297424',
    description: 'Uses keys.',
    actions: [],
    dataActions: [
      'Microsoft.KeyVault/vaults/keys/read',
      'Microsoft.KeyVault/vaults/keys/update/action',
      'Microsoft.KeyVault/vaults/keys/backup/action',
      'Microsoft.KeyVault/vaults/keys/encrypt/action',
      'Microsoft.KeyVault/vaults/keys/decrypt/action',
      'Microsoft.KeyVault/vaults/keys/wrap/action',
      'Microsoft.KeyVault/vaults/keys/unwrap/action',
      'Microsoft.KeyVault/vaults/keys/sign/action',
      'Microsoft.KeyVault/vaults/keys/verify/action',
    ],
  },
  {
    roleName: 'Key Vault Crypto Service Encryption User',
    guid: 'e147488a-f6f5-4113-8e2d-b22465e65bf6',
    description: 'Reads the metadata of keys, wraps and unwraps: what a disk encryption set needs.',
    actions: [
      'Microsoft.EventGrid/eventSubscriptions/write',
      'Microsoft.EventGrid/eventSubscriptions/read',
      'Microsoft.EventGrid/eventSubscriptions/delete',
    ],
    dataActions: [
      'Microsoft.KeyVault/vaults/keys/read',
      'Microsoft.KeyVault/vaults/keys/wrap/action',
      'Microsoft.KeyVault/vaults/keys/unwrap/action',
    ],
  },
  {
    roleName: 'Playground Catalogue Reader',
    guid: '5f0f4b1e-0000-4000-8000-00000000ca7a',
    // ARM returns these lists to every caller that has a role anywhere in the subscription: `Access.openLists`.
    description: 'Lists of the subscription that belong to no resource group.',
    custom: true,
    actions: [
      'Microsoft.Compute/skus/read',
      'Microsoft.Compute/locations/*',
      'Microsoft.ContainerService/locations/*',
      'Microsoft.Network/locations/*',
      'Microsoft.ResourceGraph/*',
      'Microsoft.Resources/subscriptions/read',
      'Microsoft.Resources/subscriptions/locations/read',
      GROUPS_READ,
    ],
  },
] as const satisfies readonly RoleDefinition[];

/** Lists for which a role anywhere in the subscription suffices. */
export const OPEN_LISTS: readonly string[] = ROLE_DEFINITIONS.at(-1)!.actions;

export type RoleName = (typeof ROLE_DEFINITIONS)[number]['roleName'];
