/** Optional values: `optional.of`, `orValue`, `hasValue`, … Selection with `?` is in `compile.ts`. */
import { type FunctionTable, fn, method, type Overload } from '../overloads.ts';
import { TYPE_PARAM_A as A, BOOL, optionalOf } from '../types.ts';
import { CelError, CelList, CelMap, type CelValue, Duration, Optional, Timestamp, Uint } from '../values.ts';

export const optionals: FunctionTable = new Map<string, readonly Overload[]>([
  ['optional.of', [fn([A], optionalOf(A), (value: CelValue) => new Optional(value))]],
  ['optional.none', [fn([], optionalOf(A), () => Optional.NONE)]],
  [
    'optional.ofNonZeroValue',
    [fn([A], optionalOf(A), (value: CelValue) => (isZero(value) ? Optional.NONE : new Optional(value)))],
  ],
  ['hasValue', [method([optionalOf(A)], BOOL, (optional: Optional) => optional.value !== undefined)]],
  [
    'value',
    [
      method([optionalOf(A)], A, (optional: Optional) => {
        if (optional.value === undefined) throw new CelError('optional.none() dereference');
        return optional.value;
      }),
    ],
  ],
]);

// ---------------------------------------------------------------------------------------------------

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === '' || value === 0n || value === 0) return true;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Uint) return value.value === 0n;
  return (value instanceof Duration || value instanceof Timestamp) && value.ns === 0n;
}
