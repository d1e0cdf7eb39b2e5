import { expect, test } from 'vitest';
import { tokensOf } from './tokens.ts';

test('both tokens are read from the fragment', () => {
  expect(tokensOf('#token=abc-_1&playground=x')).toEqual({ token: 'abc-_1', playground: 'x' });
  expect(tokensOf('')).toEqual({ token: '', playground: '' });
});
