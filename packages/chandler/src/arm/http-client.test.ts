import { describe, expect, test } from 'vitest';
import { MAX_RETRY_AFTER_MS, retryAfterMs } from './http-client.ts';

const NOW = Date.parse('2026-08-21T00:00:00Z');
const waitOf = (headers: Record<string, string>) => retryAfterMs(new Headers(headers), NOW);

describe('how long an answer says to wait', () => {
  test('in milliseconds, in seconds, or until a date', () => {
    expect(waitOf({ 'retry-after-ms': '250', 'retry-after': '9' })).toBe(250);
    expect(waitOf({ 'x-ms-retry-after-ms': '300' })).toBe(300);
    expect(waitOf({ 'retry-after': '7' })).toBe(7000);
    expect(waitOf({ 'retry-after': 'Fri, 21 Aug 2026 00:00:30 GMT' })).toBe(30_000);
    expect(waitOf({ 'retry-after': 'Thu, 20 Aug 2026 00:00:00 GMT' })).toBe(0);
  });

  test.each([['soon'], [''], ['-5'], ['NaN']])('%j says nothing', (text) => {
    expect(waitOf({ 'retry-after': text })).toBeUndefined();
    expect(waitOf({ 'retry-after-ms': text })).toBeUndefined();
  });

  test.each([['99999999999'], ['Infinity'], ['1e308'], ['Fri, 21 Aug 2999 00:00:00 GMT']])(
    '%j is taken for a mistake: no call waits for ever',
    (text) => {
      expect(waitOf({ 'retry-after': text })).toBe(MAX_RETRY_AFTER_MS);
    },
  );
});
