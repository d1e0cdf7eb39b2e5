/**
 * How many layers the object in question has passed: what is wrong there now does not explain its state. A scheduled pod
 * and a registered node have been provisioned, whatever has happened to the node class or the controller since. What
 * breaks nodes also breaks the pods on a node that is not Ready.
 */
import type { Cause } from './cause.ts';
import type { NodeEvidence, PodEvidence } from './evidence.ts';
import { conditionOf, type EvidenceSet, isTrue } from './evidence-set.ts';
import { LAYERS, layerIndex } from './layers.ts';
import { NOT_PREPARED, NOT_PREPARED_REASONS, startFailure } from './pod-start.ts';
import { badContainers, failingByThemselves, failingPod, podIsWell } from './pod-state.ts';

/** For a cause: the number of layers in which it would be harmless. */
export function passedLayers(evidence: EvidenceSet): (cause: Cause) => number {
  if (podIsWell(evidence)) return () => LAYERS.length;
  const pod = failingPod(evidence);
  if (pod === undefined) return passedByNode(evidence);
  const failing = failingByThemselves(pod, evidence.atMs);
  const node = evidence.all('node').find(({ name }) => name === pod.nodeName);
  const isNodeUnready = node !== undefined && (!isUsableFor(pod, node) || isSilent(node));
  const isDisk = node !== undefined && isFailingByDisk(evidence, pod, node);
  return (cause) => {
    const { failsContainers = () => false } = cause;
    const isConsequence = failsContainers === true || failing.some(failsContainers);
    if (failing.length > 0 && !isConsequence) return layerIndex('readiness');
    if (failing.length === 0 && node !== undefined && !isNodeUnready && doesKeepPodsAway(cause, evidence))
      return layerIndex('readiness');
    const isBroken = isNodeUnready || (isDisk && cause.layer === 'bootstrap');
    return isBroken && doesBreakNodes(cause, evidence) ? 0 : layerIndex('scheduling');
  };
}

/** The words of the kubelet. */
export const NETWORK_NOT_READY =
  /cni (?:plugin|config)\S* (?:not initialized|uninitialized)|NetworkPluginNotReady|NetworkReady=false/i;

/** Its kubelet has not reported: the condition Ready is Unknown, or the Lease is old. */
export function isSilent(node: NodeEvidence): boolean {
  return conditionOf(node, 'Ready')?.status === 'Unknown' || node.silence !== undefined;
}

/** A claim waits for the controller: to be launched, registered, initialized or deleted. A node that is not Ready does not. */
export function waitsForController(evidence: EvidenceSet): boolean {
  const claims = evidence.all('nodeClaim');
  return claims.some((claim) => {
    if (claim.deletingSinceMs !== undefined || !isTrue(claim, 'Registered')) return true;
    const node = evidence.all('node').find(({ name }) => name === claim.nodeName);
    return !isTrue(claim, 'Initialized') && node !== undefined && isTrue(node, 'Ready');
  });
}

/**
 * Every claim in question has its VM, and no NodePool is in question: what is wrong with a node class now stops no launch
 * of theirs.
 */
export function isPastLaunch(evidence: EvidenceSet): boolean {
  const { liveClaims } = evidence;
  if (evidence.all('nodePool').length > 0) return false;
  return liveClaims.length > 0 && liveClaims.every((claim) => isTrue(claim, 'Launched'));
}

// ---------------------------------------------------------------------------------------------------

/** A pod with the network of its node needs no plugin: the kubelet starts it before that is ready, often to make it ready. */
function isUsableFor(pod: PodEvidence, node: NodeEvidence): boolean {
  const ready = conditionOf(node, 'Ready');
  if (ready?.status === 'True') return true;
  if (ready?.status !== 'False' || pod.hostNetwork !== true || badContainers(pod).length === 0) return false;
  const { message = '' } = ready;
  // The kubelet puts several problems in brackets.
  const problems = message.startsWith('[') ? message.replace(/^\[|\]$/g, '').split(', ') : [message];
  return (
    NETWORK_NOT_READY.test(message) &&
    problems.every((each) => NETWORK_NOT_READY.test(each) || each === 'CSINode is not yet initialized')
  );
}

function doesKeepPodsAway({ keepsPodsAway = () => false }: Cause, evidence: EvidenceSet): boolean {
  return keepsPodsAway === true || keepsPodsAway(evidence);
}

const DISK_FAILS = /read-only file ?system|input\/output error/i;
/** A volume of its own, or what the pod mounts into one. Tokens, Secrets and the like are on the disk of the node. */
const OF_VOLUME =
  /to rootfs at|\/rootfs\/|volumes\/kubernetes\.io(?!~(?:projected|secret|configmap|downward-api|empty-dir)\b)|volume-subpaths/i;
/** Events of what the kubelet writes to the disk of the node before a container is created. */
const WRITES: readonly (readonly [reason: string, says?: RegExp])[] = [
  ...NOT_PREPARED_REASONS.map((reason) => [reason, NOT_PREPARED] as const),
  ['FailedMount'],
  ['FailedMapVolume'],
  ['FailedCreatePodSandBox'],
];
/** The runtime says why it cannot create a container. */
const BY_RUNTIME: ReadonlySet<string> = new Set(['CreateContainerError', 'RunContainerError']);

/**
 * A kubelet goes on reporting Ready with a disk that has become read-only. The condition says so of volumes, too, and does
 * not end: it counts if what keeps the pod from starting says the same of the disk of the node.
 */
function isFailingByDisk(evidence: EvidenceSet, pod: PodEvidence, node: NodeEvidence): boolean {
  if (!isTrue(node, 'ReadonlyFilesystem')) return false;
  const said = [
    ...pod.containers.flatMap(({ waiting }) =>
      waiting !== undefined && BY_RUNTIME.has(waiting.reason) ? [waiting.message] : [],
    ),
    ...WRITES.map(([reason, says]) => startFailure(evidence, [reason], says)?.facts['problem'] ?? ''),
  ];
  return said.some((words) => DISK_FAILS.test(words) && !OF_VOLUME.test(words));
}

/** The question is about a node or its NodeClaim, and the node has registered. */
function passedByNode(evidence: EvidenceSet): (cause: Cause) => number {
  const subject = evidence.first('question')?.subject ?? '';
  const claims = evidence.all('nodeClaim');
  const hasRegistered =
    /^node(?:claim)?\//.test(subject) &&
    claims.length > 0 &&
    claims.every((each) => isTrue(each, 'Registered'));
  if (!hasRegistered) return () => 0;
  return (cause) => (doesBreakNodes(cause, evidence) ? 0 : layerIndex('scheduling'));
}

function doesBreakNodes({ breaksNodes = () => false }: Cause, evidence: EvidenceSet): boolean {
  return breaksNodes === true || breaksNodes(evidence);
}
