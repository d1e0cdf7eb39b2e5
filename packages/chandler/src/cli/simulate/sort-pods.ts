/** Sorts pods: those to schedule, those bound to a node, and those that are ignored. */
import { isTerminal, isTerminating } from '@chandler/kube';
import type { Pod } from '../../scheduling/index.ts';

export interface SortedPods {
  readonly pending: readonly Pod[];
  readonly bound: readonly Pod[];
  readonly notes: readonly string[];
}

/** @param leaving nodes that are being deleted: their pods are scheduled again. */
export function sortPods(pods: readonly Pod[], leaving: ReadonlySet<string>): SortedPods {
  const pending: Pod[] = [];
  const bound: Pod[] = [];
  let gated = 0;
  let moving = 0;
  for (const pod of pods) {
    const { nodeName, schedulingGates } = pod.spec as PodWithGates;
    if (isTerminal(pod)) continue;
    // A terminating pod uses its node until it is gone, as for the controller.
    if (nodeName && !leaving.has(nodeName)) bound.push(pod);
    else if (isTerminating(pod)) continue;
    else if (nodeName) {
      if (isBoundToNode(pod)) continue;
      moving++;
      pending.push(withoutNode(pod));
    } else if (schedulingGates !== undefined && schedulingGates.length > 0) gated++;
    // DaemonSet pods are created for every node; they count as daemons.
    else if (!isBoundToNode(pod)) pending.push(pod);
  }
  const notes = [
    ...(gated === 0 ? [] : [`${gated} pods have a scheduling gate and are ignored.`]),
    ...(moving === 0 ? [] : [`${moving} pods run on nodes that are being deleted and are scheduled again.`]),
  ];
  return { pending, bound, notes };
}

// ---------------------------------------------------------------------------------------------------------------

type PodWithGates = Pod['spec'] & { readonly schedulingGates?: readonly unknown[] };

function isBoundToNode({ metadata }: Pod): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind }) => kind === 'DaemonSet' || kind === 'Node');
}

function withoutNode(pod: Pod): Pod {
  const { nodeName: _, ...spec } = pod.spec;
  return { ...pod, spec };
}
