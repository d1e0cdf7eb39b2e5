export {
  appendStages,
  decodeJourney,
  logStage,
  type Stage,
  type StageFact,
  type StageOutcome,
} from './journey.ts';
export { StageTrace } from './stage-trace.ts';
