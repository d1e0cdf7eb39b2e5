/** The result of `chandler plan` for people and scripts: commands with their savings, and what keeps every other node. */
import {
  approvedText,
  type BudgetVerdict,
  budgetBlockedText,
  type Command,
  commandLogText,
  commandText,
  type DisruptionPlan,
  type Freeze,
  freezeText,
  HOURS_PER_MONTH,
  isBudgetBlocking,
  type NodeVerdict,
  type PoolProblem,
  rejectionText,
} from '../../disruption/index.ts';

export interface PlanReport {
  /** The moment of the plan. */
  readonly at: string;
  readonly summary: PlanSummary;
  readonly commands: readonly ReportedCommand[];
  /** Every node: the command that removes it, or what keeps it. */
  readonly nodes: readonly NodeVerdict[];
  /** By NodePool and reason. `null`: no limit. */
  readonly budgets: readonly ReportedBudget[];
  /** What is wrong with NodePools; their nodes are left alone. */
  readonly problems: readonly PoolProblem[];
  /** Disruption that somebody has stopped. */
  readonly freezes: readonly ReportedFreeze[];
  readonly notes: readonly string[];
  /** Kinds that could not be read from the cluster: the plan is without them. */
  readonly unread: readonly string[];
}

export interface ReportedFreeze extends Omit<Freeze, 'untilMs'> {
  readonly until?: string;
  readonly text: string;
}

export interface PlanSummary {
  /** With a NodeClaim. */
  readonly nodes: number;
  readonly unmanaged: number;
  readonly removed: number;
  readonly launched: number;
  readonly podsMoved: number;
  readonly pricePerHour: number;
  readonly priceAfterPerHour: number;
  readonly savingPerMonth: number;
}

export interface ReportedCommand extends Omit<Command, 'considered' | 'keptFree'> {
  /** As Karpenter's events have it, and as it logs it. */
  readonly text: string;
  readonly log: string;
  /** Why the NodePools with policy Balanced approve. */
  readonly approvals: readonly string[];
  readonly savingPerMonth: number;
  readonly considered: readonly {
    readonly nodes: readonly string[];
    readonly code: string;
    readonly text: string;
  }[];
}

export interface ReportedBudget extends Omit<BudgetVerdict, 'allowed' | 'available'> {
  readonly allowed: number | null;
  readonly available: number | null;
  /** Nothing may be disrupted for this reason. */
  readonly blocking: boolean;
  /** The message of the event that Karpenter publishes on the NodePool then. */
  readonly event?: string;
}

export function buildPlanReport(
  plan: DisruptionPlan,
  atMs: number,
  notes: readonly string[],
  unread: readonly string[] = [],
): PlanReport {
  const { commands, nodes, budgets, priceBefore, priceAfter, problems, freezes } = plan;
  const sum = (count: (command: Command) => number) =>
    commands.reduce((total, command) => total + count(command), 0);
  const unmanaged = nodes.filter(isUnmanaged).length;
  return {
    at: new Date(atMs).toISOString(),
    summary: {
      nodes: nodes.length - unmanaged,
      unmanaged,
      removed: sum(({ candidates }) => candidates.length),
      launched: sum(({ replacements }) => replacements.length),
      podsMoved: sum(({ podsMoved }) => podsMoved),
      pricePerHour: rounded(priceBefore),
      priceAfterPerHour: rounded(priceAfter),
      savingPerMonth: rounded((priceBefore - priceAfter) * HOURS_PER_MONTH, 2),
    },
    commands: commands.map(reportedCommand),
    nodes: nodes.map((node) => ({ ...node, price: rounded(node.price) })),
    budgets: budgets.map((budget) => ({
      ...budget,
      allowed: budget.allowed ?? null,
      available: budget.available ?? null,
      blocking: isBudgetBlocking(budget),
      ...(isBudgetBlocking(budget) ? { event: budgetBlockedText(budget.reason) } : {}),
    })),
    problems,
    freezes: freezes.map(({ untilMs, ...freeze }) => ({
      ...freeze,
      ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
      text: freezeText({ ...freeze, ...(untilMs === undefined ? {} : { untilMs }) }),
    })),
    notes,
    unread,
  };
}

/** Nodes of someone else, which no plan touches. */
export function isUnmanaged({ keeps }: NodeVerdict): boolean {
  return keeps.some((keep) => 'block' in keep && keep.block.code === 'NotManaged');
}

// ---------------------------------------------------------------------------------------------------------------

function reportedCommand({ keptFree: _, ...command }: Command): ReportedCommand {
  return {
    ...command,
    text: commandText(command),
    log: commandLogText(command),
    approvals: command.scores.map((score) => `NodePool ${score.nodePool}: ${approvedText(score)}`),
    priceBefore: rounded(command.priceBefore),
    priceAfter: rounded(command.priceAfter),
    savingPerHour: rounded(command.savingPerHour),
    savingPerMonth: rounded(command.savingPerHour * HOURS_PER_MONTH, 2),
    considered: command.considered.map(({ nodes, rejection }) => ({
      nodes,
      code: rejection.code,
      text: rejectionText(rejection),
    })),
  };
}

function rounded(value: number, digits = 5): number {
  return Number(value.toFixed(digits));
}
