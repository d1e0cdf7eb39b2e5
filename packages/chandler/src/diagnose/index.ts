/**
 * Gathers evidence about an object, explains it and prints the answer; writes a dump and reads it. Start with `gather` and
 * `explain`.
 */
export { causesOf } from './causes/index.ts';
export { type ChecklistStep, checklistJson, checklistText, walkChecklist } from './checklist/checklist.ts';
export {
  type Dump,
  DumpError,
  type DumpedKind,
  encodeDump,
  MAX_DUMP_BYTES,
  parseDump,
  unpackedSoon,
} from './dump/dump.ts';
export { dumpReader } from './dump/dump-reader.ts';
export { type DumpView, openDump } from './dump/dump-view.ts';
export { type MakeDump, makeDump } from './dump/make-dump.ts';
export { CONTROLLER_LABELS } from './evidence/controller-labels.ts';
export { controllerNamespace } from './evidence/controller-namespace.ts';
export { eventMs, type ReadEvent, toEvent } from './evidence/events.ts';
export { isGateOn } from './evidence/feature-gates.ts';
export {
  cloudOfClass,
  cloudOfNode,
  cloudOfPools,
  type FoundCloud,
  findCloud,
  type NodeMarks,
} from './evidence/find-cloud.ts';
export { type Gathered, type GatherOptions, gather } from './evidence/gather.ts';
export { defaultConstraints, planOptions } from './evidence/plan-options.ts';
export type { Planner, ReservedPlaces } from './evidence/planner.ts';
export * from './explain.ts';
export type { JourneyStep } from './journey-steps.ts';
export { explanationJson } from './json.ts';
export {
  KEPT_COMMANDS_NAME,
  type KeptCommand,
  keptCommandsPatch,
  keptCommandText,
  MAX_KEPT_COMMANDS,
  readKeptCommands,
} from './kept-commands.ts';
export {
  failedAtMs,
  KEPT_JOURNEYS_NAME,
  type KeptClaim,
  keptPatch,
  keptText,
  MAX_KEPT,
  readKept,
} from './kept-journeys.ts';
export { liveReader } from './live-reader.ts';
export {
  NON_DISRUPTION_EVENTS,
  type NonDisruptionReason,
  reasonsOfEvents,
} from './non-disruption-reasons.ts';
export { type PlanToExplain, stayingFrom } from './staying.ts';
export * from './subject.ts';
export { explanationText, nonDisruptionText, type TextOptions } from './text.ts';
export { type ValuePathReport, valuePath, valuePathJson, valuePathText } from './value-path.ts';
