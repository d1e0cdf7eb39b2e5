/** Sorts pods: those to schedule, those bound to a node, and those that are ignored. */
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
    if (isOver(pod)) continue;
    if (nodeName) {
      if (!leaving.has(nodeName)) bound.push(pod);
      else if (!isBoundToNode(pod)) {
        moving++;
        pending.push(withoutNode(pod));
      }
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

function isOver({ metadata, status }: Pod): boolean {
  return (
    metadata.deletionTimestamp !== undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed'
  );
}

function isBoundToNode({ metadata }: Pod): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind }) => kind === 'DaemonSet' || kind === 'Node');
}

function withoutNode(pod: Pod): Pod {
  const { nodeName: _, ...spec } = pod.spec;
  return { ...pod, spec };
}
