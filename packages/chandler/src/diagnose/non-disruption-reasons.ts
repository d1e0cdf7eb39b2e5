/**
 * Why a healthy node is not disrupted: neither removed nor replaced by a cheaper one. The controller says so in events and
 * in a condition of the claim, as Karpenter does; newest first. Disruption itself is decided elsewhere.
 */
import { conditionOf, type EvidenceSet, isTrue } from '../causes/index.ts';
import type { Subject } from './subject.ts';

export interface NonDisruptionReason {
  /** `Unconsolidatable`, `DisruptionBlocked`, `NotConsolidatable`. */
  readonly code: string;
  readonly text: string;
  readonly atMs: number | undefined;
}

/** The controller repeats the event every 15 minutes while it holds, a few at a time. */
const FRESH_MS = 20 * 60_000;
const REASONS = ['Unconsolidatable', 'DisruptionBlocked'] as const;

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
  const told = new Map<string, NonDisruptionReason>();
  for (const object of objects)
    for (const { reason, message, lastMs } of evidence.events(object, ...REASONS)) {
      if (evidence.ageMs(lastMs) > FRESH_MS) continue;
      const known = told.get(`${reason} ${message}`);
      if (known?.atMs === undefined || known.atMs < lastMs)
        told.set(`${reason} ${message}`, { code: reason, text: message, atMs: lastMs });
    }
  const newestFirst = [...told.values()].sort(
    (one, other) => (other.atMs ?? 0) - (one.atMs ?? 0) || (one.text < other.text ? -1 : 1),
  );
  if (conditionOf(claim, 'Consolidatable')?.status === 'True') return newestFirst;
  return [...newestFirst, NOT_CONSOLIDATABLE];
}

// ---------------------------------------------------------------------------------------------------

const NOT_CONSOLIDATABLE: NonDisruptionReason = {
  code: 'NotConsolidatable',
  text: 'it is not Consolidatable: pods were added or removed within consolidateAfter of its NodePool, or consolidateAfter is Never',
  atMs: undefined,
};
