/**
 * Builders for suites about bootstrapping: a cluster, options, node classes, claims, and a handful of sizes, joined to
 * what a launch template is made from.
 */
import { virtualWorld } from '@chandler/kube/testing';
import {
  type AKSNodeClass,
  type AKSNodeClassSpec,
  aksNodeClassKind,
  type NodeClaim,
  type NodePool,
  type Taint,
  withDefaults,
} from '../../packages/chandler/src/api/index.ts';
import { scriptlessBootstrapper } from '../../packages/chandler/src/bootstrap/index.ts';
import {
  type AzureInstanceType,
  communityImageId,
  InstanceTypeProvider,
  imageRequirements,
  type LaunchTemplateRequest,
  type ResourceSku,
  resolveFamily,
} from '../../packages/chandler/src/cloud/azure/index.ts';
import { hardcoded, type Sourced } from '../../packages/chandler/src/settings/index.ts';

export const SUBNET =
  '/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/MC_rg_shop_eastus/providers/Microsoft.Network/virtualNetworks/aks-vnet-87654321/subnets/aks-subnet';

export interface VmOverrides {
  readonly size?: string;
  readonly zone?: string;
  readonly capacityType?: 'on-demand' | 'spot';
  readonly kubernetesVersion?: string;
  readonly spec?: AKSNodeClassSpec;
  readonly localDns?: boolean;
  readonly network?: { plugin?: string; mode?: string; dataplane?: string; policy?: string };
  readonly labels?: Record<string, string>;
  readonly requirements?: NodeClaim['spec']['requirements'];
  readonly taints?: Taint[];
  readonly startupTaints?: Taint[];
  readonly options?: Partial<LaunchTemplateRequest['options']>;
  /** A claim without a NodePool. */
  readonly standalone?: boolean;
}

const env = <T>(value: T, path: string): Sourced<T> => ({ value, source: 'env', path });
const found = <T>(value: T, path: string): Sourced<T> => ({ value, source: 'cluster', path });

export function launchRequest(overrides: VmOverrides = {}): LaunchTemplateRequest {
  const nodeClass = aNodeClass(overrides);
  const cluster = aCluster(overrides);
  const type = typeOf(overrides.size ?? 'Standard_D4s_v5', nodeClass, cluster);
  const zone = overrides.zone ?? 'eastus-1';
  const capacityType = overrides.capacityType ?? 'on-demand';
  const offering = type.offerings.find((each) => each.zone === zone && each.capacityType === capacityType)!;
  return {
    claim: aClaim(overrides),
    nodeClass,
    ...(overrides.standalone ? {} : { nodePool: aPool(overrides) }),
    instanceType: type,
    offering,
    cluster,
    options: { ...OPTIONS, ...overrides.options },
    bootstrapper: scriptlessBootstrapper,
    clock: virtualWorld().clock,
  };
}

const OPTIONS: LaunchTemplateRequest['options'] = {
  clusterName: env('shop', 'CLUSTER_NAME'),
  clusterEndpoint: {
    value: 'https://shop-1a2b3c4d.hcp.eastus.azmk8s.io:443',
    source: 'flag',
    path: '--cluster-endpoint',
  },
  kubeletBootstrapToken: env('abc123.0123456789abcdef', 'KUBELET_BOOTSTRAP_TOKEN'),
  linuxAdminUsername: hardcoded('azureuser'),
  vnetSubnetId: env(SUBNET, 'VNET_SUBNET_ID'),
  kubeletIdentityClientId: env('22222222-2222-2222-2222-222222222222', 'KUBELET_IDENTITY_CLIENT_ID'),
  armCloud: hardcoded('AzurePublicCloud'),
  location: env('eastus', 'LOCATION'),
  azureTenantId: env('33333333-3333-3333-3333-333333333333', 'AZURE_TENANT_ID'),
  azureSubscriptionId: env('11111111-1111-1111-1111-111111111111', 'AZURE_SUBSCRIPTION_ID'),
  additionalTags: hardcoded({}),
};

export function aCluster({ kubernetesVersion, network = {} }: VmOverrides): LaunchTemplateRequest['cluster'] {
  return {
    kubernetesVersion: found(kubernetesVersion ?? '1.33.2', '/version'),
    caBundle: found('Q0EgYnVuZGxl', 'client config'),
    clusterId: found('87654321', 'aks-agentpool-87654321-nsg'),
    networkSecurityGroup: found(
      { id: '/subscriptions/s/…/aks-agentpool-87654321-nsg', name: 'aks-agentpool-87654321-nsg' },
      'aks-agentpool-87654321-nsg',
    ),
    vnetGuid: found('44444444-4444-4444-4444-444444444444', 'virtual network'),
    dnsServiceIP: found('10.0.0.10', 'Service kube-system/kube-dns'),
    network: {
      plugin: hardcoded(network.plugin ?? 'azure'),
      pluginMode: hardcoded(network.mode ?? 'overlay'),
      dataplane: hardcoded(network.dataplane ?? 'cilium'),
      policy: network.policy === undefined ? hardcoded('') : env(network.policy, 'NETWORK_POLICY'),
    },
    nodeResourceGroup: env('MC_rg_shop_eastus', 'AZURE_NODE_RESOURCE_GROUP'),
  };
}

export function aNodeClass({
  spec = {},
  kubernetesVersion = '1.33.2',
  localDns = false,
}: VmOverrides): AKSNodeClass {
  const filled = withDefaults(aksNodeClassKind.spec, spec) as AKSNodeClassSpec;
  const { family, definitions } = resolveFamily(filled, hardcoded(kubernetesVersion));
  const images = definitions.map((definition) => ({
    id: communityImageId(family.gallery, definition, '202608.15.0'),
    requirements: imageRequirements(definition),
  }));
  return {
    apiVersion: 'karpenter.azure.com/v1beta1',
    kind: 'AKSNodeClass',
    metadata: { name: 'general', generation: 1 },
    spec: filled,
    status: { kubernetesVersion, images, localDNSState: localDns ? 'Enabled' : 'Disabled' },
  };
}

const REF = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'general' };

function aClaim({ labels, requirements = [], taints, startupTaints, standalone }: VmOverrides): NodeClaim {
  const pool: Record<string, string> = standalone ? {} : { 'karpenter.sh/nodepool': 'workers' };
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: 'workers-7h2kq',
      uid: '55555555-5555-5555-5555-555555555555',
      labels: { ...pool, 'karpenter.azure.com/aksnodeclass': 'general', ...labels },
    },
    spec: {
      nodeClassRef: REF,
      requirements,
      ...(taints === undefined ? {} : { taints }),
      ...(startupTaints === undefined ? {} : { startupTaints }),
    },
  };
}

function aPool({ requirements = [] }: VmOverrides): NodePool {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'workers' },
    spec: { template: { spec: { nodeClassRef: REF, requirements } } },
  };
}

function typeOf(
  size: string,
  nodeClass: AKSNodeClass,
  cluster: LaunchTemplateRequest['cluster'],
): AzureInstanceType {
  const provider = new InstanceTypeProvider({
    ...virtualWorld(),
    region: 'eastus',
    options: {
      vmMemoryOverheadPercent: hardcoded(0.075),
      networkPlugin: cluster.network.plugin,
      networkPluginMode: cluster.network.pluginMode,
      nodeResourceGroup: cluster.nodeResourceGroup,
    },
    prices: { sequence: 0, price: () => 1 },
    quota: { sequence: 0, refusal: () => undefined },
    unavailable: { sequence: 0, why: () => undefined },
    listSkus: async () => SKUS,
  });
  provider.refresh(SKUS);
  const type = provider.forNodeClass(nodeClass).find((each) => each.name === size);
  if (type === undefined)
    throw new Error(`${size} is not offered: ${JSON.stringify(provider.whyNot(size, nodeClass))}`);
  return type;
}

/** vCPUs, GiB, what else the list of SKUs says about it. */
const SIZES: readonly (readonly [
  name: string,
  vcpus: number,
  memory: number,
  more: Record<string, string>,
])[] = [
  ['Standard_D4s_v5', 4, 16, { HyperVGenerations: 'V1,V2' }],
  [
    'Standard_D8ds_v5',
    8,
    32,
    {
      HyperVGenerations: 'V1,V2',
      EphemeralOSDiskSupported: 'True',
      CachedDiskBytes: '214748364800',
      MaxResourceVolumeMB: '307200',
    },
  ],
  ['Standard_D2_v2', 2, 7, { HyperVGenerations: 'V1' }],
  ['Standard_D4ps_v5', 4, 16, { HyperVGenerations: 'V2', CpuArchitectureType: 'Arm64' }],
  ['Standard_NC24ads_A100_v4', 24, 220, { HyperVGenerations: 'V2', GPUs: '1' }],
  ['Standard_NV36ads_A10_v5', 36, 440, { HyperVGenerations: 'V2', GPUs: '1' }],
  ['Standard_ND96isr_H100_v5', 96, 1900, { HyperVGenerations: 'V2', GPUs: '8' }],
];

const SKUS: readonly ResourceSku[] = SIZES.map(([name, vcpus, memory, more]) => ({
  name,
  resourceType: 'virtualMachines',
  family: `${name}Family`,
  locations: ['eastus'],
  locationInfo: [{ location: 'eastus', zones: ['1', '2', '3'] }],
  capabilities: Object.entries({
    vCPUs: String(vcpus),
    MemoryGB: String(memory),
    CpuArchitectureType: 'x64',
    LowPriorityCapable: 'True',
    AcceleratedNetworkingEnabled: 'True',
    PremiumIO: 'True',
    ...more,
  }).map(([capability, value]) => ({ name: capability, value })),
}));
