/**
 * Which labels a user may set or require: the CEL rules over label keys that NodePool, NodeClaim and NodeOverlay share.
 * One CRD serves every cloud, so what a cloud forbids is bound to its node class; an overlay has none, so the allow-lists
 * of all clouds hold together there. A label of another cloud is a label like any other, as in upstream's CRDs.
 */
import { AWS_WELL_KNOWN_LABELS, AZURE_WELL_KNOWN_LABELS, CORE_WELL_KNOWN_LABELS } from '../known-labels.ts';
import {
  AKS_DOMAIN,
  AKS_LEGACY_LABELS,
  AksLabel,
  AWS_GROUP,
  AwsLabel,
  AZURE_GROUP,
  AzureLabel,
  KARPENTER_GROUP,
  KarpenterLabel,
  KubernetesLabel,
  labelDomain,
} from '../labels.ts';
import type { Rule } from '../schema/schema.ts';

/** A domain of reserved labels, and those of them that users may set. */
interface OwnedDomain {
  readonly domain: string;
  readonly allowed: readonly string[];
}

/** The domain is reserved where the node class is of this group. */
interface CloudDomain extends OwnedDomain {
  readonly group: string;
}

const KARPENTER = ownedDomain(KARPENTER_GROUP, CORE_WELL_KNOWN_LABELS);
const KARPENTER_AZURE = ownedDomain(AZURE_GROUP, AZURE_WELL_KNOWN_LABELS, AzureLabel.nodeClass);
const KUBERNETES_AZURE = ownedDomain(
  AKS_DOMAIN,
  AZURE_WELL_KNOWN_LABELS,
  AksLabel.ebpfDataplane,
  AksLabel.ebpfHostRouting,
  AksLabel.networkPolicy,
  AksLabel.hostedVm,
);
const KARPENTER_AWS = ownedDomain(AWS_GROUP, AWS_WELL_KNOWN_LABELS, AwsLabel.nodeClass);

/** Labels of the purchase (capacity type, reservation), not of the instance type: an overlay cannot select on them. */
const OF_THE_OFFERING: readonly string[] = [
  AwsLabel.tenancy,
  AwsLabel.capacityReservationId,
  AwsLabel.capacityReservationType,
  AwsLabel.capacityReservationInterruptible,
  AwsLabel.placementGroupId,
  AwsLabel.placementGroupPartition,
];

const KARPENTER_AWS_TYPES: OwnedDomain = {
  domain: AWS_GROUP,
  allowed: KARPENTER_AWS.allowed.filter((label) => !OF_THE_OFFERING.includes(label)),
};

const CLOUDS: readonly CloudDomain[] = [
  { ...KARPENTER_AZURE, group: AZURE_GROUP },
  { ...KUBERNETES_AZURE, group: AZURE_GROUP },
  { ...KARPENTER_AWS, group: AWS_GROUP },
];
const OVERLAY_CLOUDS: readonly OwnedDomain[] = [KARPENTER_AZURE, KUBERNETES_AZURE, KARPENTER_AWS_TYPES];
const NODE_POOL = KarpenterLabel.nodePool;
const HOSTNAME = KubernetesLabel.hostname;

/** Rules for a requirement's key. On a NodePool the pool itself may not be required. */
export function keyRules(where: 'NodePool' | 'NodeClaim' | 'NodeOverlay'): Rule[] {
  return [
    ...domainRules([KARPENTER], 'self', (test) => test),
    ...(where === 'NodePool' ? [forbidden(NODE_POOL, `self != '${NODE_POOL}'`)] : []),
    forbidden(HOSTNAME, `self != '${HOSTNAME}'`),
    ...(where === 'NodeOverlay' ? domainRules(OVERLAY_CLOUDS, 'self', (test) => test) : []),
  ];
}

/** Rules for the labels of a NodePool's template. */
export function templateLabelRules(): Rule[] {
  const every = (test: string) => `self.all(k, ${test})`;
  return [
    ...domainRules([KARPENTER], 'k', every),
    forbidden(NODE_POOL, `!('${NODE_POOL}' in self)`),
    forbidden(HOSTNAME, `!('${HOSTNAME}' in self)`),
  ];
}

/** What a cloud forbids among the template's labels. The rules are on the template, where CEL can read the node class. */
export function cloudTemplateRules(): Rule[] {
  const labels = '!has(self.metadata) || !has(self.metadata.labels)';
  const ofDomains = CLOUDS.map(({ group, ...owned }) => ({
    ...domainRule(
      owned,
      'k',
      (test) =>
        `self.spec.nodeClassRef.group != '${group}' || ${labels} || self.metadata.labels.all(k, ${test})`,
    ),
    fieldPath: '.metadata.labels',
  }));
  const ofPlainNames = AKS_LEGACY_LABELS.map((label) => ({
    ...forbidden(
      label,
      `self.spec.nodeClassRef.group != '${AZURE_GROUP}' || ${labels} || !('${label}' in self.metadata.labels)`,
    ),
    fieldPath: '.metadata.labels',
  }));
  return [...ofDomains, ...ofPlainNames];
}

/** What a cloud forbids among the requirements. The rules are on the spec of a template or a claim. */
export function cloudRequirementRules(): Rule[] {
  const ofDomains = CLOUDS.map(({ group, ...owned }) => ({
    ...domainRule(
      owned,
      'r.key',
      (test) => `self.nodeClassRef.group != '${group}' || self.requirements.all(r, ${test})`,
    ),
    fieldPath: '.requirements',
  }));
  const ofPlainNames = AKS_LEGACY_LABELS.map((label) => ({
    ...forbidden(
      label,
      `self.nodeClassRef.group != '${AZURE_GROUP}' || self.requirements.all(r, r.key != '${label}')`,
    ),
    fieldPath: '.requirements',
  }));
  return [...ofDomains, ...ofPlainNames];
}

/** The domain of another cloud than that of the node class to which a label belongs. */
export function foreignDomain(label: string, group: string): string | undefined {
  if (!CLOUDS.some((cloud) => cloud.group === group)) return undefined;
  const domain = labelDomain(label);
  return CLOUDS.find(
    (cloud) => cloud.group !== group && (domain === cloud.domain || domain.endsWith(`.${cloud.domain}`)),
  )?.domain;
}

// ---------------------------------------------------------------------------------------------------------------

/** What scheduling knows of a domain is open to users, and what is named besides. */
function ownedDomain(domain: string, known: ReadonlySet<string>, ...others: string[]): OwnedDomain {
  const ofDomain = [...known].filter((label) => labelDomain(label) === domain);
  return { domain, allowed: [...ofDomain, ...others] };
}

function domainRules(domains: readonly OwnedDomain[], key: string, wrap: (test: string) => string): Rule[] {
  return domains.map((each) => domainRule(each, key, wrap));
}

function domainRule({ domain, allowed }: OwnedDomain, key: string, wrap: (test: string) => string): Rule {
  const names = allowed.map((label) => `'${label}'`).join(', ');
  const owned = `^[^/]*${domain.replaceAll('.', '\\\\.')}(/|$)`;
  return {
    message: `label domain "${domain}" is restricted`,
    rule: wrap(`${key} in [${names}] || !${key}.matches('${owned}')`),
  };
}

function forbidden(label: string, rule: string): Rule {
  return { message: `label "${label}" is restricted`, rule };
}
