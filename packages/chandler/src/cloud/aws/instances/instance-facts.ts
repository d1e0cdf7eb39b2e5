/** What is known of an instance: from DescribeInstances, or, until EC2's lists show it, from the answer that launched it. */
import type { Instance as Ec2Instance } from '@aws-sdk/client-ec2';
import { CapacityType } from '../../../api/index.ts';

import { reservationOf } from '../drift/index.ts';
import {
  type CapacityTypeName,
  LAUNCH_TOKEN_TAG,
  type LaunchedInstance,
  NODE_CLAIM_TAG,
  type Tags,
} from '../launch/index.ts';

export interface InstanceFacts {
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityTypeName;
  readonly state: InstanceStateName;
  readonly imageId?: string | undefined;
  readonly subnetId?: string | undefined;
  readonly tenancy?: string | undefined;
  readonly partition?: string | undefined;
  readonly placementGroupId?: string | undefined;
  readonly reservationId?: string | undefined;
  /** Under which its node registers: EC2 names it as the settings of the subnet say, by address or by instance id. */
  readonly nodeName?: string | undefined;
  readonly createdAtMs?: number | undefined;
  /** Why it was stopped or terminated. */
  readonly stateReason?: { readonly code: string; readonly message: string } | undefined;
  readonly tags: Tags;
  /** As EC2 described it; absent while its lists do not show it. */
  readonly described?: Ec2Instance | undefined;
}

export type InstanceStateName =
  | 'pending'
  | 'running'
  | 'stopping'
  | 'stopped'
  | 'shutting-down'
  | 'terminated';

/** Undefined for an answer without the fields that every instance has. */
export function describedFacts(instance: Ec2Instance): InstanceFacts | undefined {
  const { InstanceId: id, InstanceType: instanceType, Placement, State, StateReason } = instance;
  const zone = Placement?.AvailabilityZone;
  const state = State?.Name;
  if (id === undefined || instanceType === undefined || zone === undefined || !isState(state))
    return undefined;
  const partition = Placement?.PartitionNumber;
  return {
    id,
    instanceType,
    zone,
    capacityType: capacityTypeOf(instance),
    state,
    imageId: instance.ImageId,
    subnetId: instance.SubnetId,
    tenancy: Placement?.Tenancy,
    ...(partition === undefined ? {} : { partition: String(partition) }),
    placementGroupId: Placement?.GroupId === '' ? undefined : Placement?.GroupId,
    reservationId: instance.CapacityReservationId,
    nodeName: instance.PrivateDnsName === '' ? undefined : instance.PrivateDnsName,
    createdAtMs: instance.LaunchTime?.getTime(),
    ...(StateReason?.Code === undefined
      ? {}
      : { stateReason: { code: StateReason.Code, message: StateReason.Message ?? '' } }),
    tags: Object.fromEntries((instance.Tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value])),
    described: instance,
  };
}

/** Of an instance that CreateFleet has just launched, with the tags of its request. */
export function launchedFacts(
  launched: LaunchedInstance,
  { tags, nowMs, placementGroupId }: { tags: Tags; nowMs: number; placementGroupId?: string | undefined },
): InstanceFacts {
  return {
    id: launched.instanceId,
    instanceType: launched.instanceType,
    zone: launched.zone,
    capacityType: launched.capacityType,
    state: 'pending',
    imageId: launched.imageId,
    subnetId: launched.subnetId,
    tenancy: launched.tenancy,
    ...(launched.partition === undefined ? {} : { partition: launched.partition }),
    placementGroupId,
    reservationId: launched.reservation?.id,
    createdAtMs: nowMs,
    tags,
  };
}

/** Whether it is on its way out, or gone. */
export function isEnding({ state }: Pick<InstanceFacts, 'state'>): boolean {
  return state === 'shutting-down' || state === 'terminated';
}

/** Whether somebody has stopped it, or is about to: it can be started again, and nobody here does. */
export function isStopped({ state }: Pick<InstanceFacts, 'state'>): boolean {
  return state === 'stopping' || state === 'stopped';
}

export function launchTokenOf({ tags }: Pick<InstanceFacts, 'tags'>): string | undefined {
  return tags[LAUNCH_TOKEN_TAG];
}

export function claimNameOf({ tags }: Pick<InstanceFacts, 'tags'>): string | undefined {
  return tags[NODE_CLAIM_TAG];
}

// ---------------------------------------------------------------------------------------------------------------

const STATES: ReadonlySet<string> = new Set<InstanceStateName>([
  'pending',
  'running',
  'stopping',
  'stopped',
  'shutting-down',
  'terminated',
]);

function isState(name: string | undefined): name is InstanceStateName {
  return name !== undefined && STATES.has(name);
}

/** Lifecycles of instances that run in a reservation that was bought as such. */
const RESERVED_LIFECYCLES: ReadonlySet<string> = new Set([
  'capacity-block',
  'interruptible-capacity-reservation',
]);

function capacityTypeOf(instance: Ec2Instance): CapacityTypeName {
  const lifecycle: string | undefined = instance.InstanceLifecycle;
  if (lifecycle === 'spot') return CapacityType.spot;
  const reserved = RESERVED_LIFECYCLES.has(lifecycle ?? '') || reservationOf(instance) !== undefined;
  return reserved ? CapacityType.reserved : CapacityType.onDemand;
}
