/**
 * One list of instance types, indexed for fast queries: which types and which offerings meet a requirement. A
 * row is a type with one set of allocatable resources; a type has several rows when some of its offerings
 * override capacity or overhead. Rows are ordered by size, so the highest matching row is the largest. The
 * requests of pods and daemons are compared elsewhere.
 */
import { type Bits, emptyBits, fullBits, hasBit, orInto, setBit } from '../bits.ts';
import type { InstanceType, Offering } from '../model.ts';
import type { InputError } from '../refusal.ts';
import {
  type Algebra,
  byCodeUnit,
  excludes,
  type Requirement,
  type RequirementSet,
} from '../requirements/algebra.ts';
import { CPU, MEMORY, maxAmounts, type Resources } from '../resources.ts';
import { type ReadOffering, type ReadType, readInstanceType } from './read-type.ts';

export interface TypeRow {
  readonly type: ReadType;
  readonly allocatable: readonly number[];
  /** Counts against the limits of the pool: the largest capacity among the offerings of the type. */
  readonly capacity: readonly number[];
}

export interface CatalogueOffering extends ReadOffering {
  readonly index: number;
  readonly row: number;
}

export class Catalogue {
  readonly types: readonly ReadType[];
  readonly rows: readonly TypeRow[];
  /** By row: offerings of row r are those from start[r] to start[r + 1], the cheapest first. */
  readonly offerings: readonly CatalogueOffering[];
  readonly offeringStart: Int32Array;
  readonly available: Bits;
  readonly hasReservations: boolean;
  readonly #algebra: Algebra;
  readonly #typeKeys: KeyIndex;
  readonly #offeringKeys: KeyIndex;
  readonly #byCapacity = new Map<number, number[]>();

  constructor(algebra: Algebra, types: readonly ReadType[]) {
    this.#algebra = algebra;
    this.types = types;
    const rows = types.flatMap((type) => {
      const capacity = type.shapes.map((shape) => shape.capacity).reduce(maxAmounts, []);
      return type.shapes.map((shape) => ({ type, ...shape, capacity }));
    });
    rows.sort(bySize);
    this.rows = rows;
    this.offeringStart = new Int32Array(rows.length + 1);
    const offerings: CatalogueOffering[] = [];
    rows.forEach((row, index) => {
      this.offeringStart[index] = offerings.length;
      for (const offering of [...row.offerings].sort(byPriceAndPlace))
        offerings.push({ ...offering, index: offerings.length, row: index });
    });
    this.offeringStart[rows.length] = offerings.length;
    this.offerings = offerings;
    this.available = emptyBits(offerings.length);
    for (const offering of offerings) if (offering.available) setBit(this.available, offering.index);
    this.hasReservations = offerings.some((offering) => offering.reservation !== undefined);
    this.#typeKeys = new KeyIndex(rows.map((row) => row.type.requirements));
    this.#offeringKeys = new KeyIndex(offerings.map((offering) => offering.requirements));
  }

  /** Rows whose type can have a label that meets the requirement; types without the label can. */
  rowsMeeting(requirement: Requirement): Bits | undefined {
    return this.#typeKeys.meeting(requirement, (own) => this.#algebra.overlaps(own, requirement));
  }

  /** Offerings that can have a label that meets the requirement. */
  offeringsMeeting(requirement: Requirement): Bits | undefined {
    return this.#offeringKeys.meeting(requirement, (own) => this.#algebra.overlaps(requirement, own));
  }

  /** Offerings that do not set this label: it is undefined there and cannot be assumed. */
  offeringsWithout(key: number): Bits | undefined {
    return this.#offeringKeys.without(key);
  }

  /** The most of a resource that one of the rows has, allocatable or not. */
  largestCapacity(slot: number, rows: Bits): number {
    const largest = this.#capacityOrder(slot).find((row) => hasBit(rows, row));
    return largest === undefined ? 0 : (this.rows[largest]!.capacity[slot] ?? 0);
  }

  /** The most of a resource that any row has. */
  topCapacity(slot: number): number {
    const row = this.#capacityOrder(slot)[0];
    return row === undefined ? 0 : (this.rows[row]!.capacity[slot] ?? 0);
  }

  #capacityOrder(slot: number): number[] {
    let order = this.#byCapacity.get(slot);
    if (order === undefined) {
      const amount = (row: number) => this.rows[row]!.capacity[slot] ?? 0;
      order = this.rows.map((_, row) => row).sort((first, second) => amount(second) - amount(first));
      this.#byCapacity.set(slot, order);
    }
    return order;
  }

  get offeringKeys(): readonly number[] {
    return this.#offeringKeys.keys;
  }

  get typeKeys(): readonly number[] {
    return this.#typeKeys.keys;
  }

  /** The distinct requirements of the types on a label. */
  typeRequirementsOn(key: number): readonly { readonly requirement: Requirement; readonly rows: Bits }[] {
    return this.#typeKeys.distinct(key);
  }

  offeringRequirementsOn(key: number): readonly { readonly requirement: Requirement; readonly rows: Bits }[] {
    return this.#offeringKeys.distinct(key);
  }
}

export interface CatalogueReport {
  readonly catalogue: Catalogue;
  readonly errors: readonly InputError[];
}

export function buildCatalogue(
  algebra: Algebra,
  resources: Resources,
  types: readonly InstanceType[],
): CatalogueReport {
  const errors: InputError[] = [];
  const seen = new Set<string>();
  const read: ReadType[] = [];
  for (const type of types) {
    const name = String(type?.name ?? '');
    if (name === '' || seen.has(name)) {
      errors.push({
        object: `InstanceType/${name}`,
        field: 'name',
        problem: name === '' ? 'missing' : 'duplicate name',
      });
      continue;
    }
    seen.add(name);
    const result = readInstanceType(algebra, resources, type, errors);
    if (result !== undefined) read.push(result);
  }
  return { catalogue: new Catalogue(algebra, read), errors };
}

export type { Offering };

// ---------------------------------------------------------------------------------------------------------------

function bySize(first: TypeRow, second: TypeRow): number {
  const cpu = (first.allocatable[CPU] ?? 0) - (second.allocatable[CPU] ?? 0);
  if (cpu !== 0) return cpu;
  const memory = (first.allocatable[MEMORY] ?? 0) - (second.allocatable[MEMORY] ?? 0);
  return memory !== 0 ? memory : byCodeUnit(second.type.name, first.type.name);
}

/** Offerings with equal prices: those in a zone first, as a launch prefers them; then by name, whatever the input order. */
function byPriceAndPlace(first: ReadOffering, second: ReadOffering): number {
  return (
    first.price - second.price ||
    Number(first.regional) - Number(second.regional) ||
    byCodeUnit(first.zone ?? '', second.zone ?? '') ||
    byCodeUnit(first.capacityType ?? '', second.capacityType ?? '') ||
    byCodeUnit(first.reservation?.id ?? '', second.reservation?.id ?? '')
  );
}

interface Distinct {
  readonly requirement: Requirement;
  readonly rows: Bits;
}

/** Per label: the distinct requirements on it and the rows that have them. */
class KeyIndex {
  readonly keys: number[];
  readonly #byKey = new Map<number, Map<number, Distinct>>();
  readonly #meeting = new Map<number, Bits>();
  readonly #without = new Map<number, Bits>();
  readonly #undemanding = new Map<number, Bits>();
  readonly #count: number;

  constructor(sets: readonly RequirementSet[]) {
    this.#count = sets.length;
    sets.forEach((set, index) => {
      for (const requirement of set.items) this.#insert(requirement, index);
    });
    this.keys = [...this.#byKey.keys()];
  }

  distinct(key: number): Distinct[] {
    return [...(this.#byKey.get(key)?.values() ?? [])];
  }

  /** Undefined when no row has the label: then every row meets it. */
  meeting(requirement: Requirement, meets: (own: Requirement) => boolean): Bits | undefined {
    const byRequirement = this.#byKey.get(requirement.key);
    if (byRequirement === undefined) return undefined;
    let result = this.#meeting.get(requirement.id);
    if (result === undefined) {
      result = this.#unlabelled(requirement.key).slice();
      for (const { requirement: own, rows } of byRequirement.values()) if (meets(own)) orInto(result, rows);
      this.#meeting.set(requirement.id, result);
    }
    return result;
  }

  without(key: number): Bits | undefined {
    const byRequirement = this.#byKey.get(key);
    if (byRequirement === undefined) return undefined;
    let result = this.#undemanding.get(key);
    if (result === undefined) {
      result = this.#unlabelled(key).slice();
      for (const { requirement, rows } of byRequirement.values())
        if (excludes(requirement)) orInto(result, rows);
      this.#undemanding.set(key, result);
    }
    return result;
  }

  #unlabelled(key: number): Bits {
    let result = this.#without.get(key);
    if (result === undefined) {
      result = fullBits(this.#count);
      for (const { rows } of this.#byKey.get(key)!.values()) {
        for (let word = 0; word < result.length; word++) result[word]! &= ~rows[word]!;
      }
      this.#without.set(key, result);
    }
    return result;
  }

  #insert(requirement: Requirement, index: number): void {
    let byRequirement = this.#byKey.get(requirement.key);
    if (byRequirement === undefined) {
      byRequirement = new Map();
      this.#byKey.set(requirement.key, byRequirement);
    }
    let entry = byRequirement.get(requirement.id);
    if (entry === undefined) {
      entry = { requirement, rows: emptyBits(this.#count) };
      byRequirement.set(requirement.id, entry);
    }
    setBit(entry.rows, index);
  }
}
