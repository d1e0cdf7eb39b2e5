/** Entry point: controllers that only AWS needs. */
export type { GarbageFunctions } from './garbage-collectors.ts';
export { type MarketParts, type MarketSettings, marketControllers } from './market-controllers.ts';
export { awsPermissions } from './missing-permissions.ts';
export { type NodeClassControllerParts, nodeClassControllers } from './node-class-controllers.ts';
export { zonalShiftEvents } from './zonal-shift.ts';
