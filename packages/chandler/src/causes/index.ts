/**
 * Evidence, causes, the matcher and how findings are printed. The tables of causes live with their owners: a `CauseTable`,
 * given to `findCauses`.
 */
export {
  BOOTED,
  type BootLineOptions,
  bootLine,
  joiningClaims,
  REGISTRATION_EXPECTED_MS,
} from './boot-log.ts';
export * from './cause.ts';
export { PRECISION_NAMES, renderCausesDoc, renderCloudCausesDoc } from './causes-doc.ts';
export { isLost } from './container-evidence.ts';
export { failsOtherwise, loggedProblem, logsOf } from './container-logs.ts';
export * from './evidence.ts';
export { type EvidenceContext, EvidenceRecorder } from './evidence-recorder.ts';
export * from './evidence-set.ts';
export { type Html, html } from './html.ts';
export { NO_INSTANCE_TYPES, refusedLaunch, slowLaunch, untouchedClaim } from './launch-failures.ts';
export * from './layers.ts';
export { inSerialLog, isAtEnd, isFollowedBy, type LogHit, lastFound, lastLine } from './log-lines.ts';
export { withoutLogSecrets } from './log-secrets.ts';
export { ageBeforeUnready, timeOfLine } from './log-time.ts';
export * from './match.ts';
export { classProblem, nodeClassRow, problemOf, withRemedy } from './node-class-conditions.ts';
export * from './object-reader.ts';
export { isPastLaunch, isSilent, NETWORK_NOT_READY, waitsForController } from './passed-layers.ts';
export {
  currentPull,
  type ImagePull,
  isStarting,
  isUncreated,
  PULL_EXPECTED_MS,
  probedSinceMs,
  stepSinceMs,
} from './pod-progress.ts';
export { NOT_PREPARED, NOT_PREPARED_REASONS, podNames, pullProblem, startFailure } from './pod-start.ts';
export {
  badContainers,
  failingByThemselves,
  failingPod,
  failsRepeatedly,
  hasBeenStarted,
  isHeld,
  isJustReady,
  isPrepared,
  isTooYoung,
  lastEnd,
  overduePreempted,
  podIsWell,
  recentEnd,
  runsSteadily,
  STARTED_MS,
  scheduledMs,
  unreadySinceMs,
  waitingPod,
  waitsForImage,
} from './pod-state.ts';
export { poolNames } from './pool-names.ts';
export type { PoolNodes } from './pool-nodes.ts';
export * from './print.ts';
export {
  isStoppedByProbe,
  LOOP_RESTARTS,
  type ProbeReports,
  probeReports,
} from './probe-ends.ts';
export { withoutContainerSecrets } from './quoted-commands.ts';
export { REPAIR_ORDER, type RepairStep } from './repair-order.table.ts';
export { schedulerRefusal, unreadOfPlan } from './scheduler-event.ts';
export { SHOW_OPTIONS } from './show-options.ts';
export { CLEAR_LINE, escapeControls, escapeForTerminal, escapeStrings } from './terminal-text.ts';
export { type ConsideredSource, firstLoss, type ValueLoss } from './value-path.ts';
