/**
 * What a new node can still become: a pool, a requirement per label, and the rows and offerings of the
 * catalogue that meet them. Equal states are one numbered object, so that narrowing a state by the same
 * requirements is computed once for all claims and pods.
 */
import {
  andInto,
  type Bits,
  bitsKey,
  clearBit,
  emptyBits,
  hasBit,
  isEmptyBits,
  members,
  NO_BITS,
  setBit,
} from '../bits.ts';
import {
  type Algebra,
  byCodeUnit,
  excludes,
  type Requirement,
  type RequirementSet,
} from '../requirements/algebra.ts';
import type { PoolEntry } from './pools.ts';

export interface State {
  readonly id: number;
  readonly pool: PoolEntry;
  /** By key number; undefined where the label is undefined. */
  readonly requirements: readonly (Requirement | undefined)[];
  /** Rows that are allowed for reasons other than labels: limits, ports of daemons. */
  readonly base: Bits;
  readonly baseKey: string;
  /** Rows that meet all requirements and have an available offering. Never empty. */
  readonly rows: Bits;
  /** Available offerings of these rows. */
  readonly offerings: Bits;
  /** Claims that are in this state; kept by the table of claims. */
  members: Bits;
  priced: readonly PricedRow[] | undefined;
  /** By key number: the one domain that is left, -1 for none or several; computed lazily. */
  readonly decided: (number | undefined)[];
}

/** A row with its cheapest offering. */
export interface PricedRow {
  readonly row: number;
  readonly offering: number;
  readonly price: number;
}

export type MeetFailure =
  | { readonly kind: 'undefined'; readonly requirement: Requirement }
  | { readonly kind: 'conflict'; readonly requirement: Requirement; readonly existing: Requirement };

export class StateTable {
  readonly all: State[] = [];
  readonly algebra: Algebra;
  readonly #isWellKnown: (key: number) => boolean;
  readonly #byKey = new Map<string, State>();
  readonly #bySet = new Map<number, State | null>();
  readonly #byOne = new Map<number, State | null>();
  readonly #byBase = new Map<State, Map<string, State | null>>();

  /** Of all states: words of bits, and rows by price. */
  #words = 0;
  #priced = 0;

  constructor(algebra: Algebra, isWellKnown: (key: number) => boolean) {
    this.algebra = algebra;
    this.#isWellKnown = isWellKnown;
  }

  /** About how many entries of 100 bytes the table has. */
  get size(): number {
    const memos = this.#bySet.size + this.#byOne.size;
    return Math.ceil(STATE_ENTRIES * this.all.length + memos / 2 + 0.8 * this.#priced + this.#words / 25);
  }

  /** What is kept for claims with so many types. */
  noteOffer(types: number): void {
    this.#words += OFFER_WORDS + OFFER_WORDS_PER_TYPE * types;
  }

  /** A new node of the pool; null when no type of it meets the template. */
  template(pool: PoolEntry, base: Bits): State | null {
    const requirements: (Requirement | undefined)[] = [];
    for (const requirement of pool.template.items) requirements[requirement.key] = requirement;
    return this.#build(pool, requirements, base);
  }

  /** The state under more requirements; null when they cannot be met or no offering is left. */
  meet(state: State, set: RequirementSet): State | null {
    if (set.items.length === 0) return state;
    const memo = state.id * MEMO_STRIDE + set.id;
    const known = this.#bySet.get(memo);
    if (known !== undefined) return known;
    const result = this.failure(state, set) !== undefined ? null : this.#narrowed(state, set.items);
    this.#bySet.set(memo, result);
    return result;
  }

  meetOne(state: State, requirement: Requirement): State | null {
    if (state.requirements[requirement.key] === requirement) return state;
    const memo = state.id * MEMO_STRIDE + requirement.id;
    const known = this.#byOne.get(memo);
    if (known !== undefined) return known;
    const result =
      this.#obstacle(state, requirement) !== undefined ? null : this.#narrowed(state, [requirement]);
    this.#byOne.set(memo, result);
    return result;
  }

  /** The state with another requirement on one label, replacing the present one; the rows do not change. */
  replaced(state: State, requirement: Requirement): State {
    const requirements = state.requirements.slice();
    requirements[requirement.key] = requirement;
    return this.#build(state.pool, requirements, state.base) ?? state;
  }

  /** The state with fewer rows allowed. */
  within(state: State, allowed: Bits): State | null {
    const base = state.base.slice();
    andInto(base, allowed);
    const key = bitsKey(base);
    if (key === state.baseKey) return state;
    const byBase = this.#byBase.get(state) ?? new Map<string, State | null>();
    this.#byBase.set(state, byBase);
    let result = byBase.get(key);
    if (result === undefined) {
      result = this.#build(state.pool, state.requirements, base);
      byBase.set(key, result);
    }
    return result;
  }

  /** The first requirement that the state cannot meet, without regard to types. */
  failure(state: State, set: RequirementSet): MeetFailure | undefined {
    for (const requirement of set.items) {
      const obstacle = this.#obstacle(state, requirement);
      if (obstacle !== undefined) return obstacle;
    }
    return undefined;
  }

  /** Rows by price, then by name: the types of a claim in this state. */
  pricedRows(state: State): readonly PricedRow[] {
    if (state.priced === undefined) {
      state.priced = members(state.rows)
        .map((row) => this.#cheapest(state, row))
        .sort((first, second) => first.price - second.price || byRowName(state, first, second));
      this.#priced += state.priced.length;
    }
    return state.priced;
  }

  #obstacle(state: State, requirement: Requirement): MeetFailure | undefined {
    const existing = state.requirements[requirement.key];
    if (existing !== undefined) {
      return this.algebra.overlaps(existing, requirement)
        ? undefined
        : { kind: 'conflict', requirement, existing };
    }
    if (this.#isWellKnown(requirement.key) || excludes(requirement)) return undefined;
    return { kind: 'undefined', requirement };
  }

  #narrowed(state: State, items: readonly Requirement[]): State | null {
    const requirements = state.requirements.slice();
    for (const requirement of items) {
      const existing = requirements[requirement.key];
      requirements[requirement.key] =
        existing === undefined ? requirement : this.algebra.meet(existing, requirement);
    }
    return this.#build(state.pool, requirements, state.base);
  }

  #build(pool: PoolEntry, requirements: readonly (Requirement | undefined)[], base: Bits): State | null {
    const baseKey = bitsKey(base);
    let name = `${pool.index}/${baseKey}`;
    for (let key = 0; key < requirements.length; key++) {
      const requirement = requirements[key];
      if (requirement !== undefined) name += `,${requirement.id}`;
    }
    const known = this.#byKey.get(name);
    if (known !== undefined) return known;
    const rows = rowsMeeting(pool, requirements, base);
    const offerings = keepSellable(pool, rows, this.offeringsUnder(pool, requirements));
    if (isEmptyBits(rows)) return null;
    const state: State = {
      id: this.all.length,
      pool,
      requirements,
      base,
      baseKey,
      rows,
      offerings,
      members: NO_BITS,
      priced: undefined,
      decided: [],
    };
    this.all.push(state);
    this.#words += base.length + rows.length + offerings.length;
    this.#byKey.set(name, state);
    return state;
  }

  /** Available offerings that meet these requirements. */
  offeringsUnder(pool: PoolEntry, requirements: readonly (Requirement | undefined)[]): Bits {
    const { catalogue } = pool;
    const result = catalogue.available.slice();
    for (const key of catalogue.offeringKeys) {
      const requirement = requirements[key];
      if (requirement !== undefined) andInto(result, catalogue.offeringsMeeting(requirement)!);
      else if (!this.#isWellKnown(key)) andInto(result, catalogue.offeringsWithout(key)!);
    }
    return result;
  }

  /** The offerings of a row are sorted by price. One that would not launch now has a price only if no other is left. */
  #cheapest(state: State, row: number): PricedRow {
    const { catalogue } = state.pool;
    const end = catalogue.offeringStart[row + 1]!;
    let index = -1;
    for (let at = catalogue.offeringStart[row]!; at < end; at++) {
      if (!hasBit(state.offerings, at)) continue;
      if (index < 0) index = at;
      if (!catalogue.offerings[at]!.launchable) continue;
      index = at;
      break;
    }
    return { row, offering: index, price: catalogue.offerings[index]!.price };
  }
}

// ---------------------------------------------------------------------------------------------------------------

const MEMO_STRIDE = 2 ** 26;

/** A name in two lists for each type, and the other fields of an offer. */
const OFFER_WORDS = 250;
const OFFER_WORDS_PER_TYPE = 4;

/** A state itself, with its name and its list of requirements. */
const STATE_ENTRIES = 8;

export function rowsMeeting(
  pool: PoolEntry,
  requirements: readonly (Requirement | undefined)[],
  base: Bits,
): Bits {
  const rows = base.slice();
  for (const key of pool.catalogue.typeKeys) {
    const requirement = requirements[key];
    if (requirement !== undefined) andInto(rows, pool.catalogue.rowsMeeting(requirement)!);
  }
  return rows;
}

/** Removes rows without an offering. @returns the offerings of the others. */
function keepSellable(pool: PoolEntry, rows: Bits, offerings: Bits): Bits {
  const { offeringStart } = pool.catalogue;
  const kept = emptyBits(pool.catalogue.offerings.length);
  for (const row of members(rows)) {
    const end = offeringStart[row + 1]!;
    let sellable = false;
    for (let index = offeringStart[row]!; index < end; index++) {
      if (!hasBit(offerings, index)) continue;
      setBit(kept, index);
      sellable = true;
    }
    if (!sellable) clearBit(rows, row);
  }
  return kept;
}

function byRowName(state: State, first: PricedRow, second: PricedRow): number {
  const { rows } = state.pool.catalogue;
  return byCodeUnit(rows[first.row]!.type.name, rows[second.row]!.type.name) || first.row - second.row;
}
