/** Fixes in place of the usual one of a row, by what is known of the NodePool, its nodes or the volume. */
import { DISRUPTED_TAINT, KubernetesLabel } from '../../api/index.ts';
import type { Match } from '../../causes/index.ts';

/** A node of a static NodePool is cordoned. */
export function withFixForNodes(match: Match | undefined): Match | undefined {
  if (match?.facts['cordoned'] !== undefined) return { ...match, fix: UNCORDON };
  if (match?.facts['unread'] !== undefined) return { ...match, fix: CHECK_NODES };
  const taint = match?.facts['taint'];
  if (match === undefined || taint === undefined) return match;
  return { ...match, fix: taint.startsWith(DISRUPTED_TAINT.key) ? REPLACED : TAINTED };
}

/** A static NodePool lacks labels that the pod requires; or there may be nodes that have them, which could not be read. */
export function withFixForLabels(match: Match | undefined, areNodesUnread: boolean): Match | undefined {
  if (match === undefined) return undefined;
  const own = match.facts['replicas'] === undefined ? match : { ...match, fix: LABELS_OF_STATIC };
  return areNodesUnread
    ? { ...own, title: LABELS_OF_POOLS, fix: `${NODES_FIRST} ${own.fix ?? LABELS}` }
    : own;
}

/** An overlay would add the resource, and does not count. */
export function withFixForOverlay(match: Match | undefined): Match | undefined {
  if (match?.facts['overlay'] === undefined) return match;
  return { ...match, fix: INVALID_OVERLAY, confirm: ['kubectl describe nodeoverlay {overlay}'] };
}

/** No new node has the name of an existing one. */
export function withFixForName(match: Match | undefined): Match | undefined {
  const isNamed = match?.facts['selector']?.split(',').some((each) => each.startsWith(NAMED)) === true;
  return isNamed ? { ...match!, fix: NODE_BY_NAME } : match;
}

/** The volume is on one host, or in a zone that a static NodePool allows, or may allow, and has no node in. */
export function withFixForPlace(match: Match | undefined): Match | undefined {
  if (match === undefined) return undefined;
  const { key, isAllowed, replicas } = match.facts;
  if (key === KubernetesLabel.hostname) return { ...match, fix: NODE_OF_HOST };
  if (isAllowed !== undefined) return { ...match, fix: NODE_IN_ZONE };
  return replicas !== undefined && key === undefined ? { ...match, fix: FIND_ZONE } : match;
}

// ---------------------------------------------------------------------------------------------------

const INVALID_OVERLAY =
  'Correct NodeOverlay {overlay}: of overlays that disagree on the same instance types, give one a higher spec.weight, or change their requirements. The controller says in its conditions what is wrong with it.';

const NAMED = `${KubernetesLabel.hostname}=`;

const NODE_BY_NAME =
  'The pod requires node {existing} by its name, so that no new node can take it. Make sure that this node is Ready and not cordoned, and free room on it, or remove kubernetes.io/hostname from the nodeSelector or the affinity of the pod.';

const UNCORDON =
  'If node {cordoned} should take pods again, run kubectl uncordon {cordoned}. Otherwise raise spec.replicas of the NodePool, free room on its nodes, or use a NodePool without spec.replicas.';

const CHECK_NODES =
  'Check first whether the nodes of the NodePool are there and Ready (kubectl get nodeclaims,nodes -l karpenter.sh/nodepool={nodePool}), or ask again with credentials that may list both: they could not be read (see "Not read" below). If one is missing or not Ready, that is to be repaired. If all are well: raise spec.replicas of the NodePool, free room on its nodes, or use a NodePool without spec.replicas.';

const LABELS_OF_POOLS = 'No NodePool launches nodes with the labels that the pod requires';

const NODES_FIRST =
  'Existing nodes could not be read (see "Not read" below), and one may have the labels: check with kubectl get nodes --show-labels. If none has them:';

/** Of a pod that no node takes for its labels. */
export const LABELS =
  'Correct the nodeSelector or the affinity of the pod (a label may be misspelled), or add the value to the NodePool.';

const TAINTED =
  'Find out who set the taint on node {tainted}, and remove it if the node should take pods (kubectl taint node {tainted} KEY-), or add a toleration to the pod. Otherwise raise spec.replicas of the NodePool, free room on its nodes, or use a NodePool without spec.replicas.';

const REPLACED =
  'Node {tainted} is being disrupted: if it is drifted or unhealthy, its replacement takes pods once it is Ready (chandler why node/{tainted}). Otherwise raise spec.replicas of the NodePool, free room on its nodes, or use a NodePool without spec.replicas.';

const LABELS_OF_STATIC =
  'Correct the nodeSelector or the affinity of the pod (a label may be misspelled). Or add the value to the NodePool, and raise spec.replicas: the nodes of a static NodePool keep their labels until they are replaced.';

const NODE_OF_HOST =
  'The volume is on host {place}, and no other node can mount it. Make sure that this node is there, Ready and not cordoned, and has room for the pod. Only if the data is not needed, delete the PersistentVolumeClaim.';

const FIND_ZONE =
  'Check in which zone the volume is. If NodePool {nodePool} does not allow it, allow it, and raise spec.replicas. If it does, use a NodePool that requires this zone, and let the pod select it: a static NodePool leaves the zone of each node to the cloud.';

/** A static NodePool launches nodes without regard to pods and volumes. */
const NODE_IN_ZONE =
  'For this volume, use a NodePool with the requirement {key} In [{values}], and let the pod select it: one static NodePool for each zone keeps a node in the zone. NodePool {nodePool} leaves the zone of each node to the cloud. Or delete the NodeClaim of a node in a zone where no volume needs it: the node that replaces it may be in any zone.';
