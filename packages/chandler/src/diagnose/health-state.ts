/** How the object in question stands by itself: well, on its way, or not well for too long. No causes here. */
import {
  type ContainerEvidence,
  conditionOf,
  type EvidenceSet,
  isTrue,
  type NodeClaimEvidence,
  type PodEvidence,
  podIsWell,
} from '../causes/index.ts';
import type { Subject } from './subject.ts';

export interface HealthState {
  readonly state: 'well' | 'soon' | 'late';
  readonly text: string;
}

export function healthStateOf(subject: Subject, evidence: EvidenceSet): HealthState {
  return STANDINGS[subject.kind](subject, evidence);
}

/** `3 min`, `45 s`, `2 h`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

// ---------------------------------------------------------------------------------------------------

/** So long a pod may take to start, all steps together, before somebody wonders. */
const POD_LATE_MS = 10 * 60_000;
const CLAIM_LATE_MS = 15 * 60_000;

const STANDINGS: Readonly<Record<Subject['kind'], (subject: Subject, evidence: EvidenceSet) => HealthState>> =
  {
    pod: (_, evidence) => podStanding(evidence),
    nodeclaim: ({ name }, evidence) => claimStanding(name, evidence),
    node: ({ name }, evidence) => nodeStanding(name, evidence),
    nodepool: ({ name }, evidence) => poolStanding(name, evidence),
  };

function podStanding(evidence: EvidenceSet): HealthState {
  const pod = evidence.first('pod');
  if (pod === undefined) return { state: 'late', text: 'The pod could not be read.' };
  const where = pod.nodeName === undefined ? '' : ` on node ${pod.nodeName}`;
  if (pod.deletingSinceMs !== undefined) {
    const text = `The pod is being deleted since ${durationText(evidence.ageMs(pod.deletingSinceMs))}.`;
    return { state: 'soon', text };
  }
  if (podIsWell(evidence))
    return {
      state: 'well',
      text: pod.phase === 'Succeeded' ? `The pod has done its work${where}.` : `The pod is Ready${where}.`,
    };
  const age = evidence.ageMs(pod.createdAtMs);
  const state = age <= POD_LATE_MS && pod.phase !== 'Failed' ? 'soon' : 'late';
  if (pod.nodeName === undefined)
    return { state, text: `The pod waits for a node since ${durationText(age)}.` };
  return { state, text: `The pod is ${phaseText(pod)}${where}, ${durationText(age)} old.` };
}

function phaseText(pod: PodEvidence): string {
  const { phase, containers } = pod;
  const waiting = containers.map((each) => waitingText(each)).find((text) => text !== undefined);
  return waiting === undefined
    ? phase === 'Running'
      ? 'running and not Ready'
      : phase
    : `${phase} (${waiting})`;
}

function waitingText({ name, waiting }: ContainerEvidence): string | undefined {
  return waiting === undefined || waiting.reason === '' ? undefined : `${name}: ${waiting.reason}`;
}

function claimStanding(name: string, evidence: EvidenceSet): HealthState {
  const claim = evidence.all('nodeClaim').find((each) => each.name === name);
  if (claim === undefined) return { state: 'late', text: 'The claim is gone.' };
  return standingOfClaim(claim, evidence, 'The claim');
}

function standingOfClaim(claim: NodeClaimEvidence, evidence: EvidenceSet, who: string): HealthState {
  if (claim.deletingSinceMs !== undefined) {
    const text = `${who} is being deleted since ${durationText(evidence.ageMs(claim.deletingSinceMs))}.`;
    return { state: 'soon', text };
  }
  if (isTrue(claim, 'Initialized'))
    return { state: 'well', text: `${who} is a node that can be used: ${claim.nodeName ?? ''}.` };
  const bootstrap = conditionOf(claim, 'CSEProvisioned');
  if (bootstrap?.status === 'False' && !isTrue(claim, 'Registered')) {
    const tookMs = Date.parse(bootstrap.lastTransitionTime ?? '') - claim.createdAtMs;
    const after = tookMs >= 0 ? ` after ${durationText(tookMs)}` : '';
    return { state: 'late', text: `The machine of ${lowerFirst(who)} failed to become a node${after}.` };
  }
  const age = evidence.ageMs(claim.createdAtMs);
  const step = ['Launched', 'Registered', 'Initialized'].find((type) => !isTrue(claim, type))!;
  const condition = conditionOf(claim, step);
  const reason = condition?.reason ?? 'AwaitingReconciliation';
  const text = `${who} is not ${step} after ${durationText(age)} (${reason}).`;
  return { state: age <= CLAIM_LATE_MS ? 'soon' : 'late', text };
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

function nodeStanding(name: string, evidence: EvidenceSet): HealthState {
  const node = evidence.all('node').find((each) => each.name === name);
  const claim = evidence.all('nodeClaim').find((each) => each.name === node?.claim);
  if (node === undefined) return { state: 'late', text: 'The node could not be read.' };
  if (node.deletingSinceMs !== undefined)
    return {
      state: 'soon',
      text: `The node is being deleted since ${durationText(evidence.ageMs(node.deletingSinceMs))}.`,
    };
  const ready = conditionOf(node, 'Ready');
  if (ready?.status !== 'True') {
    const sinceMs = Date.parse(ready?.lastTransitionTime ?? '') || node.createdAtMs;
    const text = `The node is not Ready since ${durationText(evidence.ageMs(sinceMs))}.`;
    return { state: evidence.ageMs(sinceMs) <= 2 * 60_000 ? 'soon' : 'late', text };
  }
  const cordoned = node.unschedulable ? ', and cordoned' : '';
  if (claim === undefined || isTrue(claim, 'Initialized'))
    return {
      state: 'well',
      text: `The node is Ready${cordoned}${claim === undefined ? '; it is not made by a NodeClaim' : ''}.`,
    };
  return standingOfClaim(claim, evidence, 'The claim of the node');
}

function poolStanding(name: string, evidence: EvidenceSet): HealthState {
  const pool = evidence.all('nodePool').find((each) => each.name === name);
  if (pool === undefined) return { state: 'late', text: 'The pool could not be read.' };
  if (pool.deleting) return { state: 'soon', text: 'The pool is being deleted.' };
  const waiting = evidence.all('nodeClaim').length;
  if (isTrue(pool, 'Ready')) {
    const claims = waiting === 0 ? '' : `; ${waiting} of its claims are not nodes yet`;
    return { state: waiting === 0 ? 'well' : 'soon', text: `The pool is Ready${claims}.` };
  }
  const ready = conditionOf(pool, 'Ready');
  return { state: 'late', text: `The pool is not Ready${ready?.message ? `: ${ready.message}` : ''}.` };
}
