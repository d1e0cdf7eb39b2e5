/** `a, b and 3 more`. */
export function listed(names: readonly string[], maxShown = 5): string {
  const rest = names.length - maxShown;
  return `${names.slice(0, maxShown).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
