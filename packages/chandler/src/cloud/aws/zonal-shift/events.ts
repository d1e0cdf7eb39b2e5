/** The events that say that the cluster is shifted away from a zone, that this is over, and that it is not known. */
export const ZONAL_SHIFT_EVENTS = {
  /** On a NodePool that may launch in the zone. */
  active: 'ZonalShiftActive',
  cleared: 'ZonalShiftCleared',
  /** On every EC2NodeClass, when ARC has not answered for `unknownAfterMs`. */
  unknown: 'ZonalShiftUnknown',
  unknownAfterMs: 5 * 60_000,
  /** The first and the last are repeated as long as it is so. */
  repeatMs: 30 * 60_000,
} as const;
