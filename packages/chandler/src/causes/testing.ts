export {
  aClaim,
  aJoiningClaim,
  aPod,
  aWaitingPod,
  cloudError,
  condition,
  evidence,
  reading,
  serialLog,
} from './causes.fixture.ts';
