/** Entry point: drift on AWS, and the hash of the node class. */
export {
  awsDrift,
  type DescribedInstance,
  type DriftQuestion,
  DriftReason,
  type DriftValues,
  lastDriftOfInstance,
  reservationOf,
} from './drift.ts';
export { hashInVersion, nodeClassHashing, restampedAnnotations } from './node-class-hash.ts';
