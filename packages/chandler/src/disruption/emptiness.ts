/** Emptiness: nodes without pods that need another node are deleted, without a simulation, in one command. */
import { bySavings } from './costs.ts';
import type { Pass } from './pass.ts';

export function emptiness(pass: Pass): void {
  const candidates = pass.withinBudgets([...pass.candidates('emptiness')].sort(bySavings), 'emptiness');
  if (candidates.length > 0) pass.give({ method: 'emptiness', candidates });
}
