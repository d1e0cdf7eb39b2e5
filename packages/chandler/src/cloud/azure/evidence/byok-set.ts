/**
 * What a step of the checklist `byok` says about the sets in use. A step is ok only where what it asks was seen: a set that
 * Azure does not show says nothing about its key, and one set says nothing about another.
 */
import type { EvidenceSet } from '../../../causes/index.ts';
import type { StepResult } from '../../index.ts';

import type { Evidence as SetEvidence } from '../disk-encryption/evidence/gather.ts';
import {
  DISK_ENCRYPTION_PROBLEMS,
  type DiskEncryptionProblem,
  type DiskEncryptionProblemKind,
} from '../disk-encryption/evidence/problem.ts';

export interface LookedUpSet {
  readonly id: string;
  readonly about: SetEvidence;
}

/** What a step asks about a set. */
export interface SetQuestion {
  /** Problems that answer it with no, if Azure proves them. */
  readonly kinds: readonly DiskEncryptionProblemKind[];
  /** Whether it was not looked at because of this problem. */
  readonly hides: (problem: DiskEncryptionProblem) => boolean;
}

export const THE_SET: SetQuestion = {
  kinds: ['malformed', 'wrongSubscription', 'setNotFound', 'wrongRegion', 'setFailed', 'typeUnsupported'],
  hides: ({ kind }) => NOT_SHOWN.includes(kind) || kind === 'setNotReady',
};

export const ACCESS: SetQuestion = {
  kinds: ['accessMissing', 'accessNotReadable', 'vaultNotReadable'],
  hides: (problem) =>
    hidesVault(problem) || (problem.kind === 'vaultUnreachable' && problem.witness === 'vault'),
};

export const KEY_AND_VAULT: SetQuestion = {
  kinds: [
    'keyDisabled',
    'keyDeleted',
    'keyExpired',
    'keyNotYetValid',
    'vaultUnreachable',
    'keyNotReadable',
    'vaultNotReadable',
    'rotationFailing',
  ],
  hides: hidesVault,
};

export function aboutSet(
  evidence: EvidenceSet,
  sets: readonly LookedUpSet[],
  question: SetQuestion,
): StepResult {
  return sets.length === 0 ? byConditions(evidence) : worst(sets.map((set) => answerOf(set, question)));
}

export function stateOf(state: StepResult['state'], ...found: readonly string[]): StepResult {
  return { state, found };
}

/** What was found in all of them, with the state of the worst. */
export function worst(results: readonly StepResult[]): StepResult {
  const state = WORST_FIRST.find((each) => results.some((result) => result.state === each)) ?? 'unknown';
  return { state, found: results.flatMap(({ found }) => found) };
}

// ---------------------------------------------------------------------------------------------------

const WORST_FIRST = ['broken', 'unknown', 'notReached', 'ok'] as const;

/** With these, nothing of the set was seen. The credentials are those of the caller, not those of the controller. */
const NOT_SHOWN: readonly DiskEncryptionProblemKind[] = [
  'subscriptionUnreachable',
  'readerMissing',
  'setUnreadable',
];

/** Key and vault are known from the set only. */
function hidesVault({ kind, witness }: DiskEncryptionProblem): boolean {
  const unseen = NOT_SHOWN.includes(kind) || kind === 'malformed' || kind === 'setNotFound';
  return unseen || (kind === 'keyDeleted' && witness === 'set');
}

function answerOf({ id, about }: LookedUpSet, { kinds, hides }: SetQuestion): StepResult {
  const asked = about.problems.filter(({ kind }) => kinds.includes(kind));
  const hidden = about.problems.filter((problem) => !asked.includes(problem) && hides(problem));
  if (asked.length + hidden.length === 0) return stateOf('ok', `Azure shows no problem with ${id}`);
  const proven = asked.some(({ kind }) => DISK_ENCRYPTION_PROBLEMS[kind].status === 'False');
  const texts = [...asked, ...hidden].map(({ message, permission }) =>
    permission === undefined ? message : `${message}; reading it requires ${permission}`,
  );
  return stateOf(proven ? 'broken' : 'unknown', ...texts);
}

/** What the controller found out, where nobody asked Azure now. */
function byConditions(evidence: EvidenceSet): StepResult {
  const classes = evidence.all('nodeClass').flatMap(({ name, conditions, diskEncryptionSet }) => {
    const condition = conditions.find(({ type }) => type === 'DiskEncryptionVerified');
    if (condition === undefined)
      return diskEncryptionSet === undefined
        ? []
        : [stateOf('unknown', `NodeClass ${name} has no condition DiskEncryptionVerified`)];
    const { status, reason = '', message = '' } = condition;
    const text = `NodeClass ${name}: ${status}, ${reason} ${message}`.trim();
    return [stateOf(status === 'True' ? 'ok' : 'unknown', text)];
  });
  return classes.length === 0
    ? stateOf('unknown', 'Azure was not queried, and no NodeClass has the condition DiskEncryptionVerified')
    : worst([...classes]);
}
