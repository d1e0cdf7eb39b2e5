/**
 * Which of two resourceVersions is newer. Since Kubernetes 1.35 they may be compared as whole numbers within one
 * kind; a server that uses anything else gets equality only, and callers must handle "unknown".
 */

/** Negative, zero or positive; undefined when the two cannot be ordered. */
export function compareVersions(left: string, right: string): number | undefined {
  if (left === right) return 0;
  if (!isOrdered(left) || !isOrdered(right)) return undefined;
  // Revisions can pass 2^53, so digits are compared as text.
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : 1;
}

/** True only if `left` is known to be newer. */
export function isNewer(left: string, right: string): boolean {
  const order = compareVersions(left, right);
  return order !== undefined && order > 0;
}

/** The newer one; where they cannot be ordered, the later one. */
export function newest(before: string | undefined, later: string): string {
  return before !== undefined && isNewer(before, later) ? before : later;
}

// ------------------------------------------------------------------------------------------------

/** A positive decimal number without leading zeros. */
function isOrdered(version: string): boolean {
  return /^[1-9][0-9]*$/.test(version);
}
