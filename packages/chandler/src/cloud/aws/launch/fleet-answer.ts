/**
 * What an answer of CreateFleet means for one claim: an instance, or an error; and in both cases which offerings,
 * subnets and reservations are not tried again for a while. An answer is a decision: where it has no instance, none was
 * launched.
 */
import { CapacityType } from '../../../api/index.ts';
import { CloudError, type CloudErrorKind } from '../../index.ts';
import { AwsError, type Classified, classify, cutMessage, ERROR_ROWS, meaningOf } from '../errors/index.ts';

import type { CreateFleetError, CreateFleetInstance, CreateFleetResult, Tenancy } from './ec2-shapes.ts';
import type { CapacityTypeName, LaunchOffering, LaunchType, ReservationKind } from './launch-types.ts';

/** What was asked for. */
export interface FleetContext {
  readonly capacityType: CapacityTypeName;
  readonly tenancy: Tenancy;
  readonly types: readonly LaunchType[];
  readonly placementGroupId?: string | undefined;
  readonly partition?: string | undefined;
}

export type FleetOutcome = {
  readonly unavailable: readonly Unavailable[];
  /** One for each override that failed, for metrics and for the journey of the claim. */
  readonly failures: readonly FleetFailure[];
} & (
  | { readonly instance: LaunchedInstance; readonly error?: undefined }
  | { readonly instance?: undefined; readonly error: CloudError }
);

export interface LaunchedInstance {
  readonly instanceId: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly subnetId: string | undefined;
  readonly imageId: string | undefined;
  readonly capacityType: CapacityTypeName;
  readonly tenancy: Tenancy;
  readonly partition?: string;
  /** Of a reserved launch. */
  readonly reservation?: ReservationKind & { readonly id: string };
}

export interface FleetFailure {
  readonly instanceType: string | undefined;
  readonly zone: string | undefined;
  readonly subnetId: string | undefined;
  readonly code: string;
  readonly reason: string;
  readonly message: string;
}

export type UnavailableThing =
  | {
      readonly kind: 'offering';
      readonly instanceType: string;
      readonly zone: string;
      readonly capacityType: CapacityTypeName;
      /** Only in this group, and in this partition of it. */
      readonly placementGroupId?: string;
      readonly partition?: string;
    }
  | {
      readonly kind: 'placementGroupZone';
      readonly placementGroupId: string;
      readonly zone: string;
      readonly capacityType: CapacityTypeName;
    }
  | { readonly kind: 'subnet'; readonly subnetId: string }
  | { readonly kind: 'reservation'; readonly id: string }
  | { readonly kind: 'capacityType'; readonly capacityType: CapacityTypeName };

export type Unavailable = UnavailableThing & { readonly ttlMs: number; readonly reason: string };

export function readFleetAnswer(result: CreateFleetResult, context: FleetContext): FleetOutcome {
  const errors = (result.Errors ?? []).map((error) => ({ error, said: classify(awsErrorOf(error)) }));
  const marks = errors.flatMap(({ error, said }) => unavailableOf(error, said, context));
  const unavailable = [...new Map(marks.map((mark) => [JSON.stringify(mark), mark])).values()];
  const failures = errors.map(({ error, said }) => failureOf(error, said));
  const [instance] = (result.Instances ?? []).flatMap((each) => launchedInstance(each, context));
  if (instance !== undefined) return { instance, unavailable, failures };
  return { error: combinedError(errors.map(({ said }) => said)), unavailable, failures };
}

// ---------------------------------------------------------------------------------------------------------------

function awsErrorOf({ ErrorCode, ErrorMessage }: CreateFleetError): AwsError {
  return new AwsError({ code: ErrorCode ?? 'Unknown', message: ErrorMessage ?? '' });
}

function launchedInstance(launched: CreateFleetInstance, context: FleetContext): readonly LaunchedInstance[] {
  const overrides = launched.LaunchTemplateAndOverrides?.Overrides;
  const instanceType = launched.InstanceType ?? overrides?.InstanceType ?? '';
  const zone = overrides?.AvailabilityZone ?? launched.AvailabilityZone ?? '';
  const reservation = offeringOf(context, instanceType, zone)?.capacityReservation;
  return (launched.InstanceIds ?? []).map((instanceId) => ({
    instanceId,
    instanceType,
    zone,
    subnetId: overrides?.SubnetId ?? launched.SubnetId,
    imageId: overrides?.ImageId,
    capacityType: context.capacityType,
    tenancy: context.tenancy,
    ...(context.partition === undefined ? {} : { partition: context.partition }),
    ...(reservation === undefined ? {} : { reservation }),
  }));
}

function unavailableOf(
  { LaunchTemplateAndOverrides }: CreateFleetError,
  { block, row }: Classified,
  context: FleetContext,
): readonly Unavailable[] {
  if (block === undefined) return [];
  const { InstanceType, AvailabilityZone, SubnetId } = LaunchTemplateAndOverrides?.Overrides ?? {};
  const { capacityType, placementGroupId } = context;
  const mark = (thing: UnavailableThing): readonly Unavailable[] => [
    { ...thing, ttlMs: block.ttlMs, reason: row.reason },
  ];
  if (block.what === 'spot') return mark({ kind: 'capacityType', capacityType: CapacityType.spot });
  // The type is not to blame: the zone may have another subnet.
  if (block.what === 'subnet' && SubnetId !== undefined) return mark({ kind: 'subnet', subnetId: SubnetId });
  if (AvailabilityZone === undefined) return [];
  if (block.what === 'placementGroupZone' && placementGroupId !== undefined)
    return mark({ kind: 'placementGroupZone', placementGroupId, zone: AvailabilityZone, capacityType });
  if (InstanceType === undefined) return [];
  const reservation = offeringOf(context, InstanceType, AvailabilityZone)?.capacityReservation;
  if (reservation !== undefined) return mark({ kind: 'reservation', id: reservation.id });
  return mark({
    kind: 'offering',
    instanceType: InstanceType,
    zone: AvailabilityZone,
    capacityType,
    ...(placementGroupId === undefined ? {} : { placementGroupId }),
    ...(placementGroupId === undefined || context.partition === undefined
      ? {}
      : { partition: context.partition }),
  });
}

/** The filters have left one reservation for each type and zone. */
function offeringOf(context: FleetContext, instanceType: string, zone: string): LaunchOffering | undefined {
  const type = context.types.find(({ name }) => name === instanceType);
  return type?.offerings.find(
    (offering) => offering.zone === zone && offering.capacityType === context.capacityType,
  );
}

function failureOf({ LaunchTemplateAndOverrides }: CreateFleetError, { aws, row }: Classified): FleetFailure {
  const { InstanceType, AvailabilityZone, SubnetId } = LaunchTemplateAndOverrides?.Overrides ?? {};
  return {
    instanceType: InstanceType,
    zone: AvailabilityZone,
    subnetId: SubnetId,
    code: aws.code,
    reason: row.reason,
    message: cutMessage(aws.text),
  };
}

/**
 * Kinds that an answer rules out: it is known that there is no instance. Also for a part that EC2 has throttled inside: the same
 * token would only repeat the answer.
 */
const UNDECIDED: ReadonlySet<CloudErrorKind> = new Set(['Unreachable', 'NotFound', 'Throttled']);

/** A lack of capacity only when every error is one; else the error that people have to repair first. */
function combinedError(errors: readonly Classified[]): CloudError {
  const texts = [...new Set(errors.map(({ aws }) => aws.text))].join('; ');
  if (errors.length === 0) {
    return new CloudError('CreateFailed', 'CreateFleet returned neither an instance nor an error', {
      reason: 'LaunchFailed',
    });
  }
  if (errors.every(({ block }) => block !== undefined)) {
    const meanings = [...new Set(errors.map(({ row }) => row.meaning))].join('; ');
    return new CloudError('InsufficientCapacity', cutMessage(`${meanings}: ${texts}`), {
      code: errors[0]!.aws.code,
    });
  }
  const [first] = errors.filter(({ block }) => block === undefined).sort((a, b) => rankOf(a) - rankOf(b)) as [
    Classified,
  ];
  const { row, aws, error } = first;
  const kind = UNDECIDED.has(row.kind) ? 'CreateFailed' : row.kind;
  return new CloudError(kind, cutMessage(`${meaningOf(row, aws)}: ${texts}`), {
    reason: row.reason,
    code: aws.code,
    advice: kind === row.kind ? error.advice : { retry: 'backoff' },
    cause: aws,
  });
}

/** What no row knows comes last. */
function rankOf({ row }: Classified): number {
  const index = ERROR_ROWS.indexOf(row);
  return index < 0 ? ERROR_ROWS.length : index;
}
