export type { Architecture } from './artifacts/artifacts.ts';
export { type BundleRequest, makeBundle, obtainFromBundle, verifyBundle } from './artifacts/bundle.ts';
export { createArtifacts } from './artifacts/create-artifacts.ts';
export { proxiedFetch } from './artifacts/proxy-fetch.ts';
export { createAzureClient } from './azure/create-azure-client.ts';
export { createClusterClient } from './azure/create-cluster-client.ts';
export type { FlexConfig } from './config/config.ts';
export { configMissing, configRefusal, problemLines } from './config/config-error.ts';
export type { ConfigProblem, ConfigReading } from './config/config-result.ts';
export { DEFAULT_CONFIG_PATH } from './config/default-path.ts';
export { readConfig } from './config/read.ts';
export { createSteps } from './engine/all-steps.ts';
export { progressOf } from './engine/completion-check.ts';
export type { ErrorFacts, FlexEvent } from './engine/events.ts';
export { compact, type Journal, openJournal, readJournal, toLine } from './engine/journal.ts';
export {
  checkSelection,
  isSelected,
  mustSelect,
  PHASES,
  type Selection,
  type StepStatus,
  statusInJournal,
  stepStatus,
} from './engine/order.ts';
export { type Parts, STATE_FOLDER } from './engine/parts.ts';
export { type Plan, type PlannedStep, type PlanOptions, planBootstrap } from './engine/plan.ts';
export { configRecord, recordedConfig } from './engine/recorded-config.ts';
export type { OwnedPath } from './engine/records.ts';
export { redact, redactedJson } from './engine/redact.ts';
export { planToJson, renderPlan } from './engine/render-plan.ts';
export { type BootstrapOptions, type RunResult, runBootstrap, type StepResult } from './engine/run.ts';
export { runUnbootstrap, type UndoParts, type UndoResult } from './engine/undo.ts';
export { EXIT_CODES, type FailureClass, FlexError } from './flex-error.ts';
export type { Host } from './host/host.ts';
export { ioError } from './host/io-error.ts';
export type { MachineHost } from './host/machine-host.ts';
export { createRealHost } from './host/real-host.ts';
export type { PreflightParts } from './preflight/check.ts';
export { type DebugOptions, type DebugReport, debugJson, debugText, runDebug } from './preflight/debug.ts';
export {
  CHECKS,
  checkNames,
  inspect,
  type PreflightOptions,
  runChecks,
  runPreflight,
} from './preflight/preflight.ts';
export {
  type CheckResult,
  type Finding,
  makeReport,
  type PreflightReport,
  type ReportOptions,
  reportJson,
  reportText,
  type Severity,
} from './preflight/report.ts';
export {
  type FlexStatus,
  type Health,
  readStatus,
  type StatusOptions,
  type StatusParts,
  statusExitCode,
  statusJson,
  statusText,
} from './status/status.ts';
export { type SelfExecutable, STEP_IDS, type StepId } from './step.ts';
export { isCopy } from './steps/made-on.ts';
export { runUpgrade, type UpgradeOptions, type UpgradeResult } from './upgrade/upgrade.ts';
export { targetConfig, type UpgradeTarget } from './upgrade/versions.ts';
