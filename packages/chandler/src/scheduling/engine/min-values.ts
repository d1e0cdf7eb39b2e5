/**
 * minValues: a pool may require that a claim keeps at least a number of values of a label. All values of the
 * remaining types are counted, as in upstream.
 */
import { type Bits, members, overlapBits } from '../bits.ts';
import type { Requirement } from '../requirements/algebra.ts';
import type { State, StateTable } from './states.ts';

export interface UnmetMinValues {
  readonly requirement: Requirement;
  readonly found: number;
}

/** @param maxTypes the maximum number of types of a claim, which also limits the number of type names. */
export function minValuesUnmet(state: State, rows: Bits, maxTypes: number): UnmetMinValues[] {
  const unmet: UnmetMinValues[] = [];
  for (const requirement of state.requirements) {
    if (requirement === undefined || requirement.minValues === null) continue;
    const values = distinctValues(state, rows, requirement.key, requirement.minValues);
    const found = requirement.key === state.pool.typeKey ? Math.min(values, maxTypes) : values;
    if (found < requirement.minValues) unmet.push({ requirement, found });
  }
  return unmet;
}

/** The state with minValues lowered to what the types can meet. */
export function relaxMinValues(states: StateTable, state: State, unmet: readonly UnmetMinValues[]): State {
  let result = state;
  for (const { requirement, found } of unmet) {
    result = states.replaced(result, states.algebra.withMinValues(requirement, found));
  }
  return result;
}

// ---------------------------------------------------------------------------------------------------------------

/** Counting stops when the minimum is reached. */
function distinctValues(state: State, rows: Bits, key: number, enough: number): number {
  const values = new Set<number>();
  for (const { requirement, rows: having } of state.pool.catalogue.typeRequirementsOn(key)) {
    if (requirement.complement || !overlapBits(having, rows)) continue;
    for (const value of members(requirement.values)) values.add(value);
    if (values.size >= enough) break;
  }
  return values.size;
}
