/**
 * Amounts of one resource in one unit, for texts that compare them: `5000` and `285.02` instead of `5k` and `285020m`.
 * Facts of refusals keep the canonical quantities.
 */
import { isQuantity, parseQuantity } from '@chandler/kube';

/** In the order given. Returned unchanged if one of them is no quantity, such as `unlimited`. */
export function inOneUnit<T extends readonly string[]>(...amounts: T): T {
  if (!amounts.every(isQuantity)) return amounts;
  const quantities = amounts.map(parseQuantity);
  const units = quantities.some(({ format }) => format === 'BinarySI') ? BINARY_UNITS : DECIMAL_UNITS;
  const numbers = quantities.map((quantity) => Number(quantity.nanos) / NANOS);
  // The unit fits the smallest amount, so that a small missing amount is not rounded to zero.
  const smallest = Math.min(...numbers.filter((number) => number !== 0).map(Math.abs));
  const unit = units.find(({ size }) => smallest !== Number.POSITIVE_INFINITY && smallest >= size) ?? ONE;
  return numbers.map((number) => textIn(unit, number)) as readonly string[] as T;
}

// ---------------------------------------------------------------------------------------------------------------

interface Unit {
  readonly suffix: string;
  readonly size: number;
}

const NANOS = 1e9;
const ONE: Unit = { suffix: '', size: 1 };

const BINARY_UNITS: readonly Unit[] = ['Pi', 'Ti', 'Gi', 'Mi', 'Ki'].map((suffix, index) => ({
  suffix,
  size: 1024 ** (5 - index),
}));

/** Not thousands: CPUs and pods are read as plain numbers. */
const DECIMAL_UNITS: readonly Unit[] = [
  { suffix: 'T', size: 1e12 },
  { suffix: 'G', size: 1e9 },
  { suffix: 'M', size: 1e6 },
];

function textIn({ suffix, size }: Unit, number: number): string {
  if (number === 0) return '0';
  return `${Number((number / size).toFixed(size === 1 ? 3 : 2))}${suffix}`;
}
