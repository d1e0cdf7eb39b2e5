/**
 * Which known label somebody may have meant: one that contains what was written, one of the same name under
 * another domain, or one that is a few letters away. Whether the label is wrong at all is decided elsewhere.
 */
import { byCodeUnit } from './algebra.ts';

/** The nearest of the known keys, and of equally near ones the first by name; null when none looks alike. */
export function similarKey(key: string, known: Iterable<string>): string | null {
  if (key === '') return null;
  let best: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const name of [...new Set(known)].sort(byCodeUnit)) {
    if (name === key) continue;
    const alike = name.includes(key) || nameOf(name) === nameOf(key);
    // Their lengths alone put them too far apart.
    if (!alike && Math.abs(name.length - key.length) >= name.length / LETTERS_PER_SLIP) continue;
    const distance = editDistance(key, name);
    if ((!alike && distance >= name.length / LETTERS_PER_SLIP) || distance >= least) continue;
    best = name;
    least = distance;
  }
  return best;
}

/** How many letters must be added, dropped or changed to get from one text to the other. */
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

/** A label of so many letters is taken for another that is one letter away; as upstream. */
const LETTERS_PER_SLIP = 5;

/** The part behind the domain. */
function nameOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}
