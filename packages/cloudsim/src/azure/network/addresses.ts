/**
 * Addresses of a subnet: the lowest free one first, five of each range kept by Azure.
 */

export interface Prefix {
  readonly first: number;
  readonly size: number;
  readonly text: string;
}

/** Undefined when it is not an IPv4 range such as `10.224.0.0/16`. */
export function parsePrefix(text: string): Prefix | undefined {
  const match = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/.exec(text);
  const base = match && parseAddress(match[1]!);
  const bits = Number(match?.[2]);
  if (base === null || base === undefined || !(bits >= 8 && bits <= 29)) return undefined;
  const size = 2 ** (32 - bits);
  return { first: base - (base % size), size, text };
}

export function parseAddress(text: string): number | undefined {
  const parts = text.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255))
    return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

export function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

export class AddressPool {
  readonly prefix: Prefix;
  readonly #used = new Set<number>();
  /** Nothing below is free. */
  #lowest = RESERVED_AT_START;

  constructor(prefix: Prefix) {
    this.prefix = prefix;
  }

  get free(): number {
    return this.prefix.size - RESERVED - this.#used.size;
  }

  /** The caller has seen that enough are free. */
  take(): string {
    while (this.#used.has(this.#lowest)) this.#lowest += 1;
    this.#used.add(this.#lowest);
    return formatAddress(this.prefix.first + this.#lowest);
  }

  /** A given address: whether it could be had. */
  takeThis(text: string): 'taken' | 'in-use' | 'outside' {
    const offset = this.#offset(text);
    if (offset === undefined) return 'outside';
    if (this.#used.has(offset)) return 'in-use';
    this.#used.add(offset);
    return 'taken';
  }

  release(text: string): void {
    const offset = this.#offset(text);
    if (offset === undefined || !this.#used.delete(offset)) return;
    this.#lowest = Math.min(this.#lowest, offset);
  }

  #offset(text: string): number | undefined {
    const address = parseAddress(text);
    if (address === undefined) return undefined;
    const offset = address - this.prefix.first;
    return offset >= RESERVED_AT_START && offset < this.prefix.size - 1 ? offset : undefined;
  }
}

// ---------------------------------------------------------------------------------------------------

/** The network, the gateway, two for DNS; and the broadcast address at the end. */
const RESERVED_AT_START = 4;
const RESERVED = 5;
