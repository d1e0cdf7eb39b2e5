/**
 * Reads the table of conditions: which transitions are allowed, and which reasons a condition may have.
 * Tests and validators check with it what controllers write; it prevents no write.
 */
import {
  CONDITIONS,
  type ConditionedKind,
  type ConditionRow,
  type ConditionState,
} from './conditions.table.ts';

/**
 * Whether a condition may go from one state to the other between two writes. Staying is always
 * allowed. A dependent that is not there yet first appears as Unknown and may move on in the same
 * write; an object whose status was lost or never written starts again, so root and dependents may
 * appear, but never go away.
 */
export function allowedTransition(
  kind: ConditionedKind,
  type: string,
  from: ConditionState,
  to: ConditionState,
): boolean {
  const row = conditionRow(kind, type);
  if (row === undefined) return false;
  if (from === to) return from === 'absent' || statesOf(row).has(from);
  if (row.moves.includes(`${from}>${to}`)) return true;
  const appears = from === 'absent' && to !== 'absent' && (row.dependent || type === CONDITIONS[kind].root);
  return appears && (to === 'Unknown' || row.moves.includes(`Unknown>${to}`));
}

/** Whether the table lists the reason, or leaves it to someone else to give one. */
export function knownReason(
  kind: ConditionedKind,
  type: string,
  status: Exclude<ConditionState, 'absent'>,
  reason: string,
): boolean {
  const row = conditionRow(kind, type);
  if (row === undefined) return false;
  return (row.reasons[status]?.includes(reason) ?? false) || row.borrowed?.[status] !== undefined;
}

export function conditionRow(kind: ConditionedKind, type: string): ConditionRow | undefined {
  return CONDITIONS[kind].rows.find((row) => row.type === type);
}

/** The states a condition can be in at all. */
export function statesOf(row: ConditionRow): ReadonlySet<ConditionState> {
  const states = new Set<ConditionState>(Object.keys(row.reasons) as ConditionState[]);
  if (row.moves.some((move) => move.startsWith('absent>'))) states.add('absent');
  return states;
}
