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
export type {
  CatalogueProvider,
  CatalogueRequest,
  Checklist,
  ChecklistRow,
  ClaimReading,
  ClassifiedError,
  CloudConnection,
  CloudDiagnosis,
  CloudEvidence,
  CloudWords,
  ConnectRequest,
  ControllerDeployment,
  DiagnosisOptions,
  DiagnosisRow,
  EnvVar,
  ErrorClassifier,
  ExplainedCauses,
  OfflineCatalogue,
  StepResult,
  ValuePath,
} from './diagnosis.ts';
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
export { type OfferingRef, type UnavailableEntry, UnavailableOfferings } from './unavailable-offerings.ts';
