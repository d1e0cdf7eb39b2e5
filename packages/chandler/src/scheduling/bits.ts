/**
 * Sets of small integers as 32-bit words. A set has no fixed size: missing words are zero. Everything that is
 * numbered in this module (values, types, offerings, nodes, claims) is stored this way.
 */
export type Bits = Int32Array;

export const NO_BITS: Bits = new Int32Array(0);

export function wordsFor(count: number): number {
  return (count + 31) >>> 5;
}

export function emptyBits(count: number): Bits {
  return new Int32Array(wordsFor(count));
}

/** The set of all numbers below `count`. */
export function fullBits(count: number): Bits {
  const bits = emptyBits(count).fill(-1);
  const rest = count & 31;
  if (rest !== 0) bits[bits.length - 1] = (1 << rest) - 1;
  return bits;
}

export function bitsOf(members: readonly number[]): Bits {
  let highest = -1;
  for (const member of members) highest = Math.max(highest, member);
  const bits = emptyBits(highest + 1);
  for (const member of members) setBit(bits, member);
  return bits;
}

export function hasBit(bits: Bits, index: number): boolean {
  return ((bits[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0;
}

/** The index must lie within the set's words. */
export function setBit(bits: Bits, index: number): void {
  bits[index >>> 5]! |= 1 << (index & 31);
}

export function clearBit(bits: Bits, index: number): void {
  bits[index >>> 5]! &= ~(1 << (index & 31));
}

/** The same set with space for at least `count` numbers; a new array when it has to grow. */
export function withRoom(bits: Bits, count: number): Bits {
  const words = wordsFor(count);
  if (bits.length >= words) return bits;
  const grown = new Int32Array(Math.max(words, bits.length * 2, 4));
  grown.set(bits);
  return grown;
}

export function isEmptyBits(bits: Bits): boolean {
  for (let word = 0; word < bits.length; word++) if (bits[word] !== 0) return false;
  return true;
}

export function countBits(bits: Bits): number {
  let count = 0;
  for (let word = 0; word < bits.length; word++) count += popCount(bits[word]!);
  return count;
}

export function andBits(first: Bits, second: Bits): Bits {
  const result = new Int32Array(Math.min(first.length, second.length));
  for (let word = 0; word < result.length; word++) result[word] = first[word]! & second[word]!;
  return result;
}

/** The members of the first that are not in the second. */
export function minusBits(first: Bits, second: Bits): Bits {
  const result = first.slice();
  const words = Math.min(first.length, second.length);
  for (let word = 0; word < words; word++) result[word]! &= ~second[word]!;
  return result;
}

export function orBits(first: Bits, second: Bits): Bits {
  const [long, short] = first.length >= second.length ? [first, second] : [second, first];
  const result = long.slice();
  for (let word = 0; word < short.length; word++) result[word]! |= short[word]!;
  return result;
}

/** Adds the second to the first, which must be long enough. */
export function orInto(target: Bits, other: Bits): void {
  const words = Math.min(target.length, other.length);
  for (let word = 0; word < words; word++) target[word]! |= other[word]!;
}

/** Keeps the members of the first that are also in the second. */
export function andInto(target: Bits, other: Bits): void {
  for (let word = 0; word < target.length; word++) target[word]! &= other[word] ?? 0;
}

export function overlapBits(first: Bits, second: Bits): boolean {
  const words = Math.min(first.length, second.length);
  for (let word = 0; word < words; word++) if ((first[word]! & second[word]!) !== 0) return true;
  return false;
}

/** The members in ascending order. */
export function members(bits: Bits): number[] {
  const result: number[] = [];
  for (let word = 0; word < bits.length; word++) {
    let rest = bits[word]!;
    while (rest !== 0) {
      result.push((word << 5) + lowestBit(rest));
      rest &= rest - 1;
    }
  }
  return result;
}

/** A string that is equal for equal sets, independent of their length. */
export function bitsKey(bits: Bits): string {
  let key = '';
  for (let word = 0; word < bits.length; word++)
    if (bits[word] !== 0) key += `${word.toString(36)}:${(bits[word]! >>> 0).toString(36)}.`;
  return key;
}

export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

export function popCount(word: number): number {
  let rest = word - ((word >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return (((rest + (rest >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
