export { BUILD, type BuildFacts } from './build.ts';
export { closestName } from './closest-name.ts';
export { type ConsolidationThresholds, consolidationThresholds } from './consolidation-thresholds.ts';
export { CORE_OPTIONS, type FeatureGate } from './core-options.ts';
export { CONSOLIDATION_THRESHOLDS, DISRUPTION_OPTIONS } from './disruption-options.ts';
export {
  type ConfigMapObject,
  GlobalSettings,
  type SettingsChange,
  settingsEvents,
} from './global-settings.ts';
export { LAUNCH_LIMITS } from './launch-limits.ts';
export { OBSERVE_FLAG, observes, withObserve } from './observe-flag.ts';
export { OPERATOR_OPTIONS } from './operator-options.ts';
export { optionText, readOption } from './option-readers.ts';
export {
  type Environment,
  envNames,
  type OptionProblem,
  type OptionRow,
  type OptionTable,
  type OptionValues,
  type OptionWarning,
  optionGroup,
} from './option-row.ts';
export { inputsOf, layered, optionHelp, parseOptions } from './option-table.ts';
export { PREFERENCE_LIMIT } from './preference-limit.ts';
export { MASK, type PrintableOption, printable } from './printable.ts';
export {
  type LayerInputs,
  type OptionRule,
  type ResolvedOptions,
  readLayers,
  resolveOptions,
} from './resolve-options.ts';
export {
  readSchedulerConfig,
  type SchedulerConfig,
  schedulerConfigProblem,
} from './scheduler-config.ts';
export { GLOBAL_SETTINGS_NAME, type SettingsData, settingsPath } from './settings-layer.ts';
export { shellQuote } from './shell-quote.ts';
export { hardcoded, type Source, type Sourced } from './sourced.ts';
export {
  adminUsernameProblem,
  bootstrapTokenDoubt,
  bootstrapTokenProblem,
  caBundleProblem,
  clusterIdProblem,
  diskEncryptionSetIdProblem,
  identityIdsProblem,
  ipProblem,
  KUBERNETES_VERSION,
  kubernetesVersionProblem,
  networkSecurityGroupIdProblem,
  pemCertificates,
  plainHttpDoubt,
  resourceGroupProblem,
  sshKeyProblem,
  subnetIdProblem,
  tagsProblem,
  uuidProblem,
} from './value-checks.ts';
