/**
 * What kube-scheduler says of existing nodes, in its event. It names one reason for each node, the first that it meets: taints,
 * then labels, then the rest. Nodes with other taints and labels are normal, so that a later reason decides.
 */
import { type EvidenceSet, type Match, schedulerRefusal, unreadOfPlan } from '../../causes/index.ts';

/** How kube-scheduler writes its reasons. */
export const SAYS = {
  taint: /had untolerated taint/,
  resources: /Insufficient \S+|Too many pods/,
  labels: /didn't match Pod's node affinity\/selector/,
  hostPort: /free ports for the requested pod ports/,
  topology: /topology spread constraints|pods? (?:anti-)?affinity rules/,
  volumeLimit: /exceed max volume count/,
  volumeClaimMissing: /persistentvolumeclaim "\S+" not found/,
  volumeMissing: /persistentvolume "\S+" not found|bound to non-existent (?:pv|persistentvolume)/,
  // Also the words of newer versions, and those for zones in the labels of a volume.
  volumeElsewhere:
    /volume node affinity conflict|match PersistentVolume's node affinity|no available volume zone/,
} as const;

/**
 * Most clusters have nodes with taints that keep the pod away on purpose: another reason of the event comes first, except
 * labels before a taint that a user has set. Of the node that was launched for the pod, its own taints decide.
 */
export function taintByEvent(evidence: EvidenceSet): Match | undefined {
  const match = schedulerRefusal(evidence, SAYS.taint);
  if (match === undefined) return undefined;
  const message = match.facts['problem'] ?? '';
  const node = evidence.first('node');
  const own = (node?.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule');
  const isNamed = own.some(({ key, value = '' }) => message.includes(`{${key}: ${value}}`));
  if (isNamed) return match;
  if (node !== undefined && (own.length === 0 || TAINT_NAMED.test(message))) return undefined;
  const others = OTHER_REASONS.filter((says) => says.test(message));
  const isCause = others.every((says) => says === SAYS.labels && namesTaintOfUser(message));
  return isCause ? match : { ...match, weight: 'suspicious' };
}

/** The scheduler checks taints before labels, so the nodes with the taint may be the ones that the pod selects. */
function namesTaintOfUser(message: string): boolean {
  return [...message.matchAll(TAINT_KEYS)].some(([, key = '']) => !SYSTEM_TAINT.test(key));
}

/** `{key: value}`; newer versions name no taint. */
const TAINT_NAMED = /had untolerated taint \{/;
const TAINT_KEYS = /had untolerated taint \{([^:}]+)/g;
const SYSTEM_TAINT =
  /^(?:CriticalAddonsOnly$|node-role\.kubernetes\.io\/|node\.(?:cloudprovider\.)?kubernetes\.io\/|karpenter\.sh\/)/;
const OTHER_REASONS = Object.values(SAYS).filter((says) => says !== SAYS.taint);

/** Nodes without the labels are there in every cluster: they are the reason only if no other node got further. */
export function labelsByEvent(evidence: EvidenceSet): Match | undefined {
  const match = schedulerRefusal(evidence, SAYS.labels);
  if (match === undefined) return undefined;
  const message = match.facts['problem'] ?? '';
  const isCause = !LATER_REASONS.some((says) => says.test(message));
  return isCause ? match : { ...match, weight: 'suspicious' };
}

/**
 * Of existing nodes only: a larger or another node would take the pod, and may be about to be launched. While what a plan
 * rests on cannot be read, that is not known.
 */
export function roomByEvent(evidence: EvidenceSet): Match | undefined {
  const match = schedulerRefusal(evidence, SAYS.resources);
  if (match === undefined) return undefined;
  const pod = evidence.first('pod');
  const isDaemon = pod?.isOfDaemonSet === true;
  const isYoung = pod !== undefined && evidence.ageMs(pod.createdAtMs) <= LAUNCHED_MS;
  const mayLaunch = !isDaemon && (isYoung || unreadOfPlan(evidence).length > 0);
  return {
    ...match,
    ...(mayLaunch ? { weight: 'suspicious' as const } : {}),
    title: isDaemon
      ? 'The node of a DaemonSet pod has no room for it'
      : 'The existing nodes have no room for the pod',
    fix: isDaemon ? DAEMON_ADVICE : ROOM_ADVICE,
  };
}

/** A cause is made of its words. */
export function hasRowOfEvent(evidence: EvidenceSet): boolean {
  const { taint: _, ...others } = SAYS;
  const isKnown = Object.values(others).some((says) => schedulerRefusal(evidence, says) !== undefined);
  return isKnown || taintByEvent(evidence) !== undefined;
}

// ---------------------------------------------------------------------------------------------------

/** The controller has launched a node, or said why not. */
const LAUNCHED_MS = 60_000;

const DAEMON_ADVICE =
  'No node is launched for pods of a DaemonSet: free room on the node, lower the requests of the DaemonSet, or give it a higher priorityClassName (system-node-critical), so that other pods make room. New nodes are planned with room for it.';
const ROOM_ADVICE =
  'Free room on these nodes, lower the requests of the pod, or let a NodePool launch another node for it.';

const LATER_REASONS = Object.values(SAYS).filter((says) => says !== SAYS.taint && says !== SAYS.labels);
