/** NodePools in a sentence. */

const MAX_NAMED = 3;

/** `NodePool a`, `NodePools a, b`, `12 NodePools (a, b, c, …)`. */
export function poolNames(names: readonly string[]): string {
  const sorted = [...names].sort();
  if (sorted.length === 1) return `NodePool ${sorted[0]}`;
  if (sorted.length <= MAX_NAMED) return `NodePools ${sorted.join(', ')}`;
  return `${sorted.length} NodePools (${sorted.slice(0, MAX_NAMED).join(', ')}, …)`;
}
