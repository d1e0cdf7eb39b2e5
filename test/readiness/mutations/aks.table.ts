/** Single mistakes in a private AKS cluster with a key of the customer that has none (`estates/aks-byok`). */
import type { Mutation } from './mutations.table.ts';

const APP = 'gitops/apps/karpenter.yaml';
const NODES = 'gitops/karpenter/nodes.yaml';
const MAIN = 'terraform/main.tf';
const KEYS = 'terraform/encryption.tf';
const STATE = 'terraform/harvest.tfstate';

const HOST = 'harvest-5k2m8q1z.0f6c1d2e-7b1a-4f0e-9a55-3c9d8e7f6a5b.privatelink.westeurope.azmk8s.io';
const ISSUER = 'issuer              = azurerm_kubernetes_cluster.main.oidc_issuer_url';
const SUBJECT = 'system:serviceaccount:karpenter:karpenter';
const CLIENT = 'client-id: c5a1f0e7-6b2d-4d83-9f14-e08b7a6c5d32';
const PRINCIPAL = 'principal_id         = azurerm_user_assigned_identity.karpenter.principal_id';
const OTHER_PRINCIPALS = ['karpenter.client_id', 'karpenter.id', 'cluster.principal_id'].map(
  (name) => `principal_id         = azurerm_user_assigned_identity.${name}`,
);
const option = (name: string, value: string) => `- name: ${name}\n              value: ${value}`;

export const AKS_MUTATIONS: readonly Mutation[] = [
  // The cluster.
  {
    file: APP,
    from: option('CLUSTER_NAME', 'harvest'),
    to: ['harvest-dev', 'hravest', 'harvest2', '<cluster>'].map((name) => option('CLUSTER_NAME', name)),
    owner: 'A-01',
  },
  { file: STATE, from: '"name": "harvest"', to: ['"name": "harvest-old"'], owner: 'A-01' },
  {
    file: APP,
    from: `https://${HOST}:443`,
    to: [
      HOST,
      `http://${HOST}`,
      'https://harvest-5k2m8q1z.hcp.westeurope.azmk8s.io:443',
      `https://${HOST.replace('westeurope', 'northeurope')}:443`,
      'https://<endpoint>:443',
    ],
    owner: 'A-02',
  },
  {
    file: APP,
    from: option('AZURE_NODE_RESOURCE_GROUP', 'rg-harvest-nodes'),
    to: ['rg-harvest', 'MC_rg-harvest_harvest_westeurope', 'rg-harvest-node'].map((name) =>
      option('AZURE_NODE_RESOURCE_GROUP', name),
    ),
    owner: 'A-03',
  },
  { file: MAIN, from: '"rg-harvest-nodes"', to: ['"rg-harvest-machines"'], owner: 'A-03' },
  // The identity of the controller.
  {
    file: MAIN,
    from: 'oidc_issuer_enabled        = true',
    to: ['oidc_issuer_enabled = false', ''],
    owner: 'A-04',
  },
  {
    file: MAIN,
    from: 'workload_identity_enabled  = true',
    to: ['workload_identity_enabled = false', ''],
    owner: 'A-04',
  },
  {
    file: STATE,
    from: '"workload_identity_enabled": true',
    to: ['"workload_identity_enabled": false'],
    owner: 'A-04',
  },
  {
    file: MAIN,
    from: ISSUER,
    to: [
      'issuer = azurerm_kubernetes_cluster.main.fqdn',
      'issuer = "https://northeurope.oic.prod-aks.azure.com/84c1e7d0/1e0d9c8b/"',
      'issuer = "https://oidc.eks.eu-west-1.amazonaws.com/id/1"',
    ],
    owner: 'A-05',
  },
  {
    file: MAIN,
    from: SUBJECT,
    to: [
      'system:serviceaccount:kube-system:karpenter',
      'system:serviceaccount:karpenter:karpenter-sa',
      'system:serviceaccounts:karpenter:karpenter',
      'karpenter:karpenter',
    ],
    owner: 'A-06',
  },
  {
    file: APP,
    from: 'name: karpenter\n          annotations',
    to: ['name: controller\n          annotations'],
    owner: 'A-06',
  },
  {
    file: MAIN,
    from: '"api://AzureADTokenExchange"',
    to: ['"api://azureadtokenexchange"', '"api://AzureADTokenExchangeUSGov"', '"sts.amazonaws.com"', ''],
    owner: 'A-07',
  },
  {
    file: APP,
    from: CLIENT,
    to: [
      '0b7e4d29-51f8-4c6a-8e3d-9a2c1f5b6e70',
      '<client-id>',
      'karpenter',
      'c5a1f0e7-6b2d-4d83-9f14-e08b7a6c5d33',
    ].map((id) => `client-id: ${id}`),
    owner: 'A-08',
  },
  {
    file: APP,
    from: 'identity/use: "true"',
    to: ['identity/use: "false"', 'identity/used: "true"'],
    owner: 'A-08',
  },
  // Roles.
  {
    file: MAIN,
    from: '"Virtual Machine Contributor"',
    to: ['"Reader"', '"Network Contributor"'],
    owner: 'A-09',
  },
  { file: MAIN, from: PRINCIPAL, to: OTHER_PRINCIPALS, owner: 'A-09' },
  {
    file: MAIN,
    from: 'scope                = azurerm_kubernetes_cluster.main.node_resource_group_id',
    to: ['scope = azurerm_resource_group.main.id', 'scope = azurerm_kubernetes_cluster.main.id'],
    owner: 'A-09',
  },
  { file: MAIN, from: '"Network Contributor"', to: ['"Reader"'], owner: 'A-10' },
  {
    file: MAIN,
    from: 'scope                = azurerm_subnet.nodes.id',
    to: [
      'scope = azurerm_route_table.nodes.id',
      'scope = azurerm_kubernetes_cluster.main.node_resource_group_id',
    ],
    owner: 'A-10',
  },
  { file: MAIN, from: PRINCIPAL, to: OTHER_PRINCIPALS, owner: 'A-10', occurrence: 1 },
  { file: MAIN, from: '"Managed Identity Operator"', to: ['"Reader"'], owner: 'A-11' },
  {
    file: MAIN,
    from: 'scope                = azurerm_user_assigned_identity.kubelet.id',
    to: ['scope = azurerm_user_assigned_identity.cluster.id'],
    owner: 'A-11',
  },
  {
    file: MAIN,
    from: 'restrictionLevel = "Unrestricted"',
    to: ['restrictionLevel = "ReadOnly"'],
    owner: 'A-12',
  },
  // Networks.
  {
    file: APP,
    from: 'subnets/snet-nodes',
    to: ['subnets/snet-node', 'subnet/snet-nodes', 'subnets/<subnet>'],
    owner: 'A-13',
    also: ['A-10', 'A-23'],
  },
  {
    file: APP,
    from: 'virtualNetworks/vnet-harvest/',
    to: ['virtualNetworks/vnet-hub/'],
    owner: 'A-13',
    also: ['A-10'],
  },
  {
    file: MAIN,
    from: '  address_prefixes     = ["10.40.0.0/22"]',
    to: ['  address_prefixes = ["10.40.0.0/22"]\n  delegation {\n    name = "aci"\n  }'],
    owner: 'A-14',
  },
  { file: MAIN, from: '10.40.0.0/22', to: ['10.40.0.0/29', '10.40.0.0/28', '10.40.0.0/30'], owner: 'A-15' },
  { file: MAIN, from: 'network_plugin      = "azure"', to: ['network_plugin = "kubenet"'], owner: 'A-16' },
  { file: MAIN, from: 'network_plugin_mode = "overlay"', to: [''], owner: 'A-16' },
  {
    file: APP,
    from: option('NETWORK_PLUGIN', 'azure'),
    to: [option('NETWORK_PLUGIN', 'none')],
    owner: 'A-16',
  },
  {
    file: APP,
    from: option('NETWORK_PLUGIN_MODE', 'overlay'),
    to: [option('NETWORK_PLUGIN_MODE', '""')],
    owner: 'A-16',
  },
  {
    file: MAIN,
    from: 'network_policy      = "cilium"',
    to: ['network_policy = "calico"', ''],
    owner: 'A-17',
  },
  {
    file: APP,
    from: option('NETWORK_DATAPLANE', 'cilium'),
    to: [option('NETWORK_DATAPLANE', 'azure')],
    owner: 'A-17',
  },
  { file: MAIN, from: 'mode = "Manual"', to: ['mode = "Auto"'], owner: 'A-18' },
  { file: MAIN, from: 'auto_scaling_enabled = false', to: ['auto_scaling_enabled = true'], owner: 'A-19' },
  {
    file: MAIN,
    from: 'subnet_id      = azurerm_subnet.nodes.id',
    to: ['subnet_id = azurerm_virtual_network.main.id'],
    owner: 'A-29',
  },
  {
    file: MAIN,
    from: '"userDefinedRouting"',
    to: ['"userAssignedNATGateway"', '"none"', '"block"'],
    owner: 'A-29',
  },
  // Nodes.
  {
    file: NODES,
    from: 'Standard_D4s_v5',
    to: ['D4s_v5', 'Standard_B1s', 'Standard_DC4s_v3', 'Standard_E32-8s_v5', 'm5.large'],
    owner: 'A-20',
  },
  { file: NODES, from: 'imageFamily: Ubuntu', to: ['imageFamily: Ubuntu\n  fipsMode: FIPS'], owner: 'A-22' },
  { file: MAIN, from: 'value           = 300', to: ['value = 2', 'value = 100'], owner: 'A-21' },
  { file: MAIN, from: '"1.34.2"', to: ['"latest"'], owner: 'A-22' },
  {
    file: NODES,
    from: 'imageFamily: Ubuntu',
    to: ['imageFamily: AL2023', 'imageFamly: Ubuntu', 'imageFamily: Ubuntu2404\n  fipsMode: FIPS'],
    owner: 'A-30',
    also: ['A-22'],
  },
  { file: NODES, from: 'maxPods: 110', to: ['maxPods: 300', 'maxPods: "110"', 'maxPods: 5'], owner: 'A-30' },
  { file: NODES, from: 'karpenter.azure.com/v1beta1', to: ['karpenter.azure.com/v1'], owner: 'A-30' },
  { file: NODES, from: '        name: default', to: ['        name: general'], owner: 'A-30' },
  {
    file: NODES,
    from: 'group: karpenter.azure.com',
    to: ['group: karpenter.sh', 'group: azure.com'],
    owner: 'A-30',
  },
  // Options.
  {
    file: APP,
    from: option('LOCATION', 'westeurope'),
    to: ['northeurope', 'West Europe', '<location>'].map((name) => option('LOCATION', name)),
    owner: 'A-23',
  },
  {
    file: APP,
    from: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIM9x harvest',
    to: ['REPLACE_ME', 'harvest', '""'],
    owner: 'A-23',
  },
  {
    file: APP,
    from: '- name: KUBELET_BOOTSTRAP_TOKEN',
    to: ['- name: BOOTSTRAP_TOKEN'],
    owner: 'A-23',
  },
  {
    file: APP,
    from: 'value: 3d9e6f1b-8a47-4c52-b0e9-7c1a5f28d463',
    to: ['value: harvest', 'value: ""'],
    owner: 'A-23',
  },
  {
    file: APP,
    from: 'userAssignedIdentities/id-harvest-kubelet',
    to: ['userAssignedIdentities/id-harvest'],
    owner: 'A-24',
  },
  { file: APP, from: '- name: NODE_IDENTITIES', to: ['- name: NODE_IDENTITY'], owner: 'A-24' },
  // Keys of the customer.
  {
    file: APP,
    from: 'diskEncryptionSets/des-harvest',
    to: ['diskEncryptionSets/<name>', 'diskEncryptionSet/des-harvest', 'diskEncryptionSets/des-other'],
    owner: 'A-25',
    also: ['A-26'],
  },
  {
    file: APP,
    from: '- name: NODE_OSDISK_DISKENCRYPTIONSET_ID',
    to: ['- name: DISKENCRYPTIONSET_ID'],
    owner: 'A-25',
  },
  {
    file: KEYS,
    from: 'location                  = azurerm_resource_group.main.location',
    to: ['location = "northeurope"'],
    owner: 'A-25',
  },
  { file: MAIN, from: '"Reader"', to: ['"Managed Identity Operator"'], owner: 'A-26' },
  {
    file: KEYS,
    from: '"Key Vault Crypto Service Encryption User"',
    to: ['"Key Vault Reader"', '"Reader"', '"Contributor"'],
    owner: 'A-27',
  },
  {
    file: KEYS,
    from: 'azurerm_disk_encryption_set.nodes.identity[0].principal_id',
    to: ['azurerm_user_assigned_identity.karpenter.principal_id'],
    owner: 'A-27',
  },
  {
    file: KEYS,
    from: 'rbac_authorization_enabled = true',
    to: ['rbac_authorization_enabled = false'],
    owner: 'A-27',
  },
  {
    file: KEYS,
    from: 'purge_protection_enabled   = true',
    to: ['purge_protection_enabled = false', ''],
    owner: 'A-28',
  },
  { file: KEYS, from: 'bypass         = "AzureServices"', to: ['bypass = "None"'], owner: 'A-28' },
  { file: KEYS, from: '["wrapKey", "unwrapKey"]', to: ['["sign", "verify"]'], owner: 'A-28' },
  { file: KEYS, from: 'disks.versionless_id', to: ['disks.id'], owner: 'A-28' },
  {
    file: KEYS,
    from: 'auto_key_rotation_enabled = true',
    to: ['auto_key_rotation_enabled = false'],
    owner: 'A-28',
  },
  { file: KEYS, from: '"RSA-HSM"', to: ['"EC"'], owner: 'A-28' },
];
