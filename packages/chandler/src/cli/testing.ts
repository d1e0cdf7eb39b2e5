export {
  ClusterWatch,
  CONTROLLER_USER,
  CostMeter,
  type RunningController,
  readClusterView,
  startController,
} from '../playground/index.ts';
export { renderRoles } from '../playground/testing.ts';

export { createWorld } from './create-world.ts';
export { failureText } from './flexnode/failure-text.ts';
export { inSession } from './flexnode/session.ts';
export { activityLog } from './playground/activity-log.ts';
export { run } from './run.ts';
export type { Verb } from './verb.ts';
export { bootstrap } from './verbs/bootstrap.ts';
export { controller } from './verbs/controller.ts';
export { flexnode } from './verbs/flexnode.ts';
export { VERBS } from './verbs/index.ts';
export { cataloguePlanner } from './why/sizes.ts';
