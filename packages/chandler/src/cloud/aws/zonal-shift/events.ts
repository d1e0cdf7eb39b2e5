/** The events on a NodePool that say that the cluster is shifted away from one of its zones, and that this is over. */
export const ZONAL_SHIFT_EVENTS = {
  active: 'ZonalShiftActive',
  cleared: 'ZonalShiftCleared',
  /** The first is repeated as long as it is so. */
  repeatMs: 30 * 60_000,
} as const;
