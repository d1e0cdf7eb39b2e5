/** Emptiness: nodes without pods that need another node are deleted, without a simulation, many in one command. */

import type { Steps } from '../scheduling/index.ts';
import { bySavings } from './costs.ts';
import type { Pass } from './pass.ts';

export function* emptiness(pass: Pass): Steps {
  const candidates = pass.withinBudgets([...pass.candidates('emptiness')].sort(bySavings), 'emptiness');
  yield;
  for (let first = 0; first < candidates.length; first += MAX_NODES)
    pass.give({ method: 'emptiness', candidates: candidates.slice(first, first + MAX_NODES) });
}

// ---------------------------------------------------------------------------------------------------

/** Each NodeClaim of a command has an annotation that names all of them. */
const MAX_NODES = 50;
