/**
 * No runaway launches: no more claims than pods that needed capacity, and no claim that is created and
 * deleted repeatedly. A pod that the scheduler bound to another node than nominated may use the capacity of
 * another pod, which then needs a new node. So does a pod that waits on a node that is drained when the node
 * that it is meant for has to end.
 */
import type { ObservedChange, ObservedObject } from '../server-state/kube-state.ts';
import {
  type Check,
  couldNotBootstrap,
  isTrue,
  type MakeCheck,
  nodePoolOf,
  ownerKind,
  type View,
} from './check.ts';
import { hasToEnd } from './disruption/facts.ts';

/** How many claims with the same requests may fail in one run. */
const MAX_FAILURES_PER_REQUESTS = 30;
const REPLACEMENT = 'chandler.sh/replacement-for';

export const boundedLaunches: MakeCheck = (view): Check => {
  const needy = new Set<string>();
  const made = new Set<string>();
  /** Claims that were deleted before they became a node. */
  const lost = new Set<string>();
  const failures = new Map<string, number>();
  /** The claim that a pod was last nominated to, by UID of the pod. */
  const meant = new Map<string, string>();
  /** UIDs of pods that were on the node of a claim when it began to end, with the claim. */
  const arrived = new Set<string>();
  /** Claims that a process deleted, but not because they had to end or somebody else had deleted the node. */
  const ours = new Set<string>();
  /** Nodes that a process deleted. */
  const ourNodes = new Set<string>();
  const onClaim = (check: Check, type: ObservedChange['type'], object: ObservedObject) => {
    const uid = object.metadata.uid!;
    // The number of replacements is judged with their command.
    if (type === 'ADDED' && object.metadata.annotations?.[REPLACEMENT] === undefined) made.add(uid);
    if (!isEnding(type, object)) return;
    const { name = '' } = object.metadata;
    for (const { metadata } of podsOf(view, object)) {
      needy.add(`${metadata.uid} moves`);
      arrived.add(`${metadata.uid} ${name}`);
    }
    // No process wanted it to end before its pods came: they may wait on a node that is drained.
    if (!ours.has(name))
      for (const [pod, claim] of meant)
        if (claim === name && !arrived.has(`${pod} ${name}`)) needy.add(`${pod} was meant for ${name}`);
    // Until the node is ready, no pod is bound to it.
    if (lost.has(uid) || isTrue(object, 'Initialized')) return;
    lost.add(uid);
    if (isTrue(object, 'Registered')) return;
    const shape = `${nodePoolOf(object)} ${JSON.stringify(object.spec.resources?.requests)}`;
    const count = (failures.get(shape) ?? 0) + 1;
    failures.set(shape, count);
    if (count > MAX_FAILURES_PER_REQUESTS) view.violated(check.name, `${count} claims for ${shape} failed`);
  };
  return {
    name: 'bounded launches',
    onKube({ kind, type, object }) {
      if (kind === 'events') noteNomination(meant, object);
      if (kind === 'pods') for (const need of needsOf(view, object, meant)) needy.add(need);
      if (kind === 'daemonSets' && type === 'ADDED') for (const need of needsBeside(view)) needy.add(need);
      if (kind === 'claims') onClaim(this, type, object);
    },
    onSend({ server, method, path }) {
      if (server !== 'kube' || method !== 'DELETE') return;
      const [, kind, name = ''] = /\/(nodeclaims|nodes)\/([^/]+)$/.exec(path) ?? [];
      if (kind === 'nodes') ourNodes.add(name);
      const node = view.kube.get('nodes', view.story.nodeNameOf(view.kube, name) ?? '');
      const isFollowing =
        node?.metadata.deletionTimestamp !== undefined && !ourNodes.has(node.metadata.name!);
      if (kind === 'nodeclaims' && !isFollowing && !isForced(view, name)) ours.add(name);
    },
    periodically() {
      if (made.size > needy.size + lost.size)
        view.violated(
          this.name,
          `${made.size} claims were created for ${needy.size} pods that needed capacity; ${lost.size} claims failed`,
        );
    },
  };
};

// ---------------------------------------------------------------------------------------------------

function isEnding(type: ObservedChange['type'], claim: ObservedObject): boolean {
  return type === 'DELETED' || claim.metadata.deletionTimestamp !== undefined || couldNotBootstrap(claim);
}

/** An instance was stopped, say. A claim that has not become a node counts as lost, once, whatever ended it. */
function isForced(view: View, name: string): boolean {
  const claim = view.kube.get('claims', name);
  return claim !== undefined && isTrue(claim, 'Initialized') && hasToEnd(view, claim);
}

/** A pending pod needs capacity, and so does a pod on a node that is being deleted. */
function needsOf(
  { kube, story }: View,
  pod: ObservedObject,
  meant: ReadonlyMap<string, string>,
): readonly string[] {
  if (ownerKind(pod) === 'DaemonSet') return [];
  const { uid } = pod.metadata;
  if (pod.spec.nodeName === undefined) return [uid!];
  const node = kube.get('nodes', pod.spec.nodeName);
  const asMeant = story.nodeNameOf(kube, meant.get(uid!) ?? '') === pod.spec.nodeName;
  const elsewhere = asMeant ? [] : [`${uid} elsewhere`];
  return node?.metadata.deletionTimestamp === undefined ? elsewhere : [`${uid} moves`, ...elsewhere];
}

function podsOf({ kube }: View, claim: ObservedObject): readonly ObservedObject[] {
  const { nodeName } = claim.status ?? {};
  return nodeName === undefined ? [] : kube.list('pods').filter(({ spec }) => spec.nodeName === nodeName);
}

/** A new daemon on an in-flight node may leave too little capacity for the nominated pod. */
function needsBeside({ kube }: View): readonly string[] {
  return kube
    .list('pods')
    .filter((pod) => pod.spec.nodeName === undefined && ownerKind(pod) !== 'DaemonSet')
    .map(({ metadata }) => `${metadata.uid} beside a daemon`);
}

function noteNomination(meant: Map<string, string>, object: ObservedObject): void {
  const event = object as unknown as { reason?: string; message?: string; involvedObject?: { uid?: string } };
  const [, claim] = /nodeclaim\/([a-z0-9-]+)/.exec(event.message ?? '') ?? [];
  if (event.reason === 'Nominated' && claim !== undefined) meant.set(event.involvedObject?.uid ?? '', claim);
}
