/**
 * Which pods became pending and were placed, as entries of the timeline, by workload. A pod that the scheduler places at once was
 * not pending for anybody. Pure: the time is given.
 */
import type { PagePod } from './page-pods.ts';
import type { Happened } from './wire.ts';

export class PendingPods {
  readonly #pending = new Map<string, Waiting>();
  #placed: { readonly pod: Waiting; readonly node: string }[] = [];

  /** @param now undefined: the pod is gone. */
  changed(before: PagePod | undefined, now: PagePod | undefined, nowMs: number): void {
    const { namespace = '', name = '' } = (now ?? before)?.metadata ?? {};
    const key = `${namespace}/${name}`;
    const known = this.#pending.get(key);
    if (now?.phase === 'p') {
      if (known !== undefined || this.#pending.size >= MAX_PENDING) return;
      const sinceMs = now.createdMs > 0 ? now.createdMs : nowMs;
      this.#pending.set(key, { key, group: `${namespace}/${now.workload}`, workload: now.workload, sinceMs });
      return;
    }
    if (known === undefined) return;
    this.#pending.delete(key);
    if (known.isTold === true && now !== undefined && now.nodeName !== '')
      this.#placed.push({ pod: known, node: now.nodeName });
  }

  /** What has not been told yet. @param quietMs how long a pod must have been pending. */
  take(nowMs: number, quietMs = QUIET_MS): readonly Happened[] {
    const due = [...this.#pending.values()].filter(
      ({ isTold, sinceMs }) => isTold !== true && nowMs - sinceMs >= quietMs,
    );
    for (const pod of due) pod.isTold = true;
    const placed = this.#placed;
    this.#placed = [];
    return [
      ...[...Map.groupBy(due, ({ group }) => group).values()].map((pods) => becamePending(pods)),
      ...[...Map.groupBy(placed, ({ pod }) => pod.group).values()].map((pods) => werePlaced(pods, nowMs)),
    ];
  }

  /** In how many ms there may be something to take; undefined: not before another change. */
  dueInMs(nowMs: number): number | undefined {
    let dueMs: number | undefined;
    for (const { isTold, sinceMs } of this.#pending.values())
      if (isTold !== true) dueMs = Math.min(dueMs ?? Number.POSITIVE_INFINITY, sinceMs + QUIET_MS - nowMs);
    return dueMs === undefined ? undefined : Math.max(0, dueMs);
  }
}

// ---------------------------------------------------------------------------------------------------

interface Waiting {
  readonly key: string;
  readonly group: string;
  readonly workload: string;
  readonly sinceMs: number;
  isTold?: boolean;
}

const QUIET_MS = 3_000;
/** Of more, the first ones stand for the rest. */
const MAX_PENDING = 20_000;

function becamePending(pods: readonly Waiting[]): Happened {
  const atMs = Math.min(...pods.map(({ sinceMs }) => sinceMs));
  const verb = pods.length === 1 ? 'is' : 'are';
  return entry(pods[0]!, atMs, 'Pending', `${podsOf(pods.length, pods[0]!)} ${verb} pending`);
}

function werePlaced(
  pods: readonly { readonly pod: Waiting; readonly node: string }[],
  nowMs: number,
): Happened {
  const nodes = new Set(pods.map(({ node }) => node)).size;
  const { pod } = pods[0]!;
  const verb = pods.length === 1 ? 'was' : 'were';
  const where = nodes === 1 ? `node ${pods[0]!.node}` : `${nodes} nodes`;
  return entry(pod, nowMs, 'Placed', `${podsOf(pods.length, pod)} ${verb} placed on ${where}`);
}

function podsOf(count: number, { workload, key }: Waiting): string {
  return workload.startsWith('Pod/')
    ? `pod ${key}`
    : `${count} ${count === 1 ? 'pod' : 'pods'} of ${workload}`;
}

function entry({ key }: Waiting, atMs: number, reason: string, text: string): Happened {
  return { atMs, what: 'pending', subject: `Pod/${key}`, reason, text, warning: false };
}
