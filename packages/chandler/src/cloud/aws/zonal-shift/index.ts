/** Entry point: zones that ARC has shifted the cluster away from. */
export { ZONAL_SHIFT_EVENTS } from './events.ts';
export { SHIFTS_REFRESH_MS, ZonalShifts, type ZonalShiftsInput } from './zonal-shifts.ts';
