/** The health state of the object in question: well, in progress, or not well for too long. Causes are elsewhere. */

import { KarpenterLabel } from '../api/index.ts';
import {
  badContainers,
  type ContainerEvidence,
  conditionOf,
  currentPull,
  type EvidenceSet,
  isLost,
  isStarting,
  isTrue,
  lastEnd,
  type NodeClaimEvidence,
  type NodeEvidence,
  overduePreempted,
  type PodEvidence,
  PULL_EXPECTED_MS,
  podIsWell,
  recentEnd,
  scheduledMs,
  stepSinceMs,
} from '../causes/index.ts';
import { durationText } from './duration-text.ts';
import { CLAIM_LATE_MS } from './evidence/claim-order.ts';
import { goneClaimHealth } from './gone-claim-health.ts';
import { absentNode, MISSING_NODE_MS } from './node-of-claim.ts';
import { poolHealth } from './pool-health.ts';
import type { Subject } from './subject.ts';
import { closedNode } from './usable-node.ts';
import type { HealthState } from './well-if-read.ts';
import { workloadHealth } from './workload-health.ts';

export function healthStateOf(subject: Subject, evidence: EvidenceSet): HealthState {
  return STANDINGS[subject.kind](subject, evidence);
}

// ---------------------------------------------------------------------------------------------------

/** A pod that takes longer, without a node or in one step of its start there, is late. */
const POD_LATE_MS = 10 * 60_000;
/** The scheduler assigns a pod in seconds to a node that takes it. */
const SCHEDULED_MS = 60_000;
/** A node is drained, and its VM deleted, in this time, or causes say why not. */
const TERMINATION_LATE_MS = 15 * 60_000;

const STANDINGS: Readonly<Record<Subject['kind'], (subject: Subject, evidence: EvidenceSet) => HealthState>> =
  {
    pod: (_, evidence) => podHealth(evidence),
    nodeclaim: ({ name }, evidence) => claimHealth(name, evidence),
    node: ({ name }, evidence) => nodeHealth(name, evidence),
    nodepool: ({ name }, evidence) => poolHealth(name, evidence),
    deployment: (_, evidence) => workloadHealth(evidence, podHealth),
    statefulset: (_, evidence) => workloadHealth(evidence, podHealth),
    daemonset: (_, evidence) => workloadHealth(evidence, podHealth),
    job: (_, evidence) => workloadHealth(evidence, podHealth),
    cronjob: (_, evidence) => workloadHealth(evidence, podHealth),
  };

function podHealth(evidence: EvidenceSet): HealthState {
  const pod = evidence.first('pod');
  if (pod === undefined) return { state: 'late', text: 'The pod could not be read.' };
  const where = pod.nodeName === undefined ? '' : ` on node ${pod.nodeName}`;
  if (pod.deletingSinceMs !== undefined) {
    const text = `The pod has been terminating for ${durationText(evidence.ageMs(pod.deletingSinceMs))}${where}.`;
    return { state: 'soon', text };
  }
  if (pod.phase === 'Succeeded') return { state: 'well', text: `The pod has completed${where}.` };
  if (pod.phase === 'Running' && isTrue(pod, 'Ready'))
    return {
      state: podIsWell(evidence) ? 'well' : 'late',
      text: `The pod is Ready${where}${restartedText(pod, evidence)}.`,
    };
  const age = evidence.ageMs(pod.createdAtMs);
  if (pod.nodeName === undefined && pod.phase !== 'Failed') {
    const isSoon = age <= POD_LATE_MS || isBeingPreempted(pod, evidence) || isBeingLaunched(evidence);
    return {
      state: isSoon ? 'soon' : 'late',
      text: `The pod has been Pending for ${durationText(age)} and has no node.${nominated(evidence)}`,
    };
  }
  const waited = scheduledMs(pod) - pod.createdAtMs;
  const scheduled =
    waited <= SCHEDULED_MS ? '' : `, was scheduled ${durationText(evidence.ageMs(scheduledMs(pod)))} ago,`;
  return {
    state: pod.phase !== 'Failed' && isInTime(pod, evidence) ? 'soon' : 'late',
    text: `The pod was created ${durationText(age)} ago${scheduled} and is ${phaseText(pod)}${where}.`,
  };
}

/** Of a pod on a node: each step of its start has its time, and probes and images may need more. */
function isInTime(pod: PodEvidence, evidence: EvidenceSet): boolean {
  if (evidence.ageMs(stepSinceMs(evidence, pod)) <= POD_LATE_MS) return true;
  const pull = currentPull(evidence, pod);
  if (pull !== undefined && evidence.ageMs(pull.event.lastMs) <= PULL_EXPECTED_MS) return true;
  return badContainers(pod).some((container) => isStarting(evidence, pod, container));
}

/** Pods terminate for it, within their time; or, if these cannot be read, the scheduler looked at it a short time ago. */
function isBeingPreempted(pod: PodEvidence, evidence: EvidenceSet): boolean {
  const { name, nominatedNodeName, preempted } = pod;
  if (preempted !== undefined)
    return preempted.length > 0 && overduePreempted(pod, evidence.atMs).length === 0;
  const last = evidence
    .events(`Pod/${name}`, 'FailedScheduling')
    .findLast(({ object }) => object === `Pod/${name}`);
  return nominatedNodeName !== undefined && last !== undefined && evidence.ageMs(last.lastMs) <= POD_LATE_MS;
}

/** Nodes that are missing in the static NodePool which it waits for, or the NodeClaim that it was nominated to. */
function isBeingLaunched(evidence: EvidenceSet): boolean {
  const { missing } = evidence.first('plan') ?? {};
  const claim = nominatedClaim(evidence);
  const claims = evidence.liveClaims.filter(({ nodePool }) => nodePool === missing?.nodePool);
  return [...claims, ...(claim === undefined ? [] : [claim])].some((each) =>
    isTrue(each, 'Initialized')
      ? each === claim
      : healthOfClaim(each, evidence, 'The NodeClaim').state === 'soon',
  );
}

/** The NodeClaim that the controller has named for the pod: in flight, or Initialized a moment ago. */
function nominatedClaim(evidence: EvidenceSet): NodeClaimEvidence | undefined {
  const plan = evidence.first('plan');
  if (plan?.outcome === 'placed')
    return evidence.liveClaims.find((claim) => claim.name === plan.target && !isTrue(claim, 'Initialized'));
  if (plan !== undefined) return undefined;
  return evidence.liveClaims.find((claim) => {
    const initializedMs = Date.parse(conditionOf(claim, 'Initialized')?.lastTransitionTime ?? '');
    return isTrue(claim, 'Initialized') && evidence.ageMs(initializedMs) <= SCHEDULED_MS;
  });
}

/** The NodeClaim that was launched for it, and what this waits for. */
function nominated(evidence: EvidenceSet): string {
  const plan = evidence.first('plan');
  if (plan?.missing !== undefined) {
    const { nodePool, nodes, wanted, unusable = [] } = plan.missing;
    const dead = unusable.length === 0 ? '' : ` Not usable: ${unusable.join(', ')}.`;
    return ` It is for NodePool ${nodePool}, which is static and has ${nodes} of ${wanted} nodes.${dead}`;
  }
  const { nominatedNodeName: chosen, preempted } = evidence.first('pod') ?? {};
  if (plan === undefined && chosen !== undefined) {
    const waits =
      preempted?.length === 0
        ? `The scheduler has chosen node ${chosen} for it`
        : `It waits for pods that are preempted on node ${chosen}`;
    return ` ${waits}: the controller launches no node for it meanwhile.`;
  }
  const claim = nominatedClaim(evidence);
  if (claim === undefined) return '';
  return ` ${healthOfClaim(claim, evidence, `NodeClaim ${claim.name}, which it was nominated to,`).text}`;
}

function phaseText(pod: PodEvidence): string {
  const { phase, containers, reason = '', message = '' } = pod;
  if (phase === 'Failed' && reason !== '')
    return `Failed (${message === '' ? reason : `${reason}: ${message}`})`;
  const waiting = containers.map((each) => waitingText(each)).find((text) => text !== undefined);
  if (waiting !== undefined) return `${phase} (${waiting})`;
  return phase === 'Running' ? 'Running but not Ready' : phase;
}

/** Of a pod that is Ready: which container ended a short time ago, or was restarted again and again until then. */
function restartedText({ containers }: PodEvidence, evidence: EvidenceSet): string {
  const restarted = containers
    .flatMap((container) => {
      const end = container.running
        ? (lastEnd(container, evidence.atMs) ?? recentEnd(container, evidence.atMs))
        : undefined;
      return end?.endedAtMs === undefined || isLost(end) ? [] : [{ ...container, end, atMs: end.endedAtMs }];
    })
    .sort(
      (one, other) =>
        Number(other.failsRepeatedly) - Number(one.failsRepeatedly) || other.restarts - one.restarts,
    );
  const [most] = restarted;
  if (most === undefined) return '';
  const { name, restarts, end, atMs } = most;
  const times = restarts === 1 ? 'once' : `${restarts} times`;
  const last = restarts === 1 ? '' : ', the last time';
  const words = `its container ${name} was restarted ${times}${last} ${durationText(evidence.ageMs(atMs))} ago`;
  return `${podIsWell(evidence) ? ';' : ', but'} ${words} (${end.reason}, exit code ${end.exitCode})`;
}

function waitingText({ name, waiting }: ContainerEvidence): string | undefined {
  return waiting === undefined || waiting.reason === '' ? undefined : `${name}: ${waiting.reason}`;
}

function claimHealth(name: string, evidence: EvidenceSet): HealthState {
  const claim = evidence.all('nodeClaim').find((each) => each.name === name);
  if (claim === undefined) return goneClaimHealth(name, evidence);
  const health = healthOfClaim(claim, evidence, 'The NodeClaim');
  return health.state === 'well' ? (healthByNode(claim, evidence) ?? health) : health;
}

/** Of a NodeClaim that is Initialized: what is wrong with its node, or that it is not known. */
function healthByNode(claim: NodeClaimEvidence, evidence: EvidenceSet): HealthState | undefined {
  const node = evidence.all('node').find(({ name }) => name === claim.nodeName);
  if (node !== undefined)
    return (
      healthOfUnready(node, evidence) ??
      healthOfClosed(node, claim, evidence, `The NodeClaim is Initialized: node ${node.name}`)
    );
  const absent = absentNode(claim, evidence);
  if (absent === undefined) return undefined;
  const state = absent.isMissing && absent.ageMs <= MISSING_NODE_MS ? 'soon' : 'late';
  if (absent.name === '') return { state, text: 'The NodeClaim is Initialized, but it names no node.' };
  const what = absent.isMissing ? 'does not exist' : 'could not be read';
  return { state, text: `The NodeClaim is Initialized, but its node ${absent.name} ${what}.` };
}

function healthOfClaim(claim: NodeClaimEvidence, evidence: EvidenceSet, who: string): HealthState {
  if (claim.deletingSinceMs !== undefined)
    return terminating(who, evidence.ageMs(claim.deletingSinceMs), claim);
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
  const waits = waitsFor(claim, step, evidence);
  const text = `${who} is not ${step} after ${durationText(age)} (${reason}).${waits === undefined ? '' : ` ${waits}`}`;
  return { state: age <= CLAIM_LATE_MS ? 'soon' : 'late', text };
}

/** What a NodeClaim waits for, and since when: the taint, the condition of its node, or what its own condition says. */
function waitsFor(claim: NodeClaimEvidence, step: string, evidence: EvidenceSet): string | undefined {
  const condition = conditionOf(claim, step);
  const node = evidence.all('node').find((each) => each.claim === claim.name || each.name === claim.nodeName);
  if (step === 'Initialized' && node !== undefined) {
    const ready = conditionOf(node, 'Ready');
    if (ready?.status !== 'True') {
      const sinceMs = Date.parse(ready?.lastTransitionTime ?? '') || node.createdAtMs;
      const why = ready?.message ? `: ${ready.message}` : '';
      return `It has been waiting for node ${node.name} to become Ready for ${durationText(evidence.ageMs(sinceMs))}${why}.`;
    }
    const left = node.taints.filter((taint) =>
      claim.startupTaints?.some(({ key, effect }) => key === taint.key && effect === taint.effect),
    );
    if (left.length > 0) {
      const registeredMs = Date.parse(conditionOf(claim, 'Registered')?.lastTransitionTime ?? '');
      const names = left.map(({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`);
      const since = Number.isNaN(registeredMs) ? '' : ` for ${durationText(evidence.ageMs(registeredMs))}`;
      const failing = node.failingDaemons ?? [];
      const who =
        failing.length === 0 ? '' : `; what may have to remove it fails there: ${failing.join(', ')}`;
      return `It has been waiting${since} for its startup taint ${names.join(', ')} to be removed from node ${node.name}${who}.`;
    }
  }
  const message = condition?.message ?? '';
  if (message === '' || condition?.status === 'True') return undefined;
  const sinceMs = Date.parse(condition?.lastTransitionTime ?? '');
  const since = Number.isNaN(sinceMs) ? '' : ` (for ${durationText(evidence.ageMs(sinceMs))})`;
  return `${message}${since}.`;
}

function terminating(who: string, ageMs: number, claim?: NodeClaimEvidence): HealthState {
  const state = ageMs <= TERMINATION_LATE_MS ? 'soon' : 'late';
  const step =
    claim !== undefined && isTrue(claim, 'InstanceTerminating')
      ? ' The node is drained, and its VM is being deleted.'
      : '';
  return { state, text: `${who} has been terminating for ${durationText(ageMs)}.${step}` };
}

function lowerFirst(text: string): string {
  return text.replace(/^The /, 'the ');
}

function nodeHealth(name: string, evidence: EvidenceSet): HealthState {
  const node = evidence.all('node').find((each) => each.name === name);
  if (node === undefined) return { state: 'late', text: 'The node could not be read.' };
  const claims = evidence.all('nodeClaim');
  // A Node without a provider ID is of the NodeClaim that was read with it.
  const claim =
    claims.find((each) => each.name === node.claim) ??
    (node.providerId === undefined ? claims[0] : undefined);
  if (node.deletingSinceMs !== undefined)
    return terminating('The node', evidence.ageMs(node.deletingSinceMs), claim);
  // The controller deletes the Node of a NodeClaim that is deleted: until it does, nothing else shows it.
  if (claim?.deletingSinceMs !== undefined)
    return healthOfClaim(claim, evidence, 'The NodeClaim of the node');
  const unready = healthOfUnready(node, evidence);
  if (unready !== undefined) return unready;
  const closed = healthOfClosed(node, claim, evidence, 'The node');
  if (closed?.state !== undefined && closed.state !== 'well') return closed;
  const ready = `${closed?.text.replace(/\.$/, '') ?? 'The node is Ready'}${flapText(name, evidence)}`;
  if (claim === undefined) return healthWithoutClaim(node, evidence, ready);
  if (isTrue(claim, 'Initialized')) return { state: 'well', text: `${ready}.` };
  return healthOfClaim(claim, evidence, 'The NodeClaim of the node');
}

/** It was not Ready a short time ago, and not for the first time. */
function flapText(name: string, evidence: EvidenceSet): string {
  const lost = evidence
    .events(`Node/${name}`, 'NodeNotReady')
    .filter(({ object, lastMs }) => object === `Node/${name}` && evidence.ageMs(lastMs) <= FLAPS_MS);
  const times = lost.reduce((sum, { count }) => sum + count, 0);
  if (times < 2) return '';
  const lastMs = Math.max(...lost.map((event) => event.lastMs));
  return `; it was not Ready ${times} times, the last time ${durationText(evidence.ageMs(lastMs))} ago`;
}

/** Events are kept for an hour. */
const FLAPS_MS = 10 * 60_000;

/** Ready, but no new pods are scheduled to it. */
function healthOfClosed(
  node: NodeEvidence,
  claim: NodeClaimEvidence | undefined,
  evidence: EvidenceSet,
  who: string,
): HealthState | undefined {
  const closed = closedNode(node, claim, evidence);
  if (closed === undefined) return undefined;
  const text = `${who} is ${closed.text}.`;
  if (closed.disruptedAtMs === undefined) return { state: 'well', text };
  return { state: evidence.ageMs(closed.disruptedAtMs) <= TERMINATION_LATE_MS ? 'soon' : 'late', text };
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
  if (!isUnread && node.providerId === undefined)
    return {
      state: evidence.ageMs(node.createdAtMs) <= 2 * 60_000 ? 'soon' : 'late',
      text: `${ready}, but it has no provider ID, so that its NodeClaim is not known.`,
    };
  if (!isUnread)
    return {
      state: 'late',
      text: `${ready}, but its NodeClaim no longer exists: NodePool ${pool} does not manage it.`,
    };
  return { state: 'late', text: `${ready}, but its NodeClaim could not be read.` };
}
