/**
 * Chooses, of the pods of a workload that are not well, the one to explain: one of the state that most of them are in. What
 * fails, or has lasted for longer than usual, comes before what may be well in a moment.
 */
import {
  badContainers,
  type EvidenceSet,
  failingByThemselves,
  isPrepared,
  isStarting,
  type PodEvidence,
  stepSinceMs,
  waitsForImage,
} from '../../../causes/index.ts';

import type { GatherContext } from '../gather-context.ts';
import { podEvidence } from '../pods.ts';
import type { PodShape } from '../shapes.ts';
import { byAge } from './workload-shapes.ts';

export interface WorstPod {
  readonly pod: PodShape;
  /** `1 other pod is like it; 2 are Pending`. Undefined: there are no others. */
  readonly others: string | undefined;
}

export function worstOf(context: GatherContext, bad: readonly PodShape[]): WorstPod | undefined {
  const known = context.recorder.evidence();
  const all = bad.toSorted(byAge).map((pod) => ({ pod, ...stateOf(podEvidence(context, pod), known) }));
  const groups = [...Map.groupBy(all, ({ name }) => name).values()].sort(
    (one, other) =>
      Number(other.some(({ isLasting }) => isLasting)) - Number(one.some(({ isLasting }) => isLasting)) ||
      other.length - one.length,
  );
  const [worst, ...rest] = groups;
  if (worst === undefined) return undefined;
  const { pod } = worst.find(({ isLasting }) => isLasting) ?? worst[0]!;
  const like = worst.length - 1;
  const texts = [
    ...(like === 0 ? [] : [like === 1 ? '1 other pod is like it' : `${like} other pods are like it`]),
    ...rest.map((group) => `${group.length} ${group.length === 1 ? 'is' : 'are'} ${group[0]!.name}`),
  ];
  return { pod, others: texts.length === 0 ? undefined : texts.join('; ') };
}

// ---------------------------------------------------------------------------------------------------

/** The controller has decided about a pod by then. */
const PENDING_USUAL_MS = 60_000;
const UNREADY_USUAL_MS = 2 * 60_000;

interface PodState {
  readonly name: string;
  /** It fails, or takes longer than usual. */
  readonly isLasting: boolean;
}

function stateOf(pod: PodEvidence, known: EvidenceSet): PodState {
  const { atMs } = known;
  if (pod.deletingSinceMs !== undefined) return { name: 'terminating', isLasting: true };
  if (pod.nodeName === undefined)
    return { name: 'Pending', isLasting: atMs - pod.createdAtMs > PENDING_USUAL_MS };
  const [failing] = failingByThemselves(pod, atMs);
  if (failing !== undefined) {
    if (waitsForImage(failing)) return { name: 'waiting for an image', isLasting: true };
    const { waiting } = failing;
    const crashes = waiting === undefined || waiting.reason === 'CrashLoopBackOff';
    return { name: crashes ? 'crashing' : `waiting (${waiting.reason})`, isLasting: true };
  }
  const isBeingCreated = pod.containers.some((each) => each.waiting !== undefined && isPrepared(each));
  const isInTime = badContainers(pod).some((each) => isStarting(known, pod, each));
  return {
    name: isBeingCreated ? 'starting' : 'Running but not Ready',
    isLasting: !isInTime && atMs - stepSinceMs(known, pod) > UNREADY_USUAL_MS,
  };
}
