/** Entry point: which disk encryption set, whether it can be used, and what Azure said about it. */

export * from './disk-encryption-set-id.ts';
export { type ArmErrorLike, diskEncryptionProblemOf, REFUSED_AT_LAUNCH } from './evidence/arm-error.ts';
export type { DiskEncryptionReaders } from './evidence/facts.ts';
export { DiskEncryptionEvidence, type Evidence, type EvidenceOptions } from './evidence/gather.ts';
export { LaunchEvidence, REFUSAL_COUNTS_MS } from './evidence/launch-evidence.ts';
export {
  DISK_ENCRYPTION_PROBLEMS,
  type DiskEncryptionProblem,
  type DiskEncryptionProblemKind,
} from './evidence/problem.ts';
export { type Verdict, verdictOf } from './evidence/verdict.ts';
export * from './os-disk-refusal.ts';
export { diskEncryptionReaders } from './readers.ts';
export * from './resolve.ts';
