/**
 * Go's math/rand (version 1), bit for bit: the generator behind Karpenter's benchmark pods and behind every
 * workload here. Go's seed table is not copied: it is the state of the same generator after 7.8e12 steps,
 * computed by jumping ahead. The workloads decide what is drawn, and in which order.
 */

export class GoRand {
  readonly #state: bigint[];
  #tap = 0;
  #feed = LENGTH - TAP;

  constructor(seed: number) {
    const start = ((seed % PRIME) + PRIME) % PRIME;
    const table = seedTable();
    this.#state = seededWords(start === 0 ? 89482311 : start, 40n, 20n).map((word, i) => word ^ table[i]!);
  }

  /** A non-negative integer below 2^63. */
  int63(): bigint {
    this.#tap = this.#tap === 0 ? LENGTH - 1 : this.#tap - 1;
    this.#feed = this.#feed === 0 ? LENGTH - 1 : this.#feed - 1;
    const sum = (this.#state[this.#feed]! + this.#state[this.#tap]!) & WORD;
    this.#state[this.#feed] = sum;
    return sum & (WORD >> 1n);
  }

  /** An integer from 0 to n - 1; n is at most 2^31 - 1. */
  intn(n: number): number {
    if ((n & (n - 1)) === 0) return this.#int31() & (n - 1);
    const highest = 2 ** 31 - 1 - (2 ** 31 % n);
    let value = this.#int31();
    while (value > highest) value = this.#int31();
    return value % n;
  }

  /** A number in [0, 1). */
  float64(): number {
    return Number(this.int63() & (2n ** 53n - 1n)) / 2 ** 53;
  }

  #int31(): number {
    return Number(this.int63() >> 32n);
  }
}

// ---------------------------------------------------------------------------------------------------

/** x[n] = x[n - LENGTH] + x[n - TAP], modulo 2^64. */
const LENGTH = 607;
const TAP = 273;
const WORD = 2n ** 64n - 1n;
const PRIME = 2 ** 31 - 1;
/** How far the published table is ahead of seed 1. */
const STEPS = 7_800_000_000_000n;
/** Hex digits per coefficient when a polynomial is one big integer: room for 607 products of 64 x 64 bits. */
const DIGITS = 36;

let table: readonly bigint[] | undefined;

/** The words that the small generator gives for a seed, three of its values in each. */
function seededWords(seed: number, high: bigint, middle: bigint): bigint[] {
  let x = seed;
  const next = () => {
    x = Number((BigInt(x) * 48271n) % BigInt(PRIME));
    return BigInt(x);
  };
  for (let i = 0; i < 20; i++) next();
  return Array.from({ length: LENGTH }, () => ((next() << high) ^ (next() << middle) ^ next()) & WORD);
}

function seedTable(): readonly bigint[] {
  table ??= jumpAhead(seededWords(1, 20n, 10n));
  return table;
}

/** The generator's state after STEPS outputs. Output n is written to slot (LENGTH - TAP - 1 - n) mod LENGTH. */
function jumpAhead(state: readonly bigint[]): bigint[] {
  const slot = (n: number) => (((LENGTH - TAP - 1 - n) % LENGTH) + LENGTH) % LENGTH;
  const sequence = Array.from({ length: LENGTH }, (_, n) => state[slot(n)]!);
  for (let n = 0; n < LENGTH; n++) sequence.push((sequence[n]! + sequence[n + LENGTH - TAP]!) & WORD);
  const power = powerOfX(STEPS);
  const result = new Array<bigint>(LENGTH);
  for (let j = 0; j < LENGTH; j++) {
    let sum = 0n;
    for (let i = 0; i < LENGTH; i++) sum += power[i]! * sequence[i + j]!;
    const n = Number((STEPS - BigInt(LENGTH - j)) % BigInt(LENGTH));
    result[slot(n)] = sum & WORD;
  }
  return result;
}

/** x^exponent modulo x^607 - x^334 - 1: how output `exponent` is a sum of the first 607 outputs. */
function powerOfX(exponent: bigint): bigint[] {
  let result = [1n];
  let base = [0n, 1n];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = multiply(result, base);
    base = multiply(base, base);
  }
  return Array.from({ length: LENGTH }, (_, i) => result[i] ?? 0n);
}

/** Polynomials as one big integer each: its multiplication is far faster than a double loop. */
function multiply(a: readonly bigint[], b: readonly bigint[]): bigint[] {
  const digits = (packed(a) * packed(b)).toString(16).padStart(DIGITS * (a.length + b.length - 1), '0');
  const product: bigint[] = [];
  for (let end = digits.length; end > 0; end -= DIGITS) {
    product.push(BigInt(`0x${digits.slice(Math.max(0, end - DIGITS), end)}`) & WORD);
  }
  for (let k = product.length - 1; k >= LENGTH; k--) {
    const carried = product[k]!;
    product[k - LENGTH] = (product[k - LENGTH]! + carried) & WORD;
    product[k - TAP] = (product[k - TAP]! + carried) & WORD;
  }
  return product.slice(0, LENGTH);
}

function packed(polynomial: readonly bigint[]): bigint {
  let digits = '';
  for (let i = polynomial.length - 1; i >= 0; i--)
    digits += polynomial[i]!.toString(16).padStart(DIGITS, '0');
  return BigInt(`0x${digits}`);
}
