/** What the life of instances needs from its neighbours; each interface as narrow as it is used here. */
import type { Stored, World } from '@chandler/kube';
import type { EC2NodeClass, NodeClaim } from '../../../api/index.ts';
import type { UnavailableOfferings } from '../../index.ts';

import type { AwsClusterReader } from '../cluster/index.ts';
import type { AwsInstanceType, PlacementGroup } from '../instance-types/index.ts';
import type { ZonalShiftReader } from '../offerings/index.ts';
import type { Ec2Calls } from '../wire/index.ts';

export type LaunchCalls = Pick<
  Ec2Calls,
  | 'createFleet'
  | 'createLaunchTemplate'
  | 'createTags'
  | 'deleteLaunchTemplate'
  | 'describeInstances'
  | 'describeLaunchTemplates'
  | 'describeSubnets'
  | 'rebootInstances'
  | 'terminateInstances'
>;

export interface AwsCloudDeps {
  readonly world: World;
  readonly ec2: LaunchCalls;
  readonly cluster: AwsClusterReader;
  readonly market: AwsMarket;
  readonly unavailable: UnavailableOfferings;
  readonly records: LaunchRecordStore;
  /** The group that the selector of the class leads to. */
  readonly placementGroupOf?: (nodeClass: EC2NodeClass) => PlacementGroup | undefined;
  readonly reservations: ReservationCounts;
  /** In a zone that is shifted away no instance is launched, rebooted or terminated, and one that EC2 does not show may exist. */
  readonly zonalShift: Pick<ZonalShiftReader, 'isShifted' | 'zones'>;
  /** Read at every use: some may change at runtime. */
  readonly options: () => LaunchOptions;
}

export interface LaunchOptions {
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
  /** Whether the gate ReservedCapacity is open. */
  readonly reservedCapacity: boolean;
}

/** Instance types with offerings and prices. */
export interface AwsMarket {
  readonly loaded: boolean;
  refreshIfDue(signal: AbortSignal): Promise<unknown>;
  /** @throws {CloudError} while nothing is loaded, and for a class without subnets. */
  typesFor(nodeClass: EC2NodeClass): readonly AwsInstanceType[];
}

/** How many instances of a capacity reservation are free, between two reads of it. */
export interface ReservationCounts {
  launched(reservationId: string): void;
  terminated(reservationId: string): void;
  /** EC2 refused a launch into it. */
  markFull(reservationId: string): void;
}

/**
 * What claims keep of their launch (`LaunchRecord`), in an annotation. It is written before CreateFleet is called, so that a
 * process which starts anew knows what was requested.
 */
export interface LaunchRecordStore {
  /** Of the claim as it was read; undefined when nothing was requested for it. */
  textOf(claim: Stored<NodeClaim>): string | undefined;
  /** Resolves when it is stored. @throws when it is not; then nothing is requested. */
  keep(claim: Stored<NodeClaim>, text: string, signal: AbortSignal): Promise<void>;
  /** Claims that have a record and no provider id yet. */
  pending(): Iterable<Stored<NodeClaim>>;
  /** The claim that has this provider id. */
  ownerOf(providerID: string): Stored<NodeClaim> | undefined;
}

/** On a NodeClaim: the CreateFleet request that it is part of, and its place in it. */
export const LAUNCH_RECORD_ANNOTATION = 'chandler.sh/launch-record';
