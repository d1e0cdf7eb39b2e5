/**
 * What keeps a node at the moment when it is marked: do-not-disrupt on the node and on its pods, also for a
 * duration, PodDisruptionBudgets that allow no eviction, and, for a node that is removed because it is empty, pods.
 * This is also what validation checks again. A process may be unaware of what changed in the last moments, and a new leader
 * continues what another one has begun to mark.
 */
import type { Mark } from '../../server-state/disruption-marks.ts';
import type { ObservedObject } from '../../server-state/kube-state.ts';
import { type Check, conditionOf, type MakeCheck, type View } from '../check.ts';
import {
  asksForSurge,
  isActive,
  isProtectedNode,
  isProtectedPod,
  moves,
  podsOn,
  Since,
  staysOnDrain,
} from './facts.ts';

export const nothingBlockedIsDisrupted: MakeCheck = (view): Check => {
  const held = new Since();
  const nowMs = () => view.servers.world.clock.monotonic();
  const knownAt = (recordedMs: number) => (key: string) =>
    held.forMs(key, nowMs()) > view.unseenMs + (nowMs() - recordedMs);
  return {
    name: 'nothing blocked is disrupted',
    onKube({ kind, type, object }) {
      const { uid } = object.metadata;
      const exists = type !== 'DELETED';
      if (kind === 'nodes') held.note(`node ${uid}`, exists && isProtectedNode(object), nowMs());
      if (kind === 'budgets')
        held.note(`budget ${uid}`, exists && (object.status?.disruptionsAllowed ?? 0) <= 0, nowMs());
      if (kind !== 'pods') return;
      const bound = exists && isActive(object) && object.spec.nodeName !== undefined;
      held.note(`pod ${uid}`, bound, nowMs());
      held.note(`protected ${uid}`, bound && isAnnotated(object), nowMs());
    },
    onMark(mark) {
      const known = knownAt(mark.recordedMs);
      const report = (what: string) =>
        view.violated(this.name, `${mark.node} is marked as ${mark.reason} although ${what}`);
      const node = view.kube.get('nodes', mark.node);
      if (node !== undefined && isProtectedNode(node) && known(`node ${node.metadata.uid}`))
        report('it has do-not-disrupt');
      for (const pod of podsOn(view, mark.node).filter(isActive)) {
        const { name, uid } = pod.metadata;
        if (mark.reason === 'Empty' && moves(pod) && known(`pod ${uid}`)) report(`${name} runs on it`);
        if (isBounded(view, mark)) continue;
        if (isProtectedPod(pod, view.servers.world.clock.now()) && known(`protected ${uid}`))
          report(`${name} has do-not-disrupt`);
        // A rolling update is no eviction; another check sees what it does.
        const budget =
          staysOnDrain(pod) || asksForSurge(pod) || !known(`pod ${uid}`) ? undefined : budgetsOf(view, pod);
        const blocking = budget?.find(({ metadata }) => known(`budget ${metadata.uid}`));
        if (blocking !== undefined)
          report(`the budget ${blocking.metadata.name} does not allow to evict ${name}`);
      }
    },
  };
};

// ---------------------------------------------------------------------------------------------------

function isAnnotated({ metadata }: ObservedObject): boolean {
  return metadata.annotations?.['karpenter.sh/do-not-disrupt'] !== undefined;
}

/** A drifted node with a termination grace period is drained whatever its pods say. */
function isBounded({ kube }: View, { uid, reason }: Mark): boolean {
  return reason === 'Drifted' && kube.byUid('claims', uid)?.spec.terminationGracePeriod !== undefined;
}

/** Those that select the pod, except where a pod that is not ready may be evicted anyway. */
function budgetsOf({ kube }: View, pod: ObservedObject): readonly ObservedObject[] {
  const ready = conditionOf(pod, 'Ready')?.status === 'True';
  return kube.list('budgets').filter(({ metadata, spec }) => {
    if (metadata.namespace !== pod.metadata.namespace) return false;
    if (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' && !ready) return false;
    const labels = Object.entries((spec.selector?.matchLabels ?? {}) as Record<string, string>);
    return labels.length > 0 && labels.every(([key, value]) => pod.metadata.labels?.[key] === value);
  });
}
