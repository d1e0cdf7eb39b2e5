/** What a claim is launched with: instance types and their offerings, one capacity type, one tenancy, one partition. */
import { AwsLabel, CapacityType, KarpenterLabel, type ResourceList } from '../../../api/index.ts';
import type { LabelRequirement } from '../../../scheduling/index.ts';
import { CloudError } from '../../index.ts';

import { ClaimRequirements } from './claim-requirements.ts';
import type { Tenancy } from './ec2-shapes.ts';
import { LAUNCH_FILTERS, reservationKindOf } from './filters.ts';
import {
  type CapacityTypeName,
  type LaunchType,
  type ReservationKind,
  withOfferings,
} from './launch-types.ts';
import { truncateTypes } from './truncate.ts';

export interface ChoiceRequest<T extends LaunchType> {
  readonly types: readonly T[];
  /** Of the claim. */
  readonly requirements: readonly LabelRequirement[];
  readonly requests?: ResourceList | undefined;
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
}

export interface LaunchChoice<T extends LaunchType> {
  /** By price, each with the offerings of the chosen capacity type. */
  readonly types: readonly T[];
  readonly capacityType: CapacityTypeName;
  readonly tenancy: Tenancy;
  /** Only of a reserved launch. */
  readonly reservation?: ReservationKind;
  /** Only where the claim names partitions: a launch template has one. */
  readonly partition?: string;
  /** What the filters after the first removed, for the log. */
  readonly rejected: readonly { readonly filter: string; readonly types: readonly string[] }[];
  /** What people should know, though the launch goes on. */
  readonly warnings: readonly string[];
}

/** @throws {CloudError} `InsufficientCapacity` when nothing that suits the claim can be launched now. */
export function chooseTypes<T extends LaunchType>(request: ChoiceRequest<T>): LaunchChoice<T> {
  const claim = new ClaimRequirements(request.requirements);
  const rejected: { filter: string; types: readonly string[] }[] = [];
  let types = request.types;
  for (const filter of LAUNCH_FILTERS) {
    const kept = filter.keep(types, { claim, requests: request.requests ?? {} });
    if (kept.length === 0) throw nothingLeft(request.types.length, filter.name);
    const names = new Set(kept.map(({ name }) => name));
    const gone = types.filter(({ name }) => !names.has(name)).map(({ name }) => name);
    if (gone.length > 0 && filter !== LAUNCH_FILTERS[0]) rejected.push({ filter: filter.name, types: gone });
    types = kept;
  }
  const truncated = truncateTypes(types, claim, request);
  const capacityType = capacityTypeOf(truncated);
  const ofCapacityType = narrowed(truncated, (offering) => offering.capacityType === capacityType);
  const partition = partitionOf(ofCapacityType, claim);
  const chosen =
    partition === undefined
      ? ofCapacityType
      : narrowed(ofCapacityType, (offering) => offering.partition === partition);
  const reservation = capacityType === CapacityType.reserved ? reservationKindOf(chosen) : undefined;
  return {
    types: chosen,
    capacityType,
    tenancy: tenancyOf(claim),
    ...(reservation === undefined ? {} : { reservation }),
    ...(partition === undefined ? {} : { partition }),
    rejected,
    warnings: flexibilityWarnings(claim, capacityType, chosen.length),
  };
}

export function tenancyOf(claim: ClaimRequirements): Tenancy {
  return TENANCIES.find((tenancy) => claim.allowsValue(AwsLabel.tenancy, tenancy)) ?? 'default';
}

// ---------------------------------------------------------------------------------------------------------------

/** With fewer types, a fallback from spot to on-demand is likely to find no capacity either. */
const MIN_FLEXIBLE_TYPES = 5;

/** The best first. */
const CAPACITY_TYPES: readonly CapacityTypeName[] = [
  CapacityType.reserved,
  CapacityType.spot,
  CapacityType.onDemand,
];

const TENANCIES: readonly Tenancy[] = ['default', 'dedicated'];

function nothingLeft(count: number, filter: string): CloudError {
  return new CloudError(
    'InsufficientCapacity',
    `none of ${count} instance types can be launched for the claim now (filter ${filter}): each is not allowed by its requirements, too small for its requests, or has no available offering`,
  );
}

function capacityTypeOf(types: readonly LaunchType[]): CapacityTypeName {
  const offered = new Set(
    types.flatMap(({ offerings }) => offerings.map(({ capacityType }) => capacityType)),
  );
  return CAPACITY_TYPES.find((capacityType) => offered.has(capacityType)) ?? CapacityType.onDemand;
}

/** The lowest that the claim names and that can be launched. Where it names none, EC2 spreads over all. */
function partitionOf(types: readonly LaunchType[], claim: ClaimRequirements): string | undefined {
  const named = claim.listed(AwsLabel.placementGroupPartition);
  if (named.length === 0) return undefined;
  const offered = new Set(types.flatMap(({ offerings }) => offerings.map(({ partition }) => partition)));
  return [...named].sort((a, b) => Number(a) - Number(b)).find((partition) => offered.has(partition));
}

function narrowed<T extends LaunchType>(
  types: readonly T[],
  keep: (offering: T['offerings'][number]) => boolean,
): readonly T[] {
  return types.flatMap((type) => {
    const offerings = type.offerings.filter(keep);
    return offerings.length === 0 ? [] : [withOfferings(type, offerings)];
  });
}

function flexibilityWarnings(
  claim: ClaimRequirements,
  capacityType: CapacityTypeName,
  count: number,
): readonly string[] {
  const flexible = claim.allowsValue(KarpenterLabel.capacityType, CapacityType.spot);
  if (capacityType !== CapacityType.onDemand || !flexible || count >= MIN_FLEXIBLE_TYPES) return [];
  return [
    `the claim allows spot but is launched on demand, with ${count} instance types; allow at least ${MIN_FLEXIBLE_TYPES} so that a lack of capacity is less likely`,
  ];
}
