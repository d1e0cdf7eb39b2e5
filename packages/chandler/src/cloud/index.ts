export type {
  Aftermath,
  BootstrapFailure,
  BootstrapOutcome,
  BootstrapReader,
  BootstrapWitness,
} from './bootstrap-outcome.ts';
export type {
  Cloud,
  DeleteStep,
  Drift,
  DriftRequest,
  Instance,
  LaunchRequest,
  LaunchStep,
  RepairPolicy,
} from './cloud.ts';
export {
  CloudError,
  type CloudErrorKind,
  type CloudErrorOptions,
  isCloudError,
  type RetryAdvice,
} from './errors.ts';
export { type OfferingRef, type UnavailableEntry, UnavailableOfferings } from './unavailable-offerings.ts';
