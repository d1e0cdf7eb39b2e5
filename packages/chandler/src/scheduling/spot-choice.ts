/**
 * How many types claims on spot capacity can choose from: with many there is capacity for one of them, and nodes of spot capacity
 * are seldom replaced by cheaper ones later.
 */
import { CapacityType } from '../api/index.ts';
import { MIN_TYPES } from './engine/type-valuation.ts';
import type { Plan } from './plan.ts';

/** The fewest types that a claim on spot capacity can choose from; no more than it should have. */
export function spotChoice(claims: Plan['claims']): number {
  const spot = claims.filter(({ cheapest }) => cheapest.capacityType === CapacityType.spot);
  return Math.min(MIN_TYPES, ...spot.map(({ instanceTypes }) => instanceTypes.length));
}
