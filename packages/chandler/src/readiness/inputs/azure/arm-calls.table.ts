/** The calls to Azure Resource Manager of `chandler check --live-azure`: the action that each needs, and what it is for. All of them read. */
export interface ArmCall {
  readonly action: string;
  readonly apiVersion: string;
  /** On what the identity needs the action. */
  readonly on: string;
  readonly purpose: string;
}

export const ARM_CALLS = {
  cluster: {
    action: 'Microsoft.ContainerService/managedClusters/read',
    apiVersion: '2026-05-02-preview',
    on: 'the AKS cluster',
    purpose: 'its name, endpoint, issuer, network, node resource group and disk encryption set',
  },
  network: {
    action: 'Microsoft.Network/virtualNetworks/read',
    apiVersion: '2022-01-01',
    on: 'the virtual networks of nodes',
    purpose: 'subnets, their size, delegations and routes',
  },
  identities: {
    action: 'Microsoft.ManagedIdentity/userAssignedIdentities/read',
    apiVersion: '2024-11-30',
    on: 'the subscription',
    purpose: 'the identity of the controller',
  },
  credentials: {
    action: 'Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials/read',
    apiVersion: '2024-11-30',
    on: 'the identity of the controller',
    purpose: 'its federated credentials',
  },
  roles: {
    action: 'Microsoft.Authorization/roleAssignments/read',
    apiVersion: '2022-04-01',
    on: 'the subscription',
    purpose: 'roles of the controller and of the disk encryption set',
  },
  roleDefinition: {
    action: 'Microsoft.Authorization/roleDefinitions/read',
    apiVersion: '2022-04-01',
    on: 'the subscription',
    purpose: 'what roles of your own allow',
  },
  set: {
    action: 'Microsoft.Compute/diskEncryptionSets/read',
    apiVersion: '2025-01-02',
    on: 'the disk encryption sets of nodes',
    purpose: 'their key, identity and region',
  },
  vault: {
    action: 'Microsoft.KeyVault/vaults/read',
    apiVersion: '2024-11-01',
    on: 'the vaults of the keys',
    purpose: 'purge protection, firewall and access policies',
  },
  key: {
    action: 'Microsoft.KeyVault/vaults/keys/read',
    apiVersion: '2024-11-01',
    on: 'the vaults of the keys',
    purpose: 'the type, operations and expiry of the key; not the key itself',
  },
  quota: {
    action: 'Microsoft.Compute/locations/usages/read',
    apiVersion: '2025-04-01',
    on: 'the subscription',
    purpose: 'the quota of the families of VM sizes',
  },
  sizes: {
    action: 'Microsoft.Compute/skus/read',
    apiVersion: '2021-07-01',
    on: 'the subscription',
    purpose: 'VM sizes that are open to the subscription in the region',
  },
} as const satisfies Readonly<Record<string, ArmCall>>;

export type ArmCallName = keyof typeof ARM_CALLS;

/** One line for each action. */
export function armActionsText(): string {
  return Object.values(ARM_CALLS)
    .map(({ action, on, purpose }) => `${action}  on ${on}: ${purpose}\n`)
    .join('');
}
