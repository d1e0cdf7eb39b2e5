/** Budgets in words, and until when a freeze overrides those of a NodePool. Pure. */
import type { Freeze } from '../../wire.ts';

export interface BudgetRule {
  readonly nodes: string;
  readonly reasons: readonly string[];
}

/** `10% of the nodes`, `0 nodes for Drifted`. Its schedule is left to others. */
export function budgetText({ nodes, reasons }: BudgetRule): string {
  const amount = nodes === '1' ? '1 node' : `${nodes} ${nodes.endsWith('%') ? 'of the nodes' : 'nodes'}`;
  return reasons.length === 0 ? amount : `${amount} for ${reasons.join(', ')}`;
}

/** Infinity: until the freeze is lifted. Undefined: nothing of the NodePool is frozen. */
export function frozenUntilMs(pool: string, freezes: readonly Freeze[]): number | undefined {
  const untils = freezes
    .filter((freeze) => freeze.pool === '*' || freeze.pool === pool)
    .map((freeze) => freezeUntilMs(freeze) ?? Number.POSITIVE_INFINITY);
  return untils.length === 0 ? undefined : Math.max(...untils);
}

/** Of an annotation only the text of the controller is known, which says until when. Null: until it is lifted. */
export function freezeUntilMs({ untilMs, text }: Freeze): number | null {
  if (untilMs !== null) return untilMs;
  const [, time] = / is frozen until (\S+)/.exec(text) ?? [];
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? null : ms;
}
