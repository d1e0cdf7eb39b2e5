/** Entry point: subnets, security groups, capacity reservations and placement groups, found by the selectors of a class. */
export {
  CapacityReservations,
  type CapacityReservationsOptions,
  EXPIRING_MS,
  type FoundReservations,
  isExpiring,
  nextChangeMs,
  type Reservation,
  reservationsStatus,
  type UnknownReservation,
} from './capacity-reservations.ts';
export { keyOf, Lookups, type LookupsOptions } from './lookups.ts';
export {
  type PlacementGroupAnswer,
  PlacementGroups,
  type PlacementGroupsOptions,
} from './placement-groups.ts';
export { ReservationCounts } from './reservation-counts.ts';
export {
  type SecurityGroup,
  SecurityGroups,
  type SecurityGroupsOptions,
  securityGroupsStatus,
} from './security-groups.ts';
export {
  type Ec2Filter,
  type PlacementGroupSelector,
  reservationQueries,
  securityGroupFilters,
  subnetFilters,
  unlimitedTerms,
} from './selector-queries.ts';
export { type Subnet, Subnets, type SubnetsOptions, subnetsStatus } from './subnets.ts';
