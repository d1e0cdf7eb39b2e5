/**
 * Why a healthy node is not disrupted: neither removed nor replaced by a cheaper one. The controller says so in events and
 * in a condition of the claim, as Karpenter does; newest first. Disruption itself is decided elsewhere.
 */
import { conditionOf, type EventFact, type EvidenceSet, isTrue } from '../causes/index.ts';
import type { Subject } from './subject.ts';

export interface NonDisruptionReason {
  /** `Unconsolidatable`, `DisruptionBlocked`, `NotConsolidatable`. */
  readonly code: string;
  readonly text: string;
  readonly atMs: number | undefined;
}

/** The controller repeats the event every 15 minutes while it holds, a few at a time. */
const FRESH_MS = 20 * 60_000;
export const NON_DISRUPTION_EVENTS = ['Unconsolidatable', 'DisruptionBlocked'] as const;

/** Empty without such events, and for objects that are not nodes. */
export function nonDisruptionReasons(
  { kind, name }: Subject,
  evidence: EvidenceSet,
): readonly NonDisruptionReason[] {
  if (kind !== 'node' && kind !== 'nodeclaim') return [];
  const node =
    kind === 'node'
      ? evidence.all('node').find((each) => each.name === name)
      : evidence.all('node').find((each) => each.claim === name);
  const claim = evidence
    .all('nodeClaim')
    .find((each) => each.name === (kind === 'nodeclaim' ? name : node?.claim));
  if (claim === undefined || !isTrue(claim, 'Initialized') || claim.deletingSinceMs !== undefined) return [];
  const objects = [`NodeClaim/${claim.name}`, ...(node === undefined ? [] : [`Node/${node.name}`])];
  return reasonsOfEvents({
    events: objects.flatMap((object) => evidence.events(object, ...NON_DISRUPTION_EVENTS)),
    isConsolidatable: conditionOf(claim, 'Consolidatable')?.status === 'True',
    hasNode: node !== undefined,
    drifted: driftOf(conditionOf(claim, 'Drifted')),
    ageMs: (lastMs) => evidence.ageMs(lastMs),
  });
}

export interface ToldReasons {
  /** About the claim and its node, with these reasons. */
  readonly events: readonly Pick<EventFact, 'reason' | 'message' | 'lastMs'>[];
  /** The condition of the claim. */
  readonly isConsolidatable: boolean;
  readonly hasNode: boolean;
  /** Why the claim is drifted, if it is: what the events say keeps it from being replaced. */
  readonly drifted?: NonDisruptionReason | undefined;
  readonly ageMs: (lastMs: number) => number;
}

/** What the controller says about an initialized claim that is not being deleted. */
export function reasonsOfEvents(told: ToldReasons): readonly NonDisruptionReason[] {
  const known = new Map<string, NonDisruptionReason>();
  for (const { reason, message, lastMs } of told.events) {
    if (isOver(told, message, told.ageMs(lastMs))) continue;
    const before = known.get(`${reason} ${message}`);
    if (before?.atMs === undefined || before.atMs < lastMs)
      known.set(`${reason} ${message}`, { code: reason, text: message, atMs: lastMs });
  }
  const newestFirst = [...known.values()].sort(
    (one, other) => (other.atMs ?? 0) - (one.atMs ?? 0) || (one.text < other.text ? -1 : 1),
  );
  return [
    ...(told.drifted === undefined ? [] : [told.drifted]),
    ...newestFirst,
    ...(told.isConsolidatable ? [] : [NOT_CONSOLIDATABLE]),
  ];
}

// ---------------------------------------------------------------------------------------------------

/** Pods that a node is nominated for are bound within seconds, and one that is marked for deletion is soon deleted. */
const MOMENT_MS = 2 * 60_000;
const MOMENTARY = /is nominated for a pending pod|is deleting or marked for deletion|is rebooting/;
const WITHOUT_NODE = /does not have an associated node/;
const UNINITIALIZED = /isn't initialized/;

/** Said of an earlier state: the claim is initialized, and is not being deleted. */
function isOver({ hasNode }: ToldReasons, message: string, ageMs: number): boolean {
  if (ageMs > (MOMENTARY.test(message) ? MOMENT_MS : FRESH_MS)) return true;
  return UNINITIALIZED.test(message) || (hasNode && WITHOUT_NODE.test(message));
}

function driftOf(condition: ReturnType<typeof conditionOf>): NonDisruptionReason | undefined {
  if (condition?.status !== 'True') return undefined;
  const why = condition.reason === undefined || condition.reason === '' ? '' : ` (${condition.reason})`;
  const atMs = Date.parse(condition.lastTransitionTime ?? '');
  return {
    code: 'Drifted',
    text: `it is drifted${why} and is not replaced yet`,
    atMs: Number.isNaN(atMs) ? undefined : atMs,
  };
}

const NOT_CONSOLIDATABLE: NonDisruptionReason = {
  code: 'NotConsolidatable',
  text: 'it is not Consolidatable: pods were added or removed within consolidateAfter of its NodePool, or consolidateAfter is Never',
  atMs: undefined,
};
