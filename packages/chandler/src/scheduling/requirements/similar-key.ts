/**
 * Finds the known label key that a user probably meant: one that contains the given key, one with the same
 * name under another domain, or one within a small edit distance. Whether the given key is wrong is decided
 * elsewhere.
 */
import { byCodeUnit } from './algebra.ts';

/** The nearest of the known keys, and the first by name when several are equally near; null when none is similar. */
export function similarKey(key: string, known: Iterable<string>): string | null {
  if (key === '') return null;
  let best: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const name of [...new Set(known)].sort(byCodeUnit)) {
    if (name === key) continue;
    const alike = name.includes(key) || nameOf(name) === nameOf(key);
    // The difference in length alone exceeds the limit.
    if (!alike && Math.abs(name.length - key.length) >= name.length / LETTERS_PER_TYPO) continue;
    const distance = editDistance(key, name);
    if ((!alike && distance >= name.length / LETTERS_PER_TYPO) || distance >= least) continue;
    best = name;
    least = distance;
  }
  return best;
}

/** The edit distance: letters to insert, delete or replace. */
export function editDistance(first: string, second: string): number {
  let above = Array.from({ length: second.length + 1 }, (_, column) => column);
  for (let row = 1; row <= first.length; row++) {
    const current = [row];
    for (let column = 1; column <= second.length; column++) {
      const changed = above[column - 1]! + (first[row - 1] === second[column - 1] ? 0 : 1);
      current.push(Math.min(changed, above[column]! + 1, current[column - 1]! + 1));
    }
    above = current;
  }
  return above[second.length]!;
}

// ---------------------------------------------------------------------------------------------------------------

/** One typo is allowed per this many letters; as in upstream. */
const LETTERS_PER_TYPO = 5;

/** The part behind the domain. */
function nameOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}
