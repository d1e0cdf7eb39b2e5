/**
 * Why a node is not drained yet: the status of each pod it waits for. Undefined while the drain makes progress. Pure;
 * `termination.ts` publishes it.
 */
import type { Pod, Stored } from '@chandler/kube';
import { doNotDisruptOf, isProtected } from '../../disruption/index.ts';
import { isTerminating } from '../../state/index.ts';

export interface DrainView {
  /** Pods the node waits for. */
  readonly waiting: readonly Stored<Pod>[];
  /** Of those, the pods that are being evicted. */
  readonly asked: readonly Stored<Pod>[];
  readonly nowMs: number;
  /** When the drain began. */
  readonly sinceMs: number;
  /** The error of the last eviction of a pod, if it was rejected. */
  readonly refusalOf: (pod: Stored<Pod>) => string | undefined;
}

/** Undefined while no pod is blocked and the drain is recent. */
export function drainProblem(view: DrainView): string | undefined {
  const { waiting, nowMs, sinceMs } = view;
  const pods = waiting.map((pod) => ({ name: nameOf(pod), ...statusOf(pod, view) }));
  if (!pods.some(({ held }) => held) && !(nowMs - sinceMs >= REPORT_AFTER_MS)) return undefined;
  pods.sort((one, other) => Number(other.held) - Number(one.held) || (one.name < other.name ? -1 : 1));
  const named = pods.slice(0, MAX_NAMED).map(({ name, why }) => `${name} (${why})`);
  const more = pods.length > MAX_NAMED ? ` and ${pods.length - MAX_NAMED} other(s)` : '';
  return `${pods.length} pod(s) are waiting to be evicted: ${named.join(', ')}${more}`;
}

// ---------------------------------------------------------------------------------------------------

const MAX_NAMED = 5;
const MAX_REFUSAL_LENGTH = 200;
/** Ordinary grace periods of all tiers take this long. */
const REPORT_AFTER_MS = 2 * 60_000;

interface Why {
  readonly why: string;
  /** It does not terminate by itself. */
  readonly held: boolean;
}

function statusOf(pod: Stored<Pod>, { asked, nowMs, refusalOf }: DrainView): Why {
  const { deletionTimestamp } = pod.metadata;
  if (isTerminating(pod)) return { why: `ends by ${deletionTimestamp}`, held: false };
  if (isProtected(pod, nowMs)) return { why: `do-not-disrupt${untilOf(pod)}`, held: true };
  if (!asked.includes(pod)) return { why: 'waits for other pods to be evicted first', held: false };
  const refusal = refusalOf(pod);
  if (refusal !== undefined) return { why: refusal.slice(0, MAX_REFUSAL_LENGTH), held: true };
  return { why: 'eviction requested', held: false };
}

function untilOf(pod: Stored<Pod>): string {
  const doNotDisrupt = doNotDisruptOf(pod);
  if (doNotDisrupt.state !== 'until' || doNotDisrupt.untilMs === undefined) return '';
  return ` until ${new Date(doNotDisrupt.untilMs).toISOString().replace(/\.\d+Z$/, 'Z')}`;
}

function nameOf({ metadata }: Stored<Pod>): string {
  return `${metadata.namespace}/${metadata.name}`;
}
