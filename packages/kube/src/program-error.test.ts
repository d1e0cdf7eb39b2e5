import { AssertionError } from 'node:assert';
import { expect, test } from 'vitest';
import { isProgramError } from './program-error.ts';

test('a TypeError, ReferenceError, RangeError and a failed assertion are errors of the program', () => {
  expect(isProgramError(caught(() => (undefined as unknown as { a: string }).a))).toBe(true);
  expect(isProgramError(new ReferenceError('x is not defined'))).toBe(true);
  expect(isProgramError(caught(() => new Date(Number.NaN).toISOString()))).toBe(true);
  expect(isProgramError(new AssertionError({ message: 'never' }))).toBe(true);
  expect(isProgramError(caught(() => Buffer.from(undefined as unknown as string)))).toBe(true);
});

test('errors of input, network and other programs are not', () => {
  expect(isProgramError(new Error('no answer'))).toBe(false);
  expect(isProgramError('the reason of an abort')).toBe(false);
  expect(isProgramError(caught(() => new URL('no url')))).toBe(false);
  expect(isProgramError(caught(() => JSON.parse('{')))).toBe(false);
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  expect(isProgramError(new TypeError('fetch failed', { cause: refused }))).toBe(false);
  expect(isProgramError(Object.assign(new TypeError('refused'), { request: {} }))).toBe(false);
});

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
