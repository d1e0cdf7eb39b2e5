/**
 * FNV-1 with 64 bits, on two halves of 32: the arithmetic under the drift hashes.
 * BigInt needs one line and takes ten times as long. (FNV-1, not 1a: first times, then xor.)
 */

export interface Hash64 {
  readonly high: number;
  readonly low: number;
}

export const ZERO: Hash64 = { high: 0, low: 0 };

export function hashBytes(bytes: Uint8Array): Hash64 {
  let { high, low } = OFFSET;
  for (const byte of bytes) {
    // The prime is 2^40 + 0x1b3, so the upper part of the product is the lower half moved by 8 bits.
    const product = low * PRIME_LOW;
    high = (Math.imul(high, PRIME_LOW) + Math.floor(product / TWO_32) + (low << 8)) >>> 0;
    low = ((product >>> 0) ^ byte) >>> 0;
  }
  return { high, low };
}

export function hashString(text: string): Hash64 {
  return hashBytes(UTF8.encode(text));
}

/** The hash of one hash: what makes a mixture of xors final. */
export function rehash(value: Hash64): Hash64 {
  const bytes = new Uint8Array(8);
  putLittleEndian(bytes, 0, value);
  return hashBytes(bytes);
}

/** The hash of two hashes in this order: a name and its value. */
export function hashPair(first: Hash64, second: Hash64): Hash64 {
  const bytes = new Uint8Array(16);
  putLittleEndian(bytes, 0, first);
  putLittleEndian(bytes, 8, second);
  return hashBytes(bytes);
}

export function xor(first: Hash64, second: Hash64): Hash64 {
  return { high: (first.high ^ second.high) >>> 0, low: (first.low ^ second.low) >>> 0 };
}

/** As an unsigned decimal number, the form in which drift hashes are stored. */
export function toDecimal(value: Hash64): string {
  return String((BigInt(value.high) << 32n) | BigInt(value.low));
}

// ---------------------------------------------------------------------------------------------

const OFFSET: Hash64 = { high: 0xcbf29ce4, low: 0x84222325 };
const PRIME_LOW = 0x1b3;
const TWO_32 = 2 ** 32;
const UTF8 = new TextEncoder();

function putLittleEndian(bytes: Uint8Array, at: number, value: Hash64): void {
  const view = new DataView(bytes.buffer);
  view.setUint32(at, value.low, true);
  view.setUint32(at + 4, value.high, true);
}
