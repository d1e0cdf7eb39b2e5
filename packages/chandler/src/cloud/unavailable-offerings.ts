/**
 * Offerings whose launch failed recently, and until when they are not tried again. Cloud-neutral: a cloud's error
 * table says what to mark and for how long; this cache only stores it. An entry expires when it is read after its
 * time; there is no timer. `list` answers "why is this size not offered?".
 */
import type { Clock } from '@chandler/kube';

/** One offering of one instance type. `family` and `vcpus` let a failure speak for the bigger sizes of the family too. */
export interface OfferingRef {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  /** The family in which the cloud counts quota and stock; compared without regard to case. */
  readonly family?: string;
  readonly vcpus?: number;
}

export interface FamilyRef {
  readonly family: string;
  readonly zone: string;
  readonly capacityType: string;
}

export type UnavailableScope =
  | {
      readonly kind: 'offering';
      readonly instanceType: string;
      readonly zone: string;
      readonly capacityType: string;
    }
  /** Sizes of the family with at least so many vCPUs; 0 is the whole family. */
  | {
      readonly kind: 'family';
      readonly family: string;
      readonly zone: string;
      readonly capacityType: string;
      readonly minVcpus: number;
    }
  | { readonly kind: 'capacityType'; readonly capacityType: string }
  /** Whatever its family and zone: sizes with at least so many vCPUs. */
  | { readonly kind: 'cores'; readonly capacityType: string; readonly minVcpus: number };

export interface UnavailableEntry {
  readonly scope: UnavailableScope;
  /** From the cloud's closed list, such as `ZonalAllocationFailure`. */
  readonly reason: string;
  /** On the clock that others read. */
  readonly markedAtMs: number;
  readonly untilMs: number;
}

export interface UnavailableOfferingsOptions {
  readonly clock: Clock;
  /** Beyond this many, the one that would end first is forgotten. Default 20,000. */
  readonly maxEntries?: number;
}

export class UnavailableOfferings {
  readonly #clock: Clock;
  readonly #maxEntries: number;
  readonly #entries = new Map<string, Entry>();
  /** Entries of one family, zone and capacity type, or of a capacity type's cores, by the vCPUs at which they begin. */
  readonly #thresholds = new Map<string, Map<number, Entry>>();
  /** How many entries speak of a type, of a family (in lower case): most are spoken of by none, and that is quick to see. */
  readonly #mentions = new Map<string, number>();
  #sequence = 0;
  /** No entry ends before this. */
  #firstEndMs = Number.POSITIVE_INFINITY;

  constructor(options: UnavailableOfferingsOptions) {
    this.#clock = options.clock;
    this.#maxEntries = options.maxEntries ?? 20_000;
  }

  /** Grows with every change that can change an answer: a new entry, and an entry that ended. Not with a longer time. */
  get sequence(): number {
    this.#dropEnded();
    return this.#sequence;
  }

  get size(): number {
    this.#dropEnded();
    return this.#entries.size;
  }

  /** The offering, and in the same zone and capacity type every size of its family that is as big or bigger. */
  mark(offering: OfferingRef, ttlMs: number, reason: string): void {
    const { instanceType, zone, capacityType, family, vcpus } = offering;
    this.#put({ kind: 'offering', instanceType, zone, capacityType }, ttlMs, reason);
    if (family === undefined || family === '' || vcpus === undefined) return;
    this.#put({ kind: 'family', family, zone, capacityType, minVcpus: vcpus }, ttlMs, reason);
  }

  markFamily(family: FamilyRef, ttlMs: number, reason: string): void {
    this.#put({ kind: 'family', ...family, minVcpus: 0 }, ttlMs, reason);
  }

  /** Everything of this capacity type: all spot, say. */
  markCapacityType(capacityType: string, ttlMs: number, reason: string): void {
    this.#put({ kind: 'capacityType', capacityType }, ttlMs, reason);
  }

  /** Every size of this capacity type with at least so many vCPUs: the cores of a region are used up. */
  markCores(capacityType: string, minVcpus: number, ttlMs: number, reason: string): void {
    this.#put({ kind: 'cores', capacityType, minVcpus }, ttlMs, reason);
  }

  isUnavailable(offering: OfferingRef): boolean {
    return this.#find(offering) !== undefined;
  }

  /** The entry that blocks the offering, the widest first. */
  why(offering: OfferingRef): UnavailableEntry | undefined {
    return this.#find(offering)?.shown;
  }

  /** By key, so that two calls read alike. */
  list(): readonly UnavailableEntry[] {
    this.#dropEnded();
    return [...this.#entries.values()].sort((a, b) => (a.key < b.key ? -1 : 1)).map((entry) => entry.shown);
  }

  clear(): void {
    if (this.#entries.size === 0) return;
    this.#entries.clear();
    this.#thresholds.clear();
    this.#mentions.clear();
    this.#firstEndMs = Number.POSITIVE_INFINITY;
    this.#sequence += 1;
  }

  #find({ instanceType, zone, capacityType, family, vcpus }: OfferingRef): Entry | undefined {
    this.#dropEnded();
    if (this.#entries.size === 0) return undefined;
    const all = this.#entries.get(capacityType);
    if (all !== undefined) return all;
    const found =
      this.#lowest(coresKey(capacityType), vcpus ?? 0) ??
      this.#findFamily(family, zone, capacityType, vcpus ?? 0);
    if (found !== undefined || !this.#mentions.has(instanceType)) return found;
    return this.#entries.get(keyOf({ kind: 'offering', instanceType, zone, capacityType }));
  }

  #findFamily(family: string | undefined, zone: string, capacityType: string, vcpus: number) {
    if (family === undefined || !this.#mentions.has(family.toLowerCase())) return undefined;
    return this.#lowest(familyKey({ family, zone, capacityType }), vcpus);
  }

  /** Of those that begin at so many vCPUs or fewer, the one that begins first. */
  #lowest(key: string, vcpus: number): Entry | undefined {
    let found: Entry | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const [minVcpus, entry] of this.#thresholds.get(key) ?? []) {
      if (minVcpus > vcpus || minVcpus >= lowest) continue;
      lowest = minVcpus;
      found = entry;
    }
    return found;
  }

  #put(scope: UnavailableScope, ttlMs: number, reason: string): void {
    if (!(ttlMs > 0)) return;
    this.#dropEnded();
    const key = keyOf(scope);
    const endMs = this.#clock.monotonic() + ttlMs;
    const known = this.#entries.get(key);
    // A later failure never shortens what an earlier one said.
    if (known !== undefined && known.endMs >= endMs) return;
    const markedAtMs = this.#clock.now();
    const entry = { key, endMs, shown: { scope, reason, markedAtMs, untilMs: markedAtMs + ttlMs } };
    if (known === undefined) {
      if (this.#entries.size >= this.#maxEntries) this.#forgetFirst();
      this.#sequence += 1;
      this.#mention(scope, 1);
    }
    this.#entries.set(key, entry);
    if (scope.kind === 'family' || scope.kind === 'cores') this.#index(scope, entry);
    this.#firstEndMs = Math.min(this.#firstEndMs, endMs);
  }

  // Upstream keeps one threshold per family: the lowest, for the time of the last failure. A failure of a big size
  // then prolongs what is known about a small one. Each threshold here lives as long as its own evidence.
  #index(scope: ThresholdScope, entry: Entry): void {
    const key = thresholdKey(scope);
    const thresholds = this.#thresholds.get(key) ?? new Map<number, Entry>();
    thresholds.set(scope.minVcpus, entry);
    this.#thresholds.set(key, thresholds);
  }

  #dropEnded(): void {
    const now = this.#clock.monotonic();
    if (now < this.#firstEndMs) return;
    this.#firstEndMs = Number.POSITIVE_INFINITY;
    for (const entry of this.#entries.values()) {
      if (entry.endMs <= now) this.#remove(entry);
      else this.#firstEndMs = Math.min(this.#firstEndMs, entry.endMs);
    }
  }

  #forgetFirst(): void {
    let first: Entry | undefined;
    for (const entry of this.#entries.values())
      if (first === undefined || entry.endMs < first.endMs) first = entry;
    if (first !== undefined) this.#remove(first);
  }

  #mention(scope: UnavailableScope, by: 1 | -1): void {
    if (scope.kind === 'capacityType' || scope.kind === 'cores') return;
    const name = scope.kind === 'family' ? scope.family.toLowerCase() : scope.instanceType;
    const count = (this.#mentions.get(name) ?? 0) + by;
    if (count > 0) this.#mentions.set(name, count);
    else this.#mentions.delete(name);
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry.key);
    this.#sequence += 1;
    const { scope } = entry.shown;
    this.#mention(scope, -1);
    if (scope.kind !== 'family' && scope.kind !== 'cores') return;
    const key = thresholdKey(scope);
    const thresholds = this.#thresholds.get(key);
    thresholds?.delete(scope.minVcpus);
    if (thresholds?.size === 0) this.#thresholds.delete(key);
  }
}

// ---------------------------------------------------------------------------------------------------------------

type ThresholdScope = Extract<UnavailableScope, { readonly kind: 'family' | 'cores' }>;

interface Entry {
  readonly key: string;
  /** On the monotonic clock. */
  readonly endMs: number;
  readonly shown: UnavailableEntry;
}

function keyOf(scope: UnavailableScope): string {
  switch (scope.kind) {
    case 'capacityType':
      return scope.capacityType;
    case 'offering':
      return `${scope.capacityType}:${scope.instanceType}:${scope.zone}`;
    case 'family':
    case 'cores':
      return `${thresholdKey(scope)}:${scope.minVcpus}`;
  }
}

function thresholdKey(scope: ThresholdScope): string {
  return scope.kind === 'cores' ? coresKey(scope.capacityType) : familyKey(scope);
}

function coresKey(capacityType: string): string {
  return `cores:${capacityType}`;
}

function familyKey({ family, zone, capacityType }: FamilyRef): string {
  return `skufamily:${family}:${zone}:${capacityType}`.toLowerCase();
}
