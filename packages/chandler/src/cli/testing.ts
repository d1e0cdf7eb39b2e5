export {
  Bills,
  ClusterWatch,
  CONTROLLER_USER,
  type RunningController,
  startController,
  takePicture,
} from '../playground/index.ts';
export { renderRoles } from '../playground/testing.ts';

export { createWorld } from './create-world.ts';
export { failureText } from './flexnode/failure-text.ts';
export { inSession } from './flexnode/session.ts';
export { newsLog } from './playground/news-log.ts';
export { run } from './run.ts';
export { controller } from './verbs/controller.ts';
export { flexnode } from './verbs/flexnode.ts';
export { VERBS } from './verbs/index.ts';
export { cataloguePlanner } from './why/sizes.ts';
