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
  isTrue,
  lastEnd,
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
  const rankOf = (group: readonly PodState[]) => Math.max(...group.map(({ rank }) => rank));
  const groups = [...Map.groupBy(all, ({ name }) => name).values()].sort(
    (one, other) => rankOf(other) - rankOf(one) || other.length - one.length,
  );
  const [worst, ...rest] = groups;
  if (worst === undefined) return undefined;
  const { pod } = worst.find(({ rank }) => rank === rankOf(worst))!;
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
  /** 2: it fails, or takes longer than usual. 1: it is Ready until it fails again. 0: it may be well in a moment. */
  readonly rank: number;
}

function stateOf(pod: PodEvidence, known: EvidenceSet): PodState {
  const { atMs } = known;
  if (pod.deletingSinceMs !== undefined) return { name: 'terminating', rank: 2 };
  if (pod.nodeName === undefined)
    return { name: 'Pending', rank: atMs - pod.createdAtMs > PENDING_USUAL_MS ? 2 : 0 };
  if (isTrue(pod, 'Ready')) {
    // One that ends without an error may be meant to: its events were not read yet.
    const fails = pod.containers.some((each) => each.failsRepeatedly && lastEnd(each, atMs)?.exitCode !== 0);
    return { name: 'Ready, and restarted again and again', rank: fails ? 1 : 0 };
  }
  const [failing] = failingByThemselves(pod, atMs);
  if (failing !== undefined) {
    if (waitsForImage(failing)) return { name: 'waiting for an image', rank: 2 };
    const { waiting } = failing;
    const crashes = waiting === undefined || waiting.reason === 'CrashLoopBackOff';
    return { name: crashes ? 'crashing' : `waiting (${waiting.reason})`, rank: 2 };
  }
  const isBeingCreated = pod.containers.some((each) => each.waiting !== undefined && isPrepared(each));
  const isInTime = badContainers(pod).some((each) => isStarting(known, pod, each));
  return {
    name: isBeingCreated ? 'starting' : 'Running but not Ready',
    rank: !isInTime && atMs - stepSinceMs(known, pod) > UNREADY_USUAL_MS ? 2 : 0,
  };
}
