/** What disruption would do now, what keeps the rest, and what it did in the last day: `chandler plan` for the page. */
import type { NodePool } from '../../api/index.ts';
import { rounded, type wire } from '../../dashboard/index.ts';
import { type KeptCommand, stayingFrom } from '../../diagnose/index.ts';
import { DEFAULT_BUDGETS, type Keep } from '../../disruption/index.ts';
import { isUnmanaged, type PlanReport, type ReportedCommand } from '../plan/plan-report.ts';
import { budgetWindows } from './budget-windows.ts';

export interface SavingsParts {
  readonly report: PlanReport;
  readonly pools: readonly NodePool[];
  /** The newest first. */
  readonly commands: readonly KeptCommand[];
  /** Null: it is not known. */
  readonly lowerBoundPerHour: number | null;
  readonly nowMs: number;
}

export function savingsAnswer(parts: SavingsParts): wire.SavingsAnswer {
  const { report, pools, commands, lowerBoundPerHour, nowMs } = parts;
  return {
    atMs: nowMs,
    pricePerHour: report.summary.pricePerHour,
    lowerBoundPerHour,
    unread: report.unread,
    notes: report.notes,
    now: report.commands.map(moveOf),
    keeping: keepingOf(report),
    done: commands
      .filter(({ endedAt }) => nowMs - Date.parse(endedAt) < DAY_MS)
      .map((command) => ({
        ...doneOf(command),
        atMs: Date.parse(command.endedAt),
        outcome: command.message === undefined ? command.outcome : `${command.outcome}: ${command.message}`,
      })),
    budgets: pools.flatMap((pool) => budgetLines(pool, report, nowMs)),
    freezes: report.freezes.map(({ nodePool, until, text }) => ({
      pool: nodePool ?? '*',
      untilMs: until === undefined ? null : Date.parse(until),
      text,
    })),
  };
}

// ---------------------------------------------------------------------------------------------------

const DAY_MS = 24 * 3600_000;

function moveOf(command: ReportedCommand): wire.Move {
  const { method, candidates, replacements, podsMoved, savingPerHour, text } = command;
  return {
    method,
    nodes: candidates.map(({ name }) => name),
    replacements: replacements.map(({ nodePool, cheapest }) =>
      [nodePool, cheapest.instanceType, cheapest.capacityType, cheapest.zone].filter(Boolean).join(', '),
    ),
    pods: podsMoved,
    savedPerHour: savingPerHour,
    text,
  };
}

function doneOf({ method, decision, reason, nodes, nodeCount, ...command }: KeptCommand): wire.Move {
  const more = nodeCount - nodes.length;
  return {
    method,
    nodes,
    replacements: command.replacements,
    pods: command.podsMoved,
    savedPerHour: rounded(command.priceBefore - command.priceAfter),
    text: `${reason}: ${decision} ${nodes.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
  };
}

/** Every node at its most important reason, so that no price counts twice. */
function keepingOf({ nodes, problems, freezes, budgets }: PlanReport): wire.SavingsAnswer['keeping'] {
  const kept = nodes
    .filter((node) => node.command === undefined && !isUnmanaged(node))
    .map((node) => ({ ...node, keeps: node.keeps.map((keep) => withoutPlanned(keep, budgets)) }))
    .flatMap((node) => {
      const [first] = stayingFrom({ kind: 'node', name: node.name }, { nodes: [node], problems, freezes });
      return first === undefined ? [] : [{ node, code: first.code, text: first.text }];
    });
  return [...Map.groupBy(kept, ({ code }) => code)]
    .map(([code, own]) => ({
      code,
      text: own.every(({ text }) => text === own[0]!.text) ? own[0]!.text : null,
      nodes: own.map(({ node, text }) => ({ name: node.name, text })),
      pricePerHour: rounded(own.reduce((sum, { node }) => sum + node.price, 0)),
    }))
    .sort(
      (one, other) => (other.pricePerHour ?? 0) - (one.pricePerHour ?? 0) || (one.code < other.code ? -1 : 1),
    );
}

/** The plan counts the nodes of its own commands as disrupted: nothing is disrupted yet. */
function withoutPlanned(keep: Keep, budgets: PlanReport['budgets']): Keep {
  if (!('rejection' in keep) || keep.rejection.code !== 'Budget') return keep;
  const { nodePool, reason, allowed, disrupting, problem } = keep.rejection;
  const verdict = budgets.find((each) => each.nodePool === nodePool && each.reason === reason);
  const planned = disrupting - (verdict?.disrupting ?? disrupting);
  if (planned <= 0 || problem !== undefined) return keep;
  const others = disrupting - planned === 0 ? '' : ` ${disrupting - planned} are disrupted already, and`;
  const nodes = allowed === 1 ? 'node' : 'nodes';
  return {
    ...keep,
    text: `the budgets of NodePool ${nodePool} allow ${allowed} disrupted ${nodes} at once for reason ${reason}:${others} what would be done now takes ${planned}`,
  };
}

function budgetLines(pool: NodePool, report: PlanReport, nowMs: number): readonly wire.BudgetLine[] {
  const name = pool.metadata.name ?? '';
  const isFrozen = report.freezes.some(({ nodePool = name }) => nodePool === name);
  return (pool.spec.disruption?.budgets ?? DEFAULT_BUDGETS).map((budget) => {
    const reasons = budget.reasons ?? [];
    const { isActive, windows } = budgetWindows(budget, nowMs);
    const verdicts = report.budgets.filter(
      (each) => each.nodePool === name && (reasons.length === 0 || reasons.includes(each.reason)),
    );
    return {
      pool: name,
      nodes: String(budget.nodes),
      reasons,
      schedule: budget.schedule ?? null,
      duration: budget.duration ?? null,
      isActive,
      allowedNow: isActive ? (isFrozen ? 0 : permittedBy(String(budget.nodes), verdicts)) : null,
      windows,
    };
  });
}

/** By this budget alone: others of the NodePool may permit less. */
function permittedBy(nodes: string, verdicts: PlanReport['budgets']): number | null {
  const amount = Number(nodes.replace(/%$/, ''));
  if (verdicts.length === 0 || Number.isNaN(amount)) return null;
  const left = verdicts.map(({ nodes: counted, disrupting }) => {
    const allowed = nodes.endsWith('%') ? Math.ceil((amount * counted) / 100) : amount;
    return Math.max(0, allowed - disrupting);
  });
  return Math.min(...left);
}
