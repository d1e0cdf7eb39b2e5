/**
 * Keeps one copy of what many objects repeat: label maps, owner references, container lists of a ReplicaSet's pods,
 * node names, timestamps of the same second. Values are held weakly, so unused ones are collected on
 * their own; strings are held in two generations of limited size. Shared values are frozen.
 */

export class Interner {
  readonly #stringLimit: number;
  #young = new Map<string, string>();
  #old = new Map<string, string>();
  #values = new Map<number, WeakRef<object>>();
  #sweepAt = 1024;

  constructor(options: { stringLimit?: number } = {}) {
    this.#stringLimit = options.stringLimit ?? 8192;
  }

  /** The first string of this content that was seen recently. */
  string(text: string): string {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const known = this.#old.get(text) ?? text;
    if (this.#young.size >= this.#stringLimit) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(known, known);
    return known;
  }

  /** The existing value of the same JSON content, deeply frozen. */
  value<T>(value: T): T {
    if (typeof value === 'string') return this.string(value) as T;
    if (typeof value !== 'object' || value === null) return value;
    const hash = hashOf(JSON.stringify(value));
    const known = this.#values.get(hash)?.deref();
    if (known !== undefined) {
      // Two contents with the same hash: rare enough that the second is simply not shared.
      return isSame(known, value) ? (known as T) : value;
    }
    this.#values.set(hash, new WeakRef(deepFreeze(value)));
    if (this.#values.size > this.#sweepAt) this.#sweep();
    return value;
  }

  get size(): number {
    return this.#values.size;
  }

  /** Removes entries whose values were collected; the next sweep follows when their number has doubled. */
  #sweep(): void {
    for (const [hash, held] of this.#values) if (held.deref() === undefined) this.#values.delete(hash);
    this.#sweepAt = Math.max(1024, this.#values.size * 2);
  }
}

// ------------------------------------------------------------------------------------------------

/** 53 bits from two independent 32-bit hashes (FNV-1a and a multiply-rotate). */
function hashOf(text: string): number {
  let first = 0x811c9dc5;
  let second = 0x9e3779b9;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul((second << 5) ^ (second >>> 27) ^ unit, 0x85ebca6b);
  }
  return (first >>> 0) * 0x200000 + ((second >>> 0) & 0x1fffff);
}

function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every(
    (name) => isSame((left as Fields)[name], (right as Fields)[name]) && Object.hasOwn(right, name),
  );
}

type Fields = Record<string, unknown>;

function deepFreeze<T extends object>(value: T): T {
  if (Object.isFrozen(value)) return value;
  for (const inner of Object.values(value))
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}
