/** A node to bootstrap, for tests; each names only what it is about. */
import type { AKSNodeClassSpec } from '../api/index.ts';
import { hardcoded, type Sourced } from '../settings/index.ts';

import type { BootstrapOptions, ClusterValues, NodeBootstrapInput, NodeValues } from './input.ts';

export interface InputOverrides {
  readonly version?: string;
  readonly spec?: AKSNodeClassSpec;
  readonly localDnsEnabled?: boolean;
  readonly cluster?: Partial<ClusterValues>;
  readonly options?: Partial<BootstrapOptions>;
  readonly node?: Partial<NodeValues>;
}

export const SUBNET_ID =
  '/subscriptions/s/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/hub/subnets/nodes';

export const env = <T>(value: T, path: string): Sourced<T> => ({ value, source: 'env', path });

export function aNodeInput(request: InputOverrides = {}): NodeBootstrapInput {
  return {
    cluster: {
      kubernetesVersion: {
        value: request.version ?? '1.33.2',
        source: 'cluster',
        path: 'status.kubernetesVersion',
      },
      caBundle: hardcoded('Y2E='),
      clusterId: hardcoded('12345678'),
      networkSecurityGroup: hardcoded('aks-agentpool-12345678-nsg'),
      dnsServiceIp: hardcoded('10.0.0.10'),
      vnetGuid: hardcoded('guid'),
      ...request.cluster,
    },
    options: {
      clusterName: hardcoded('shop'),
      clusterEndpoint: env('https://shop.hcp.eastus.azmk8s.io:443', 'CLUSTER_ENDPOINT'),
      kubeletBootstrapToken: env('abc123.0123456789abcdef', 'KUBELET_BOOTSTRAP_TOKEN'),
      linuxAdminUsername: hardcoded('azureuser'),
      networkPlugin: hardcoded('azure'),
      networkPluginMode: hardcoded('overlay'),
      networkPolicy: hardcoded(''),
      networkDataplane: hardcoded('cilium'),
      vnetSubnetId: env(SUBNET_ID, 'VNET_SUBNET_ID'),
      kubeletIdentityClientId: hardcoded('client'),
      nodeResourceGroup: hardcoded('MC_shop'),
      armCloud: hardcoded('AzurePublicCloud'),
      location: hardcoded('eastus'),
      azureTenantId: hardcoded('tenant'),
      azureSubscriptionId: hardcoded('subscription'),
      ...request.options,
    },
    nodeClass: {
      name: 'default',
      spec: request.spec ?? {},
      localDnsEnabled: request.localDnsEnabled ?? false,
    },
    node: {
      size: 'Standard_D4s_v5',
      architecture: 'amd64',
      cpu: 4,
      memoryGiB: 16,
      maxPods: hardcoded(250),
      kubeReserved: { cpu: '140m', memory: '2662Mi' },
      systemReserved: { cpu: '0', memory: '0' },
      evictionMemory: '750Mi',
      labels: { team: 'shop' },
      taints: hardcoded([]),
      startupTaints: hardcoded([]),
      distro: 'aks-ubuntu-containerd-22.04-gen2',
      ephemeralOsDisk: false,
      ...request.node,
    },
  };
}
