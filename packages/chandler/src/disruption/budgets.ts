/**
 * How many nodes of a NodePool may be disrupted now, by reason. The smallest active budget counts. A budget that cannot be
 * read blocks every reason of its pool, and the verdict names its field and value: no disruption is safer than too much.
 */
import {
  CronError,
  conditionOf,
  DurationError,
  isWindowActive,
  parseCron,
  parseDuration,
} from '@chandler/kube';
import { type Budget, DISRUPTION_REASONS } from '../api/index.ts';
import type { PoolObject } from '../scheduling/index.ts';
import { type DisruptionNode, type DisruptionReason, isReady, isRebooting } from './model.ts';
import type { FieldProblem } from './pool-rules.ts';

export interface BudgetVerdict {
  readonly nodePool: string;
  readonly reason: DisruptionReason;
  /** Nodes of the pool that count. */
  readonly nodes: number;
  /** Of those, the ones that are disrupted already: being deleted, rebooting or not ready. */
  readonly disrupting: number;
  /** How many may be disrupted at once; undefined: no budget is active. */
  readonly allowed: number | undefined;
  /** How many more may be disrupted now; undefined: any number. */
  readonly available: number | undefined;
  /** The budget that decides: its index in the spec. */
  readonly index?: number;
  readonly problem?: BudgetProblem;
}

/** What is wrong with a budget. */
export type BudgetProblem = FieldProblem;

/** Of every pool and every reason, in the order of the pools. */
export function budgetVerdicts(
  pools: readonly PoolObject[],
  nodes: readonly DisruptionNode[],
  nowMs: number,
): readonly BudgetVerdict[] {
  const byPool = Map.groupBy(nodes, ({ nodePool }) => nodePool ?? '');
  return pools.flatMap((pool) => {
    const own = byPool.get(pool.metadata.name ?? '') ?? [];
    return DISRUPTION_REASONS.map((reason) => budgetVerdict(pool, own, reason, nowMs));
  });
}

/** @param nodes the nodes of the pool. */
export function budgetVerdict(
  pool: PoolObject,
  nodes: readonly DisruptionNode[],
  reason: DisruptionReason,
  nowMs: number,
): BudgetVerdict {
  const counted = nodes.filter(counts);
  const disrupting = counted.filter((node) => isDisrupting(node, reason)).length;
  const base = { nodePool: pool.metadata.name ?? '', reason, nodes: counted.length, disrupting };
  const budgets = pool.spec.disruption?.budgets ?? DEFAULT_BUDGETS;
  const read = budgets.map((budget, index) => readBudget(budget, index, nowMs));
  const wrong = read.find((each) => 'problem' in each);
  if (wrong !== undefined && 'problem' in wrong)
    return { ...base, allowed: 0, available: 0, problem: wrong.problem };
  let allowed: number | undefined;
  let decides: number | undefined;
  for (const [index, each] of read.entries()) {
    if ('problem' in each || !each.active) continue;
    if (budgets[index]!.reasons?.includes(reason) === false) continue;
    const value = each.percent ? Math.ceil((each.count * counted.length) / 100) : each.count;
    if (allowed !== undefined && allowed <= value) continue;
    allowed = value;
    decides = index;
  }
  if (allowed === undefined) return { ...base, allowed: undefined, available: undefined };
  return { ...base, allowed, available: Math.max(0, allowed - disrupting), index: decides! };
}

/** Of a NodePool without budgets, as the CRD has it. */
export const DEFAULT_BUDGETS: readonly Budget[] = [{ nodes: '10%' }];

/** What is wrong with the budgets of a pool. */
export function budgetProblems({ spec }: PoolObject, nowMs: number): readonly BudgetProblem[] {
  return (spec.disruption?.budgets ?? []).flatMap((budget, index) => {
    const read = readBudget(budget, index, nowMs);
    return 'problem' in read ? [read.problem] : [];
  });
}

/** Keeps count while commands take nodes: a node counts for every reason, whatever the reason of its command. */
export class BudgetLedger {
  readonly #verdicts: ReadonlyMap<string, BudgetVerdict>;
  readonly #taken: Map<string, number>;

  constructor(verdicts: readonly BudgetVerdict[], taken: ReadonlyMap<string, number> = new Map()) {
    this.#verdicts = new Map(verdicts.map((verdict) => [key(verdict.nodePool, verdict.reason), verdict]));
    this.#taken = new Map(taken);
  }

  /** How many nodes of each pool commands have taken. */
  get state(): ReadonlyMap<string, number> {
    return new Map(this.#taken);
  }

  verdict(nodePool: string, reason: DisruptionReason): BudgetVerdict | undefined {
    return this.#verdicts.get(key(nodePool, reason));
  }

  /** How many more nodes of the pool may be disrupted. A pool that is not known allows none. */
  available(nodePool: string, reason: DisruptionReason): number {
    const verdict = this.verdict(nodePool, reason);
    if (verdict === undefined) return 0;
    if (verdict.available === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(0, verdict.available - this.taken(nodePool));
  }

  /** The nodes, in their order, as long as their pools allow it. Nothing is taken yet. */
  within<T extends { readonly nodePool: string }>(
    nodes: readonly T[],
    reason: DisruptionReason,
  ): readonly T[] {
    const left = new Map<string, number>();
    return nodes.filter(({ nodePool }) => {
      const available = left.get(nodePool) ?? this.available(nodePool, reason);
      left.set(nodePool, available - 1);
      return available > 0;
    });
  }

  take(nodePool: string): void {
    this.#taken.set(nodePool, this.taken(nodePool) + 1);
  }

  taken(nodePool: string): number {
    return this.#taken.get(nodePool) ?? 0;
  }
}

/** The message of the event on the NodePool. */
export function budgetBlockedText(reason: DisruptionReason): string {
  return `No allowed disruptions for disruption reason ${reason} due to blocking budget`;
}

/** Whether the event is due: nodes exist and none may be disrupted, not merely no more of them. */
export function isBudgetBlocking({ nodes, allowed }: BudgetVerdict): boolean {
  return nodes > 0 && allowed === 0;
}

// ---------------------------------------------------------------------------------------------------

function key(nodePool: string, reason: DisruptionReason): string {
  return `${reason} ${nodePool}`;
}

/** Nodes that are not initialized yet do not count, so that replacements do not raise a percentage. */
function counts(node: DisruptionNode): boolean {
  if (node.claim === undefined || !(node.initialized || isRebooting(node))) return false;
  return conditionOf(node.claim, 'InstanceTerminating')?.status !== 'True';
}

/** Repair is for nodes that are not ready, so they do not use up its own budget. */
function isDisrupting(node: DisruptionNode, reason: DisruptionReason): boolean {
  if (node.deleting || node.command !== undefined || isRebooting(node)) return true;
  return reason !== 'Unhealthy' && !isReady(node);
}

type ReadBudget =
  | { readonly active: boolean; readonly count: number; readonly percent: boolean }
  | { readonly problem: BudgetProblem };

function readBudget({ nodes, schedule, duration }: Budget, index: number, nowMs: number): ReadBudget {
  const wrong = (name: string, value: unknown, message: string): ReadBudget => ({
    problem: { field: `spec.disruption.budgets[${index}].${name}`, value: String(value ?? ''), message },
  });
  const match = /^(?:(100|[0-9]{1,2})(%)|([0-9]+))$/.exec(String(nodes));
  if (match === null) return wrong('nodes', nodes, 'must be a number of nodes or a percentage up to 100%');
  const amount = { count: Number(match[1] ?? match[3]), percent: match[2] !== undefined };
  if (schedule === undefined && duration === undefined) return { ...amount, active: true };
  if (schedule === undefined) return wrong('schedule', schedule, 'must be set with duration');
  if (duration === undefined) return wrong('duration', duration, 'must be set with schedule');
  const cron = attempt(() => parseCron(schedule));
  if (typeof cron === 'string') return wrong('schedule', schedule, cron);
  const length = attempt(() => parseDuration(duration));
  if (typeof length === 'string') return wrong('duration', duration, length);
  return { ...amount, active: isWindowActive(cron, length, nowMs) };
}

/** The value, or what is wrong with the text. */
function attempt<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof CronError || error instanceof DurationError) return error.message;
    throw error;
  }
}
