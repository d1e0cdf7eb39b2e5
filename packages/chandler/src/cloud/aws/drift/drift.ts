/**
 * Why a node on AWS is no longer what would be launched today: the reasons in Karpenter's order; the first that holds is
 * reported. Reads the claim, its class and what EC2 says of the instance. What is not known is not compared: a list that
 * could not be resolved is no reason to replace nodes.
 */
import type { Stored } from '@chandler/kube';
import {
  AwsAnnotation,
  AwsLabel,
  ChandlerAnnotation,
  type EC2NodeClass,
  type NodeClaim,
  type NodePool,
} from '../../../api/index.ts';
import type { Drift } from '../../index.ts';

import { hashInVersion } from './node-class-hash.ts';

export const DriftReason = {
  nodeClass: 'NodeClassDrift',
  ami: 'AMIDrift',
  securityGroup: 'SecurityGroupDrift',
  subnet: 'SubnetDrift',
  capacityReservation: 'CapacityReservationDrift',
  placementGroup: 'PlacementGroupDrift',
  /** Not of Karpenter, and only where the option asks for it. */
  rebalance: 'SpotRebalanceRecommended',
} as const;

export interface DriftQuestion {
  readonly claim: Stored<NodeClaim>;
  readonly nodeClass: EC2NodeClass;
  readonly nodePool?: Stored<NodePool> | undefined;
}

export interface DriftValues {
  /** In base64: it is part of the hash of the class. */
  readonly caBundle: string | undefined;
  /** The image that an instance of the claim's type would get now, if one suits it; absent while that is not known. */
  readonly image?: { readonly id: string | undefined } | undefined;
  /** Absent while EC2 has not been asked. */
  readonly instance?: DescribedInstance | undefined;
  /** The group that the selector of the class leads to, if it has one; absent while that is not known. */
  readonly placementGroup?: { readonly id: string | undefined } | undefined;
  /** Whether the gate ReservedCapacity is open. */
  readonly reservedCapacity: boolean;
}

/**
 * Of DescribeInstances. It must be fresh for its reservation: an instance whose reservation ends goes on as on-demand, and
 * has not drifted.
 */
export interface DescribedInstance {
  readonly SecurityGroups?: readonly { readonly GroupId?: string | undefined }[] | undefined;
  readonly SubnetId?: string | undefined;
  readonly SpotInstanceRequestId?: string | undefined;
  readonly CapacityReservationId?: string | undefined;
  readonly CapacityReservationSpecification?:
    | { readonly CapacityReservationPreference?: string | undefined }
    | undefined;
}

export function awsDrift(question: DriftQuestion, values: DriftValues): Drift | undefined {
  if (isDeleting(question.nodeClass) || isDeleting(question.nodePool)) return undefined;
  for (const check of CHECKS) {
    const drift = check(question, values);
    if (drift !== undefined) return drift;
  }
  return undefined;
}

/**
 * What was found of the instance before, for a time in which EC2 is not asked about it: not known is no reason to say that
 * the node has not drifted.
 */
export function lastDriftOfInstance({ claim, nodeClass, nodePool }: DriftQuestion): Drift | undefined {
  if (isDeleting(nodeClass) || isDeleting(nodePool)) return undefined;
  const last = claim.status?.conditions?.find(({ type, status }) => type === 'Drifted' && status === 'True');
  const { reason = '', message = '' } = last ?? {};
  return OF_INSTANCE.has(reason) ? { reason, message } : undefined;
}

/** The reservation that an instance was launched into on purpose; open reservations take any instance that fits. */
export function reservationOf(instance: DescribedInstance): string | undefined {
  const { SpotInstanceRequestId, CapacityReservationId, CapacityReservationSpecification } = instance;
  const isTargeted =
    CapacityReservationSpecification?.CapacityReservationPreference === 'capacity-reservations-only';
  return SpotInstanceRequestId === undefined && isTargeted ? CapacityReservationId : undefined;
}

// ---------------------------------------------------------------------------------------------------------------

/** Reasons that only EC2 tells. */
const OF_INSTANCE: ReadonlySet<string> = new Set([
  DriftReason.securityGroup,
  DriftReason.subnet,
  DriftReason.capacityReservation,
]);

type Check = (question: DriftQuestion, values: DriftValues) => Drift | undefined;

const CHECKS: readonly Check[] = [
  nodeClassDrift,
  imageDrift,
  securityGroupDrift,
  subnetDrift,
  capacityReservationDrift,
  placementGroupDrift,
  rebalanceDrift,
];

/**
 * Hashes of two versions cannot be compared. While the class has another version than the claim, its hash is computed in
 * the version of the claim; Karpenter compares nothing then, and forgets a change that comes with an upgrade.
 */
function nodeClassDrift({ claim, nodeClass }: DriftQuestion, { caBundle }: DriftValues): Drift | undefined {
  const [was, now] = [claim, nodeClass].map(({ metadata: { annotations } }) => ({
    hash: annotations?.[AwsAnnotation.nodeClassHash],
    version: annotations?.[AwsAnnotation.nodeClassHashVersion],
  }));
  if (was?.hash === undefined || was.version === undefined) return undefined;
  if (now?.hash === undefined || now.version === undefined) return undefined;
  const comparable = was.version === now.version ? now.hash : hashInVersion(nodeClass, was.version, caBundle);
  if (comparable === undefined || comparable === was.hash) return undefined;
  return {
    reason: DriftReason.nodeClass,
    message: `EC2NodeClass ${nodeClass.metadata.name} changed: its hash was ${was.hash} and is ${comparable} now`,
  };
}

function imageDrift({ claim, nodeClass }: DriftQuestion, { image }: DriftValues): Drift | undefined {
  const was = claim.status?.imageID;
  // A claim without an image was launched a moment ago, or never.
  if (image === undefined || was === undefined || was === '' || was === image.id) return undefined;
  if ((nodeClass.status?.amis ?? []).length === 0) return undefined;
  const now =
    image.id === undefined ? 'no image of the class suits its instance type' : `new nodes get ${image.id}`;
  return { reason: DriftReason.ami, message: `the node uses image ${was}, and ${now}` };
}

/** Exactly those of the class, in any order. */
function securityGroupDrift({ nodeClass }: DriftQuestion, { instance }: DriftValues): Drift | undefined {
  const wanted = new Set((nodeClass.status?.securityGroups ?? []).map(({ id }) => id));
  const groups = instance?.SecurityGroups;
  if (wanted.size === 0 || groups === undefined) return undefined;
  const own = new Set(groups.flatMap(({ GroupId }) => GroupId ?? []));
  if (own.symmetricDifference(wanted).size === 0) return undefined;
  return {
    reason: DriftReason.securityGroup,
    message: `the instance has the security groups ${listed(own)}, and new instances get ${listed(wanted)}`,
  };
}

function subnetDrift({ nodeClass }: DriftQuestion, { instance }: DriftValues): Drift | undefined {
  const subnets = new Set((nodeClass.status?.subnets ?? []).map(({ id }) => id));
  const own = instance?.SubnetId;
  if (subnets.size === 0 || own === undefined || subnets.has(own)) return undefined;
  return {
    reason: DriftReason.subnet,
    message: `the instance is in ${own}, and the subnets of the class are ${listed(subnets)}`,
  };
}

/** No reservation at all is a valid answer, so it is compared, too; but only when the class has been resolved. */
function capacityReservationDrift(
  { nodeClass }: DriftQuestion,
  { instance, reservedCapacity }: DriftValues,
): Drift | undefined {
  const own = instance === undefined ? undefined : reservationOf(instance);
  if (!reservedCapacity || own === undefined || !isTrue(nodeClass, 'CapacityReservationsReady'))
    return undefined;
  const known = new Set((nodeClass.status?.capacityReservations ?? []).map(({ id }) => id));
  if (known.has(own)) return undefined;
  return {
    reason: DriftReason.capacityReservation,
    message: `the instance runs in ${own}, and the capacity reservations of the class are ${listed(known)}`,
  };
}

function placementGroupDrift({ claim }: DriftQuestion, { placementGroup }: DriftValues): Drift | undefined {
  if (placementGroup === undefined) return undefined;
  const was = claim.metadata.labels?.[AwsLabel.placementGroupId];
  if (was === placementGroup.id) return undefined;
  return {
    reason: DriftReason.placementGroup,
    message: `the node is in ${groupText(was)}, and new nodes are launched in ${groupText(placementGroup.id)}`,
  };
}

/** As drift, so that the replacement is launched first, within the budgets of the pool. */
function rebalanceDrift({ claim }: DriftQuestion): Drift | undefined {
  const at = claim.metadata.annotations?.[ChandlerAnnotation.rebalanceRecommendedAt];
  if (at === undefined) return undefined;
  return {
    reason: DriftReason.rebalance,
    message: `EC2 recommended to replace the spot instance at ${at}, since it may be interrupted soon`,
  };
}

function groupText(id: string | undefined): string {
  return id === undefined ? 'no placement group' : `placement group ${id}`;
}

function listed(ids: ReadonlySet<string>): string {
  return ids.size === 0 ? 'none' : [...ids].sort().join(', ');
}

function isTrue({ status }: EC2NodeClass, type: string): boolean {
  return status?.conditions?.some((each) => each.type === type && each.status === 'True') === true;
}

function isDeleting(
  object: { readonly metadata: { readonly deletionTimestamp?: string } } | undefined,
): boolean {
  return object?.metadata.deletionTimestamp !== undefined;
}
