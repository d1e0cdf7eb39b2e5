/** One requirement against one label value. */
import type { LabelRequirement } from '../../packages/chandler/src/scheduling/index.ts';

/** Does the requirement allow this value? `undefined`: the node has no such label. */
export function admits({ operator, values = [] }: LabelRequirement, value: string | undefined): boolean {
  if (operator === 'DoesNotExist') return value === undefined;
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  if (value === undefined) return false;
  if (operator === 'In') return values.includes(value);
  if (operator === 'Exists') return true;
  if (!/^-?\d+$/.test(value)) return false;
  const [left, right] = [Number(value), Number(values[0])];
  if (operator === 'Gt') return left > right;
  if (operator === 'Lt') return left < right;
  if (operator === 'Gte') return left >= right;
  return operator === 'Lte' && left <= right;
}
