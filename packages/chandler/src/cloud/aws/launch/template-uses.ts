/**
 * Which launch templates exist and are still needed. A template that no launch has used for a minute is deleted; the next
 * launch that needs it creates it again, under the same name. One that a request in flight names is never deleted: the
 * request would fail. Pure: what to create and delete is returned, and the time is an argument.
 */

/** How long a template is kept after its last use. */
export const TEMPLATE_TTL_MS = 60_000;

export class TemplateUses {
  readonly #ttlMs: number;
  readonly #known = new Map<string, Use>();

  constructor({ ttlMs = TEMPLATE_TTL_MS }: { readonly ttlMs?: number } = {}) {
    this.#ttlMs = ttlMs;
  }

  /** Templates of the cluster that EC2 lists at the start. Those that are not used soon are deleted. */
  hydrate(names: Iterable<string>, nowMs: number): void {
    for (const name of names)
      if (!this.#known.has(name)) this.#known.set(name, { lastMs: nowMs, inFlight: 0 });
  }

  has(name: string): boolean {
    return this.#known.has(name);
  }

  /** A launch that needs these begins; `end` must follow. @returns those that have to be created first. */
  begin(names: readonly string[], nowMs: number): readonly string[] {
    const missing = names.filter((name) => !this.#known.has(name));
    for (const name of new Set(names)) {
      const { inFlight = 0 } = this.#known.get(name) ?? {};
      this.#known.set(name, { lastMs: nowMs, inFlight: inFlight + 1 });
    }
    return [...new Set(missing)];
  }

  end(names: readonly string[], nowMs: number): void {
    for (const name of new Set(names)) {
      const use = this.#known.get(name);
      if (use !== undefined)
        this.#known.set(name, { lastMs: nowMs, inFlight: Math.max(0, use.inFlight - 1) });
    }
  }

  /** EC2 does not have it: somebody deleted it, or it could not be created. */
  forget(name: string): void {
    this.#known.delete(name);
  }

  /** Those that no launch has used for a while. While one is deleted a launch may begin to use the next: see `take`. */
  unused(nowMs: number): readonly string[] {
    return [...this.#known.keys()].filter((name) => this.#isUnused(name, nowMs)).sort();
  }

  /**
   * Right before its deletion: forgets it, so that a launch that needs it creates it again.
   * @returns false when a launch needs it by now.
   */
  take(name: string, nowMs: number): boolean {
    return this.#isUnused(name, nowMs) && this.#known.delete(name);
  }

  #isUnused(name: string, nowMs: number): boolean {
    const use = this.#known.get(name);
    return use !== undefined && use.inFlight === 0 && nowMs - use.lastMs >= this.#ttlMs;
  }
}

// ---------------------------------------------------------------------------------------------------------------

interface Use {
  readonly lastMs: number;
  /** Launches that have begun and not ended. */
  readonly inFlight: number;
}
