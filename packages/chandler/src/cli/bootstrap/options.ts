/**
 * The flags of `chandler bootstrap`: those of the controller on which a node's bootstrapping depends, under the same names
 * and environment variables, with the values of the built-in example in the place of what would be required.
 */
import { AZURE_OPTIONS } from '../../cloud/azure/options/index.ts';
import { layered, type OptionValues } from '../../settings/index.ts';

const {
  clusterName,
  clusterEndpoint,
  nodeResourceGroup,
  kubeletBootstrapToken,
  linuxAdminUsername,
  kubeletIdentityClientId,
  vnetSubnetId,
  networkPlugin,
  networkPluginMode,
  networkPolicy,
  networkDataplane,
  dnsServiceIp,
  vnetGuid,
  armCloud,
  azureEnvironmentFilepath,
  location,
  azureTenantId,
  azureSubscriptionId,
  kubernetesVersion,
  clusterCaBundle,
  clusterId,
  additionalTags,
  vmMemoryOverheadPercent,
} = AZURE_OPTIONS;

const SUBSCRIPTION = '00000000-0000-0000-0000-000000000001';
const NODE_GROUP = 'MC_example_example_eastus';

/** Values that a controller requires or reads from its cluster; the example has defaults for them. */
export const EXAMPLE = {
  clusterName: 'example',
  clusterEndpoint: 'https://example-12345678.hcp.eastus.azmk8s.io:443',
  nodeResourceGroup: NODE_GROUP,
  kubeletBootstrapToken: 'abcdef.0123456789abcdef',
  kubeletIdentityClientId: '00000000-0000-0000-0000-000000000003',
  vnetSubnetId: `/subscriptions/${SUBSCRIPTION}/resourceGroups/${NODE_GROUP}/providers/Microsoft.Network/virtualNetworks/aks-vnet-12345678/subnets/aks-subnet`,
  location: 'eastus',
  azureTenantId: '00000000-0000-0000-0000-000000000002',
  azureSubscriptionId: SUBSCRIPTION,
} as const;

/** What the controller would read from the cluster. */
export const EXAMPLE_CLUSTER = {
  kubernetesVersion: '1.33.2',
  clusterId: '12345678',
  dnsServiceIp: '10.0.0.10',
  vnetGuid: '00000000-0000-0000-0000-000000000004',
  clusterCaBundle: Buffer.from(
    '-----BEGIN CERTIFICATE-----\nthe certificate of the example cluster\n-----END CERTIFICATE-----\n',
  ).toString('base64'),
} as const;

/** Layered, because the bootstrap token may be in a file. */
export const BOOTSTRAP_VERB_OPTIONS = layered({
  cloud: {
    flag: 'cloud',
    type: 'string',
    default: undefined as string | undefined,
    choices: ['azure', 'aws'],
    doc: 'Cloud of the node. Default: that of the node classes in the files, otherwise azure',
  },
  filename: {
    flag: 'filename',
    short: 'f',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'FILE|DIR|-',
    doc: 'Manifests of AKSNodeClass or EC2NodeClass, NodePool and NodeClaim to use instead of the example. May be repeated',
  },
  instanceType: {
    flag: 'instance-type',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'SIZE',
    doc: 'VM size or instance type. Default on Azure: the cheapest size that fits the NodeClaim',
  },
  maxPods: {
    flag: 'max-pods',
    type: 'integer',
    default: undefined as number | undefined,
    minimum: 1,
    doc: 'AWS: number of pods of the instance type, unless spec.kubelet.maxPods is a number',
  },
  serviceCidr: {
    flag: 'service-cidr',
    type: 'string',
    default: '',
    placeholder: 'CIDR',
    doc: 'AWS: range of the addresses of Services. The address of the DNS server is the tenth of it',
  },
  output: {
    flag: 'output',
    short: 'o',
    type: 'string',
    default: 'text',
    choices: ['text', 'json', 'base64'],
    doc: 'Output format. base64 is the data as the cloud expects it',
  },
  showSecrets: {
    flag: 'show-secrets',
    type: 'boolean',
    default: false,
    doc: 'Also print the bootstrap token. Only works with render',
  },
  clusterName: { ...clusterName, default: EXAMPLE.clusterName },
  clusterEndpoint: { ...clusterEndpoint, default: EXAMPLE.clusterEndpoint },
  clusterId,
  clusterCaBundle,
  kubernetesVersion,
  nodeResourceGroup: { ...nodeResourceGroup, default: EXAMPLE.nodeResourceGroup },
  location: { ...location, default: EXAMPLE.location },
  armCloud,
  azureEnvironmentFilepath,
  azureTenantId: { ...azureTenantId, default: EXAMPLE.azureTenantId },
  azureSubscriptionId: { ...azureSubscriptionId, default: EXAMPLE.azureSubscriptionId },
  kubeletBootstrapToken: { ...kubeletBootstrapToken, default: EXAMPLE.kubeletBootstrapToken },
  kubeletIdentityClientId: { ...kubeletIdentityClientId, default: EXAMPLE.kubeletIdentityClientId },
  linuxAdminUsername,
  vnetSubnetId: { ...vnetSubnetId, default: EXAMPLE.vnetSubnetId },
  vnetGuid,
  networkPlugin,
  networkPluginMode,
  networkPolicy,
  networkDataplane,
  dnsServiceIp,
  additionalTags,
  vmMemoryOverheadPercent,
} as const);

export type BootstrapVerbValues = OptionValues<typeof BOOTSTRAP_VERB_OPTIONS>;

/** Flags that say nothing about a node of the other cloud. */
export const FLAGS_OF_ONE_CLOUD: Readonly<Record<'azure' | 'aws', readonly (keyof BootstrapVerbValues)[]>> = {
  azure: [
    'showSecrets',
    'clusterId',
    'nodeResourceGroup',
    'location',
    'armCloud',
    'azureEnvironmentFilepath',
    'azureTenantId',
    'azureSubscriptionId',
    'kubeletBootstrapToken',
    'kubeletIdentityClientId',
    'linuxAdminUsername',
    'vnetSubnetId',
    'vnetGuid',
    'networkPlugin',
    'networkPluginMode',
    'networkPolicy',
    'networkDataplane',
    'additionalTags',
    'vmMemoryOverheadPercent',
  ],
  aws: ['maxPods', 'serviceCidr'],
};
