/**
 * The consolidation policy Balanced: a move must save a share of the price of its NodePool that is worth its share of the
 * pool's disruption. Other policies are not asked.
 */
import type { JudgedNode } from './candidates.ts';
import type { Rejection } from './rejection.ts';

/** A move is approved from a score of 1/K on. */
const K = 2;

export interface Score {
  readonly nodePool: string;
  readonly savingsFraction: number;
  readonly disruptionFraction: number;
}

export class BalancedScores {
  readonly #totals = new Map<string, { price: number; cost: number }>();

  /** @param nodes all nodes: those that are no candidates count in the totals, too. */
  constructor(nodes: readonly JudgedNode[]) {
    for (const { nodePool, node, price, cost } of nodes) {
      if (node.claim === undefined) continue;
      const total = this.#totals.get(nodePool) ?? { price: 0, cost: 0 };
      total.price += price;
      total.cost += cost;
      this.#totals.set(nodePool, total);
    }
  }

  /** The first pool whose score is too low; undefined: approved. Savings are shared by the price of the sources. */
  rejects(candidates: readonly JudgedNode[], savingPerHour: number): Rejection | undefined {
    return this.scores(candidates, savingPerHour)
      .filter((score) => !isApproved(score))
      .map((score): Rejection => {
        const { nodePool, savingsFraction, disruptionFraction } = score;
        return {
          code: 'Score',
          nodePool,
          score: scoreOf(score),
          threshold: 1 / K,
          savingsPercent: savingsFraction * 100,
          disruptionPercent: disruptionFraction * 100,
        };
      })[0];
  }

  scores(candidates: readonly JudgedNode[], savingPerHour: number): readonly Score[] {
    const byPool = Map.groupBy(candidates, ({ nodePool }) => nodePool);
    const all = priceOf(candidates);
    return [...byPool]
      .filter(([, [first]]) => isBalanced(first!))
      .map(([nodePool, own]) => {
        const saving = byPool.size > 1 && all > 0 ? savingPerHour * (priceOf(own) / all) : savingPerHour;
        const total = this.#totals.get(nodePool) ?? { price: 0, cost: 0 };
        const known = total.price > 0 && total.cost > 0;
        const cost = own.reduce((sum, node) => sum + node.cost, 0);
        return {
          nodePool,
          savingsFraction: known ? saving / total.price : 0,
          disruptionFraction: known ? cost / total.cost : 0,
        };
      });
  }

  /** Whether even a deletion without a replacement would score too low, so that no simulation is needed. */
  hopeless(candidate: JudgedNode): Rejection | undefined {
    const { price = 0 } = this.#totals.get(candidate.nodePool) ?? {};
    return price <= 0 ? undefined : this.rejects([candidate], candidate.price);
  }
}

/** 0 without savings, without a limit where nothing is disrupted. */
export function scoreOf({ savingsFraction, disruptionFraction }: Score): number {
  if (savingsFraction <= 0) return 0;
  return disruptionFraction === 0 ? Number.POSITIVE_INFINITY : savingsFraction / disruptionFraction;
}

export function isApproved(score: Score): boolean {
  return scoreOf(score) >= 1 / K;
}

/** The message of the event ConsolidationApproved. */
export function approvedText(score: Score): string {
  const { savingsFraction, disruptionFraction } = score;
  const percent = (fraction: number) => (fraction * 100).toFixed(1);
  return (
    `score ${scoreOf(score).toFixed(2)} >= threshold ${(1 / K).toFixed(2)} ` +
    `(k: ${K}, savings ${percent(savingsFraction)}%, disruption ${percent(disruptionFraction)}%)`
  );
}

// ---------------------------------------------------------------------------------------------------

function isBalanced({ pool }: JudgedNode): boolean {
  return pool?.spec.disruption?.consolidationPolicy === 'Balanced';
}

function priceOf(nodes: readonly JudgedNode[]): number {
  return nodes.reduce((sum, { price }) => sum + price, 0);
}
