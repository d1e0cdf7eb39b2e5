/** The health state of a NodePool: its conditions, its NodeClaims and nodes, and the pods that are pending for it. */
import { conditionOf, type EvidenceSet, isTrue, type NodePoolEvidence, waitingPod } from '../causes/index.ts';

import { durationText } from './duration-text.ts';
import { type HealthState, wellIfRead } from './well-if-read.ts';

export function poolHealth(name: string, evidence: EvidenceSet): HealthState {
  const pool = evidence.all('nodePool').find((each) => each.name === name);
  if (pool === undefined) return { state: 'late', text: 'The NodePool could not be read.' };
  if (pool.deleting) return { state: 'soon', text: 'The NodePool is being deleted.' };
  if (!isTrue(pool, 'Ready')) {
    const { message } = conditionOf(pool, 'Ready') ?? {};
    return { state: 'late', text: `The NodePool is not Ready${message ? `: ${message}` : ''}.` };
  }
  const problems = PROBLEMS.flatMap((problemOf) => problemOf(pool, evidence) ?? []);
  if (problems.length === 0) return wellIfRead(readyText(pool), unreadOf(pool, evidence));
  const state = problems.some((each) => each.state === 'late') ? 'late' : 'soon';
  return { state, text: `The NodePool is Ready; ${problems.map(({ text }) => text).join('; ')}.` };
}

// ---------------------------------------------------------------------------------------------------

/** A pod is decided about in moments; that it has no node then needs a reason. */
const PENDING_LATE_MS = 5 * 60_000;

type Problem = (pool: NodePoolEvidence, evidence: EvidenceSet) => HealthState | undefined;

const PROBLEMS: readonly Problem[] = [
  ({ unfinishedClaims: count = 0 }) =>
    count === 0
      ? undefined
      : { state: 'soon', text: `${count} of its NodeClaims ${areOrIs(count)} not Initialized yet` },
  ({ nodes }) => {
    const { wanted, claims } = nodes ?? {};
    if (wanted === undefined || claims === undefined || claims >= wanted) return undefined;
    return { state: 'late', text: `it has ${claims} of ${wanted} NodeClaims` };
  },
  ({ nodes }) => {
    const [first, ...rest] = nodes?.unready ?? [];
    if (first === undefined) return undefined;
    const count = rest.length + 1;
    const text = `${count} of its nodes ${areOrIs(count)} not Ready: ask chandler why node/${first}`;
    return { state: nodes?.isUnreadyForLong === true ? 'late' : 'soon', text };
  },
  ({ nodes }) => {
    const [first, ...rest] = nodes?.terminatingForLong ?? [];
    if (first === undefined) return undefined;
    const count = rest.length + 1;
    const have = count === 1 ? 'has' : 'have';
    const text = `${count} of its NodeClaims ${have} been terminating for long: ask chandler why nodeclaim/${first}`;
    return { state: 'late', text };
  },
  (_, evidence) => {
    const pod = waitingPod(evidence);
    const ageMs = pod === undefined ? 0 : evidence.ageMs(pod.createdAtMs);
    if (pod === undefined || ageMs <= PENDING_LATE_MS) return undefined;
    const text = `pod ${pod.name} has been Pending for ${durationText(ageMs)}: ask chandler why pod/${pod.name}`;
    return { state: 'late', text };
  },
];

function areOrIs(count: number): string {
  return count === 1 ? 'is' : 'are';
}

function readyText({ nodes }: NodePoolEvidence): string {
  const { cutAt } = nodes ?? {};
  return `The NodePool is Ready${cutAt === undefined ? '' : `; the first ${cutAt} of its nodes were checked`}`;
}

/** What failed before stands only in its events: NodeClaims that failed are deleted. */
function unreadOf(pool: NodePoolEvidence, { unread }: EvidenceSet): readonly string[] {
  const isUnread = unread.some(
    ({ kind, what }) => kind === 'events' && what === `Events of NodePool/${pool.name}`,
  );
  return [
    ...(pool.unfinishedClaims === undefined ? ['not all of its NodeClaims could be read'] : []),
    ...(pool.nodes !== undefined && pool.nodes.unready === undefined ? ['its nodes could not be read'] : []),
    ...(isUnread ? ['its events could not be read'] : []),
    ...(pool.unknownPods ?? []),
  ];
}
