export {
  appendStages,
  decodeJourney,
  logStage,
  type Stage,
  type StageFact,
  type StageOutcome,
} from './journey.ts';
