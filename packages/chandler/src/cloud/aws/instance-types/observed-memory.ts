/**
 * The memory that real nodes of a type reported, by type and images: what a type is computed to have is an estimate. Only
 * the lowest value counts, so that a plan never relies on a node that was luckier than others. What nobody reported for 60
 * days is forgotten. The caller passes the time.
 */
export class ObservedMemory {
  readonly #byKey = new Map<string, Observation>();
  #sequence = 0;

  /** Grows when an answer of `bytes` may have changed. */
  get sequence(): number {
    return this.#sequence;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** Whether the node reported less than was known. A node of other images than the class's must not be reported. */
  report({ instanceType, imageIds, bytes, nowMs }: MemoryReport): boolean {
    if (!(bytes > 0)) return false;
    const key = keyOf(instanceType, imageIds);
    const known = this.#byKey.get(key);
    if (known !== undefined && known.untilMs > nowMs && bytes > known.bytes) return false;
    this.#byKey.set(key, { bytes, untilMs: nowMs + OBSERVED_TTL_MS });
    if (known?.bytes === bytes) return false;
    this.#sequence += 1;
    return true;
  }

  bytes(instanceType: string, imageIds: readonly string[]): number | undefined {
    return this.#byKey.get(keyOf(instanceType, imageIds))?.bytes;
  }

  /** Forgets what is too old. */
  expire(nowMs: number): void {
    for (const [key, { untilMs }] of this.#byKey) {
      if (untilMs > nowMs) continue;
      this.#byKey.delete(key);
      this.#sequence += 1;
    }
  }
}

export interface MemoryReport {
  readonly instanceType: string;
  /** Of the node class, in any order. */
  readonly imageIds: readonly string[];
  /** The memory capacity of the node. */
  readonly bytes: number;
  readonly nowMs: number;
}

export const OBSERVED_TTL_MS: number = 60 * 24 * 60 * 60_000;

// ---------------------------------------------------------------------------------------------------------------

interface Observation {
  readonly bytes: number;
  readonly untilMs: number;
}

function keyOf(instanceType: string, imageIds: readonly string[]): string {
  return `${instanceType} ${[...imageIds].sort().join(' ')}`;
}
