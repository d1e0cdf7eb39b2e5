/** Emptiness: nodes without pods that need another node are deleted, without a simulation, in one command. */
import { bySavings } from './costs.ts';
import type { Pass } from './pass.ts';
import type { Steps } from './steps.ts';

export function* emptiness(pass: Pass): Steps {
  const candidates = pass.withinBudgets([...pass.candidates('emptiness')].sort(bySavings), 'emptiness');
  yield;
  if (candidates.length > 0) pass.give({ method: 'emptiness', candidates });
}
