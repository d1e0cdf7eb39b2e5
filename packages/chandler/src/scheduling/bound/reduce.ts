/**
 * Reduces the input without changing the bound. A new node is dropped when another one serves all its
 * placements and gives at least as much of every resource for the same price: a fraction of the other
 * replaces it at no higher cost. Demands are made coarser only when the program would become too large; they
 * are rounded down, which can lower the bound but never raise it.
 */
import { type Bits, bitsKey, emptyBits, hasBit, isEmptyBits, setBit } from '../bits.ts';
import { type BoundInput, type Demand, fits, type NewNode } from './bound-input.ts';

/** A new node with the demands that fit on it. */
export interface Offer {
  readonly newNode: NewNode;
  readonly takes: Bits;
}

export interface Reduced {
  readonly demands: readonly Demand[];
  readonly offers: readonly Offer[];
}

/** @param maxDemands the maximum number of distinct demands in the program. */
export function reduce(boundInput: BoundInput, maxDemands: number): Reduced {
  let { demands } = boundInput;
  for (let step = FIRST_STEP; demands.length > maxDemands && step <= LAST_STEP; step *= 1.5) {
    demands = coarsen(boundInput.demands, step);
  }
  return { demands, offers: offersFor(boundInput.newNodes, demands, boundInput.slotCount) };
}

/** Keeps, per set of placements, the new nodes that no other one exceeds both in size and in value for money. */
export function withoutDominated(newNodes: readonly NewNode[], slotCount: number): NewNode[] {
  const groups = new Map<string, NewNode[]>();
  const result: NewNode[] = [];
  for (const newNode of newNodes) {
    // Reserved nodes are few: they neither replace others nor are worth dropping.
    if (newNode.reservation !== undefined) {
      result.push(newNode);
      continue;
    }
    const key = bitsKey(newNode.serves);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [newNode]);
    else group.push(newNode);
  }
  for (const group of groups.values()) {
    const better = (first: NewNode, second: NewNode) =>
      isRoomier(first, second, slotCount) && isBetterValue(first, second, slotCount);
    result.push(...undominated(group, better));
  }
  return result;
}

// ---------------------------------------------------------------------------------------------------------------

const FIRST_STEP = 0.005;
const LAST_STEP = 1;

function offersFor(newNodes: readonly NewNode[], demands: readonly Demand[], slotCount: number): Offer[] {
  const offers = newNodes.map((newNode) => ({ newNode, takes: takenBy(newNode, demands) }));
  const reserved = offers.filter((offer) => offer.newNode.reservation !== undefined);
  const free = offers.filter((offer) => offer.newNode.reservation === undefined);
  const better = (first: Offer, second: Offer) =>
    includes(first.takes, second.takes) && isBetterValue(first.newNode, second.newNode, slotCount);
  return [...reserved, ...undominated(free, better)].filter((offer) => !isEmptyBits(offer.takes));
}

function takenBy(newNode: NewNode, demands: readonly Demand[]): Bits {
  const takes = emptyBits(demands.length);
  demands.forEach((demand, index) => {
    if (hasBit(newNode.serves, demand.placement) && fits(demand.amounts, newNode.room)) setBit(takes, index);
  });
  return takes;
}

/** Of two equal ones the earlier one stays. */
function undominated<T>(candidates: readonly T[], better: (first: T, second: T) => boolean): T[] {
  let kept: T[] = [];
  for (const candidate of candidates) {
    if (kept.some((other) => better(other, candidate))) continue;
    kept = kept.filter((other) => !better(candidate, other));
    kept.push(candidate);
  }
  return kept;
}

function isRoomier(first: NewNode, second: NewNode, slotCount: number): boolean {
  for (let slot = 0; slot < slotCount; slot++) {
    if ((first.room[slot] ?? 0) < (second.room[slot] ?? 0)) return false;
  }
  return true;
}

/** At least as much of everything per unit of money. */
function isBetterValue(first: NewNode, second: NewNode, slotCount: number): boolean {
  for (let slot = 0; slot < slotCount; slot++) {
    const [mine, other] = [first.room[slot] ?? 0, second.room[slot] ?? 0];
    if (other === 0) continue;
    if (mine === 0 || mine * second.price < other * first.price) return false;
  }
  return true;
}

function includes(larger: Bits, smaller: Bits): boolean {
  for (let word = 0; word < smaller.length; word++) {
    if ((smaller[word]! & ~(larger[word] ?? 0)) !== 0) return false;
  }
  return true;
}

function coarsen(demands: readonly Demand[], step: number): Demand[] {
  const merged = new Map<string, { count: number; amounts: readonly number[]; placement: number }>();
  for (const { count, amounts, placement } of demands) {
    const coarse = amounts.map((amount) => roundDown(amount, step));
    const key = `${placement}:${coarse.join()}`;
    const same = merged.get(key);
    if (same === undefined) merged.set(key, { count, amounts: coarse, placement });
    else same.count += count;
  }
  return [...merged.values()];
}

/** Rounds down to a power of 1 + step. */
function roundDown(amount: number, step: number): number {
  if (amount <= 1) return amount;
  return Math.min(amount, (1 + step) ** Math.floor(Math.log(amount) / Math.log1p(step)));
}
