/** Entry point: the ways to buy a type for a node class, and why some are not available. */
export { type IncompatibleReason, incompatibleReason } from './compatibility.ts';
export {
  type AwsOffering,
  NO_ZONAL_SHIFT,
  type OfferingFinder,
  type OfferingRefusal,
  type OfferingRequest,
  type OfferingSources,
  offeringFinder,
  RESERVED_PRICE_DIVISOR,
  type ReservationReader,
  SHIFTED_RETRY_MS,
  type ZonalShiftReader,
} from './offerings.ts';
export {
  inPlacementGroup,
  subnetRef,
  type UnavailableReader,
  wholePlacementGroup,
} from './unavailable.ts';
