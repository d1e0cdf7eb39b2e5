/** Entry point: messages of the interruption queue and statuses of instances, and what to do about them. */
export {
  type DecisionOptions,
  decideInterruption,
  type InterruptionAction,
  type InterruptionDecision,
  type OwnedInstance,
  strongestAction,
} from './decision.ts';
export { instanceIdOf } from './instance-id.ts';
export {
  IMPAIRED_LIMIT_MS,
  type InstanceStatus,
  STATUS_FILTERS,
  type StatusEvent,
  type StatusSummary,
  statusInterruptions,
} from './instance-status.ts';
export { type Interruption, type InterruptionKind, type ParsedMessage, parseMessage } from './message.ts';
export {
  POLL_SECONDS,
  type QueueMessage,
  QueueReader,
  type QueueReaderInput,
  VISIBILITY_SECONDS,
} from './queue-reader.ts';
