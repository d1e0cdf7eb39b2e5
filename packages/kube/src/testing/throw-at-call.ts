/** Wraps an object so that its n-th call throws: a test goes through every call and sees what becomes of the error. */
import { AssertionError } from 'node:assert';

/** One error of each kind that is always a bug. */
export const PROGRAM_ERRORS: readonly Error[] = [
  new TypeError("Cannot read properties of undefined (reading 'properties')"),
  new ReferenceError('settings is not defined'),
  new RangeError('Invalid time value'),
  new AssertionError({ message: 'a set has one key' }),
];

export interface ThrowingCalls<T> {
  readonly it: T;
  /** How many calls there were. */
  readonly calls: () => number;
  /** Whether the call was reached. */
  readonly threw: () => boolean;
}

/** @param call from 0; -1 throws never and only counts. Nested objects are wrapped, what calls return is not. */
export function throwAtCall<T extends object>(target: T, call: number, error?: Error): ThrowingCalls<T> {
  let calls = 0;
  let threw = false;
  const wrap = <O extends object>(object: O): O =>
    new Proxy(object, {
      get(inner, name) {
        const value: unknown = Reflect.get(inner, name);
        if (typeof value === 'function')
          return (...args: unknown[]) => {
            if (calls++ === call) {
              threw = true;
              throw error;
            }
            return value.apply(inner, args);
          };
        return typeof value === 'object' && value !== null && !Array.isArray(value) ? wrap(value) : value;
      },
    });
  return { it: wrap(target), calls: () => calls, threw: () => threw };
}
