/**
 * Pods whose claim an admission policy, webhook or quota rejected. Whether the pool or one of the pods is the cause is not
 * known: when the pool is tried again, it is tried with other pods, or with one group of these pods at a time. A group that
 * is rejected alone while the pool gets other claims is the cause itself.
 */
export class PoolSuspects {
  /** By pool: the groups of pods, with the number of rejections. */
  readonly #suspects = new Map<string, Map<string, number>>();
  /** By pool that got a claim: the groups that were rejected since. */
  readonly #since = new Map<string, Set<string>>();
  /** By pool: plans in which all its suspects waited for other pods. */
  readonly #skipped = new Map<string, number>();

  get any(): boolean {
    return this.#suspects.size > 0;
  }

  /** Returns whether the pods alone explain the rejection; otherwise the pool has to be held. */
  refused(pool: string, groups: ReadonlySet<string>): boolean {
    this.#skipped.delete(pool);
    const since = this.#since.get(pool);
    for (const group of groups) since?.add(group);
    const [alone] = groups.size === 1 ? groups : [];
    if (alone !== undefined && since !== undefined && since.size < MAX_SINCE_ACCEPTED) {
      this.#forget(pool, alone);
      return true;
    }
    const suspects = this.#suspects.get(pool) ?? new Map<string, number>();
    for (const group of groups) suspects.set(group, (suspects.get(group) ?? 0) + 1);
    if (suspects.size <= MAX_SUSPECTS) this.#suspects.set(pool, suspects);
    else this.#suspects.delete(pool);
    return false;
  }

  accepted(pool: string, groups: Iterable<string>): void {
    this.#since.set(pool, new Set());
    this.#skipped.delete(pool);
    for (const group of groups) this.#forget(pool, group);
  }

  /** The pools that a group of pods is not planned for, if these groups are pending. */
  waiting(pending: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, string[]>();
    for (const [pool, suspects] of this.#suspects) {
      const here = [...suspects].filter(([group]) => pending.has(group));
      // The one that was rejected least often: each gets its turn.
      here.sort(([, one], [, other]) => one - other);
      const tried = this.#areTried(pool, here.length < pending.size) ? here[0]?.[0] : undefined;
      for (const [group] of here) if (group !== tried) found.set(group, [...(found.get(group) ?? []), pool]);
    }
    return found;
  }

  /** Other pods come first, but they may never use the pool. */
  #areTried(pool: string, hasOthers: boolean): boolean {
    const skipped = this.#skipped.get(pool) ?? 0;
    const tries = !hasOthers || skipped >= MAX_SKIPPED;
    this.#skipped.set(pool, tries ? 0 : skipped + 1);
    return tries;
  }

  retain(pools: ReadonlySet<string>): void {
    for (const known of [this.#suspects, this.#since, this.#skipped])
      for (const pool of known.keys()) if (!pools.has(pool)) known.delete(pool);
  }

  #forget(pool: string, group: string): void {
    const suspects = this.#suspects.get(pool);
    suspects?.delete(group);
    if (suspects?.size === 0) this.#suspects.delete(pool);
  }
}

// ---------------------------------------------------------------------------------------------------

/** If more groups in a row are rejected, the pool is the cause. */
const MAX_SINCE_ACCEPTED = 3;
const MAX_SKIPPED = 3;
/** With more, trying them one by one would take hours. */
const MAX_SUSPECTS = 100;
