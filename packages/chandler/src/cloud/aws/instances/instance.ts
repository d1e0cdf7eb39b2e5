/** An EC2 instance as the rest of the product sees it: labels, capacity, and for which claim it was launched. */
import {
  AwsLabel,
  CapacityType,
  KarpenterLabel,
  KubernetesLabel,
  type ResourceList,
} from '../../../api/index.ts';
import type { LabelRequirement } from '../../../scheduling/index.ts';
import type { Instance } from '../../index.ts';

import type { AwsInstanceType } from '../instance-types/index.ts';
import { tokenClaimUid } from '../launch/index.ts';
import { claimNameOf, type InstanceFacts, isEnding, launchTokenOf } from './instance-facts.ts';
import { providerIdOf } from './provider-id.ts';

/** The node name that EC2 gave the instance; kept on the claim, since a provider id does not tell it. */
export const NODE_NAME_ANNOTATION = 'chandler.sh/node-name';

export interface InstanceExtras {
  /** Of the class, with the overlays of the launch; without it nothing is said about capacity. */
  readonly type?: AwsInstanceType | undefined;
  readonly claim?: { readonly uid: string; readonly name: string } | undefined;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly zoneId?: string | undefined;
}

export function toInstance(facts: InstanceFacts, extras: InstanceExtras = {}): Instance {
  const { type, claim } = extras;
  const nodePool = facts.tags[KarpenterLabel.nodePool] || undefined;
  const token = launchTokenOf(facts);
  return {
    providerID: providerIdOf(facts),
    name: facts.id,
    claimUid: claim?.uid ?? (token === undefined ? undefined : tokenClaimUid(token)),
    claimName: claim?.name ?? claimNameOf(facts),
    nodePool,
    nodeClass: facts.tags[AwsLabel.nodeClass] || undefined,
    instanceType: facts.instanceType,
    zone: facts.zone,
    capacityType: facts.capacityType,
    imageID: facts.imageId,
    createdAtMs: facts.createdAtMs,
    deleting: isEnding(facts),
    labels: instanceLabels(facts, extras),
    annotations: {
      ...extras.annotations,
      ...(facts.nodeName === undefined ? {} : { [NODE_NAME_ANNOTATION]: facts.nodeName }),
    },
    capacity: type === undefined ? {} : withoutZeros(type.capacity),
    allocatable: type === undefined ? {} : withoutZeros(type.allocatable),
  };
}

/** Single values of the type and of the offering that was bought, then what the instance itself says. */
export function instanceLabels(
  facts: InstanceFacts,
  { type, zoneId }: Pick<InstanceExtras, 'type' | 'zoneId'>,
): Readonly<Record<string, string>> {
  const nodePool = facts.tags[KarpenterLabel.nodePool] || undefined;
  const offering = type?.offerings.find(
    ({ zone, capacityType, partition, capacityReservation }) =>
      zone === facts.zone &&
      capacityType === facts.capacityType &&
      (partition === undefined || partition === facts.partition) &&
      (capacityReservation === undefined || capacityReservation.id === facts.reservationId),
  );
  const isReserved = facts.capacityType === CapacityType.reserved;
  // A type is labelled with the reservations of the class; only an instance in one of them has its labels.
  const ofType = (type?.requirements ?? []).filter(({ key }) => !RESERVATION_LABELS.has(key));
  return {
    ...singleValues(ofType),
    ...singleValues(offering?.requirements ?? []),
    [KubernetesLabel.instanceType]: facts.instanceType,
    [KubernetesLabel.zone]: facts.zone,
    [KarpenterLabel.capacityType]: facts.capacityType,
    ...(zoneId === undefined ? {} : { [AwsLabel.zoneId]: zoneId }),
    ...(facts.tenancy === undefined ? {} : { [AwsLabel.tenancy]: facts.tenancy }),
    ...(facts.placementGroupId === undefined ? {} : { [AwsLabel.placementGroupId]: facts.placementGroupId }),
    ...(facts.partition === undefined ? {} : { [AwsLabel.placementGroupPartition]: facts.partition }),
    ...(isReserved && facts.reservationId !== undefined
      ? { [AwsLabel.capacityReservationId]: facts.reservationId }
      : {}),
    ...(nodePool === undefined ? {} : { [KarpenterLabel.nodePool]: nodePool }),
  };
}

// ---------------------------------------------------------------------------------------------------------------

const RESERVATION_LABELS: ReadonlySet<string> = new Set([
  AwsLabel.capacityReservationId,
  AwsLabel.capacityReservationType,
  AwsLabel.capacityReservationInterruptible,
]);

/** A claim gets a label only where there is no choice. */
function singleValues(requirements: readonly LabelRequirement[]): Record<string, string> {
  return Object.fromEntries(
    requirements.flatMap(({ key, operator, values }) =>
      operator === 'In' && values?.length === 1 ? [[key, values[0]!]] : [],
    ),
  );
}

/** Devices that the type does not have are left out. */
function withoutZeros(resources: ResourceList): ResourceList {
  return Object.fromEntries(
    Object.entries(resources).filter(([, amount]) => String(amount) !== '0'),
  ) as ResourceList;
}
