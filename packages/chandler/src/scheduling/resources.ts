/**
 * Amounts of resources as integers in numbered slots: millicores for cpu, single units (bytes, pods, devices)
 * for the rest. Requests are rounded up and capacity is rounded down, so that a plan never uses a fraction
 * that does not exist. Amounts above 2^53 are capped there, and nothing fits them.
 */
import { parseQuantity, Quantity, QuantityError } from '@chandler/kube';
import type { ResourceList } from '../api/index.ts';

export const CPU = 0;
export const MEMORY = 1;
export const PODS = 2;

/** Attachments of volumes of a CSI driver are counted in a slot of this name. */
export const ATTACHMENT_PREFIX = 'attachments of ';

/** The requests of a pod or daemon: ascending slots with amounts above zero. Equal requests are one object. */
export interface Requests {
  readonly id: number;
  readonly slots: readonly number[];
  readonly amounts: readonly number[];
}

export class ResourceProblem extends Error {
  override readonly name = 'ResourceProblem';
  readonly resource: string;

  constructor(resource: string, problem: string) {
    super(problem);
    this.resource = resource;
  }
}

export class Resources {
  readonly #slots = new Map<string, number>([
    ['cpu', CPU],
    ['memory', MEMORY],
    ['pods', PODS],
  ]);
  readonly #names: string[] = ['cpu', 'memory', 'pods'];
  readonly #parsed = new Map<string, Quantity>();
  readonly #requests = new Map<string, Requests>();
  readonly #binary = new Set<number>([MEMORY]);
  /** Slots by name. */
  #sorted: number[] = [];
  readonly #texts: (Map<number, string> | undefined)[] = [];

  get count(): number {
    return this.#names.length;
  }

  /** How many amounts were read and combined. */
  get size(): number {
    return this.#parsed.size + this.#requests.size;
  }

  slot(name: string): number {
    const known = this.#slots.get(name);
    if (known !== undefined) return known;
    const slot = this.#names.length;
    this.#slots.set(name, slot);
    this.#names.push(name);
    return slot;
  }

  findSlot(name: string): number | undefined {
    return this.#slots.get(name);
  }

  name(slot: number): string {
    return this.#names[slot]!;
  }

  /**
   * The order in which refusals name resources: cpu, memory, pods, then by name, attachments last. Slots are numbered in
   * the order of first use, which must not show in a plan.
   */
  compareSlots(first: number, second: number): number {
    return this.#rank(first) - this.#rank(second) || byName(this.#names[first]!, this.#names[second]!);
  }

  #rank(slot: number): number {
    if (slot <= PODS) return slot;
    return this.#names[slot]!.startsWith(ATTACHMENT_PREFIX) ? PODS + 2 : PODS + 1;
  }

  /** Requested amounts, by slot. @throws {ResourceProblem} for an invalid amount. */
  wanted(list: ResourceList | undefined): number[] {
    return this.#amounts(list, 1);
  }

  /** Available amounts, by slot. @throws {ResourceProblem} for an invalid amount. */
  offered(list: ResourceList | undefined): number[] {
    return this.#amounts(list, -1);
  }

  /** @param amounts by slot; holes are zero. */
  requests(amounts: readonly number[]): Requests {
    const slots: number[] = [];
    const values: number[] = [];
    for (let slot = 0; slot < amounts.length; slot++) {
      const amount = amounts[slot];
      if (amount === undefined || amount === 0) continue;
      slots.push(slot);
      values.push(amount);
    }
    const key = `${slots.join()}:${values.join()}`;
    let requests = this.#requests.get(key);
    if (requests === undefined) {
      requests = { id: this.#requests.size, slots, amounts: values };
      this.#requests.set(key, requests);
    }
    return requests;
  }

  /** The amount as a quantity: `1500m`, `2Gi`. */
  text(slot: number, amount: number): string {
    if (!Number.isFinite(amount)) return 'unlimited';
    if (slot === CPU) return Quantity.ofMilli(Math.trunc(amount)).toString();
    return Quantity.of(Math.trunc(amount), this.#binary.has(slot) ? 'BinarySI' : 'DecimalSI').toString();
  }

  /** All nonzero amounts, sorted by resource name. */
  texts(amounts: readonly number[] | Float64Array): Record<string, string> {
    if (this.#sorted.length !== this.#names.length) {
      const bySlotName = (first: number, second: number) =>
        this.#names[first]! < this.#names[second]! ? -1 : 1;
      this.#sorted = this.#names.map((_, slot) => slot).sort(bySlotName);
    }
    const texts: Record<string, string> = {};
    for (const slot of this.#sorted) {
      const amount = amounts[slot] ?? 0;
      if (amount !== 0) texts[this.#names[slot]!] = this.#textOf(slot, amount);
    }
    return texts;
  }

  #textOf(slot: number, amount: number): string {
    const known = this.#texts[slot]?.get(amount);
    if (known !== undefined) return known;
    const text = this.text(slot, amount);
    this.#texts[slot] ??= new Map();
    this.#texts[slot].set(amount, text);
    return text;
  }

  #amounts(list: ResourceList | undefined, rounding: 1 | -1): number[] {
    const amounts: number[] = [];
    if (list === undefined || list === null) return amounts;
    for (const name of Object.keys(list)) {
      const slot = this.slot(name);
      const amount = this.#amount(name, slot, list[name]!, rounding);
      while (amounts.length < slot) amounts.push(0);
      amounts[slot] = amount;
    }
    return amounts;
  }

  #amount(name: string, slot: number, text: string | number, rounding: 1 | -1): number {
    const quantity = this.#quantity(name, text);
    if (quantity.format === 'BinarySI') this.#binary.add(slot);
    const unit = slot === CPU ? 1_000_000n : 1_000_000_000n;
    let whole = quantity.nanos / unit;
    const rest = quantity.nanos % unit;
    if (rounding === 1 && rest > 0n) whole += 1n;
    if (rounding === -1 && rest < 0n) whole -= 1n;
    if (rounding === 1 && whole < 0n) throw new ResourceProblem(name, `${text} is negative`);
    return Math.max(Math.min(Number(whole), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
  }

  #quantity(name: string, text: string | number): Quantity {
    const memo = typeof text === 'string' ? text : `#${text}`;
    const known = this.#parsed.get(memo);
    if (known !== undefined) return known;
    try {
      if (typeof text !== 'string' && !Number.isFinite(text)) throw new QuantityError('not a number');
      const quantity = parseQuantity(text);
      this.#parsed.set(memo, quantity);
      return quantity;
    } catch (error) {
      if (error instanceof QuantityError) {
        throw new ResourceProblem(name, `${JSON.stringify(text)}: ${error.message}`);
      }
      throw error;
    }
  }
}

function byName(first: string, second: string): number {
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

export function addAmounts(first: readonly number[], second: readonly number[]): number[] {
  const [long, short] = first.length >= second.length ? [first, second] : [second, first];
  const sum = long.slice();
  for (let slot = 0; slot < short.length; slot++) sum[slot] = (sum[slot] ?? 0) + (short[slot] ?? 0);
  return sum;
}

export function maxAmounts(first: readonly number[], second: readonly number[]): number[] {
  const [long, short] = first.length >= second.length ? [first, second] : [second, first];
  const result = long.slice();
  for (let slot = 0; slot < short.length; slot++) {
    result[slot] = Math.max(result[slot] ?? 0, short[slot] ?? 0);
  }
  return result;
}

export function subtractAmounts(first: readonly number[], second: readonly number[]): number[] {
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, slot) => (first[slot] ?? 0) - (second[slot] ?? 0));
}

/** Requests as amounts by slot. */
export function expand(requests: Requests): number[] {
  const amounts: number[] = [];
  requests.slots.forEach((slot, index) => {
    while (amounts.length < slot) amounts.push(0);
    amounts[slot] = requests.amounts[index]!;
  });
  return amounts;
}
