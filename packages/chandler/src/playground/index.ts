export { readFaultFlags } from '@chandler/cloudsim/azure';
export { type News, tellNews } from './activity-reporter.ts';
export { type MachineRow, type Picture, takePicture } from './cluster-view.ts';
export { ClusterWatch } from './cluster-watch.ts';
export {
  CONTROLLER_USER,
  type ControllerRequest,
  type RunningController,
  startController,
} from './controller.ts';
export { Bills } from './cost-meter.ts';
export {
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
export { DEFAULT_NODE_CLASS, DEFAULT_NODE_POOL } from './scenarios/default-pool.ts';
export { STORIES } from './scenarios/index.ts';
export { ensureObject } from './scenarios/manifests.ts';
export { type PlayOptions, play, type StoryEnd, type Told } from './scenarios/player.ts';
export type { Story } from './scenarios/story.ts';
