/** The contract between the product and a cloud, its errors, and the offerings that failed lately. */
export { orAbortReason, unlessAborted } from './abort.ts';
export type {
  Aftermath,
  BootstrapFailure,
  BootstrapOutcome,
  BootstrapReader,
  BootstrapWitness,
} from './bootstrap-outcome.ts';
export type {
  Cloud,
  CloudTraits,
  DeleteStep,
  Drift,
  DriftRequest,
  Instance,
  LaunchRequest,
  LaunchStep,
  ManagedKarpenter,
  NodeClassKind,
  ObjectHash,
  OwnershipRules,
  RepairAction,
  RepairPolicy,
} from './cloud.ts';
export { type DeniedCall, DeniedCalls } from './denied-calls.ts';
export type {
  CatalogueProvider,
  CatalogueRequest,
  CatalogueRow,
  Checklist,
  ChecklistRow,
  ClaimReading,
  ClassifiedError,
  CloudCommands,
  CloudConnection,
  CloudDiagnosis,
  CloudEvidence,
  CloudWireHandle,
  ConnectRequest,
  ControllerDeployment,
  DiagnosisOptions,
  DiagnosisRow,
  EnvVar,
  ErrorClassifier,
  ExplainedCauses,
  OfflineCatalogue,
  SomeSizes,
  StepResult,
  ValuePath,
} from './diagnosis.ts';
export { DURATION_BUCKETS } from './duration-buckets.ts';
export {
  CloudError,
  type CloudErrorKind,
  type CloudErrorOptions,
  isCloudError,
  type RetryAdvice,
} from './errors.ts';
export {
  GENERIC_REGION,
  GENERIC_WELL_KNOWN_LABELS,
  GENERIC_ZONES,
  genericCatalogue,
  NODE_CLASS_KINDS,
  type Places,
  reservedFor,
} from './generic-catalogue.ts';
export { type DenialReport, missingPermissions, PERMISSION_MISSING } from './missing-permissions.ts';
export type {
  BackgroundTask,
  CloudControllerContext,
  CloudOptions,
  CloudParts,
  CloudProvider,
  CloudStores,
  CloudValues,
  CloudWires,
  NodeClassReference,
  PartsRequest,
  StoredClaim,
} from './provider.ts';
export { type Refreshable, refreshes, refreshTasks } from './refreshes.ts';
export { repairPolicyProblems } from './repair-policy.ts';
export { settledWithin } from './settled-within.ts';
export { StartError, type StartErrorCode } from './start-error.ts';
export { type OfferingRef, type UnavailableEntry, UnavailableOfferings } from './unavailable-offerings.ts';
export { refusedWrites, type WriteOf, withCloudFence, withoutCloudWrites } from './wire.ts';
