/**
 * The types of one request, at most 60: the cheapest, and among them enough different values of every label for which the
 * claim has a minimum. Karpenter cuts by price alone and then fails; here expensive types take the places of cheap ones
 * where the minimum needs them.
 */
import { byCodeUnit } from '../../../scheduling/index.ts';
import { CloudError } from '../../index.ts';

import type { ClaimRequirements } from './claim-requirements.ts';
import { type LaunchType, lowestPrice } from './launch-types.ts';

export const MAX_LAUNCH_TYPES = 60;

export interface TruncateOptions {
  /** Default 60. */
  readonly maxTypes?: number;
  /** `BestEffort`: launch with fewer values than the minimum. */
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
}

/** In the order of their prices. @throws {CloudError} when the minimum cannot be met, with the policy `Strict`. */
export function truncateTypes<T extends LaunchType>(
  types: readonly T[],
  claim: ClaimRequirements,
  { maxTypes = MAX_LAUNCH_TYPES, minValuesPolicy }: TruncateOptions,
): readonly T[] {
  const sorted = types
    .map((type) => ({ type, price: lowestPrice(type) }))
    .sort((first, second) => first.price - second.price || byCodeUnit(first.type.name, second.type.name))
    .map(({ type }) => type);
  const cheapest = sorted.slice(0, maxTypes);
  if (unmetMinValues(cheapest, claim).length === 0) return cheapest;
  const needed = typesForMinValues(sorted, claim);
  if (needed !== undefined && needed.size <= maxTypes) {
    const others = sorted.filter((type) => !needed.has(type)).slice(0, maxTypes - needed.size);
    const chosen = new Set([...needed, ...others]);
    return sorted.filter((type) => chosen.has(type));
  }
  if (minValuesPolicy === 'BestEffort') return cheapest;
  const unmet = unmetMinValues(sorted, claim);
  const missing = (unmet.length > 0 ? unmet : unmetMinValues(cheapest, claim)).map(
    ({ key, found, minimum }) => `${key} has ${found} of ${minimum} values`,
  );
  throw new CloudError(
    'InsufficientCapacity',
    `minValues cannot be met with ${sorted.length} instance types that can be launched, at most ${maxTypes} of them in one request: ${missing.join(', ')}`,
  );
}

export interface UnmetMinimum {
  readonly key: string;
  readonly found: number;
  readonly minimum: number;
}

export function unmetMinValues(
  types: readonly LaunchType[],
  claim: ClaimRequirements,
): readonly UnmetMinimum[] {
  return [...claim.minValues].flatMap(([key, minimum]) => {
    const found = new Set(types.flatMap((type) => valuesOf(type, key, claim))).size;
    return found < minimum ? [{ key, found, minimum }] : [];
  });
}

// ---------------------------------------------------------------------------------------------------------------

/** Few types that meet every minimum: always the one that adds values to the most labels, the cheapest of these. */
function typesForMinValues<T extends LaunchType>(
  sorted: readonly T[],
  claim: ClaimRequirements,
): ReadonlySet<T> | undefined {
  const found = new Map([...claim.minValues.keys()].map((key) => [key, new Set<string>()]));
  const lacking = () => [...claim.minValues].filter(([key, minimum]) => found.get(key)!.size < minimum);
  const chosen = new Set<T>();
  for (let open = lacking(); open.length > 0; open = lacking()) {
    let best: T | undefined;
    let most = 0;
    for (const type of sorted) {
      if (chosen.has(type)) continue;
      const adds = open.filter(([key]) =>
        valuesOf(type, key, claim).some((value) => !found.get(key)!.has(value)),
      ).length;
      if (adds > most) [best, most] = [type, adds];
    }
    if (best === undefined) return undefined;
    chosen.add(best);
    for (const [key, values] of found) for (const value of valuesOf(best, key, claim)) values.add(value);
  }
  return chosen;
}

/** The values of a label that the type has and the claim allows. */
function valuesOf({ requirements }: LaunchType, key: string, claim: ClaimRequirements): readonly string[] {
  const own = requirements.find((requirement) => requirement.key === key);
  if (own?.operator !== 'In') return [];
  return (own.values ?? []).filter((value) => claim.allowsValue(key, value));
}
