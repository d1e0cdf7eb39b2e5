/**
 * Whether labels match a metav1.LabelSelector; used for aggregated roles.
 */

/** An unreadable selector fits nothing; an empty one fits everything. */
export function labelsMatch(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  if (selector === null || typeof selector !== 'object') return false;
  const { matchLabels, matchExpressions } = selector as LabelSelector;
  const pairsFit = Object.entries(matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return pairsFit && (matchExpressions ?? []).every((term) => termFits(term, labels));
}

// ---------------------------------------------------------------------------------------------------

interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly Term[];
}

interface Term {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

function termFits(term: Term, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[term.key];
  switch (term.operator) {
    case 'In':
      return value !== undefined && (term.values ?? []).includes(value);
    case 'NotIn':
      return value === undefined || !(term.values ?? []).includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}
