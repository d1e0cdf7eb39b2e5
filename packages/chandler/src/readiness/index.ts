/** Readiness of an installation: inputs, facts, the table of checks, and reports. */

export { isAccessError } from './access-error.ts';
export { aksClusterIds } from './azure/scenes.ts';
export type { CheckContext, CheckPolicy, CheckRow } from './checks/check.ts';
export { CHECKS } from './checks/table.ts';
export { valuesOfFact } from './facts/gather.ts';
export { type Fixes, prepareFixes, writeFixes } from './fix/fix-files.ts';
export { type Account, loadAccountReader, withAccount } from './inputs/aws/account.ts';
export { armActionsText } from './inputs/azure/arm-calls.table.ts';
export { readSubscription, withSubscription } from './inputs/azure/read-subscription.ts';
export { readCluster, whyUnread } from './inputs/cluster/read-cluster.ts';
export { CLUSTER_READS } from './inputs/cluster/reads.table.ts';
export { clusterRole, renderRbac, renderWatchRbac } from './inputs/cluster/render-rbac.ts';
export { withCluster } from './inputs/cluster/with-cluster.ts';
export { withGitState } from './inputs/files/git-state.ts';
export { type Inputs, NO_INPUTS } from './inputs/inputs.ts';
export { type ReadOptions, readInputs } from './inputs/read-inputs.ts';
export { judge, type Report } from './judge.ts';
export { type Finding, INPUT_KINDS, SEVERITIES, type Severity } from './model/finding.ts';
export { type Baseline, compareWithBaseline, readBaseline, writeBaseline } from './report/baseline.ts';
export { EXIT_INTERNAL, EXIT_MISSING_INPUTS, type ExitPolicy, exitCodeOf } from './report/exit-code.ts';
export { explainCheck, listChecks, renderChecksDoc } from './report/explain.ts';
export { redactAccounts } from './report/redact-accounts.ts';
export { type Output, type RenderOptions, render } from './report/render.ts';
export { SCHEMA_VERSION } from './report/render-json.ts';
export { type SmokeOptions, smokeTest } from './smoke/load-smoke.ts';
export type { SmokeResult } from './smoke/smoke-result.ts';
export { ofExpectations } from './suppressions/collect.ts';
export { judgeAccepted } from './suppressions/judge-accepted.ts';
export { RESULT_CONFIG_MAP } from './watch/result-config-map.ts';
export {
  type ConfigMapKey,
  publishResult,
  type WatchOptions,
  watchReadiness,
} from './watch/watch-cluster.ts';
