/** Entry point: planning, applying and undoing what a cloud must have for the controller. */
export { type Applied, applyPlan, type DoneStep } from './apply.ts';
export { Journal, type JournalEntry, openJournal } from './journal.ts';
export { isWritten } from './literals.ts';
export { blockedOf, changesOf, makePlan, type Plan, type Step } from './plan.ts';
export { blockedText, overwritingText, planJson, planText } from './plan-report.ts';
export {
  ConfigureError,
  type DesiredResource,
  type Facts,
  type Fields,
  type Found,
  type MissingPermission,
  NotAllowed,
  NotYet,
  type RecordedResource,
} from './resource.ts';
export { type UndoneStep, undo } from './undo.ts';
