export {
  appendStages,
  decodeJourney,
  logStage,
  type SharedStage,
  type Stage,
  type StageFact,
  type StageOutcome,
  stagesOf,
} from './journey.ts';
