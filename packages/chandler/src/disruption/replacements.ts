/**
 * Narrows planned claims to instance types that are cheaper than what they replace, also at the worst price at which they
 * may be launched. The rules for spot nodes, minValues and equal types are those of Karpenter; with several replacements the
 * allowed price is shared among them, so that their sum stays below it.
 */
import { CapacityType, KarpenterLabel, KubernetesLabel, normalizeLabel } from '../api/index.ts';
import type { LabelRequirement, PlannedClaim } from '../scheduling/index.ts';
import type { JudgedNode } from './candidates.ts';
import type { Replacement } from './command.ts';
import type { LaunchOption, PriceBook } from './price-book.ts';
import type { Rejection } from './rejection.ts';

/** With fewer cheaper types a spot node would be replaced again and again, each time by a rarer one. */
export const SPOT_TO_SPOT_TYPES = 15;

export interface NarrowOptions {
  readonly spotToSpot: boolean;
  /** The sum of the replacements must be lower, per hour. */
  readonly below: number;
}

export function cheaperReplacements(
  claims: readonly PlannedClaim[],
  candidates: readonly JudgedNode[],
  prices: PriceBook,
  { spotToSpot, below }: NarrowOptions,
): readonly Replacement[] | Rejection {
  const allSpot = candidates.every(({ capacityType }) => capacityType === CapacityType.spot);
  const spot = claims.map((claim) => prices.launchOptions(claim, CapacityType.spot).length > 0);
  const fromSpotToSpot = allSpot && spot.some(Boolean);
  if (fromSpotToSpot && !spotToSpot) return { code: 'SpotToSpotDisabled' };
  const capacityTypes = claims.map((claim, index) => capacityTypeOf(claim, spot[index]!));
  const options = claims.map((claim, index) => prices.launchOptions(claim, capacityTypes[index]));
  const lowest = options.map((each) => Math.min(...each.map(({ worst }) => worst)));
  const least = lowest.reduce((sum, price) => sum + price, 0);
  if (!isLower(least, below))
    return {
      code: 'NotCheaper',
      price: below,
      ...(Number.isFinite(least) ? { replacementPrice: least } : {}),
    };
  // Each may cost its share of what is left; strictly less, so that the sum is strictly lower.
  const share = (below * (1 - NO_SAVING) - least) / claims.length;
  const result: Replacement[] = [];
  for (const [index, claim] of claims.entries()) {
    const cheaper = options[index]!.filter(({ worst }) => worst < lowest[index]! + share);
    const others = otherTypes(cheaper, candidates, claims.length);
    if ('code' in others) return others;
    const unmet = unmetMinValues(claim.requirements, others.kept, capacityTypes[index]);
    if (unmet.length > 0) return { code: 'MinValues', labels: unmet };
    const kept =
      fromSpotToSpot && candidates.length === 1
        ? fewest(claim, others.kept, capacityTypes[index])
        : others.kept;
    if ('code' in kept) return kept;
    result.push(replacementOf(claim, kept, capacityTypes[index]));
  }
  return result;
}

/** As planned, without a limit on its price; its launch may take any type that it lists. */
export function plannedReplacement(claim: PlannedClaim): Replacement {
  const { nodePool, requirements, instanceTypes, cheapest, pods } = claim;
  return { nodePool, requirements, instanceTypes, cheapest, pods, claim };
}

// ---------------------------------------------------------------------------------------------------

/**
 * A share of a price; less is no saving. Sums of equal prices differ by less, and so does the price of a reservation, which
 * is a ten-millionth of that of on-demand and only orders offerings.
 */
const NO_SAVING = 1e-6;

function isLower(price: number, than: number): boolean {
  return price < than * (1 - NO_SAVING);
}

/** Prices are those of spot where spot is possible, so an expensive on-demand launch must not be. */
function capacityTypeOf({ requirements, reservations }: PlannedClaim, spot: boolean): string | undefined {
  if (reservations.length > 0) return undefined;
  const only = requirements.find(({ key }) => key === KarpenterLabel.capacityType);
  if (only?.operator === 'In' && only.values?.length === 1) return undefined;
  return spot ? CapacityType.spot : undefined;
}

/**
 * Several nodes are replaced, and one of them has a type that the replacement may have: then the replacement must be
 * cheaper than that node, or the node could simply stay.
 */
function otherTypes(
  options: readonly LaunchOption[],
  candidates: readonly JudgedNode[],
  replacements: number,
): { readonly kept: readonly LaunchOption[] } | Rejection {
  if (candidates.length === 1) return { kept: options };
  const same = options.filter(({ type }) =>
    candidates.some(({ instanceType }) => instanceType === type.name),
  );
  if (same.length === 0) return { kept: options };
  if (replacements > 1) {
    const first = options[0]!;
    const swapped = candidates.some(
      ({ instanceType, capacityType }) =>
        instanceType === first.type.name && capacityType === first.cheapest.capacityType,
    );
    return swapped ? { code: 'SameType', instanceType: first.type.name } : { kept: options };
  }
  const names = new Set(same.map(({ type }) => type.name));
  const limit = Math.min(
    ...candidates.filter(({ instanceType }) => names.has(instanceType)).map(({ price }) => price),
  );
  const kept = options.filter(({ worst }) => isLower(worst, limit));
  return kept.length === 0 ? { code: 'SameType', instanceType: same[0]!.type.name } : { kept };
}

/** The cheapest ones, so that the new node is not replaced by the next pass; more where minValues needs them. */
function fewest(
  { requirements }: PlannedClaim,
  options: readonly LaunchOption[],
  capacityType: string | undefined,
): readonly LaunchOption[] | Rejection {
  const required = SPOT_TO_SPOT_TYPES;
  if (options.length < required) return { code: 'SpotToSpotTypes', required, found: options.length };
  let length = required;
  const isUnmet = () => unmetMinValues(requirements, options.slice(0, length), capacityType).length > 0;
  while (length < options.length && isUnmet()) length++;
  return options.slice(0, length);
}

/** Labels whose minValues the types do not meet. Only values that the requirement allows count. */
function unmetMinValues(
  requirements: readonly LabelRequirement[],
  options: readonly LaunchOption[],
  capacityType?: string,
): readonly string[] {
  return requirements
    .filter(({ minValues }) => minValues !== undefined)
    .filter(({ key, operator, values = [], minValues = 0 }) => {
      // A claim for one of them has no other.
      if (key === KarpenterLabel.capacityType && capacityType !== undefined) return minValues > 1;
      const found = new Set(options.flatMap(({ type }) => valuesOf(type.name, type.requirements, key)));
      const allowed = [...found].filter((value) =>
        operator === 'In' ? values.includes(value) : operator === 'NotIn' ? !values.includes(value) : true,
      );
      return allowed.length < minValues;
    })
    .map(({ key }) => key);
}

function valuesOf(type: string, requirements: readonly LabelRequirement[], key: string): readonly string[] {
  if (key === KubernetesLabel.instanceType) return [type];
  const own = requirements.find((requirement) => normalizeLabel(requirement.key) === key);
  return own?.operator === 'In' ? (own.values ?? []) : [];
}

function replacementOf(
  claim: PlannedClaim,
  options: readonly LaunchOption[],
  capacityType: string | undefined,
): Replacement {
  const instanceTypes = options.map(({ type }) => type.name);
  const requirements = claim.requirements
    .map((requirement): LabelRequirement => {
      if (requirement.key === KubernetesLabel.instanceType)
        return { ...requirement, operator: 'In', values: [...instanceTypes].sort() };
      if (requirement.key === KarpenterLabel.capacityType && capacityType !== undefined)
        return { ...requirement, operator: 'In', values: [capacityType] };
      return requirement;
    })
    .concat(
      capacityType !== undefined && !claim.requirements.some(({ key }) => key === KarpenterLabel.capacityType)
        ? [{ key: KarpenterLabel.capacityType, operator: 'In', values: [capacityType] }]
        : [],
    );
  const { cheapest } = options[0]!;
  return plannedReplacement({
    ...claim,
    requirements,
    instanceTypes,
    instanceTypeCount: instanceTypes.length,
    cheapest,
  });
}
