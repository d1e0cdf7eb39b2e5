/**
 * What EC2 and Karpenter accept of a node class without a word although it does not do what it seems to say. The class shows
 * it as the message of ValidationSucceeded; nothing stops because of it.
 */
import { doubtfulEc2Values, doubtfulText, type EC2NodeClass, KubernetesLabel } from '../../../api/index.ts';
import { type AmiFamily, valuesOf } from '../../../bootstrap/index.ts';
import { type SecurityGroup, type Subnet, unlimitedTerms } from '../network/index.ts';
import type { ClassPool } from './class-pools.ts';
import { kubeletWarning } from './kubelet-validation.ts';

export interface WarningInput {
  readonly nodeClass: Pick<EC2NodeClass, 'spec' | 'status'>;
  readonly family: AmiFamily;
  readonly subnets: readonly Subnet[];
  readonly securityGroups: readonly SecurityGroup[];
  /** NodePools of the class. */
  readonly pools: readonly ClassPool[];
}

export function classWarnings(input: WarningInput): readonly string[] {
  const { spec } = input.nodeClass;
  return [
    doubtfulText(doubtfulEc2Values(spec)),
    kubeletWarning(spec.kubelet, input.family) ?? '',
    ...unlimitedWarnings(input),
    ...vpcWarnings(input),
    ...groupWarnings(input),
    ...architectureWarnings(input),
  ].filter((text) => text !== '');
}

/** Why no launch can succeed: an instance is in one VPC, with all of its security groups. */
export function vpcProblem(
  subnets: readonly Subnet[],
  securityGroups: readonly SecurityGroup[],
): string | undefined {
  const groupVpcs = vpcsOf(securityGroups);
  if (groupVpcs.length > 1) {
    return `spec.securityGroupSelectorTerms matches security groups of the VPCs ${groupVpcs.join(', ')}, and an instance gets all of them; select those of one VPC`;
  }
  const subnetVpcs = vpcsOf(subnets);
  if (groupVpcs.length === 0 || subnetVpcs.length === 0 || subnetVpcs.includes(groupVpcs[0]!))
    return undefined;
  return `the security groups are in ${groupVpcs[0]}, and no subnet of spec.subnetSelectorTerms is; the subnets are in ${subnetVpcs.join(', ')}: select both from one VPC`;
}

// ---------------------------------------------------------------------------------------------------

/** The quota of an account unless it was raised. */
const DEFAULT_SECURITY_GROUPS = 5;

function unlimitedWarnings({ nodeClass: { spec } }: WarningInput): readonly string[] {
  const lists = { subnetSelectorTerms: 'subnet', securityGroupSelectorTerms: 'security group' } as const;
  return (Object.keys(lists) as (keyof typeof lists)[]).flatMap((list) =>
    unlimitedTerms(spec[list]).map(
      (index) =>
        `spec.${list}[${index}]: the term is empty, so it matches every ${lists[list]} of the account in this region; give it tags or an id`,
    ),
  );
}

function vpcWarnings({ subnets, securityGroups }: WarningInput): readonly string[] {
  const [vpc, ...others] = vpcsOf(securityGroups);
  if (vpc === undefined || others.length > 0) return [];
  const outside = subnets.filter(({ vpcId }) => vpcId !== undefined && vpcId !== vpc).map(({ id }) => id);
  if (outside.length === 0) return [];
  return [
    `spec.subnetSelectorTerms: ${listed(outside)} outside of ${vpc}, where the security groups are; launches there fail`,
  ];
}

function groupWarnings({ securityGroups }: WarningInput): readonly string[] {
  if (securityGroups.length <= DEFAULT_SECURITY_GROUPS) return [];
  return [
    `spec.securityGroupSelectorTerms matches ${securityGroups.length} security groups; launches fail unless the quota of ${DEFAULT_SECURITY_GROUPS} for each interface was raised`,
  ];
}

/** A NodePool that asks for an architecture for which no image is there never gets a node. */
function architectureWarnings({ nodeClass, pools }: WarningInput): readonly string[] {
  const images = nodeClass.status?.amis ?? [];
  const offered = new Set(
    images.flatMap(({ requirements }) =>
      requirements.flatMap(({ key, values }) => (key === KubernetesLabel.arch ? (values ?? []) : [])),
    ),
  );
  if (offered.size === 0) return [];
  return pools.flatMap(({ name, requirements }) => {
    const wanted = valuesOf(requirements, KubernetesLabel.arch);
    if (wanted === undefined || wanted.some((each) => offered.has(each))) return [];
    return [
      `NodePool ${name} asks for ${KubernetesLabel.arch} ${wanted.join(', ')}, and the images of spec.amiSelectorTerms are for ${[...offered].sort().join(', ')} only; it gets no nodes`,
    ];
  });
}

function listed(ids: readonly string[]): string {
  const more = ids.length > 5 ? ` and ${ids.length - 5} more` : '';
  const sorted = [...ids].sort();
  return `${sorted.slice(0, 5).join(', ')}${more} ${ids.length === 1 ? 'is' : 'are'}`;
}

function vpcsOf(resources: readonly { readonly vpcId: string | undefined }[]): readonly string[] {
  return [...new Set(resources.flatMap(({ vpcId }) => vpcId ?? []))].sort();
}
