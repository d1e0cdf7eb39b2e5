/**
 * minValues: a pool may require that a claim keeps at least a number of values of a label. Counted are the values of the
 * remaining types that the claim still allows.
 */
import { KarpenterLabel } from '../../api/index.ts';
import { type Bits, hasBit, members, overlapBits } from '../bits.ts';
import { type Algebra, byCodeUnit, type Requirement } from '../requirements/algebra.ts';
import type { State, StateTable } from './states.ts';

export interface UnmetMinValues {
  readonly requirement: Requirement;
  readonly found: number;
}

/** @param maxTypes the maximum number of types of a claim, which also limits the number of type names. */
export function minValuesUnmet(
  algebra: Algebra,
  state: State,
  rows: Bits,
  maxTypes: number,
): UnmetMinValues[] {
  const unmet: UnmetMinValues[] = [];
  for (const requirement of state.requirements) {
    if (requirement === undefined || requirement.minValues === null) continue;
    const values = distinctValues(algebra, state, rows, requirement);
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

/** Of the offerings that are left in the state: the claim lists only these, so more of them do not count. */
export function capacityTypesOf(state: State, rows: Iterable<number>): string[] {
  const { catalogue } = state.pool;
  const all = new Set<string>();
  const found = new Set<string>();
  for (const row of rows) {
    const end = catalogue.offeringStart[row + 1]!;
    for (let index = catalogue.offeringStart[row]!; index < end; index++) {
      const { capacityType, reservation, launchable } = catalogue.offerings[index]!;
      // Capacity that other claims hold is not available.
      if (capacityType === null || reservation !== undefined || !hasBit(state.offerings, index)) continue;
      all.add(capacityType);
      if (launchable) found.add(capacityType);
    }
  }
  return [...(found.size > 0 ? found : all)].sort(byCodeUnit);
}

// ---------------------------------------------------------------------------------------------------------------

/** Counting stops when the minimum is reached. */
function distinctValues(algebra: Algebra, state: State, rows: Bits, wanted: Requirement): number {
  if (algebra.labels.keyName(wanted.key) === KarpenterLabel.capacityType)
    return capacityTypesOf(state, members(rows)).length;
  const values = new Set<number>();
  for (const { requirement, rows: having } of state.pool.catalogue.typeRequirementsOn(wanted.key)) {
    if (requirement.complement || !overlapBits(having, rows)) continue;
    for (const value of members(requirement.values)) if (algebra.has(wanted, value)) values.add(value);
    if (values.size >= wanted.minValues!) break;
  }
  return values.size;
}
