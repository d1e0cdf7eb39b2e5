/** The health state of the object in question: well, in progress, or not well for too long. Causes are elsewhere. */

import { KarpenterLabel } from '../api/index.ts';
import {
  type ContainerEvidence,
  conditionOf,
  type EvidenceSet,
  isTrue,
  type NodeClaimEvidence,
  type NodeEvidence,
  type PodEvidence,
  podIsWell,
  runsSteadily,
  unreadySinceMs,
} from '../causes/index.ts';
import { absentNode, MISSING_NODE_MS } from './node-of-claim.ts';
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

/** A pod that takes longer to start, all steps together, is late. */
const POD_LATE_MS = 10 * 60_000;
/** Controllers create pods at once. */
const CREATED_LATE_MS = 2 * 60_000;
/** The default of progressDeadlineSeconds. */
const ROLLOUT_LATE_MS = 10 * 60_000;
const CLAIM_LATE_MS = 15 * 60_000;
/** A node is drained, and its VM deleted, in this time, or causes say why not. */
const TERMINATION_LATE_MS = 15 * 60_000;

const STANDINGS: Readonly<Record<Subject['kind'], (subject: Subject, evidence: EvidenceSet) => HealthState>> =
  {
    pod: (_, evidence) => podHealth(evidence),
    nodeclaim: ({ name }, evidence) => claimHealth(name, evidence),
    node: ({ name }, evidence) => nodeHealth(name, evidence),
    nodepool: ({ name }, evidence) => poolHealth(name, evidence),
    deployment: (_, evidence) => workloadHealth(evidence),
    statefulset: (_, evidence) => workloadHealth(evidence),
    daemonset: (_, evidence) => workloadHealth(evidence),
    job: (_, evidence) => workloadHealth(evidence),
    cronjob: (_, evidence) => workloadHealth(evidence),
  };

/** Of the pod that is worst, where one was chosen. */
function workloadHealth(evidence: EvidenceSet): HealthState {
  const workload = evidence.first('workload');
  if (workload === undefined) return { state: 'late', text: 'The workload could not be read.' };
  const { objectKind, wanted, created, ready, createdAtMs, isDone, isSuspended, note } = workload;
  const who = `The ${objectKind}`;
  if (isDone) return { state: 'well', text: `${who} has completed.` };
  if (isSuspended) return { state: 'late', text: `${who} is suspended.` };
  const pod = evidence.first('pod');
  if (pod !== undefined && !podIsWell(evidence)) {
    const { state, text } = podHealth(evidence);
    const named = text.replace(/^The pod/, `Pod ${pod.name}`);
    return { state, text: `${who} has ${ready} of ${wanted} pods Ready. ${named}` };
  }
  if (note !== undefined) return { state: 'well', text: `${who} ${note}.` };
  if (evidence.couldNotRead('workload'))
    return { state: 'late', text: `${who} could be read, but not what it created.` };
  if (ready >= wanted) return { state: 'well', text: `${who} has ${ready} of ${wanted} pods Ready.` };
  if (workload.rollout !== undefined && created >= workload.due) {
    const { sinceMs, readyInAll } = workload.rollout;
    const of = `${Math.max(ready, readyInAll)} of ${wanted} pods Ready`;
    return {
      state: evidence.ageMs(sinceMs) <= ROLLOUT_LATE_MS ? 'soon' : 'late',
      text: `${who} has ${of}. Its rollout is in progress: ${ready} are new.`,
    };
  }
  const state = evidence.ageMs(createdAtMs) <= CREATED_LATE_MS ? 'soon' : 'late';
  return { state, text: `${who} has ${ready} of ${wanted} pods Ready; ${created} exist.` };
}

function podHealth(evidence: EvidenceSet): HealthState {
  const pod = evidence.first('pod');
  if (pod === undefined) return { state: 'late', text: 'The pod could not be read.' };
  const where = pod.nodeName === undefined ? '' : ` on node ${pod.nodeName}`;
  if (pod.deletingSinceMs !== undefined) {
    const text = `The pod has been terminating for ${durationText(evidence.ageMs(pod.deletingSinceMs))}.`;
    return { state: 'soon', text };
  }
  if (podIsWell(evidence))
    return {
      state: 'well',
      text: pod.phase === 'Succeeded' ? `The pod has completed${where}.` : `The pod is Ready${where}.`,
    };
  const age = evidence.ageMs(pod.createdAtMs);
  const waited = isOnceReady(pod, evidence.atMs) ? evidence.ageMs(unreadySinceMs(pod)) : age;
  const state = waited <= POD_LATE_MS && pod.phase !== 'Failed' ? 'soon' : 'late';
  if (pod.nodeName === undefined && pod.phase !== 'Failed')
    return { state, text: `The pod has been Pending for ${durationText(age)} and has no node.` };
  return { state, text: `The pod was created ${durationText(age)} ago and is ${phaseText(pod)}${where}.` };
}

/** It runs, and may have been Ready until a moment ago. A container that is restarted again and again is Ready in between. */
function isOnceReady({ phase, containers }: PodEvidence, atMs: number): boolean {
  return (
    phase === 'Running' &&
    containers.every((each) => each.init || each.restarts === 0 || runsSteadily(each, atMs))
  );
}

function phaseText(pod: PodEvidence): string {
  const { phase, containers, reason = '', message = '' } = pod;
  if (phase === 'Failed' && reason !== '')
    return `Failed (${message === '' ? reason : `${reason}: ${message}`})`;
  const waiting = containers.map((each) => waitingText(each)).find((text) => text !== undefined);
  if (waiting !== undefined) return `${phase} (${waiting})`;
  return phase === 'Running' ? 'Running but not Ready' : phase;
}

function waitingText({ name, waiting }: ContainerEvidence): string | undefined {
  return waiting === undefined || waiting.reason === '' ? undefined : `${name}: ${waiting.reason}`;
}

function claimHealth(name: string, evidence: EvidenceSet): HealthState {
  const claim = evidence.all('nodeClaim').find((each) => each.name === name);
  if (claim === undefined) return { state: 'late', text: 'The NodeClaim no longer exists.' };
  const health = healthOfClaim(claim, evidence, 'The NodeClaim');
  return health.state === 'well' ? (healthByNode(claim, evidence) ?? health) : health;
}

/** Of a NodeClaim that is Initialized: what is wrong with its node, or that it is not known. */
function healthByNode(claim: NodeClaimEvidence, evidence: EvidenceSet): HealthState | undefined {
  const node = evidence.all('node').find(({ name }) => name === claim.nodeName);
  if (node !== undefined) return healthOfUnready(node, evidence);
  const absent = absentNode(claim, evidence);
  if (absent === undefined) return undefined;
  const state = absent.isMissing && absent.ageMs <= MISSING_NODE_MS ? 'soon' : 'late';
  if (absent.name === '') return { state, text: 'The NodeClaim is Initialized, but it names no node.' };
  const what = absent.isMissing ? 'does not exist' : 'could not be read';
  return { state, text: `The NodeClaim is Initialized, but its node ${absent.name} ${what}.` };
}

function healthOfClaim(claim: NodeClaimEvidence, evidence: EvidenceSet, who: string): HealthState {
  if (claim.deletingSinceMs !== undefined) return terminating(who, evidence.ageMs(claim.deletingSinceMs));
  if (isTrue(claim, 'Initialized'))
    return { state: 'well', text: `${who} is Initialized: node ${claim.nodeName ?? ''} can be used.` };
  const bootstrap = conditionOf(claim, 'CSEProvisioned');
  if (bootstrap?.status === 'False' && !isTrue(claim, 'Registered')) {
    const tookMs = Date.parse(bootstrap.lastTransitionTime ?? '') - claim.createdAtMs;
    const after = tookMs >= 0 ? ` after ${durationText(tookMs)}` : '';
    return { state: 'late', text: `The bootstrap of the VM of ${lowerFirst(who)} failed${after}.` };
  }
  const age = evidence.ageMs(claim.createdAtMs);
  const step = ['Launched', 'Registered', 'Initialized'].find((type) => !isTrue(claim, type))!;
  const condition = conditionOf(claim, step);
  const reason = condition?.reason ?? 'AwaitingReconciliation';
  const text = `${who} is not ${step} after ${durationText(age)} (${reason}).`;
  return { state: age <= CLAIM_LATE_MS ? 'soon' : 'late', text };
}

function terminating(who: string, ageMs: number): HealthState {
  const state = ageMs <= TERMINATION_LATE_MS ? 'soon' : 'late';
  return { state, text: `${who} has been terminating for ${durationText(ageMs)}.` };
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

function nodeHealth(name: string, evidence: EvidenceSet): HealthState {
  const node = evidence.all('node').find((each) => each.name === name);
  const claim = evidence.all('nodeClaim').find((each) => each.name === node?.claim);
  if (node === undefined) return { state: 'late', text: 'The node could not be read.' };
  if (node.deletingSinceMs !== undefined)
    return terminating('The node', evidence.ageMs(node.deletingSinceMs));
  const unready = healthOfUnready(node, evidence);
  if (unready !== undefined) return unready;
  const ready = `The node is Ready${node.unschedulable ? ', and cordoned' : ''}`;
  if (claim === undefined) return healthWithoutClaim(node, evidence, ready);
  if (isTrue(claim, 'Initialized')) return { state: 'well', text: `${ready}.` };
  return healthOfClaim(claim, evidence, 'The NodeClaim of the node');
}

function healthOfUnready(node: NodeEvidence, evidence: EvidenceSet): HealthState | undefined {
  const ready = conditionOf(node, 'Ready');
  if (ready?.status === 'True') return healthOfSilent(node);
  const sinceMs = Date.parse(ready?.lastTransitionTime ?? '') || node.createdAtMs;
  const text = `The node has not been Ready for ${durationText(evidence.ageMs(sinceMs))}.`;
  return { state: evidence.ageMs(sinceMs) <= 2 * 60_000 ? 'soon' : 'late', text };
}

/** The condition changes most of a minute after the last heartbeat. */
function healthOfSilent({ silence }: NodeEvidence): HealthState | undefined {
  if (silence === undefined) return undefined;
  const text = `The node is Ready, but its kubelet has not renewed its Lease for ${durationText(silence.forMs)}.`;
  return { state: 'soon', text };
}

/** A node of a NodePool has a NodeClaim: while that is not known, it is not known whether it is Initialized. */
function healthWithoutClaim(node: NodeEvidence, evidence: EvidenceSet, ready: string): HealthState {
  const isUnread = evidence.unread.some(({ kind, why }) => kind === 'nodeClaim' && why !== 'notFound');
  const pool = node.labels[KarpenterLabel.nodePool];
  if (pool === undefined) {
    const text = isUnread ? 'NodeClaims could not be read' : 'it has no NodeClaim';
    return { state: 'well', text: `${ready}; ${text}.` };
  }
  if (!isUnread)
    return {
      state: 'late',
      text: `${ready}, but its NodeClaim no longer exists: NodePool ${pool} does not manage it.`,
    };
  return { state: 'late', text: `${ready}, but its NodeClaim could not be read.` };
}

function poolHealth(name: string, evidence: EvidenceSet): HealthState {
  const pool = evidence.all('nodePool').find((each) => each.name === name);
  if (pool === undefined) return { state: 'late', text: 'The NodePool could not be read.' };
  if (pool.deleting) return { state: 'soon', text: 'The NodePool is being deleted.' };
  const { unfinishedClaims: waiting } = pool;
  if (isTrue(pool, 'Ready')) {
    if (waiting === undefined)
      return { state: 'late', text: 'The NodePool is Ready, but not all of its NodeClaims could be read.' };
    const verb = waiting === 1 ? 'is' : 'are';
    const claims = waiting === 0 ? '' : `; ${waiting} of its NodeClaims ${verb} not Initialized yet`;
    return { state: waiting === 0 ? 'well' : 'soon', text: `The NodePool is Ready${claims}.` };
  }
  const ready = conditionOf(pool, 'Ready');
  return { state: 'late', text: `The NodePool is not Ready${ready?.message ? `: ${ready.message}` : ''}.` };
}
