/**
 * Why a node is not empty yet, in words: what each pod that is waited for waits for itself. Nothing is said while pods go
 * as they should. Pure; who tells it is `termination.ts`.
 */
import { doNotDisruptOf, isProtected, isTerminating, type PodObject } from '../../state/index.ts';

export interface DrainView {
  /** Pods the node waits for. */
  readonly waiting: readonly PodObject[];
  /** Of those, whose turn it is. */
  readonly asked: readonly PodObject[];
  readonly nowMs: number;
  /** When the drain began. */
  readonly sinceMs: number;
  /** What the last attempt to evict a pod was answered, where it was a no. */
  readonly refusalOf: (pod: PodObject) => string | undefined;
}

/** Undefined while nothing holds any of the pods and the drain is young. */
export function drainProblem(view: DrainView): string | undefined {
  const { waiting, nowMs, sinceMs } = view;
  const pods = waiting.map((pod) => ({ name: nameOf(pod), ...whyItStays(pod, view) }));
  if (!pods.some(({ held }) => held) && !(nowMs - sinceMs >= PATIENCE_MS)) return undefined;
  pods.sort((one, other) => Number(other.held) - Number(one.held) || (one.name < other.name ? -1 : 1));
  const named = pods.slice(0, NAMED).map(({ name, why }) => `${name} (${why})`);
  const more = pods.length > NAMED ? ` and ${pods.length - NAMED} other(s)` : '';
  return `${pods.length} pod(s) are waiting to be evicted: ${named.join(', ')}${more}`;
}

// ---------------------------------------------------------------------------------------------------

const NAMED = 5;
const LONGEST_REFUSAL = 200;
/** Ordinary grace periods, tier by tier, take so long. */
const PATIENCE_MS = 2 * 60_000;

interface Why {
  readonly why: string;
  /** It will not go by itself. */
  readonly held: boolean;
}

function whyItStays(pod: PodObject, { asked, nowMs, refusalOf }: DrainView): Why {
  const { deletionTimestamp } = pod.metadata;
  if (isTerminating(pod)) return { why: `ends by ${deletionTimestamp}`, held: false };
  if (isProtected(pod, nowMs)) return { why: `do-not-disrupt${untilOf(pod)}`, held: true };
  if (!asked.includes(pod)) return { why: 'its turn comes after others', held: false };
  const refusal = refusalOf(pod);
  if (refusal !== undefined) return { why: refusal.slice(0, LONGEST_REFUSAL), held: true };
  return { why: 'asked to go', held: false };
}

function untilOf(pod: PodObject): string {
  const wish = doNotDisruptOf(pod);
  if (wish.state !== 'until' || wish.untilMs === undefined) return '';
  return ` until ${new Date(wish.untilMs).toISOString().replace(/\.\d+Z$/, 'Z')}`;
}

function nameOf({ metadata }: PodObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}
