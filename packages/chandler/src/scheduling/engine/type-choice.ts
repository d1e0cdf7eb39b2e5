/**
 * Which instance types a claim lists: the cheapest, up to the maximum. When the pool sets minValues, types
 * that add missing values come first, so that truncating the list does not violate minValues.
 */
import { members, NO_BITS } from '../bits.ts';
import type { Algebra } from '../requirements/algebra.ts';
import type { PricedRow, State } from './states.ts';

export interface TypeChoice {
  /** By price; one row per type. */
  readonly chosen: readonly PricedRow[];
  /** The number of types before truncation. */
  readonly total: number;
}

export function chooseTypes(
  algebra: Algebra,
  state: State,
  priced: readonly PricedRow[],
  limit: number,
): TypeChoice {
  const { rows } = state.pool.catalogue;
  const seen = new Set<string>();
  const types = priced.filter(({ row }) => {
    const { name } = rows[row]!.type;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
  if (types.length <= limit) return { chosen: types, total: types.length };
  if (!state.pool.hasMinValues) return { chosen: types.slice(0, limit), total: types.length };
  const needed = varied(algebra, state, types, limit);
  const rest = types.filter((type) => !needed.has(type)).slice(0, limit - needed.size);
  const kept = new Set([...needed, ...rest]);
  return { chosen: types.filter((type) => kept.has(type)), total: types.length };
}

// ---------------------------------------------------------------------------------------------------------------

function varied(algebra: Algebra, state: State, types: readonly PricedRow[], limit: number): Set<PricedRow> {
  const chosen = new Set<PricedRow>();
  for (const requirement of state.requirements) {
    if (requirement === undefined || requirement.minValues === null) continue;
    const values = new Set<number>();
    for (const type of types) {
      if (values.size >= requirement.minValues || chosen.size >= limit) break;
      const own = state.pool.catalogue.rows[type.row]!.type.requirements.items.find(
        (item) => item.key === requirement.key,
      );
      const fresh = members(own?.values ?? NO_BITS).filter(
        (value) => !values.has(value) && algebra.has(requirement, value),
      );
      if (fresh.length === 0) continue;
      for (const value of fresh) values.add(value);
      chosen.add(type);
    }
  }
  return chosen;
}
