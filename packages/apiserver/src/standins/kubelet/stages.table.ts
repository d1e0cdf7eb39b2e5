/**
 * How pods behave on stand-in nodes: which behaviour a pod has, and its stages with the time each takes. A new behaviour
 * is a row in each table. Times are for `speed: 1` and can be set for a pod by annotation.
 */

const PREFIX = 'chandler.sh/playground-';

/** Annotations that a user sets on a pod (or its template). Seconds may have a fraction. */
export const PodAnnotation = {
  /** One of the names in `BEHAVIOURS`. */
  behaviour: `${PREFIX}behaviour`,
  /** From scheduled to its containers running. */
  startSeconds: `${PREFIX}start-seconds`,
  /** From running to ready. */
  readySeconds: `${PREFIX}ready-seconds`,
  /** The running time of pods that complete. */
  runSeconds: `${PREFIX}run-seconds`,
  /** The exit code of a pod that completes. Default 0. */
  exitCode: `${PREFIX}exit-code`,
  /** From the deletion request to the end. At most its grace period. */
  stopSeconds: `${PREFIX}stop-seconds`,
} as const;

export type BehaviourName = 'Runs' | 'Completes' | 'ImagePullBackOff' | 'CrashLoopBackOff' | 'NeverReady';

/** The first row that matches is the pod's behaviour: its annotation says so, or an image of it matches. */
export const BEHAVIOURS: readonly { readonly name: BehaviourName; readonly image?: RegExp }[] = [
  { name: 'ImagePullBackOff', image: /(^|\/)(image-not-found|does-not-exist)\b/ },
  { name: 'CrashLoopBackOff', image: /(^|\/)crash(es|-loop)?(:|@|$)/ },
  { name: 'NeverReady', image: /(^|\/)never-ready\b/ },
  { name: 'Completes' },
  { name: 'Runs' },
];

/** The stages of a pod. Each is recognized from the status of the pod, so a restart loses nothing. */
export type Situation =
  | 'Scheduled'
  | 'Creating'
  | 'Running'
  | 'Ready'
  | 'ImagePullBackOff'
  | 'CrashLoopBackOff'
  | 'Finished';

export interface Stage {
  readonly from: Situation;
  readonly to: Situation;
  /** Default: every behaviour that has no row of its own for `from`. */
  readonly behaviour?: BehaviourName;
  readonly delayMs: number;
  /** The annotation that replaces the delay. */
  readonly delayAnnotation?: string;
  /** Doubles the delay with every restart, up to five minutes. */
  readonly backsOff?: boolean;
}

export const STAGES: readonly Stage[] = [
  { from: 'Scheduled', to: 'Creating', delayMs: 0 },
  { from: 'Creating', to: 'Running', delayMs: 200, delayAnnotation: PodAnnotation.startSeconds },
  { from: 'Running', to: 'Ready', delayMs: 100, delayAnnotation: PodAnnotation.readySeconds },

  {
    behaviour: 'Completes',
    from: 'Ready',
    to: 'Finished',
    delayMs: 1000,
    delayAnnotation: PodAnnotation.runSeconds,
  },

  { behaviour: 'ImagePullBackOff', from: 'Creating', to: 'ImagePullBackOff', delayMs: 500 },

  {
    behaviour: 'CrashLoopBackOff',
    from: 'Running',
    to: 'CrashLoopBackOff',
    delayMs: 500,
    delayAnnotation: PodAnnotation.runSeconds,
  },
  { behaviour: 'CrashLoopBackOff', from: 'CrashLoopBackOff', to: 'Running', delayMs: 10_000, backsOff: true },
];

/** Behaviours that stop before they are ready. */
export const FINAL_STAGES: readonly { readonly behaviour: BehaviourName; readonly from: Situation }[] = [
  { behaviour: 'NeverReady', from: 'Running' },
];

export const MAX_BACKOFF_MS = 300_000;
/** From the deletion request of a pod to its end. */
export const STOP_MS = 100;
