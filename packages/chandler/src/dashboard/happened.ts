/** What happened, for the timeline: events of the cluster, the life of NodeClaims, commands of disruption and failures, as entries. Pure. */
import { conditionOf, type Stored } from '@chandler/kube';
import type { NodeClaim } from '../api/index.ts';
import type { KeptClaim, KeptCommand, ReadEvent } from '../diagnose/index.ts';
import { subjectOfEvent } from './top-nodes.ts';
import type { Happened } from './wire.ts';

export function happenedOf(event: ReadEvent): Happened {
  const { reason, message, type, lastMs, count } = event;
  const row = KINDS_OF_EVENTS.find(({ reasons }) => reasons.test(reason));
  const warning = type === 'Warning';
  return {
    atMs: lastMs,
    what: row?.what ?? (warning && FAILURES.test(reason) ? 'failure' : 'event'),
    subject: subjectOfEvent(event),
    reason,
    text: count > 1 ? `${message} (${count} times)` : message,
    warning,
  };
}

/** From its creation to its Node. */
export function lifeOf(claim: Stored<NodeClaim>): readonly Happened[] {
  const { name, creationTimestamp, deletionTimestamp } = claim.metadata;
  const subject = `NodeClaim/${name}`;
  const step = (what: Happened['what'], at: string | undefined, reason: string, text: string): Happened[] => {
    const atMs = Date.parse(at ?? '');
    return Number.isNaN(atMs) ? [] : [{ atMs, what, subject, reason, text, warning: false }];
  };
  const registered = conditionOf(claim, 'Registered');
  return [
    ...step('launch', creationTimestamp, 'Created', `NodeClaim ${name} was created`),
    ...(registered?.status === 'True'
      ? step(
          'registered',
          registered.lastTransitionTime,
          'Registered',
          `Node ${claim.status?.nodeName ?? name} registered`,
        )
      : []),
    ...step('removed', deletionTimestamp, 'Deleted', `NodeClaim ${name} is being deleted`),
  ];
}

export function ofCommand(command: KeptCommand): Happened {
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

export function ofFailure({ atMs, claim }: KeptClaim): Happened {
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

// ---------------------------------------------------------------------------------------------------

const KINDS_OF_EVENTS: readonly { readonly what: Happened['what']; readonly reasons: RegExp }[] = [
  { what: 'interruption', reasons: /Interrupt|Rebalance|Preempt|Maintenance|Reboot/ },
  { what: 'disruption', reasons: /^(Disruption(Launching|Terminating)|Disrupted|Consolidation\w*|Evicted)$/ },
];
const FAILURES = /Fail|Error|Insufficient|NotReady|Invalid/;
