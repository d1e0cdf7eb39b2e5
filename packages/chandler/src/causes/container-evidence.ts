/** A container of a pod, as the spec and the status of the pod show it. */
import type { Read } from './reading.ts';
export interface ContainerEvidence {
  readonly name: string;
  readonly image: string;
  readonly init: boolean;
  readonly ready: boolean;
  /** Its process runs, also while its startup probe has not passed. */
  readonly running: boolean;
  /** Missing if it does not run, or the kubelet does not say it. */
  readonly runningSinceMs?: number | undefined;
  /** It runs, and its startup probe has passed. */
  readonly started: boolean;
  readonly restarts: number;
  readonly waiting: { readonly reason: string; readonly message: string } | undefined;
  readonly terminated: ContainerEnd | undefined;
  readonly lastTerminated: ContainerEnd | undefined;
  /** Its pod is Ready now, and it failed again and again: it has not run for much longer than it did the last time. */
  readonly failsRepeatedly: boolean;
  readonly probes: readonly ('startup' | 'readiness' | 'liveness')[];
  /** Of its probes for which the kubelet stops it. */
  readonly stops?: Readonly<Partial<Record<StoppingProbe, ProbeStop>>>;
  /** The time that its startup probe gives it, from its start on. */
  readonly startupMs?: number | undefined;
  /** Its readiness probe begins this time after its start. */
  readonly readinessDelayMs?: number | undefined;
  /** `Always`, `OnFailure` or `Never`: its own, or that of the pod. */
  readonly restartPolicy: string;
}

export type StoppingProbe = 'startup' | 'liveness';

export interface ProbeStop {
  /** So many in a row stop the container. */
  readonly failures: number;
  /** The kubelet stops no container that has run for less. */
  readonly earliestMs: number;
  /** They take so long, at most. */
  readonly failingMs: number;
  /** The kubelet then gives the container so long to end. */
  readonly graceMs: number;
}

export interface ContainerEnd {
  readonly reason: string;
  readonly exitCode: number;
  readonly signal: number | undefined;
  readonly message: string;
  /** Both missing if the kubelet has lost the container. */
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
}

/** The node was rebooted, or its runtime has lost the container: how it ended is not known. */
export function isLost({ reason }: ContainerEnd): boolean {
  return reason === 'Unknown' || reason === 'ContainerStatusUnknown';
}

/** It terminates on the node that another pod is nominated to. */
export interface PreemptedPod {
  /** `shop/old-1`. */
  readonly name: string;
  /** Its grace period was over. */
  readonly sinceMs: number;
  readonly finalizers: readonly string[];
}

/** Another pod, by which a volume of the pod in question is still used on its old node. */
export interface VolumeHolderEvidence extends Read {
  readonly kind: 'volumeHolder';
  /** `shop/web-1`. */
  readonly name: string;
  readonly isGone: boolean;
  /** When its grace period ends or has ended. Undefined: it is not being deleted. */
  readonly deletingSinceMs: number | undefined;
}
