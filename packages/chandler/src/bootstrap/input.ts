/**
 * The complete input of a bootstrapper: values with their sources, and plain facts about the VM. No clients, no clock.
 * The launcher of a VM gathers it; the CLI builds it from an example.
 */
import type { AKSNodeClassSpec, ResourceList, Taint } from '../api/index.ts';
import type { Sourced } from '../settings/index.ts';

export interface NodeBootstrapInput {
  readonly cluster: ClusterValues;
  readonly options: BootstrapOptions;
  readonly nodeClass: NodeClassValues;
  readonly node: NodeValues;
}

/** What is read from the cluster, or set by options instead. */
export interface ClusterValues {
  /** Without a leading v. */
  readonly kubernetesVersion: Sourced<string>;
  /** PEM in base64. */
  readonly caBundle: Sourced<string>;
  /** The eight digits in the names of the cluster's resources. */
  readonly clusterId: Sourced<string>;
  /** Name of the network security group that AKS manages. */
  readonly networkSecurityGroup: Sourced<string>;
  readonly dnsServiceIp: Sourced<string>;
  readonly vnetGuid: Sourced<string>;
}

/** Options of the controller, by the camelCase of their flags. */
export interface BootstrapOptions {
  readonly clusterName: Sourced<string>;
  readonly clusterEndpoint: Sourced<string>;
  readonly kubeletBootstrapToken: Sourced<string>;
  readonly linuxAdminUsername: Sourced<string>;
  readonly networkPlugin: Sourced<string>;
  readonly networkPluginMode: Sourced<string>;
  readonly networkPolicy: Sourced<string>;
  readonly networkDataplane: Sourced<string>;
  readonly vnetSubnetId: Sourced<string>;
  readonly kubeletIdentityClientId: Sourced<string>;
  readonly nodeResourceGroup: Sourced<string>;
  /** From the environment of the Azure clients. */
  readonly armCloud: Sourced<string>;
  readonly location: Sourced<string>;
  readonly azureTenantId: Sourced<string>;
  readonly azureSubscriptionId: Sourced<string>;
}

export interface NodeClassValues {
  readonly name: string;
  /** With the defaults of the kind filled in, as an API server gives it. */
  readonly spec: AKSNodeClassSpec;
  /** From the status: whether nodes run the DNS cache. */
  readonly localDnsEnabled: boolean;
}

export type Architecture = 'amd64' | 'arm64';

export interface NodeGpu {
  readonly manufacturer: 'nvidia' | 'amd';
  /** The driver that fits the size and the image; absent where none can be installed. */
  readonly driver?: GpuDriver;
}

export interface GpuDriver {
  readonly type: 'cuda' | 'cuda-lts' | 'grid' | 'grid-v20';
  readonly version: string;
  /** Tag of the driver's image: a point in time, although the variable is called a hash. */
  readonly imageTag: string;
}

/** The one machine that is to be made. */
export interface NodeValues {
  /** `Standard_D4s_v5`. */
  readonly size: string;
  readonly architecture: Architecture;
  readonly cpu: number;
  /** GiB of the size as sold. */
  readonly memoryGiB: number;
  /** Absent on machines without a GPU. */
  readonly gpu?: NodeGpu;
  readonly maxPods: Sourced<number>;
  readonly kubeReserved: ResourceList;
  readonly systemReserved: ResourceList;
  /** Memory below which pods are evicted. */
  readonly evictionMemory: string;
  /** What the kubelet is to set: merged, and only what it may set itself. */
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: Sourced<readonly Taint[]>;
  readonly startupTaints: Sourced<readonly Taint[]>;
  /** How AKS calls the image: `aks-ubuntu-containerd-22.04-gen2`. */
  readonly distro?: string;
  readonly ephemeralOsDisk: boolean;
}
