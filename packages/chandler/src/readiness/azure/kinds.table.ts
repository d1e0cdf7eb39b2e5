/**
 * Things of Azure that checks read, and where Terraform has their fields: in resources of the provider azurerm, in azapi resources
 * and live answers (both have the JSON of ARM below `body`), and in calls of the module Azure/aks.
 * Sources: azurerm 4.x (and the names of 3.x), azapi 2.x, Azure/aks 9 and 10, ARM of 2026-05.
 */
import type { Path } from '../model/tree.ts';

export interface FieldPaths {
  /** Of azurerm; the first that is set. */
  readonly azurerm?: readonly Path[];
  /** Of azapi and of live answers. */
  readonly arm?: readonly Path[];
  /** Arguments of the module Azure/aks. */
  readonly module?: readonly string[];
}

export interface KindRow {
  /** Types of azurerm. */
  readonly types: readonly string[];
  /** The type of ARM, in lower case. */
  readonly arm: string;
  readonly fields: Readonly<Record<string, FieldPaths>>;
}

const property = (...path: Path): readonly Path[] => [['body', 'properties', ...path]];
const profile = (name: string, arm: string): FieldPaths => ({
  azurerm: [['network_profile', 0, name]],
  arm: property('networkProfile', arm),
});
const NAMED: Readonly<Record<string, FieldPaths>> = {
  id: { azurerm: [['id']], arm: [['id']] },
  name: { azurerm: [['name']], arm: [['name']] },
  resourceGroup: { azurerm: [['resource_group_name']] },
  parent: { arm: [['parent_id']] },
  location: { azurerm: [['location']], arm: [['location']] },
};

const CLUSTER_FIELDS: Readonly<Record<string, FieldPaths>> = {
  id: NAMED['id']!,
  name: { ...NAMED['name']!, module: ['cluster_name'] },
  resourceGroup: { ...NAMED['resourceGroup']!, module: ['resource_group_name'] },
  parent: NAMED['parent']!,
  location: { ...NAMED['location']!, module: ['location'] },
  nodeResourceGroup: {
    azurerm: [['node_resource_group']],
    arm: property('nodeResourceGroup'),
    module: ['node_resource_group'],
  },
  restrictionLevel: { arm: property('nodeResourceGroupProfile', 'restrictionLevel') },
  oidcIssuerEnabled: {
    azurerm: [['oidc_issuer_enabled']],
    arm: property('oidcIssuerProfile', 'enabled'),
    module: ['oidc_issuer_enabled'],
  },
  oidcIssuerUrl: { azurerm: [['oidc_issuer_url']], arm: property('oidcIssuerProfile', 'issuerURL') },
  workloadIdentityEnabled: {
    azurerm: [['workload_identity_enabled']],
    arm: property('securityProfile', 'workloadIdentity', 'enabled'),
    module: ['workload_identity_enabled'],
  },
  networkPlugin: { ...profile('network_plugin', 'networkPlugin'), module: ['network_plugin'] },
  networkPluginMode: {
    ...profile('network_plugin_mode', 'networkPluginMode'),
    module: ['network_plugin_mode'],
  },
  networkPolicy: { ...profile('network_policy', 'networkPolicy'), module: ['network_policy'] },
  networkDataplane: {
    azurerm: [
      ['network_profile', 0, 'network_data_plane'],
      ['network_profile', 0, 'ebpf_data_plane'],
    ],
    arm: property('networkProfile', 'networkDataplane'),
    module: ['network_data_plane', 'ebpf_data_plane'],
  },
  outboundType: { ...profile('outbound_type', 'outboundType'), module: ['net_profile_outbound_type'] },
  dnsPrefix: {
    azurerm: [['dns_prefix'], ['dns_prefix_private_cluster']],
    arm: [...property('dnsPrefix'), ...property('fqdnSubdomain')],
  },
  fqdn: { azurerm: [['fqdn']], arm: property('fqdn') },
  privateFqdn: { azurerm: [['private_fqdn']], arm: property('privateFQDN') },
  privateCluster: {
    azurerm: [['private_cluster_enabled']],
    arm: property('apiServerAccessProfile', 'enablePrivateCluster'),
    module: ['private_cluster_enabled'],
  },
  subnet: {
    azurerm: [['default_node_pool', 0, 'vnet_subnet_id']],
    arm: property('agentPoolProfiles', 0, 'vnetSubnetID'),
    module: ['vnet_subnet_id'],
  },
  autoScaling: {
    azurerm: [
      ['default_node_pool', 0, 'auto_scaling_enabled'],
      ['default_node_pool', 0, 'enable_auto_scaling'],
    ],
    arm: property('agentPoolProfiles', 0, 'enableAutoScaling'),
    module: ['auto_scaling_enabled', 'enable_auto_scaling'],
  },
  diskEncryptionSet: {
    azurerm: [['disk_encryption_set_id']],
    arm: property('diskEncryptionSetID'),
    module: ['disk_encryption_set_id'],
  },
  kubeletIdentityId: {
    azurerm: [['kubelet_identity', 0, 'user_assigned_identity_id']],
    arm: property('identityProfile', 'kubeletidentity', 'resourceId'),
  },
  kubeletClientId: {
    azurerm: [['kubelet_identity', 0, 'client_id']],
    arm: property('identityProfile', 'kubeletidentity', 'clientId'),
  },
  nodeProvisioning: {
    azurerm: [['node_provisioning_profile', 0, 'mode']],
    arm: property('nodeProvisioningProfile', 'mode'),
  },
  kubernetesVersion: {
    azurerm: [['kubernetes_version']],
    arm: [...property('currentKubernetesVersion'), ...property('kubernetesVersion')],
    module: ['kubernetes_version'],
  },
};

export const AZURE_KINDS = {
  cluster: {
    types: ['azurerm_kubernetes_cluster'],
    arm: 'microsoft.containerservice/managedclusters',
    fields: CLUSTER_FIELDS,
  },
  nodePool: {
    types: ['azurerm_kubernetes_cluster_node_pool'],
    arm: 'microsoft.containerservice/managedclusters/agentpools',
    fields: {
      ...NAMED,
      autoScaling: {
        azurerm: [['auto_scaling_enabled'], ['enable_auto_scaling']],
        arm: property('enableAutoScaling'),
      },
    },
  },
  identity: {
    types: ['azurerm_user_assigned_identity'],
    arm: 'microsoft.managedidentity/userassignedidentities',
    fields: {
      ...NAMED,
      clientId: { azurerm: [['client_id']], arm: property('clientId') },
      principalId: { azurerm: [['principal_id']], arm: property('principalId') },
    },
  },
  federatedCredential: {
    types: ['azurerm_federated_identity_credential'],
    arm: 'microsoft.managedidentity/userassignedidentities/federatedidentitycredentials',
    fields: {
      ...NAMED,
      issuer: { azurerm: [['issuer']], arm: property('issuer') },
      subject: { azurerm: [['subject']], arm: property('subject') },
      audience: { azurerm: [['audience']], arm: property('audiences') },
      identity: { azurerm: [['parent_id'], ['user_assigned_identity_id']], arm: [['parent_id']] },
    },
  },
  roleAssignment: {
    types: ['azurerm_role_assignment'],
    arm: 'microsoft.authorization/roleassignments',
    fields: {
      scope: { azurerm: [['scope']], arm: [...property('scope'), ['parent_id']] },
      role: { azurerm: [['role_definition_name']] },
      roleId: { azurerm: [['role_definition_id']], arm: property('roleDefinitionId') },
      principal: { azurerm: [['principal_id']], arm: property('principalId') },
    },
  },
  roleDefinition: {
    types: ['azurerm_role_definition'],
    arm: 'microsoft.authorization/roledefinitions',
    fields: {
      name: { azurerm: [['name']], arm: property('roleName') },
      id: { azurerm: [['role_definition_resource_id'], ['id']], arm: [['id']] },
      permissions: { azurerm: [['permissions']], arm: property('permissions') },
    },
  },
  resourceGroup: {
    types: ['azurerm_resource_group'],
    arm: 'microsoft.resources/resourcegroups',
    fields: NAMED,
  },
  virtualNetwork: {
    types: ['azurerm_virtual_network'],
    arm: 'microsoft.network/virtualnetworks',
    fields: NAMED,
  },
  subnet: {
    types: ['azurerm_subnet'],
    arm: 'microsoft.network/virtualnetworks/subnets',
    fields: {
      ...NAMED,
      virtualNetwork: { azurerm: [['virtual_network_name']] },
      prefixes: {
        azurerm: [['address_prefixes']],
        arm: [...property('addressPrefixes'), ...property('addressPrefix')],
      },
      delegations: { azurerm: [['delegation']], arm: property('delegations') },
      routeTable: { arm: property('routeTable', 'id') },
      natGateway: { arm: property('natGateway', 'id') },
    },
  },
  routeTable: { types: ['azurerm_route_table'], arm: 'microsoft.network/routetables', fields: NAMED },
  routeTableAssociation: {
    types: ['azurerm_subnet_route_table_association'],
    arm: '',
    fields: { subnet: { azurerm: [['subnet_id']] } },
  },
  natGatewayAssociation: {
    types: ['azurerm_subnet_nat_gateway_association'],
    arm: '',
    fields: { subnet: { azurerm: [['subnet_id']] } },
  },
  diskEncryptionSet: {
    types: ['azurerm_disk_encryption_set'],
    arm: 'microsoft.compute/diskencryptionsets',
    fields: {
      ...NAMED,
      key: { azurerm: [['key_vault_key_id']], arm: property('activeKey', 'keyUrl') },
      vault: { arm: property('activeKey', 'sourceVault', 'id') },
      type: { azurerm: [['encryption_type']], arm: property('encryptionType') },
      rotation: {
        azurerm: [['auto_key_rotation_enabled']],
        arm: property('rotationToLatestKeyVersionEnabled'),
      },
      identityType: {
        azurerm: [['identity', 0, 'type']],
        arm: [
          ['identity', 'type'],
          ['identity', 0, 'type'],
        ],
      },
      identityIds: { azurerm: [['identity', 0, 'identity_ids']], arm: [['identity', 0, 'identity_ids']] },
      principalId: {
        azurerm: [['identity', 0, 'principal_id']],
        arm: [
          ['identity', 'principalId'],
          ['identity', 0, 'principal_id'],
        ],
      },
    },
  },
  vault: {
    types: ['azurerm_key_vault'],
    arm: 'microsoft.keyvault/vaults',
    fields: {
      ...NAMED,
      purgeProtection: { azurerm: [['purge_protection_enabled']], arm: property('enablePurgeProtection') },
      rbac: {
        azurerm: [['rbac_authorization_enabled'], ['enable_rbac_authorization']],
        arm: property('enableRbacAuthorization'),
      },
      policies: { azurerm: [['access_policy']], arm: property('accessPolicies') },
      defaultAction: {
        azurerm: [['network_acls', 0, 'default_action']],
        arm: property('networkAcls', 'defaultAction'),
      },
      bypass: { azurerm: [['network_acls', 0, 'bypass']], arm: property('networkAcls', 'bypass') },
      publicAccess: {
        azurerm: [['public_network_access_enabled']],
        arm: property('publicNetworkAccess'),
      },
    },
  },
  accessPolicy: {
    types: ['azurerm_key_vault_access_policy'],
    arm: '',
    fields: {
      vault: { azurerm: [['key_vault_id']] },
      principal: { azurerm: [['object_id']] },
      permissions: { azurerm: [['key_permissions']] },
    },
  },
  key: {
    types: ['azurerm_key_vault_key'],
    arm: 'microsoft.keyvault/vaults/keys',
    fields: {
      ...NAMED,
      vault: { azurerm: [['key_vault_id']], arm: [['parent_id']] },
      type: { azurerm: [['key_type']], arm: property('kty') },
      operations: { azurerm: [['key_opts']], arm: property('keyOps') },
      enabled: { arm: property('attributes', 'enabled') },
      expires: { azurerm: [['expiration_date']], arm: property('attributes', 'exp') },
      rotationPolicy: { azurerm: [['rotation_policy']], arm: property('rotationPolicy') },
    },
  },
  /** The quota of a family of sizes: as Terraform asks for it, or as the subscription uses it. */
  quota: {
    types: [],
    arm: 'microsoft.quota/quotas',
    fields: {
      ...NAMED,
      limit: { arm: [...property('limit', 'value'), ...property('limit')] },
      used: { arm: property('currentValue') },
    },
  },
  /** A VM size as the subscription sees it. */
  size: {
    types: [],
    arm: 'microsoft.compute/skus',
    fields: {
      ...NAMED,
      restrictions: { arm: property('restrictions') },
      family: { arm: property('family') },
    },
  },
} as const satisfies Readonly<Record<string, KindRow>>;

export type AzureKind = keyof typeof AZURE_KINDS;
