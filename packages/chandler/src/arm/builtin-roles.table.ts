/**
 * Built-in roles of Azure that an identity of a node autoscaler is given, with the actions that checks ask for.
 * Source: Azure built-in roles (learn.microsoft.com/azure/role-based-access-control/built-in-roles), 2026-08.
 */
export interface BuiltinRole {
  readonly name: string;
  readonly guid: string;
  readonly actions: readonly string[];
  readonly dataActions?: readonly string[];
}

export const BUILTIN_ROLES: readonly BuiltinRole[] = [
  { name: 'Owner', guid: '8e3af657-a8ff-443c-a75c-2fe8c4bcb635', actions: ['*'] },
  { name: 'Contributor', guid: 'b24988ac-6180-42a0-ab88-20f7382dd24c', actions: ['*'] },
  { name: 'Reader', guid: 'acdd72a7-3385-48ef-bd42-f606fba81ae7', actions: ['*/read'] },
  {
    name: 'Virtual Machine Contributor',
    guid: '9980e02c-c2be-4d73-94e8-173b1dc7cf3c',
    actions: [
      'Microsoft.Compute/virtualMachines/*',
      'Microsoft.Compute/disks/*',
      'Microsoft.Network/networkInterfaces/*',
      'Microsoft.Network/networkSecurityGroups/join/action',
      'Microsoft.Network/networkSecurityGroups/read',
      'Microsoft.Network/loadBalancers/backendAddressPools/join/action',
      'Microsoft.Network/loadBalancers/read',
      'Microsoft.Network/virtualNetworks/read',
      'Microsoft.Network/virtualNetworks/subnets/join/action',
    ],
  },
  {
    name: 'Network Contributor',
    guid: '4d97b98b-1d4f-4787-a291-c67834d212e7',
    actions: ['Microsoft.Network/*'],
  },
  {
    name: 'Managed Identity Operator',
    guid: 'f1a07417-d97a-45cb-824c-7a7467783830',
    actions: [
      'Microsoft.ManagedIdentity/userAssignedIdentities/*/read',
      'Microsoft.ManagedIdentity/userAssignedIdentities/*/assign/action',
      'Microsoft.ManagedIdentity/userAssignedIdentities/assign/action',
    ],
  },
  {
    name: 'Managed Identity Contributor',
    guid: 'e40ec5ca-96e0-45a2-b4ff-59039f2c2b59',
    actions: [
      'Microsoft.ManagedIdentity/userAssignedIdentities/read',
      'Microsoft.ManagedIdentity/userAssignedIdentities/write',
    ],
  },
  {
    name: 'Key Vault Reader',
    guid: '21090545-7ca7-4776-b22c-e363652d74d2',
    actions: ['Microsoft.KeyVault/vaults/read'],
  },
  {
    name: 'Key Vault Administrator',
    guid: '00482a5a-887f-4fb3-b363-3b7fe8e74483',
    actions: ['Microsoft.KeyVault/vaults/*/read'],
    dataActions: ['Microsoft.KeyVault/vaults/*'],
  },
  {
    name: 'Key Vault Crypto Officer',
    guid: '14b46e9e-c2b7-41b4-b07b-48a6ebf60603',
    actions: ['Microsoft.KeyVault/vaults/*/read'],
    dataActions: ['Microsoft.KeyVault/vaults/keys/*'],
  },
  {
    name: 'Key Vault Crypto User',
    guid: '12338af0-0e69-4776-bea7-57ae8d297424',
    actions: [],
    dataActions: [
      'Microsoft.KeyVault/vaults/keys/read',
      'Microsoft.KeyVault/vaults/keys/wrap/action',
      'Microsoft.KeyVault/vaults/keys/unwrap/action',
    ],
  },
  {
    name: 'Key Vault Crypto Service Encryption User',
    guid: 'e147488a-f6f5-4113-8e2d-b22465e65bf6',
    actions: [],
    dataActions: [
      'Microsoft.KeyVault/vaults/keys/read',
      'Microsoft.KeyVault/vaults/keys/wrap/action',
      'Microsoft.KeyVault/vaults/keys/unwrap/action',
    ],
  },
];
