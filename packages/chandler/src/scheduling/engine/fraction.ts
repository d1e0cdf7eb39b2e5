/** A number in [0, 1) that depends on nothing but the arguments. */
export function fraction(seed: number, of: number): number {
  let mixed = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(of + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}
