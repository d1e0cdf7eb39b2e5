/**
 * What changed between two long lists whose elements are mostly the same objects in the same order. Lists of a running
 * cluster change in a few places.
 */

export interface ListChange<T> {
  /** Elements of the first list that the second does not have at their place. */
  readonly removed: readonly T[];
  readonly added: readonly T[];
}

/** Undefined when the lists differ in too many places. The second list is the first without `removed` and with `added`. */
export function changeOf<T>(first: readonly T[], second: readonly T[]): ListChange<T> | undefined {
  const removed: T[] = [];
  const added: T[] = [];
  const limit = MIN_CHANGES + (Math.max(first.length, second.length) >>> 3);
  let one = 0;
  let other = 0;
  while (one < first.length || other < second.length) {
    if (one < first.length && other < second.length && first[one] === second[other]) {
      one++;
      other++;
      continue;
    }
    const [skipped, inserted] = nextMatch(first, one, second, other);
    for (const end = one + skipped; one < end; one++) removed.push(first[one]!);
    for (const end = other + inserted; other < end; other++) added.push(second[other]!);
    if (removed.length + added.length > limit) return undefined;
  }
  return { removed, added };
}

// ---------------------------------------------------------------------------------------------------------------

const MIN_CHANGES = 64;
/** How far to look for the next element that both lists have. */
const WINDOW = 32;

/** How many elements to leave out of each list. */
function nextMatch<T>(
  first: readonly T[],
  one: number,
  second: readonly T[],
  other: number,
): [number, number] {
  for (let distance = 1; distance <= WINDOW; distance++) {
    for (let skipped = 0; skipped <= distance; skipped++) {
      const inserted = distance - skipped;
      const at = first[one + skipped];
      if (at !== undefined && at === second[other + inserted]) return [skipped, inserted];
    }
  }
  return [Math.min(WINDOW, first.length - one), Math.min(WINDOW, second.length - other)];
}
