/**
 * What is certain about a node that does not exist yet: which values of a label it can still get from the
 * remaining types and offerings, and whether it will meet a requirement whichever type is launched.
 */
import {
  andBits,
  type Bits,
  isEmptyBits,
  members,
  minusBits,
  NO_BITS,
  orBits,
  overlapBits,
} from '../bits.ts';
import { type Algebra, excludes, type Requirement, type RequirementSet } from '../requirements/algebra.ts';
import type { PoolEntry } from './pools.ts';
import type { State } from './states.ts';

/** The one domain the node will be in; -1 while there are several, or none is known. */
export function decidedDomain(algebra: Algebra, state: State, key: number): number {
  let decided = state.decided[key];
  if (decided === undefined) {
    decided = onlyMember(possibleDomains(algebra, state, key));
    state.decided[key] = decided;
  }
  return decided;
}

/** Whether the node will have the label, though its value may be open. */
export function mayHaveLabel(state: State, key: number): boolean {
  const own = state.requirements[key];
  if (own !== undefined) return own.operator !== 'DoesNotExist';
  const { catalogue } = state.pool;
  return catalogue.offeringKeys.includes(key) || catalogue.typeKeys.includes(key);
}

/**
 * Whether the node will have the label with a value that is open, and with none of these. Where its NodePool lists the
 * values, they are of no interest: the launch decides which of them there is an offering for.
 */
export function hasOtherValue(algebra: Algebra, state: State, key: number, known: Bits): boolean {
  const own = state.requirements[key];
  if (own === undefined || excludes(own) || members(known).some((value) => algebra.has(own, value)))
    return false;
  return own.complement || !isListedByPool(state.pool, key);
}

/** Whether every node that the state can become meets one of the alternatives, not necessarily the same one. */
export function surelyMeets(
  algebra: Algebra,
  state: State,
  alternatives: readonly RequirementSet[],
): boolean {
  if (alternatives.some(({ items }) => items.every((wanted) => surelyHas(algebra, state, wanted))))
    return true;
  if (alternatives.length < 2) return false;
  return members(state.rows).every((row) =>
    alternatives.some(({ items }) =>
      items.every((wanted) => surelyHas(algebra, state, wanted) || typeHas(algebra, state, row, wanted)),
    ),
  );
}

/** Whether no node that the state can become meets any of the alternatives. */
export function surelyMisses(
  algebra: Algebra,
  state: State,
  alternatives: readonly RequirementSet[],
): boolean {
  const misses = (wanted: Requirement) => surelyLacks(algebra, state, wanted);
  if (alternatives.every(({ items }) => items.some(misses))) return true;
  return members(state.rows).every((row) =>
    alternatives.every(({ items }) =>
      items.some((wanted) => misses(wanted) || typeLacks(algebra, state, row, wanted)),
    ),
  );
}

/** Whether the node will have the label, whichever type is launched. */
export function surelyHasLabel(algebra: Algebra, state: State, key: number): boolean {
  const own = state.requirements[key];
  if (own !== undefined && !excludes(own)) return true;
  return !isEmptyBits(possibleDomains(algebra, state, key) ?? NO_BITS);
}

// ---------------------------------------------------------------------------------------------------------------

function surelyLacks(algebra: Algebra, state: State, wanted: Requirement): boolean {
  const own = state.requirements[wanted.key];
  if (own !== undefined && !algebra.overlaps(own, wanted)) return true;
  const domains = possibleDomains(algebra, state, wanted.key);
  if (domains !== undefined && isEmptyBits(domains)) return !excludes(wanted);
  if (domains !== undefined) return !members(domains).some((value) => algebra.has(wanted, value));
  return !excludes(wanted) && !mayHaveLabel(state, wanted.key);
}

/** A node of this type has a label that does not meet the requirement. */
function typeLacks(algebra: Algebra, state: State, row: number, wanted: Requirement): boolean {
  const { items } = state.pool.catalogue.rows[row]!.type.requirements;
  return items.some((own) => own.key === wanted.key && !algebra.overlaps(own, wanted));
}

function surelyHas(algebra: Algebra, state: State, wanted: Requirement): boolean {
  const own = state.requirements[wanted.key];
  if (own !== undefined && isWithin(algebra, own, wanted)) return true;
  const domains = possibleDomains(algebra, state, wanted.key);
  if (domains !== undefined && isEmptyBits(domains)) return excludes(wanted);
  if (domains !== undefined) return members(domains).every((value) => algebra.has(wanted, value));
  return excludes(wanted) && !mayHaveLabel(state, wanted.key);
}

/** A node of this type has a label that meets the requirement. */
function typeHas(algebra: Algebra, state: State, row: number, wanted: Requirement): boolean {
  const { items } = state.pool.catalogue.rows[row]!.type.requirements;
  return items.some((own) => own.key === wanted.key && isWithin(algebra, own, wanted));
}

/** Whether all nodes that meet the one requirement meet the other, too. No value is within every set, but needs no label. */
function isWithin(algebra: Algebra, own: Requirement, wanted: Requirement): boolean {
  if (own.operator === 'DoesNotExist') return excludes(wanted);
  return algebra.meet(own, wanted) === own;
}

/** Otherwise pods decide the value: the NodePool allows any, or one of them brings the label. */
function isListedByPool({ template }: PoolEntry, key: number): boolean {
  return template.items.some((requirement) => requirement.key === key && !requirement.complement);
}

/** Undefined: the values cannot be listed, or some nodes would not have the label. Empty: none would have it. */
function possibleDomains(algebra: Algebra, state: State, key: number): Bits | undefined {
  const own = state.requirements[key];
  const listed = own === undefined || own.complement ? undefined : own.values;
  if (own !== undefined && listed !== undefined && own.size < 2) return listed;
  const { catalogue } = state.pool;
  const ofRows =
    union(catalogue.offeringRequirementsOn(key), state.offerings) ??
    union(catalogue.typeRequirementsOn(key), state.rows);
  if (ofRows === undefined) return listed;
  if (listed !== undefined) return andBits(ofRows, listed);
  return own === undefined ? ofRows : keepMeeting(algebra, own, ofRows);
}

/** The values of the rows in use; undefined when some of them do not set the label, or say that there is none. */
function union(
  distinct: readonly { readonly requirement: Requirement; readonly rows: Bits }[],
  inUse: Bits,
): Bits | undefined {
  if (distinct.length === 0) return undefined;
  let values = NO_BITS;
  let unset = inUse;
  let isAbsent = false;
  for (const { requirement, rows } of distinct) {
    if (!overlapBits(rows, inUse)) continue;
    if (requirement.complement) return undefined;
    if (requirement.operator === 'DoesNotExist') isAbsent = true;
    values = orBits(values, requirement.values);
    unset = minusBits(unset, rows);
  }
  if (isAbsent && !isEmptyBits(values)) return undefined;
  return isEmptyBits(unset) ? values : undefined;
}

function keepMeeting(algebra: Algebra, own: Requirement, values: Bits): Bits {
  const kept = values.slice();
  for (const value of members(values)) {
    if (!algebra.has(own, value)) kept[value >>> 5]! &= ~(1 << (value & 31));
  }
  return kept;
}

function onlyMember(domains: Bits | undefined): number {
  if (domains === undefined) return -1;
  const listed = members(domains);
  return listed.length === 1 ? listed[0]! : -1;
}
