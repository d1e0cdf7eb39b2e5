/**
 * Budgets: at the moment when a node is marked, the nodes of its pool that are being disrupted are no more than
 * the budgets of the pool allow for the reason. A process may be unaware of what changed in the last moments;
 * how long that can be depends on the faults. Within this time the state that is best for it counts.
 */
import type { Mark } from '../../server-state/disruption-marks.ts';
import type { ObservedChange, ObservedObject } from '../../server-state/kube-state.ts';
import { type Check, isTrue, type MakeCheck, nodePoolOf, type View } from '../check.ts';
import { durationMs, nodeOfClaim, Since } from './facts.ts';

export const disruptionBudgets: MakeCheck = (view): Check => {
  const pools = new Map<string, PoolVersion[]>();
  const counted = new Map<string, CountedNode>();
  const notReady = new Since();
  const deleting = new Since();
  const nowMs = () => view.servers.world.clock.monotonic();
  const noteClaim = (claim: ObservedObject, gone: boolean) => {
    const { uid, deletionTimestamp } = claim.metadata;
    const counts = !gone && isTrue(claim, 'Initialized') && !isTrue(claim, 'InstanceTerminating');
    const known = counted.get(uid!);
    if (counts) counted.set(uid!, { pool: nodePoolOf(claim), untilMs: Number.POSITIVE_INFINITY });
    else if (known !== undefined && known.untilMs > nowMs())
      counted.set(uid!, { ...known, untilMs: nowMs() });
    deleting.note(uid!, !gone && deletionTimestamp !== undefined, nowMs());
  };
  const noteReadiness = () => {
    for (const claim of view.kube.list('claims')) {
      const node = nodeOfClaim(view, claim);
      notReady.note(claim.metadata.uid!, node === undefined || !isTrue(node, 'Ready'), nowMs());
    }
  };
  return {
    name: 'disruption budgets',
    onKube(change) {
      const { kind, type, object } = change;
      if (kind === 'pools') notePool(pools, change, nowMs());
      if (kind === 'claims') noteClaim(object, type === 'DELETED');
      if (kind === 'nodes' || kind === 'claims') noteReadiness();
    },
    onMark(mark) {
      const { pool, reason } = mark;
      const sinceMs = nowMs() - view.unseenMs;
      const nodes = [...counted].filter(([, node]) => node.pool === pool && node.untilMs >= sinceMs);
      const disrupting = nodes.filter(([uid, { untilMs }]) => {
        if (untilMs < nowMs() || isGone(view, uid)) return false;
        const known = Math.max(deleting.forMs(uid, nowMs()), notReady.forMs(uid, nowMs()));
        return view.marks.get(uid) !== undefined || known > view.unseenMs;
      });
      const allowed = mostAllowed(view, pools.get(pool) ?? [], nodes.length, mark);
      if (disrupting.length > allowed)
        view.violated(
          this.name,
          `${disrupting.length} of ${nodes.length} nodes of pool ${pool} are disrupted when ${mark.node} is marked as ${reason}; ${allowed} are allowed`,
        );
    },
  };
};

/** How many nodes a list of budgets allows at a time (ms since the epoch). */
export function allowedBy(
  budgets: readonly PoolBudget[],
  reason: string,
  nodes: number,
  atMs: number,
): number {
  const active = budgets.filter(
    ({ reasons, schedule, duration }) =>
      (reasons === undefined || reasons.includes(reason)) &&
      (schedule === undefined || isOpen(schedule, durationMs(duration ?? '') ?? 0, atMs)),
  );
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...active.map(({ nodes: text }) =>
      text.endsWith('%') ? Math.ceil((Number(text.slice(0, -1)) * nodes) / 100) : Number(text),
    ),
  );
}

export interface PoolBudget {
  readonly nodes: string;
  readonly reasons?: readonly string[];
  readonly schedule?: string;
  readonly duration?: string;
}

export function budgetsOf({ spec }: ObservedObject): readonly PoolBudget[] {
  return spec.disruption?.budgets ?? [{ nodes: '10%' }];
}

// ---------------------------------------------------------------------------------------------------

const MINUTE_MS = 60_000;

/** Of the node only the claim is left. */
function isGone(view: View, uid: string): boolean {
  const claim = view.kube.byUid('claims', uid);
  return (
    claim?.metadata.deletionTimestamp !== undefined &&
    nodeOfClaim(view, claim) === undefined &&
    view.cloud.instanceOf(uid) === undefined
  );
}

interface CountedNode {
  readonly pool: string;
  /** Until when it counted. */
  readonly untilMs: number;
}

interface PoolVersion {
  readonly fromMs: number;
  readonly budgets: readonly PoolBudget[];
}

function notePool(pools: Map<string, PoolVersion[]>, { type, object }: ObservedChange, fromMs: number): void {
  if (type === 'DELETED') return;
  const versions = pools.get(object.metadata.name!) ?? [];
  versions.push({ fromMs, budgets: budgetsOf(object) });
  pools.set(object.metadata.name!, versions);
}

/** The most that was allowed at any moment that the process may take for the present. */
function mostAllowed(view: View, versions: readonly PoolVersion[], nodes: number, { reason }: Mark): number {
  const { clock } = view.servers.world;
  const [untilMs, epochMs] = [clock.monotonic(), clock.now() - clock.monotonic()];
  const sinceMs = untilMs - view.unseenMs;
  const allowed = versions.flatMap(({ fromMs, budgets }, at) => {
    const toMs = Math.min(untilMs, versions[at + 1]?.fromMs ?? untilMs);
    if (toMs < sinceMs) return [];
    // A process that has not seen the next version goes by the windows of this one until now.
    const moments = [Math.max(fromMs, sinceMs), untilMs];
    for (let ms = Math.ceil(moments[0]! / MINUTE_MS) * MINUTE_MS; ms <= untilMs; ms += MINUTE_MS)
      moments.push(ms - 1, ms);
    return moments.map((ms) => allowedBy(budgets, reason, nodes, epochMs + ms));
  });
  return allowed.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...allowed);
}

/** Whether a hit of the schedule is no longer ago than the duration. Fields are `*`, `*` with a step, or a number. */
function isOpen(schedule: string, forMs: number, atMs: number): boolean {
  const fields = schedule.split(' ');
  const first = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
  for (let ms = first; atMs - ms < forMs; ms -= MINUTE_MS) if (isHit(fields, new Date(ms))) return true;
  return false;
}

function isHit(fields: readonly string[], at: Date): boolean {
  const values = [
    at.getUTCMinutes(),
    at.getUTCHours(),
    at.getUTCDate(),
    at.getUTCMonth() + 1,
    at.getUTCDay(),
  ];
  return fields.every((field, index) => {
    if (field === '*') return true;
    const [, step] = /^\*\/(\d+)$/.exec(field) ?? [];
    return step === undefined ? values[index] === Number(field) : values[index]! % Number(step) === 0;
  });
}
