/** The timeline: events, launches, disruptions and failures of the last hours, and what the nodes cost. */
import type { Stored } from '@chandler/kube';
import type { NodeClaim } from '../../api/index.ts';
import { happenedOf, inOrder, lifeOf, ofCommand, ofFailure, type wire } from '../../dashboard/index.ts';
import { type KeptClaim, type KeptCommand, toEvent } from '../../diagnose/index.ts';

export interface TimelineParts {
  readonly fromMs: number;
  readonly toMs: number;
  readonly events: Iterable<Stored>;
  readonly claims: Iterable<Stored<NodeClaim>>;
  readonly commands: readonly KeptCommand[];
  readonly failed: readonly KeptClaim[];
  /** What was seen while the page ran: no object may show it any more. */
  readonly seen: Iterable<wire.Happened>;
  readonly prices: wire.TimelineAnswer['prices'];
}

export function timelineAnswer(parts: TimelineParts): wire.TimelineAnswer {
  const { fromMs, toMs, prices } = parts;
  const happened = inOrder(
    [
      ...[...parts.events].map((event) => happenedOf(toEvent(event))),
      ...[...parts.claims].flatMap(lifeOf),
      ...parts.commands.map(ofCommand),
      ...parts.failed.map(ofFailure),
      ...parts.seen,
    ].filter(({ atMs }) => atMs >= fromMs && atMs <= toMs),
  );
  const sent = happened.slice(-MAX_HAPPENED);
  const isCut = sent.length < happened.length;
  return { fromMs, toMs, happened: sent, prices, ...(isCut ? { cutBeforeMs: sent[0]!.atMs } : {}) };
}

// ---------------------------------------------------------------------------------------------------

/** The newest of them. */
const MAX_HAPPENED = 2_000;
