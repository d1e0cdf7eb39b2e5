export { type Activity, reportActivity } from './activity-reporter.ts';
export { type CloudInstances, joinedInstances } from './clouds/joined-clouds.ts';
export { readFaultFlags } from './clouds/load.ts';
export type { CloudFiles, PlaygroundCloud } from './clouds/playground-cloud.ts';
export { type ClusterView, type InstanceRow, readClusterView } from './cluster-view.ts';
export { ClusterWatch } from './cluster-watch.ts';
export type { ControllerRequest, RunningController } from './controller.ts';
export { CostMeter } from './cost-meter.ts';
export { CLOUD_TAINT, defaultObjects, placementHint } from './defaults.ts';
export {
  type ControllerFolder,
  defaultKubeconfig,
  mustBeWritable,
  type PlaygroundFiles,
  refuseToReplaceRunning,
  removeFiles,
  writeFiles,
} from './files.ts';
export { standinNodeHost } from './node-host.ts';
export { type Playground, type PlaygroundOptions, startPlayground } from './playground.ts';
export { PlaygroundError } from './playground-error.ts';
export { cleanUpAfter } from './scenarios/clean-up.ts';
export { PLAYGROUND_CLOUDS, type PlaygroundCloudName, SCENARIOS, scenariosOf } from './scenarios/index.ts';
export { ensureObject } from './scenarios/manifests.ts';
export {
  type RunScenarioOptions,
  runScenario,
  type ScenarioResult,
  type StepProgress,
} from './scenarios/runner.ts';
export type { Scenario } from './scenarios/scenario.ts';
