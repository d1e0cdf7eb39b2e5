/** Label selectors of the `matchLabels`/`matchExpressions` form, and node selector requirements. Pure. */
import type { LabelSelector, LabelSelectorRequirement, Labels } from '@chandler/kube';

/** No selector selects nothing; an empty one selects everything. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false;
  for (const key in selector.matchLabels) if (labels[key] !== selector.matchLabels[key]) return false;
  for (const requirement of selector.matchExpressions ?? []) {
    if (!matchesRequirement(requirement, labels)) return false;
  }
  return true;
}

export function isEmptySelector(selector: LabelSelector | undefined): boolean {
  if (selector === undefined) return true;
  return (
    Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0
  );
}

/** All operators of label and node selectors. What the API server would have rejected matches nothing. */
export function matchesRequirement(requirement: LabelSelectorRequirement, labels: Labels): boolean {
  const { key, operator, values = [] } = requirement;
  const value = labels[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return compareIntegers(value, values) > 0;
    case 'Lt':
      return compareIntegers(value, values) < 0;
    default:
      return false;
  }
}

// ---------------------------------------------------------------------------------------------------

/** NaN where one of them is no integer, so that neither Gt nor Lt holds. */
function compareIntegers(value: string | undefined, values: readonly string[]): number {
  const [limit] = values;
  if (value === undefined || limit === undefined || values.length !== 1) return Number.NaN;
  if (!INTEGER.test(value) || !INTEGER.test(limit)) return Number.NaN;
  const difference = BigInt(value) - BigInt(limit);
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}

/** BigInt does not take a plus sign, and neither does anybody write one in a label. */
const INTEGER = /^-?\d+$/;
