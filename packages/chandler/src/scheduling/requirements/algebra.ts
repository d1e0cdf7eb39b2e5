/**
 * Requirements on node labels and how they combine. Requirements are interned: equal ones are the same
 * object, so that a combination is computed once and cached. The rules, including the lenient ones, are those
 * of Karpenter. The caller decides which label keys may be undefined on a node that does not exist yet.
 */
import {
  andBits,
  type Bits,
  bitsKey,
  bitsOf,
  hasBit,
  isEmptyBits,
  members,
  minusBits,
  NO_BITS,
  orBits,
} from '../bits.ts';
import { LabelTable, MAX_INTEGER, parseInteger } from './label-table.ts';

export type SetOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';

/** One condition on one label. */
export interface Requirement {
  readonly id: number;
  readonly key: number;
  /** The values are those that are excluded. */
  readonly complement: boolean;
  readonly values: Bits;
  /** Bounds on integers, both included; only complements have them. */
  readonly gte: number | null;
  readonly lte: number | null;
  readonly minValues: number | null;
  readonly operator: SetOperator;
  /** How many values are listed. */
  readonly size: number;
  /** The number of the one value the label can have; -1 while there are others. */
  readonly only: number;
  /** The label must exist. Excluded values alone do not require it. */
  readonly present: boolean;
}

/** Several requirements, at most one per label, sorted by the name of the label. Interned as well. */
export interface RequirementSet {
  readonly id: number;
  readonly items: readonly Requirement[];
}

export type OperatorProblem = { readonly problem: string };

export class Algebra {
  readonly labels: LabelTable = new LabelTable();
  readonly #interned = new Map<string, Requirement>();
  readonly #byId: Requirement[] = [];
  /** By key, then by value. */
  readonly #singles: (Requirement | undefined)[][] = [];
  readonly #meets = new Map<number, Requirement>();
  /** By the numbers of their requirements, in every order in which they were given. */
  readonly #sets = new Map<string, RequirementSet>();
  readonly #setsById: RequirementSet[] = [];
  /** Of the sets of values. */
  #words = 0;
  readonly emptySet: RequirementSet = this.set([]);

  /** A condition as it is written in a pod or a pool. */
  parse(
    keyName: string,
    operator: string,
    values: readonly string[] = [],
    minValues?: number,
  ): Requirement | OperatorProblem {
    const key = this.labels.key(keyName);
    const min = minValues ?? null;
    const build = OPERATORS.get(operator);
    if (build === undefined) return { problem: `unknown operator ${JSON.stringify(operator)}` };
    if (build === 'set') {
      if (operator === 'In' && values.length === 1 && min === null)
        return this.exactly(key, this.labels.value(key, values[0]!));
      const complement = operator === 'NotIn' || operator === 'Exists';
      const listed = operator === 'In' || operator === 'NotIn' ? values : [];
      const bits = bitsOf(listed.map((value) => this.labels.value(key, value)));
      return this.intern({ key, complement, values: bits, minValues: min, present: operator === 'Exists' });
    }
    const bound = values.length === 1 ? parseInteger(values[0]!) : Number.NaN;
    if (Number.isNaN(bound)) return { problem: `operator ${operator} requires exactly one integer` };
    const [gte, lte] = build(bound);
    if (gte !== null && gte >= MAX_INTEGER) return this.nothing(key, min);
    return this.intern({ key, complement: true, values: NO_BITS, gte, lte, minValues: min, present: true });
  }

  /** The label has exactly this value. */
  label(keyName: string, value: string): Requirement {
    const key = this.labels.key(keyName);
    return this.exactly(key, this.labels.value(key, value));
  }

  exactly(key: number, value: number): Requirement {
    const known = this.#singles[key]?.[value];
    if (known !== undefined) return known;
    const requirement = this.oneOf(key, bitsOf([value]));
    this.#singles[key] ??= [];
    this.#singles[key][value] = requirement;
    return requirement;
  }

  oneOf(key: number, values: Bits): Requirement {
    return this.intern({ key, complement: false, values });
  }

  exists(key: number): Requirement {
    return this.intern({ key, complement: true, values: NO_BITS, present: true });
  }

  nothing(key: number, minValues: number | null = null): Requirement {
    return this.intern({ key, complement: false, values: NO_BITS, minValues });
  }

  withMinValues(requirement: Requirement, minValues: number | null): Requirement {
    return this.intern({ ...requirement, minValues });
  }

  requirement(id: number): Requirement {
    return this.#byId[id]!;
  }

  /** Both conditions at once. */
  meet(first: Requirement, second: Requirement): Requirement {
    if (first === second) return first;
    const memo = first.id * MEMO_STRIDE + second.id;
    let result = this.#meets.get(memo);
    if (result === undefined) {
      result = this.#intersect(first, second);
      this.#meets.set(memo, result);
    }
    return result;
  }

  /**
   * One of the conditions at least, on a label that exists. It does not depend on which values are known by now, except with
   * bounds: these are taken over the known values.
   * @returns undefined when every value meets one of them.
   */
  anyOf(key: number, conditions: readonly Requirement[]): Requirement | undefined {
    const lists = conditions.filter(({ complement }) => !complement);
    const open = conditions.filter(({ complement, gte, lte }) => complement && gte === null && lte === null);
    if (open.length > 0) {
      const excluded = open.map(({ values }) => values).reduce(andBits);
      const left = members(excluded).filter(
        (value) => !conditions.some((condition) => this.has(condition, value)),
      );
      return left.length === 0
        ? undefined
        : this.intern({ key, complement: true, values: bitsOf(left), present: true });
    }
    if (lists.length === conditions.length)
      return this.oneOf(
        key,
        lists.reduce((union, { values }) => orBits(union, values), NO_BITS),
      );
    const known = Array.from({ length: this.labels.valueCount(key) }, (_, value) => value);
    return this.oneOf(
      key,
      bitsOf(known.filter((value) => conditions.some((condition) => this.has(condition, value)))),
    );
  }

  /** Requirements that a label meets exactly when it does not meet this one: one of them at a time. */
  opposites({ key, complement, values, gte, lte, present, size }: Requirement): Requirement[] {
    if (!complement) return [size === 0 ? this.exists(key) : this.intern({ key, complement: true, values })];
    const found: Requirement[] = [];
    if (size > 0) found.push(this.oneOf(key, values));
    const beyond = { key, complement: true, values: NO_BITS, present: true };
    if (gte !== null) found.push(this.intern({ ...beyond, lte: gte - 1 }));
    if (lte !== null) found.push(this.intern({ ...beyond, gte: lte + 1 }));
    if (present) found.push(this.nothing(key));
    return found;
  }

  /** Whether some label value meets both. */
  intersects(first: Requirement, second: Requirement): boolean {
    return this.meet(first, second).operator !== 'DoesNotExist';
  }

  /** As `intersects`, but two requirements that only exclude values always intersect. */
  overlaps(existing: Requirement, incoming: Requirement): boolean {
    return (excludes(existing) && excludes(incoming)) || this.intersects(existing, incoming);
  }

  has(requirement: Requirement, value: number): boolean {
    if (hasBit(requirement.values, value) === requirement.complement) return false;
    return this.#withinBounds(requirement.key, value, requirement.gte, requirement.lte);
  }

  set(requirements: Iterable<Requirement>): RequirementSet {
    const given = [...requirements];
    const name = namesOf(given);
    let set = this.#sets.get(name);
    if (set === undefined) {
      set = this.#sorted(given);
      this.#sets.set(name, set);
    }
    return set;
  }

  /** How many requirements, sets and combinations are interned. Long sets of values count for several. */
  get size(): number {
    return this.#byId.length + this.#sets.size + this.#meets.size + Math.floor(this.#words / WORDS_PER_ENTRY);
  }

  get setCount(): number {
    return this.#setsById.length;
  }

  /** Numbers of values, in the order of their names. */
  valuesByName(key: number, values: Bits): number[] {
    const name = (value: number) => this.labels.valueName(key, value);
    return members(values).sort((first, second) => byCodeUnit(name(first), name(second)));
  }

  valueNames(requirement: Requirement): string[] {
    return members(requirement.values)
      .map((value) => this.labels.valueName(requirement.key, value))
      .sort(byCodeUnit);
  }

  intern(parts: Parts): Requirement {
    const { key, complement, values, gte = null, lte = null, minValues = null } = parts;
    const listed = members(values);
    const present = complement ? parts.present === true || listed.length === 0 : listed.length > 0;
    const name = `${key}${complement ? '!' : '='}${bitsKey(values)}|${gte ?? ''}|${lte ?? ''}|${minValues ?? ''}|${present}`;
    const known = this.#interned.get(name);
    if (known !== undefined) return known;
    const requirement: Requirement = {
      id: this.#byId.length,
      key,
      complement,
      values: listed.length === 0 ? NO_BITS : values,
      gte,
      lte,
      minValues,
      operator: operatorOf(complement, listed.length),
      size: listed.length,
      only: !complement && listed.length === 1 ? listed[0]! : -1,
      present,
    };
    this.#interned.set(name, requirement);
    this.#byId.push(requirement);
    this.#words += requirement.values.length;
    return requirement;
  }

  #sorted(requirements: readonly Requirement[]): RequirementSet {
    const byKey = new Map<number, Requirement>();
    for (const requirement of requirements) {
      const other = byKey.get(requirement.key);
      byKey.set(requirement.key, other === undefined ? requirement : this.meet(other, requirement));
    }
    const items = [...byKey.values()].sort((first, second) =>
      byCodeUnit(this.labels.keyName(first.key), this.labels.keyName(second.key)),
    );
    const name = namesOf(items);
    let set = this.#sets.get(name);
    if (set === undefined) {
      set = { id: this.#setsById.length, items };
      this.#sets.set(name, set);
      this.#setsById.push(set);
    }
    return set;
  }

  #intersect(first: Requirement, second: Requirement): Requirement {
    const { key } = first;
    const gte = largest(first.gte, second.gte);
    const lte = smallest(first.lte, second.lte);
    const minValues = largest(first.minValues, second.minValues);
    if (gte !== null && lte !== null && gte > lte) return this.nothing(key, minValues);
    const complement = first.complement && second.complement;
    const values = this.#inBounds(key, combineValues(first, second), gte, lte);
    if (!complement) return this.intern({ key, complement, values, minValues });
    const present = first.present || second.present;
    return this.intern({ key, complement, values, gte, lte, minValues, present });
  }

  #inBounds(key: number, values: Bits, gte: number | null, lte: number | null): Bits {
    if ((gte === null && lte === null) || isEmptyBits(values)) return values;
    return bitsOf(members(values).filter((value) => this.#withinBounds(key, value, gte, lte)));
  }

  #withinBounds(key: number, value: number, gte: number | null, lte: number | null): boolean {
    if (gte === null && lte === null) return true;
    const integer = this.labels.integer(key, value);
    return !Number.isNaN(integer) && (gte === null || integer >= gte) && (lte === null || integer <= lte);
  }
}

/** The requirement only excludes values; an undefined label meets it. */
export function excludes(requirement: Requirement): boolean {
  return !requirement.present;
}

export function byCodeUnit(first: string, second: string): number {
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

// ---------------------------------------------------------------------------------------------------------------

/** Ids stay far below; the product is exact in a double. */
const MEMO_STRIDE = 2 ** 26;
/** They need about as much memory as another entry. */
const WORDS_PER_ENTRY = 25;

type Parts = Pick<Requirement, 'key' | 'complement' | 'values'> &
  Partial<Pick<Requirement, 'gte' | 'lte' | 'minValues' | 'present'>>;

type Bounds = readonly [gte: number | null, lte: number | null];

const OPERATORS = new Map<string, 'set' | ((bound: number) => Bounds)>([
  ['In', 'set'],
  ['NotIn', 'set'],
  ['Exists', 'set'],
  ['DoesNotExist', 'set'],
  ['Gt', (bound) => [bound + 1, null]],
  ['Lt', (bound) => [null, bound - 1]],
  ['Gte', (bound) => [bound, null]],
  ['Lte', (bound) => [null, bound]],
]);

function operatorOf(complement: boolean, size: number): SetOperator {
  if (complement) return size === 0 ? 'Exists' : 'NotIn';
  return size === 0 ? 'DoesNotExist' : 'In';
}

function combineValues(first: Requirement, second: Requirement): Bits {
  if (first.complement && second.complement) return orBits(first.values, second.values);
  if (first.complement) return minusBits(second.values, first.values);
  if (second.complement) return minusBits(first.values, second.values);
  return andBits(first.values, second.values);
}

function namesOf(requirements: readonly Requirement[]): string {
  return requirements.map(({ id }) => id).join(',');
}

function largest(first: number | null, second: number | null): number | null {
  if (first === null || second === null) return first ?? second;
  return Math.max(first, second);
}

function smallest(first: number | null, second: number | null): number | null {
  if (first === null || second === null) return first ?? second;
  return Math.min(first, second);
}
