/**
 * From problems to a verdict. A proof makes it False and blocks; of several, the state of the set comes first, then
 * ARM's at the last launch, then the vault's. A failed rotation makes it False too, but Azure keeps that error until
 * someone updates the set, so it may be long out of date: it blocks nothing, and gives way to what the vault says now.
 * What could not be seen makes it Unknown, names the permission, and blocks nothing. True means that everything was
 * looked at and nothing was found.
 */
import { withRemedy } from '../../../../causes/index.ts';
import {
  DISK_ENCRYPTION_PROBLEMS,
  type DiskEncryptionProblem,
  PROBLEM_ORDER,
  type Witness,
} from './problem.ts';

export interface Verdict {
  readonly verified: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** Only a proof: every launch would fail. */
  readonly blocks: boolean;
  /** Something did not answer; asking again soon is worth it. */
  readonly retrySoon: boolean;
  /** All of them, in the order of the message. */
  readonly problems: readonly DiskEncryptionProblem[];
}

export const VERIFIED = 'DiskEncryptionVerified';

export function verdictOf(all: readonly DiskEncryptionProblem[]): Verdict {
  const problems = [...withoutOutdated(all)].sort(inOrder);
  const first = problems[0];
  const retrySoon = problems.some((problem) => problem.transient === true);
  if (first === undefined) {
    return { verified: 'True', reason: VERIFIED, message: '', blocks: false, retrySoon, problems };
  }
  const { status, reason } = DISK_ENCRYPTION_PROBLEMS[first.kind];
  const reported = status === 'False' ? problems.filter(isProof) : problems;
  return {
    verified: status,
    reason,
    message: reported.map(problemText).join('; '),
    blocks: problems.some((problem) => isProof(problem) && problem.witness !== 'rotation'),
    retrySoon,
    problems,
  };
}

// ---------------------------------------------------------------------------------------------------

const WITNESS_ORDER: readonly Witness[] = ['set', 'launch', 'vault', 'rotation'];

/** What a rotation met earlier, and the vault would have shown now if it were still so. */
function withoutOutdated(all: readonly DiskEncryptionProblem[]): readonly DiskEncryptionProblem[] {
  const blind = all.some((problem) => !isProof(problem) && problem.witness === 'vault');
  const contradicted = (problem: DiskEncryptionProblem) =>
    problem.witness === 'rotation' &&
    isProof(problem) &&
    !blind &&
    !all.some((other) => other.witness === 'vault' && other.kind === problem.kind);
  return all.filter((problem) => !contradicted(problem));
}

function inOrder(a: DiskEncryptionProblem, b: DiskEncryptionProblem): number {
  return (
    Number(isProof(b)) - Number(isProof(a)) ||
    WITNESS_ORDER.indexOf(a.witness) - WITNESS_ORDER.indexOf(b.witness) ||
    PROBLEM_ORDER.indexOf(a.kind) - PROBLEM_ORDER.indexOf(b.kind)
  );
}

function isProof(problem: DiskEncryptionProblem): boolean {
  return DISK_ENCRYPTION_PROBLEMS[problem.kind].status === 'False';
}

function problemText(problem: DiskEncryptionProblem): string {
  if (isProof(problem)) return withRemedy(problem.message, DISK_ENCRYPTION_PROBLEMS[problem.kind].remedy);
  if (problem.permission === undefined) return problem.message;
  return `${problem.message} (requires ${problem.permission})`;
}
