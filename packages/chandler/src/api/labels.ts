/**
 * The names Chandler shares with Kubernetes, Karpenter, AKS and EKS: labels, annotations, finalizers,
 * taints. Each is written here once. Upstream's domains carry only upstream's names; what is our own
 * lives under `chandler.sh/`. How a label's value is worked out, the clouds decide.
 */

import { LABEL_VALUE } from './kinds/patterns.ts';

export const KARPENTER_GROUP = 'karpenter.sh';
export const AZURE_GROUP = 'karpenter.azure.com';
export const AWS_GROUP = 'karpenter.k8s.aws';
/** Of every cloud that the product knows: a controller writes nothing on NodePools of a cloud that is not its own. */
export const NODE_CLASS_GROUPS: readonly string[] = [AZURE_GROUP, AWS_GROUP];
export const AKS_DOMAIN = 'kubernetes.azure.com';
export const CHANDLER_DOMAIN = 'chandler.sh';

/** Labels of Kubernetes itself. */
export const KubernetesLabel = {
  hostname: 'kubernetes.io/hostname',
  arch: 'kubernetes.io/arch',
  os: 'kubernetes.io/os',
  instanceType: 'node.kubernetes.io/instance-type',
  windowsBuild: 'node.kubernetes.io/windows-build',
  zone: 'topology.kubernetes.io/zone',
  region: 'topology.kubernetes.io/region',
  /** Set while a node drains, so that load balancers let go of it. */
  excludeFromLoadBalancers: 'node.kubernetes.io/exclude-from-external-load-balancers',
} as const;

export const KarpenterLabel = {
  nodePool: 'karpenter.sh/nodepool',
  capacityType: 'karpenter.sh/capacity-type',
  registered: 'karpenter.sh/registered',
  initialized: 'karpenter.sh/initialized',
  /** On a Node: the claim's taints are not copied onto it when it registers. */
  doNotSyncTaints: 'karpenter.sh/do-not-sync-taints',
} as const;

export const CapacityType = { spot: 'spot', onDemand: 'on-demand', reserved: 'reserved' } as const;

export const KarpenterAnnotation = {
  doNotDisrupt: 'karpenter.sh/do-not-disrupt',
  /** On a Node, or on its claim before it registers: no repair. */
  doNotRepair: 'karpenter.sh/do-not-repair',
  /** On a NodeClaim that is rebooted: the boot id of its Node before, and how long its drain may take (absent: no bound). */
  rebootPreBootId: 'karpenter.sh/reboot-pre-boot-id',
  rebootGracePeriod: 'karpenter.sh/reboot-termination-grace-period',
  /** On a Pod: how much its eviction costs, an int32. */
  disruptionCost: 'karpenter.sh/disruption-cost',
  nodePoolHash: 'karpenter.sh/nodepool-hash',
  nodePoolHashVersion: 'karpenter.sh/nodepool-hash-version',
  terminationTimestamp: 'karpenter.sh/nodeclaim-termination-timestamp',
  minValuesRelaxed: 'karpenter.sh/nodeclaim-min-values-relaxed',
  requestedDraDrivers: 'karpenter.sh/requested-dra-drivers',
  priceOverlayApplied: 'karpenter.sh/price-overlay-applied',
  capacityOverlayApplied: 'karpenter.sh/capacity-overlay-applied',
  capacityBufferFakePod: 'karpenter.sh/capacity-buffer-fake-pod',
  capacityBufferName: 'karpenter.sh/capacity-buffer-name',
  capacityBufferNamespace: 'karpenter.sh/capacity-buffer-namespace',
  /** Left by versions before v1. */
  legacyProvider: 'compatibility.karpenter.sh/provider',
} as const;

export const ChandlerAnnotation = {
  /** The stages of the journey of a NodeClaim, each with its last outcome. */
  journey: 'chandler.sh/journey',
  /** On a NodeClaim whose instance failed to bootstrap: the exit code of the script and its name, for `kubectl get`. */
  bootstrapFailure: 'chandler.sh/bootstrap-failure',
  /** On the same NodeClaim: the last lines that the script printed, without secrets. */
  bootstrapLog: 'chandler.sh/bootstrap-log',
  /** The disk encryption set of the OS disk, recorded at launch; `none` for the platform-managed key. */
  diskEncryptionSet: 'chandler.sh/disk-encryption-set',
  /** On a NodeClaim: the disruption command that removes it, so that a new leader continues it. */
  disruptionCommand: 'chandler.sh/disruption-command',
  /** On a NodeClaim: when the cloud recommended to replace its spot instance, which may be interrupted soon. */
  rebalanceRecommendedAt: 'chandler.sh/rebalance-recommended-at',
  /** On a NodeClaim: when the cloud accepted the reboot of its instance. */
  rebootIssuedAt: 'chandler.sh/reboot-issued-at',
  /** On a NodeClaim: the id of the disruption command that it was launched for. */
  replacementFor: 'chandler.sh/replacement-for',
  /** On a NodeClaim: when its instance was rebooted, the last times, separated by commas. */
  reboots: 'chandler.sh/reboots',
  /** On a NodePool: what a consolidation must save, absolute, in percent, and for each pod that it evicts. */
  minSavingPerMonth: 'chandler.sh/min-saving-per-month',
  minSavingPercent: 'chandler.sh/min-saving-percent',
  costPerEvictedPod: 'chandler.sh/cost-per-evicted-pod',
  /** On a NodePool: younger nodes are not consolidated. A duration. */
  minNodeAge: 'chandler.sh/min-node-age',
  /** On a NodePool: no disruption, `true` or until a time; by whom and why. */
  freeze: 'chandler.sh/freeze',
  freezeBy: 'chandler.sh/freeze-by',
  freezeReason: 'chandler.sh/freeze-reason',
  /** On a NodePool: disruption only within these windows. */
  disruptionWindows: 'chandler.sh/disruption-windows',
  /** On a NodePool: expired nodes are replaced first, and deleted by force after this duration. */
  softExpiration: 'chandler.sh/soft-expiration',
  /** On a pod or, for all its pods, on a NodePool: it moves by a rolling update of its workload. `true` or `false`. */
  disruptionSurge: 'chandler.sh/disruption-surge',
} as const;

/** On the objects of a smoke test of `chandler check`: which run made them. */
export const SMOKE_TEST_LABEL = 'chandler.sh/smoke-test';

export const Finalizer = {
  /** On NodeClaims and Nodes. */
  termination: 'karpenter.sh/termination',
  aksNodeClass: 'karpenter.azure.com/termination',
  ec2NodeClass: 'karpenter.k8s.aws/termination',
} as const;

export const AzureLabel = {
  nodeClass: 'karpenter.azure.com/aksnodeclass',
  skuName: 'karpenter.azure.com/sku-name',
  skuFamily: 'karpenter.azure.com/sku-family',
  skuSeries: 'karpenter.azure.com/sku-series',
  skuVersion: 'karpenter.azure.com/sku-version',
  skuCpu: 'karpenter.azure.com/sku-cpu',
  skuMemory: 'karpenter.azure.com/sku-memory',
  skuGpuCount: 'karpenter.azure.com/sku-gpu-count',
  skuGpuManufacturer: 'karpenter.azure.com/sku-gpu-manufacturer',
  skuGpuName: 'karpenter.azure.com/sku-gpu-name',
  skuNetworkingAccelerated: 'karpenter.azure.com/sku-networking-accelerated',
  skuStoragePremiumCapable: 'karpenter.azure.com/sku-storage-premium-capable',
  skuStorageEphemeralOsMaxSize: 'karpenter.azure.com/sku-storage-ephemeralos-maxsize',
  skuStorageUltraSsd: 'karpenter.azure.com/sku-storage-ultra-ssd',
  placementScope: 'karpenter.azure.com/placement-scope',
  /** Internal: users may not set or require it. */
  skuHyperVGeneration: 'karpenter.azure.com/sku-hyperv-generation',
} as const;

/** Labels that AKS itself puts on nodes. */
export const AksLabel = {
  cluster: 'kubernetes.azure.com/cluster',
  mode: 'kubernetes.azure.com/mode',
  scaleSetPriority: 'kubernetes.azure.com/scalesetpriority',
  priority: 'kubernetes.azure.com/priority',
  osSku: 'kubernetes.azure.com/os-sku',
  fipsEnabled: 'kubernetes.azure.com/fips_enabled',
  skuCpu: 'kubernetes.azure.com/sku-cpu',
  skuMemory: 'kubernetes.azure.com/sku-memory',
  role: 'kubernetes.azure.com/role',
  kubeletIdentityClientId: 'kubernetes.azure.com/kubelet-identity-client-id',
  osSkuRequested: 'kubernetes.azure.com/os-sku-requested',
  osSkuEffective: 'kubernetes.azure.com/os-sku-effective',
  ebpfDataplane: 'kubernetes.azure.com/ebpf-dataplane',
  localDnsState: 'kubernetes.azure.com/localdns-state',
  artifactStreamingEnabled: 'kubernetes.azure.com/artifactstreaming-enabled',
  azureCniOverlay: 'kubernetes.azure.com/azure-cni-overlay',
  networkSubnet: 'kubernetes.azure.com/network-subnet',
  nodeNetworkVnetGuid: 'kubernetes.azure.com/nodenetwork-vnetguid',
  podNetworkType: 'kubernetes.azure.com/podnetwork-type',
  networkStatelessCni: 'kubernetes.azure.com/network-stateless-cni',
  // On some nodes only; nothing here reads them, but pods select on them.
  ebpfHostRouting: 'kubernetes.azure.com/ebpf-host-routing',
  networkPolicy: 'kubernetes.azure.com/network-policy',
  hostedVm: 'kubernetes.azure.com/hostedvm',
} as const;

/** Names without a domain that AKS has used for long, and still owns. */
export const AKS_LEGACY_LABELS: readonly string[] = [
  'agentpool',
  'storageprofile',
  'storagetier',
  'accelerator',
];

export const AzureAnnotation = {
  nodeClassHash: 'karpenter.azure.com/aksnodeclass-hash',
  nodeClassHashVersion: 'karpenter.azure.com/aksnodeclass-hash-version',
  aksMachineResourceId: 'karpenter.azure.com/aks-machine-resource-id',
  inPlaceUpdateHash: 'karpenter.azure.com/in-place-update-hash',
} as const;

export const AwsLabel = {
  nodeClass: 'karpenter.k8s.aws/ec2nodeclass',
  capacityReservationId: 'karpenter.k8s.aws/capacity-reservation-id',
  capacityReservationType: 'karpenter.k8s.aws/capacity-reservation-type',
  capacityReservationInterruptible: 'karpenter.k8s.aws/capacity-reservation-interruptible',
  hypervisor: 'karpenter.k8s.aws/instance-hypervisor',
  encryptionInTransit: 'karpenter.k8s.aws/instance-encryption-in-transit-supported',
  nitroSandbox: 'karpenter.k8s.aws/nitro-sandbox',
  category: 'karpenter.k8s.aws/instance-category',
  capabilityFlex: 'karpenter.k8s.aws/instance-capability-flex',
  family: 'karpenter.k8s.aws/instance-family',
  generation: 'karpenter.k8s.aws/instance-generation',
  size: 'karpenter.k8s.aws/instance-size',
  localNvme: 'karpenter.k8s.aws/instance-local-nvme',
  cpu: 'karpenter.k8s.aws/instance-cpu',
  cpuManufacturer: 'karpenter.k8s.aws/instance-cpu-manufacturer',
  cpuSustainedClockSpeedMhz: 'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz',
  memory: 'karpenter.k8s.aws/instance-memory',
  ebsBandwidth: 'karpenter.k8s.aws/instance-ebs-bandwidth',
  networkBandwidth: 'karpenter.k8s.aws/instance-network-bandwidth',
  gpuName: 'karpenter.k8s.aws/instance-gpu-name',
  gpuManufacturer: 'karpenter.k8s.aws/instance-gpu-manufacturer',
  gpuCount: 'karpenter.k8s.aws/instance-gpu-count',
  gpuMemory: 'karpenter.k8s.aws/instance-gpu-memory',
  acceleratorName: 'karpenter.k8s.aws/instance-accelerator-name',
  acceleratorManufacturer: 'karpenter.k8s.aws/instance-accelerator-manufacturer',
  acceleratorCount: 'karpenter.k8s.aws/instance-accelerator-count',
  tenancy: 'karpenter.k8s.aws/instance-tenancy',
  placementGroupId: 'karpenter.k8s.aws/placement-group-id',
  placementGroupPartition: 'karpenter.k8s.aws/placement-group-partition',
  zoneId: 'topology.k8s.aws/zone-id',
} as const;

export const AwsAnnotation = {
  nodeClassHash: 'karpenter.k8s.aws/ec2nodeclass-hash',
  nodeClassHashVersion: 'karpenter.k8s.aws/ec2nodeclass-hash-version',
  tagged: 'karpenter.k8s.aws/tagged',
  instanceProfileName: 'karpenter.k8s.aws/instance-profile-name',
  clusterNameTagged: 'compatibility.karpenter.k8s.aws/cluster-name-tagged',
} as const;

/** Names of one concept that pods may still use, and the label that carries it today. */
export const NORMALIZED_LABELS: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', KubernetesLabel.zone],
  ['failure-domain.beta.kubernetes.io/region', KubernetesLabel.region],
  ['beta.kubernetes.io/arch', KubernetesLabel.arch],
  ['beta.kubernetes.io/os', KubernetesLabel.os],
  ['beta.kubernetes.io/instance-type', KubernetesLabel.instanceType],
  // What the disk drivers of the clouds write into volumes.
  ['topology.disk.csi.azure.com/zone', KubernetesLabel.zone],
  ['topology.ebs.csi.aws.com/zone', KubernetesLabel.zone],
]);

/** Values that change with the label's name: Azure's disk driver calls a disk outside all zones "". */
export const NORMALIZED_LABEL_VALUES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ['topology.disk.csi.azure.com/zone', new Map([['', '0']])],
]);

export function normalizeLabel(key: string): string {
  return NORMALIZED_LABELS.get(key) ?? key;
}

/** The value under the normalised name, for a value that was found under the given one. */
export function normalizeLabelValue(key: string, value: string): string {
  return NORMALIZED_LABEL_VALUES.get(key)?.get(value) ?? value;
}

/** The part before the slash; nothing for a plain name. */
export function labelDomain(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? '' : key.slice(0, slash);
}

/** The label by which nodes and claims name their node class: `karpenter.azure.com/aksnodeclass`. */
export function nodeClassLabel(group: string, kind: string): string {
  return `${group}/${kind.toLowerCase()}`;
}

export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;
export type TaintEffect = (typeof TAINT_EFFECTS)[number];

interface KnownTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: TaintEffect;
}

/** On a node that is about to go or is being drained. */
export const DISRUPTED_TAINT: KnownTaint = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' };
/** On a node that is drained for a reboot or is rebooting. */
export const REBOOTING_TAINT: KnownTaint = { key: 'karpenter.sh/rebooting', effect: 'NoSchedule' };
/** A node is born with it and loses it when it registers. */
export const UNREGISTERED_TAINT: KnownTaint = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };

/** Taints that go away by themselves while a node starts; as long as one is there it is not initialized. */
export const KNOWN_EPHEMERAL_TAINTS: readonly KnownTaint[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
  { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
  UNREGISTERED_TAINT,
];

/** Every key below it is ephemeral too, whatever its effect. */
export const EPHEMERAL_TAINT_PREFIX = 'readiness.k8s.io/';

export function isKnownEphemeralTaint(taint: { readonly key: string; readonly effect?: string }): boolean {
  return (
    taint.key.startsWith(EPHEMERAL_TAINT_PREFIX) ||
    KNOWN_EPHEMERAL_TAINTS.some((known) => sameTaint(known, taint))
  );
}

/** Taints are the same by key and effect; the value is not compared. */
export function sameTaint(
  first: { readonly key: string; readonly effect?: string },
  second: { readonly key: string; readonly effect?: string },
): boolean {
  return first.key === second.key && first.effect === second.effect;
}

/** Whether an API server takes the text for the value of a label. */
export function isLabelValue(text: string): boolean {
  return text.length <= MAX_LABEL_VALUE_LENGTH && LABEL_VALUE_PATTERN.test(text);
}

const MAX_LABEL_VALUE_LENGTH = 63;
const LABEL_VALUE_PATTERN = new RegExp(LABEL_VALUE);
