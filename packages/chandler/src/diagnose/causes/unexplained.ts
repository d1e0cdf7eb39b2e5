/** Layer 6: a pod is Pending, and nothing says why; or what would say it could not be read, which is not the same. */
import {
  type Cause,
  type EventFact,
  type EvidenceSet,
  isHeld,
  type Match,
  type PodEvidence,
  podNames,
  seen,
  unreadOfPlan,
  waitingPod,
} from '../../causes/index.ts';

import { durationText } from '../duration-text.ts';
import { LAUNCHED_MS } from './not-launched.ts';
import { hasRowOfEvent } from './scheduler-words.ts';

/** The planner runs every few seconds; a pod that is pending for longer should have a reason. */
export const UNEXPLAINED_MS = 60_000;

export const UNEXPLAINED: Cause = {
  id: 'scheduling.unexplained',
  layer: 'scheduling',
  specificity: 'general',
  title: 'The pod is pending, and the reason is not known',
  symptom: 'The pod is Pending, and no event or condition says why.',
  summary: '{pod} has been Pending for {minutes} minutes. No plan, NodeClaim or event says why.',
  fix: 'Check that the controller runs, and check its log for the pod.',
  confirm: ['kubectl describe pod -n {namespace} {podName}', 'kubectl get nodeclaims'],
  recognise: unexplained,
};

/** The plan refuses the pod only for sizes that the catalogue may lack. */
export function mayHaveSizes(evidence: EvidenceSet): boolean {
  const refusals = evidence.first('plan')?.refusals ?? [];
  return (
    refusals.length > 0 &&
    refusals.every(({ code, facts }) => code === 'SizeUnknown' && facts['mayExist'] === 'true')
  );
}

// ---------------------------------------------------------------------------------------------------

function unexplained(evidence: EvidenceSet): Match | undefined {
  const pod = waitingPod(evidence);
  if (pod === undefined || evidence.ageMs(pod.createdAtMs) <= UNEXPLAINED_MS) return undefined;
  const unseen = unseenClaim(evidence);
  const isPlanned = evidence.first('plan') !== undefined && !mayHaveSizes(evidence) && unseen === undefined;
  if (isHeld(pod) || isPlanned || evidence.liveClaims.length > 0 || pod.nominatedNodeName !== undefined)
    return undefined;
  if (unseen !== undefined) return nominated(evidence, pod, unseen);
  const said = evidence.events(`Pod/${pod.name}`, 'FailedScheduling').at(-1);
  const unread = unreadOfPlan(evidence);
  // The scheduler repeats itself for every pending pod: words that no cause knows do not say that no node is launched.
  if (said !== undefined && (unread.length === 0 || hasRowOfEvent(evidence))) return undefined;
  const ageMs = evidence.ageMs(pod.createdAtMs);
  const facts = { ...podNames(pod), minutes: String(Math.floor(ageMs / 60_000)) };
  const match = { facts, seen: [seen(pod, 'phase Pending, no node'), ...wordsOf(said)] };
  // As long as a launch usually takes, nothing may be wrong.
  const isInTime = ageMs <= LAUNCHED_MS;
  const suspicious = { weight: 'suspicious' as const };
  if (said === undefined && evidence.couldNotRead('events')) {
    const mayBeLaunched = isInTime && evidence.all('nodePool').length > 0;
    return { ...match, ...(mayBeLaunched ? suspicious : {}), ...UNREAD_EVENTS };
  }
  if (unread.length === 0) return evidence.couldNotRead('controller') ? { ...match, fix: UNSEEN } : match;
  return {
    ...match,
    ...(isInTime ? suspicious : {}),
    ...UNREAD_INPUT,
    facts: { ...facts, unread: unread.join(', ') },
  };
}

/** The NodeClaim that the controller has named for the pod, and that could not be read. */
function unseenClaim(evidence: EvidenceSet): string | undefined {
  const { outcome, target } = evidence.first('plan') ?? {};
  const isRead = evidence.all('nodeClaim').some(({ name }) => name === target);
  return outcome === 'placed' && !isRead && evidence.couldNotRead('nodeClaim') ? target : undefined;
}

function nominated(evidence: EvidenceSet, pod: PodEvidence, claim: string): Match {
  const event = evidence.events(`Pod/${pod.name}`, 'Nominated').at(-1);
  const sinceMs = event?.lastMs ?? pod.createdAtMs;
  return {
    // Its node may be on its way.
    ...(evidence.ageMs(sinceMs) <= LAUNCHED_MS ? { weight: 'suspicious' as const } : {}),
    ...UNREAD_CLAIM,
    facts: {
      ...podNames(pod),
      minutes: String(Math.floor(evidence.ageMs(pod.createdAtMs) / 60_000)),
      claim,
      ago: durationText(evidence.ageMs(sinceMs)),
    },
    seen: [
      seen(pod, 'phase Pending, no node'),
      ...(event === undefined
        ? []
        : [{ where: event.object, what: `Nominated: ${event.message}`, atMs: event.lastMs }]),
    ],
  };
}

function wordsOf(event: EventFact | undefined): Match['seen'] {
  if (event === undefined) return [];
  return [{ where: event.object, what: `FailedScheduling: ${event.message}`, atMs: event.lastMs }];
}

const UNREAD_CLAIM = {
  title: 'The pod is pending, and the NodeClaim that is launched for it could not be read',
  summary:
    '{pod} has been Pending for {minutes} minutes. The controller nominated it {ago} ago to NodeClaim {claim}, which could not be read (see "Not read" below).',
  fix: 'Ask again with credentials that may get nodeclaims, which are of the whole cluster: the NodeClaim says how far its node is.',
  confirm: ['kubectl describe pod -n {namespace} {podName}', 'kubectl get nodeclaim {claim}'],
};

const UNREAD_EVENTS = {
  title: 'The pod is pending, and its events cannot be read',
  summary:
    '{pod} has been Pending for {minutes} minutes. Its events say why, and they cannot be read (see "Not read" below).',
  fix: 'Read the events of the pod with credentials that may list events, or ask again with them.',
};

/** Whether the controller runs may not be seen from here, and a managed one never is. */
const UNSEEN =
  'Ask again with credentials that may read the controller, or check its log for the pod where it runs.';

const UNREAD_INPUT = {
  title: 'The pod is pending, and what a plan for it needs could not be read',
  summary:
    '{pod} has been Pending for {minutes} minutes. Whether a node is there, or is launched for it, is not known: what that depends on could not be read: {unread} (see "Not read" below).',
  fix: 'Ask again with credentials that may get and list what could not be read, or make the dump again with them. What nobody shows, the log of the controller may tell.',
};
