/** Whether labels satisfy a requirement. An absent label satisfies only a requirement that excludes it. */
import { normalizeLabel } from '../../api/index.ts';
import type { LabelRequirement } from '../../scheduling/index.ts';

export function labelsMeet(labels: Readonly<Record<string, string>>, requirement: LabelRequirement): boolean {
  const value = labels[normalizeLabel(requirement.key)];
  const { operator, values = [] } = requirement;
  if (value === undefined) return operator === 'NotIn' || operator === 'DoesNotExist';
  const number = Number(value);
  const bound = Number(values[0]);
  switch (operator) {
    case 'In':
      return values.includes(value);
    case 'NotIn':
      return !values.includes(value);
    case 'Exists':
      return true;
    case 'Gt':
      return number > bound;
    case 'Lt':
      return number < bound;
    case 'Gte':
      return number >= bound;
    case 'Lte':
      return number <= bound;
    default:
      return false;
  }
}
