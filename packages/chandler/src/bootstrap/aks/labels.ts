/**
 * The labels a node registers with: those of AKS, then what the claim, the instance type and the chosen offering say,
 * later ones winning; and of these only what a kubelet may set on itself. The controller copies the rest.
 */
import { AksLabel, AzureLabel, isLabelValue, KarpenterLabel, labelDomain } from '../../api/index.ts';
import type { BootstrapMode } from '../bootstrapper.ts';
import type { ClusterValues, NodeBootstrapInput, NodeClassValues } from '../input.ts';
import { atLeast, parseKubernetesVersion } from './kubernetes-version.ts';
import { isOverlay, parseSubnetId, subnetIdOf } from './network.ts';
import { allowsValue, singleValuedLabels, type ValueRequirement } from './requirement-values.ts';

export interface LabelFacts {
  readonly mode: BootstrapMode;
  readonly options: NodeBootstrapInput['options'];
  readonly cluster: Pick<ClusterValues, 'kubernetesVersion' | 'vnetGuid'>;
  readonly nodeClass: NodeClassValues;
  readonly image: ImageFamilyFacts;
  readonly claim: {
    readonly labels: Readonly<Record<string, string>>;
    readonly requirements: readonly ValueRequirement[];
  };
  readonly instanceType: readonly ValueRequirement[];
  readonly offering: OfferingFacts;
  readonly architecture: string;
}

export interface ImageFamilyFacts {
  /** `Ubuntu` or `AzureLinux`. */
  readonly osSku: string;
  /** The family that was resolved: `Ubuntu2204`. */
  readonly effective: string;
}

export interface OfferingFacts {
  readonly capacityType: string;
  readonly placementScope: 'zonal' | 'regional';
  /** Whether ultra disks are requested. */
  readonly ultraSsd: boolean;
}

/** All labels of the node, merged. */
export function nodeLabels(facts: LabelFacts): Readonly<Record<string, string>> {
  const { claim, instanceType, offering } = facts;
  const priority = offering.capacityType === 'spot' ? 'spot' : 'regular';
  return {
    ...baseLabels(facts),
    ...claim.labels,
    ...singleValuedLabels(claim.requirements),
    ...singleValuedLabels(instanceType),
    [KarpenterLabel.capacityType]: offering.capacityType,
    [AzureLabel.placementScope]: offering.placementScope,
    [AzureLabel.skuStorageUltraSsd]: String(offering.ultraSsd),
    // The instance type leaves these two open; said here, a spot node never registers as a regular one.
    [AksLabel.scaleSetPriority]: priority,
    [AksLabel.priority]: priority,
  };
}

/** The label `mode` of the node: `user`, unless the claim requires otherwise. */
export function nodeMode({ labels, requirements }: LabelFacts['claim']): string {
  const required = singleValuedLabels(requirements)[AksLabel.mode] ?? labels[AksLabel.mode];
  return required ?? MODES.find((mode) => allowsValue(requirements, AksLabel.mode, mode)) ?? 'user';
}

/** Those that a kubelet may set on its own node; an API server refuses the node with any other. */
export function kubeletLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => isKubeletLabel(key)));
}

export function isKubeletLabel(key: string): boolean {
  if (KUBELET_LABELS.has(key)) return true;
  const domain = labelDomain(key);
  if (isOrBelow(domain, KUBELET_DOMAINS)) return true;
  return !isOrBelow(domain, RESERVED_DOMAINS);
}

/** `a=1,b=2`, sorted by key. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** The node resource group as a label value: AKS' own rule, which its nodes follow too. */
export function clusterLabelValue(nodeResourceGroup: string): string {
  const cut = nodeResourceGroup.replace(/[()]/g, '-').slice(0, MAX_LABEL_VALUE);
  if (!/[-_.]$/.test(cut)) return cut;
  return cut.length === MAX_LABEL_VALUE ? `${cut.slice(0, -1)}z` : `${cut}z`;
}

// ---------------------------------------------------------------------------------------------------

const MAX_LABEL_VALUE = 63;
const MODES = ['user', 'system'];

const RESERVED_DOMAINS = ['kubernetes.io', 'k8s.io'];
const KUBELET_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const KUBELET_LABELS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);

function isOrBelow(domain: string, domains: readonly string[]): boolean {
  return domains.some((other) => domain === other || domain.endsWith(`.${other}`));
}

function baseLabels(facts: LabelFacts): Record<string, string> {
  const { options, nodeClass, image } = facts;
  return {
    [AksLabel.role]: 'agent',
    [AksLabel.cluster]: clusterLabelValue(options.nodeResourceGroup.value),
    [AksLabel.mode]: nodeMode(facts.claim),
    [AksLabel.kubeletIdentityClientId]: options.kubeletIdentityClientId.value,
    [AksLabel.osSku]: image.osSku,
    [AksLabel.osSkuRequested]: nodeClass.spec.imageFamily ?? 'Ubuntu',
    [AksLabel.osSkuEffective]: image.effective,
    ...(nodeClass.spec.fipsMode === 'FIPS' ? { [AksLabel.fipsEnabled]: 'true' } : {}),
    ...(options.networkDataplane.value === 'cilium' ? { [AksLabel.ebpfDataplane]: 'cilium' } : {}),
    ...featureLabels(facts),
    ...overlayLabels(facts),
    // Startup taints are taken off by others as soon as the node is there; copying the claim's would race with that.
    [KarpenterLabel.doNotSyncTaints]: 'true',
  };
}

/** What a mode cannot deliver is not announced. */
function featureLabels({ mode, nodeClass, architecture }: LabelFacts): Record<string, string> {
  const served = mode === 'bootstrappingclient';
  const streaming = served && architecture !== 'arm64' && nodeClass.spec.artifactStreaming?.enabled === true;
  return {
    [AksLabel.localDnsState]: served && nodeClass.localDnsEnabled ? 'enabled' : 'disabled',
    ...(streaming ? { [AksLabel.artifactStreamingEnabled]: 'true' } : {}),
  };
}

function overlayLabels({ options, cluster, nodeClass }: LabelFacts): Record<string, string> {
  if (!isOverlay(options)) return {};
  const version = parseKubernetesVersion(cluster.kubernetesVersion);
  const { subnet } = parseSubnetId(subnetIdOf({ nodeClass, options }));
  return {
    [AksLabel.azureCniOverlay]: 'true',
    // Azure allows names that are longer or end in `_`. SubnetsReady of the node class says that the label is missing.
    ...(isLabelValue(subnet) ? { [AksLabel.networkSubnet]: subnet } : {}),
    [AksLabel.nodeNetworkVnetGuid]: cluster.vnetGuid.value,
    [AksLabel.podNetworkType]: 'overlay',
    [AksLabel.networkStatelessCni]: String(atLeast(version, 34)),
  };
}
