/** The timeline: events, launches, disruptions and failures of the last hours, and what the nodes cost. */
import type { Stored } from '@chandler/kube';
import type { NodeClaim } from '../../api/index.ts';
import { happenedOf, lifeOf, type wire } from '../../dashboard/index.ts';
import { type KeptClaim, type KeptCommand, toEvent } from '../../diagnose/index.ts';

export interface TimelineParts {
  readonly fromMs: number;
  readonly toMs: number;
  readonly events: Iterable<Stored>;
  readonly claims: Iterable<Stored<NodeClaim>>;
  readonly commands: readonly KeptCommand[];
  readonly failed: readonly KeptClaim[];
  /** What no object shows any more: claims that were deleted while the page ran. */
  readonly seen: readonly wire.Happened[];
  readonly prices: wire.TimelineAnswer['prices'];
}

export function timelineAnswer(parts: TimelineParts): wire.TimelineAnswer {
  const { fromMs, toMs, prices } = parts;
  const happened: wire.Happened[] = [
    ...[...parts.events].map((event) => happenedOf(toEvent(event))),
    ...[...parts.claims].flatMap(lifeOf),
    ...parts.commands.map(ofCommand),
    ...parts.failed.map(ofFailure),
    ...parts.seen,
  ].filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  happened.sort((one, other) => one.atMs - other.atMs || (one.subject < other.subject ? -1 : 1));
  return { fromMs, toMs, happened: happened.slice(-MAX_HAPPENED), prices };
}

// ---------------------------------------------------------------------------------------------------

/** The newest of them. */
const MAX_HAPPENED = 2_000;

function ofCommand(command: KeptCommand): wire.Happened {
  const { endedAt, reason, decision, nodes, nodeCount, outcome, message } = command;
  const more = nodeCount - 1;
  return {
    atMs: Date.parse(endedAt),
    what: 'disruption',
    subject: `Node/${nodes[0] ?? ''}`,
    reason,
    text: `${decision} ${nodes[0] ?? ''}${more > 0 ? ` and ${more} more` : ''}: ${message ?? outcome}`,
    warning: message !== undefined,
  };
}

function ofFailure({ atMs, claim }: KeptClaim): wire.Happened {
  const failed = claim.status?.conditions?.find(({ status }) => status === 'False');
  return {
    atMs,
    what: 'failure',
    subject: `NodeClaim/${claim.metadata.name}`,
    reason: failed?.reason ?? 'Failed',
    text: failed?.message ?? 'its node did not become Ready',
    warning: true,
  };
}
