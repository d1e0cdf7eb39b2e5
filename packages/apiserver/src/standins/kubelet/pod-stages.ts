/** The current stage of a pod and the next one. Pure: the pod and the tables decide. */
import type { Pod, Stored } from '@chandler/kube';
import { controllerOf, isFinished, isReady } from '../object-facts.ts';
import {
  BEHAVIOURS,
  type BehaviourName,
  FINAL_STAGES,
  MAX_BACKOFF_MS,
  PodAnnotation,
  type Situation,
  STAGES,
  STOP_MS,
  type Stage,
} from './stages.table.ts';

export interface Step {
  readonly to: Situation;
  readonly delayMs: number;
}

/** Undefined: the pod stays as it is. */
export function nextStep(pod: Stored<Pod>): Step | undefined {
  const from = situationOf(pod);
  const behaviour = behaviourOf(pod);
  if (FINAL_STAGES.some((end) => end.behaviour === behaviour && end.from === from)) return undefined;
  const candidates = STAGES.filter((stage) => stage.from === from);
  const stage =
    candidates.find((candidate) => candidate.behaviour === behaviour) ??
    candidates.find((candidate) => candidate.behaviour === undefined);
  return stage && { to: stage.to, delayMs: delayOf(stage, pod) };
}

/** How long a pod takes to stop once it is to be deleted. Its grace period is the limit. */
export function stopDelayMs(pod: Stored<Pod>): number {
  const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 30) * 1000;
  return Math.min(graceMs, annotatedMs(pod, PodAnnotation.stopSeconds) ?? STOP_MS);
}

export function situationOf(pod: Stored<Pod>): Situation {
  if (isFinished(pod)) return 'Finished';
  const statuses = pod.status?.containerStatuses ?? [];
  if (statuses.length === 0) return 'Scheduled';
  const waiting = statuses.map(
    (status) => (status.state?.['waiting'] as { reason?: string } | undefined)?.reason,
  );
  if (waiting.includes('CrashLoopBackOff')) return 'CrashLoopBackOff';
  if (waiting.includes('ImagePullBackOff')) return 'ImagePullBackOff';
  if (waiting.some((reason) => reason !== undefined)) return 'Creating';
  return isReady(pod) || conditionsReady(pod) ? 'Ready' : 'Running';
}

export function behaviourOf(pod: Stored<Pod>): BehaviourName {
  const wanted = pod.metadata.annotations?.[PodAnnotation.behaviour];
  const images = pod.spec.containers.map((container) => container.image ?? '');
  const found =
    BEHAVIOURS.find(({ name }) => name === wanted) ??
    BEHAVIOURS.find(({ image }) => image !== undefined && images.some((name) => image.test(name)));
  if (found) return found.name;
  return runsToCompletion(pod) ? 'Completes' : 'Runs';
}

export function exitCodeOf(pod: Stored<Pod>): number {
  return Number(pod.metadata.annotations?.[PodAnnotation.exitCode] ?? 0) || 0;
}

// ---------------------------------------------------------------------------------------------------

/** Pods of jobs complete; others only when their running time is set. */
function runsToCompletion(pod: Stored<Pod>): boolean {
  if ((pod.spec.restartPolicy ?? 'Always') === 'Always') return false;
  const annotations = pod.metadata.annotations ?? {};
  return (
    controllerOf(pod)?.kind === 'Job' ||
    annotations[PodAnnotation.runSeconds] !== undefined ||
    annotations[PodAnnotation.exitCode] !== undefined
  );
}

/** Readiness gates may delay a pod whose containers are ready; its stages continue. */
function conditionsReady(pod: Stored<Pod>): boolean {
  return (pod.status?.containerStatuses ?? []).every((status) => status.ready);
}

function delayOf(stage: Stage, pod: Stored<Pod>): number {
  const plainMs =
    (stage.delayAnnotation === undefined ? undefined : annotatedMs(pod, stage.delayAnnotation)) ??
    stage.delayMs;
  if (!stage.backsOff) return plainMs;
  const restarts = Math.max(
    0,
    ...(pod.status?.containerStatuses ?? []).map((status) => status.restartCount ?? 0),
  );
  return Math.min(MAX_BACKOFF_MS, plainMs * 2 ** Math.max(0, restarts - 1));
}

function annotatedMs(pod: Stored<Pod>, annotation: string): number | undefined {
  const text = pod.metadata.annotations?.[annotation];
  const seconds = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}
