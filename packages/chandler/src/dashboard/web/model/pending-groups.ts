/** Pending pods by workload, largest first: what the side of the cluster view lists. Pure. */
import type { PodRow } from '../../wire.ts';
import { podHasWords, wordsOf } from './choose-nodes.ts';
import { cores, memory } from './format.ts';

export interface PendingPods {
  readonly namespace: string;
  readonly workload: string;
  readonly pods: readonly PodRow[];
}

export function pendingByWorkload(pods: Iterable<PodRow>, q: string): PendingPods[] {
  const words = wordsOf(q);
  const groups = new Map<string, PodRow[]>();
  for (const pod of pods) {
    if (!podHasWords(pod, words)) continue;
    // A slash is in no namespace, so two keys are never the same text.
    const key = `${pod[0]}/${pod[6] || pod[1]}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [pod]);
    else group.push(pod);
  }
  return [...groups.values()]
    .map((members) => ({
      namespace: members[0]![0],
      workload: members[0]![6] || members[0]![1],
      pods: members,
    }))
    .sort((a, b) => b.pods.length - a.pods.length || (a.workload < b.workload ? -1 : 1));
}

/** What the pods of a group request, of each: beside their number a figure alone would be read as a sum. */
export function requestsText(pods: readonly PodRow[]): string {
  const text = `CPU ${span(
    pods.map((pod) => pod[4]),
    cores,
  )} and ${span(
    pods.map((pod) => pod[5]),
    memory,
  )}`;
  return pods.length === 1 ? text : `${text} each`;
}

function span(values: readonly number[], text: (value: number) => string): string {
  // There may be more pods than a function takes arguments.
  const least = text(values.reduce((found, value) => Math.min(found, value), Number.POSITIVE_INFINITY));
  const most = text(values.reduce((found, value) => Math.max(found, value), 0));
  return least === most ? least : `${least} to ${most}`;
}
