/**
 * What EC2 says about an instance type: the fields of DescribeInstanceTypes that scheduling needs, by the names of the
 * API. An answer of the SDK fits, and so does a row of the built-in table.
 */
export interface InstanceTypeInfo {
  readonly InstanceType?: string | undefined;
  readonly SupportedUsageClasses?: readonly string[] | undefined;
  readonly BareMetal?: boolean | undefined;
  /** `nitro` or `xen`; bare metal has none. */
  readonly Hypervisor?: string | undefined;
  readonly ProcessorInfo?: ProcessorInfo | undefined;
  readonly VCpuInfo?: { readonly DefaultVCpus?: number | undefined } | undefined;
  readonly MemoryInfo?: MemorySize | undefined;
  readonly InstanceStorageInfo?: InstanceStorageInfo | undefined;
  readonly EbsInfo?: EbsInfo | undefined;
  readonly NetworkInfo?: NetworkInfo | undefined;
  readonly GpuInfo?: { readonly Gpus?: readonly GpuDevice[] | undefined } | undefined;
  readonly InferenceAcceleratorInfo?:
    | { readonly Accelerators?: readonly AcceleratorDevice[] | undefined }
    | undefined;
  readonly NeuronInfo?: { readonly NeuronDevices?: readonly NeuronDevice[] | undefined } | undefined;
  readonly PlacementGroupInfo?: { readonly SupportedStrategies?: readonly string[] | undefined } | undefined;
  readonly NitroEnclavesSupport?: string | undefined;
}

export interface ProcessorInfo {
  readonly SupportedArchitectures?: readonly string[] | undefined;
  readonly SustainedClockSpeedInGhz?: number | undefined;
  readonly SupportedFeatures?: readonly string[] | undefined;
  readonly Manufacturer?: string | undefined;
}

export interface MemorySize {
  readonly SizeInMiB?: number | undefined;
}

export interface InstanceStorageInfo {
  readonly TotalSizeInGB?: number | undefined;
  readonly NvmeSupport?: string | undefined;
}

export interface EbsInfo {
  readonly EbsOptimizedSupport?: string | undefined;
  readonly EbsOptimizedInfo?: { readonly MaximumBandwidthInMbps?: number | undefined } | undefined;
}

export interface NetworkInfo {
  readonly DefaultNetworkCardIndex?: number | undefined;
  readonly NetworkCards?: readonly NetworkCard[] | undefined;
  readonly Ipv4AddressesPerInterface?: number | undefined;
  readonly EncryptionInTransitSupported?: boolean | undefined;
  readonly EnaSupport?: string | undefined;
  readonly EfaInfo?: { readonly MaximumEfaInterfaces?: number | undefined } | undefined;
}

export interface NetworkCard {
  readonly NetworkCardIndex?: number | undefined;
  readonly MaximumNetworkInterfaces?: number | undefined;
}

export interface GpuDevice {
  readonly Name?: string | undefined;
  readonly Manufacturer?: string | undefined;
  readonly Count?: number | undefined;
  readonly MemoryInfo?: MemorySize | undefined;
}

export interface AcceleratorDevice {
  readonly Name?: string | undefined;
  readonly Manufacturer?: string | undefined;
  readonly Count?: number | undefined;
}

export interface NeuronDevice {
  readonly Name?: string | undefined;
  readonly Count?: number | undefined;
  readonly CoreInfo?: { readonly Count?: number | undefined } | undefined;
}

/** As Kubernetes names it; undefined where no node could run. */
export function architectureOf({ ProcessorInfo }: InstanceTypeInfo): 'amd64' | 'arm64' | undefined {
  for (const architecture of ProcessorInfo?.SupportedArchitectures ?? []) {
    if (architecture === 'x86_64') return 'amd64';
    if (architecture === 'arm64') return 'arm64';
  }
  return undefined;
}

/** Whether a node can be made of it: a name, cores, memory and a network interface are known. */
export function isUsable(info: InstanceTypeInfo): info is UsableInstanceType {
  return (
    info.InstanceType !== undefined &&
    architectureOf(info) !== undefined &&
    info.VCpuInfo?.DefaultVCpus !== undefined &&
    info.MemoryInfo?.SizeInMiB !== undefined &&
    info.NetworkInfo?.Ipv4AddressesPerInterface !== undefined &&
    defaultCard(info) !== undefined
  );
}

export interface UsableInstanceType extends InstanceTypeInfo {
  readonly InstanceType: string;
  readonly VCpuInfo: { readonly DefaultVCpus: number };
  readonly MemoryInfo: { readonly SizeInMiB: number };
  readonly NetworkInfo: NetworkInfo & { readonly Ipv4AddressesPerInterface: number };
}

/** The card whose interfaces the VPC CNI uses. */
export function defaultCard({ NetworkInfo: network }: InstanceTypeInfo): NetworkCard | undefined {
  return network?.NetworkCards?.[network.DefaultNetworkCardIndex ?? 0];
}
