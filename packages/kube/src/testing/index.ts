export { makeCertificates } from './certificates.ts';
export { collect } from './collect.ts';
export { type RealTimeWorld, realTimeWorld } from './real-time-world.ts';
export { stored } from './stored.ts';
export { PROGRAM_ERRORS, type ThrowingCalls, throwAtCall } from './throw-at-call.ts';
export { TinyServer } from './tiny-server.ts';
export { VirtualClock, type VirtualClockOptions } from './virtual-clock.ts';
export {
  type KeptSpec,
  type LogLine,
  neverAborted,
  seededRandom,
  settle,
  type VirtualWorld,
  virtualWorld,
} from './virtual-world.ts';
export { WIDGETS } from './widgets.ts';
