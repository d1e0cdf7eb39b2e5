/**
 * Which labels scheduling knows on each cloud, which values some of them are limited to, and which labels
 * a user may neither set nor require. The names themselves are in `labels.ts`; the CRDs' own rules over
 * them in `kinds/label-rules.ts`. Controllers check these at run time, against the cloud they run on.
 */
import {
  AksLabel,
  AWS_GROUP,
  AwsLabel,
  AZURE_GROUP,
  AzureLabel,
  CapacityType,
  KARPENTER_GROUP,
  KarpenterLabel,
  KubernetesLabel,
  labelDomain,
} from './labels.ts';

/** Labels a claim may leave undefined and still match a pod that asks for them. Clouds add theirs. */
export const CORE_WELL_KNOWN_LABELS: ReadonlySet<string> = new Set([
  KarpenterLabel.nodePool,
  KarpenterLabel.capacityType,
  KubernetesLabel.zone,
  KubernetesLabel.region,
  KubernetesLabel.instanceType,
  KubernetesLabel.arch,
  KubernetesLabel.os,
  KubernetesLabel.windowsBuild,
]);

export const AZURE_WELL_KNOWN_LABELS: ReadonlySet<string> = new Set([
  ...Object.values(AzureLabel).filter(
    (key) => key !== AzureLabel.nodeClass && key !== AzureLabel.skuHyperVGeneration,
  ),
  AksLabel.cluster,
  AksLabel.mode,
  AksLabel.scaleSetPriority,
  AksLabel.priority,
  AksLabel.osSku,
  AksLabel.fipsEnabled,
  AksLabel.skuCpu,
  AksLabel.skuMemory,
]);

export const AWS_WELL_KNOWN_LABELS: ReadonlySet<string> = new Set(
  Object.values(AwsLabel).filter((key) => key !== AwsLabel.nodeClass),
);

/** Values of a label: no other makes sense, and a requirement with only others is refused. */
type KnownValues = ReadonlyMap<string, readonly string[]>;

const YES_OR_NO = ['true', 'false'];

const AZURE_KNOWN_VALUES: KnownValues = new Map<string, readonly string[]>([
  [KarpenterLabel.capacityType, [CapacityType.onDemand, CapacityType.spot]],
  [AzureLabel.skuNetworkingAccelerated, YES_OR_NO],
  [AzureLabel.skuStoragePremiumCapable, YES_OR_NO],
  [AzureLabel.skuStorageUltraSsd, YES_OR_NO],
  [AzureLabel.skuGpuManufacturer, ['nvidia', 'amd']],
  [AzureLabel.placementScope, ['zonal', 'regional']],
  [AksLabel.mode, ['system', 'user']],
  [AksLabel.scaleSetPriority, ['regular', 'spot']],
  [AksLabel.priority, ['regular', 'spot']],
  [AksLabel.osSku, ['Ubuntu', 'AzureLinux']],
  [AksLabel.fipsEnabled, ['true']],
]);

const CORE_KNOWN_VALUES: KnownValues = new Map([[KarpenterLabel.capacityType, Object.values(CapacityType)]]);

const AWS_KNOWN_VALUES: KnownValues = new Map<string, readonly string[]>([
  ...CORE_KNOWN_VALUES,
  [AwsLabel.tenancy, ['default', 'dedicated']],
]);

/** What a user may not set or require in a given cluster. */
export interface LabelRules {
  readonly wellKnown: ReadonlySet<string>;
  /** The values of labels that have no others. */
  readonly knownValues: KnownValues;
  /** Domains that are closed with everything below them, well-known names apart. */
  readonly restrictedDomains: readonly string[];
  readonly restricted: ReadonlySet<string>;
}

const RESTRICTED: ReadonlySet<string> = new Set([KubernetesLabel.hostname]);

export const CORE_LABEL_RULES: LabelRules = {
  wellKnown: CORE_WELL_KNOWN_LABELS,
  knownValues: CORE_KNOWN_VALUES,
  restrictedDomains: [KARPENTER_GROUP],
  restricted: RESTRICTED,
};

export const AZURE_LABEL_RULES: LabelRules = {
  wellKnown: new Set([...CORE_WELL_KNOWN_LABELS, ...AZURE_WELL_KNOWN_LABELS]),
  knownValues: AZURE_KNOWN_VALUES,
  restrictedDomains: [KARPENTER_GROUP, AZURE_GROUP],
  restricted: RESTRICTED,
};

export const AWS_LABEL_RULES: LabelRules = {
  wellKnown: new Set([...CORE_WELL_KNOWN_LABELS, ...AWS_WELL_KNOWN_LABELS]),
  knownValues: AWS_KNOWN_VALUES,
  restrictedDomains: [KARPENTER_GROUP, AWS_GROUP],
  restricted: RESTRICTED,
};

/** Whether a user's template or requirement may not carry this label. */
export function isRestrictedLabel(key: string, rules: LabelRules = CORE_LABEL_RULES): boolean {
  if (rules.wellKnown.has(key)) return false;
  const domain = labelDomain(key);
  return (
    rules.restricted.has(key) ||
    rules.restrictedDomains.some((closed) => domain === closed || domain.endsWith(`.${closed}`))
  );
}
