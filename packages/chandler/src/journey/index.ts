export {
  appendStages,
  decodeJourney,
  logStage,
  type Stage,
  type StageFact,
  type StageName,
  type StageOutcome,
} from './journey.ts';
