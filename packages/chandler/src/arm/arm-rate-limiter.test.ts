import { settle, virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { ArmRateLimiter, callClass, MAX_CLOSE_MS } from './arm-rate-limiter.ts';
import { retryAfterMs } from './http-client.ts';

const rates = { write: { perSecond: 2, burst: 3 } };

describe('calls to Azure', () => {
  test('go at once up to the burst, then in turn, and never faster than the rate', async () => {
    const { clock } = virtualWorld();
    const gate = new ArmRateLimiter(clock, { rates, longestWaitMs: 60_000 });
    const wentAtMs: number[] = [];
    for (let call = 0; call < 9; call++) void gate.pass('write').then(() => wentAtMs.push(clock.monotonic()));
    await settle();
    await clock.advance(10_000);
    expect(wentAtMs).toEqual([0, 0, 0, 500, 1000, 1500, 2000, 2500, 3000]);
  });

  test('that would wait too long are refused, each with a time of its own to come back', async () => {
    const { clock } = virtualWorld();
    const gate = new ArmRateLimiter(clock, { rates, longestWaitMs: 1_000 });
    const outcomes: string[] = [];
    for (let call = 0; call < 8; call++) {
      void gate.pass('write').then(
        () => outcomes.push('went'),
        (error: { code: string; retryAfterMs: number }) =>
          outcomes.push(`${error.code} ${error.retryAfterMs}`),
      );
    }
    await clock.advance(5_000);
    expect(outcomes.sort()).toEqual([
      'HeldBack 1500',
      'HeldBack 2000',
      'HeldBack 2500',
      ...Array.from({ length: 5 }, () => 'went'),
    ]);
  });

  test('of one class do not hold up another', async () => {
    const { clock } = virtualWorld();
    const gate = new ArmRateLimiter(clock, { longestWaitMs: 0 });
    gate.close('write', 30_000);
    await expect(gate.pass('write')).rejects.toMatchObject({ code: 'HeldBack', retryAfterMs: 30_000 });
    await gate.pass('read');
    await clock.advance(30_000);
    await gate.pass('write');
  });

  test('for serial logs count as writes, and stop for them; throttled, they stop alone', async () => {
    const { clock } = virtualWorld();
    const gate = new ArmRateLimiter(clock, { rates, longestWaitMs: 0 });
    gate.close('serialLog', 30_000);
    await expect(gate.pass('serialLog')).rejects.toMatchObject({ code: 'HeldBack', retryAfterMs: 30_000 });
    await gate.pass('write');
    await clock.advance(30_000);
    for (let call = 0; call < 3; call++) await gate.pass('serialLog');
    await expect(gate.pass('write'), 'one bucket').rejects.toMatchObject({
      code: 'HeldBack',
      retryAfterMs: 500,
    });
    await clock.advance(5_000);
    gate.close('write', 10_000);
    await expect(gate.pass('serialLog')).rejects.toMatchObject({ code: 'HeldBack' });
  });

  test('that are aborted while they wait end at once, and take no turn with them', async () => {
    const { clock } = virtualWorld();
    const gate = new ArmRateLimiter(clock, { rates, longestWaitMs: 60_000 });
    for (let call = 0; call < 3; call++) await gate.pass('write');
    const stop = new AbortController();
    const waiting = Array.from({ length: 4 }, () => gate.pass('write', stop.signal).catch(() => 'aborted'));
    await settle();
    stop.abort();
    expect(await Promise.all(waiting)).toEqual(['aborted', 'aborted', 'aborted', 'aborted']);
    let wentAtMs: number | undefined;
    void gate.pass('write').then(() => {
      wentAtMs = clock.monotonic();
    });
    await clock.advance(5_000);
    expect(wentAtMs).toBe(500);
  });

  test('that wait for their turn are refused when Azure closes the class for long, and take no turn with them', async () => {
    const { clock } = virtualWorld();
    const gate = new ArmRateLimiter(clock, { rates, longestWaitMs: 2_000 });
    const outcomes: string[] = [];
    for (let call = 0; call < 6; call++) {
      void gate.pass('write').then(
        () => outcomes.push(`went at ${clock.monotonic()}`),
        (error: { code: string; retryAfterMs: number }) =>
          outcomes.push(`${error.code} at ${clock.monotonic()} for ${error.retryAfterMs}`),
      );
    }
    await settle();
    gate.close('write', 300_000);
    await clock.advance(2_000);
    expect(outcomes).toEqual([
      'went at 0',
      'went at 0',
      'went at 0',
      'HeldBack at 500 for 299500',
      'HeldBack at 1000 for 299500',
      'HeldBack at 1500 for 299500',
    ]);
    await clock.advance(298_000);
    const later = Array.from({ length: 3 }, () => gate.pass('write'));
    await Promise.all(later);
    expect(clock.monotonic()).toBe(300_000);
  });

  test('that wait for their turn wait out a short closing', async () => {
    const { clock } = virtualWorld();
    const gate = new ArmRateLimiter(clock, {
      rates: { write: { perSecond: 2, burst: 1 } },
      longestWaitMs: 2_000,
    });
    await gate.pass('write');
    let wentAtMs = -1;
    void gate.pass('write').then(() => {
      wentAtMs = clock.monotonic();
    });
    await settle();
    gate.close('write', 2_400);
    await clock.advance(5_000);
    expect(wentAtMs).toBe(2_400);
  });

  test('are not blocked for ever by an absurd Retry-After', async () => {
    const { clock } = virtualWorld();
    const gate = new ArmRateLimiter(clock, { longestWaitMs: 0 });
    gate.close('read', 1e12);
    await clock.advance(MAX_CLOSE_MS);
    await gate.pass('read');
  });

  test('have a class by what they do', () => {
    const url = 'https://arm/providers/Microsoft.ResourceGraph/resources?x';
    expect([
      callClass('GET', 'u'),
      callClass('PUT', 'u'),
      callClass('DELETE', 'u'),
      callClass('POST', url),
      callClass('POST', 'https://arm/virtualMachines/vm/retrieveBootDiagnosticsData?x'),
      callClass('POST', 'https://arm/virtualMachines/retrieveBootDiagnosticsData/restart?x'),
    ]).toEqual(['read', 'write', 'delete', 'query', 'serialLog', 'write']);
  });

  test('with an invalid rate are refused when the limiter is built', () => {
    const { clock } = virtualWorld();
    expect(() => new ArmRateLimiter(clock, { rates: { read: { perSecond: 0, burst: 1 } } })).toThrow(
      'perSecond > 0',
    );
  });
});

describe('Retry-After', () => {
  const nowMs = Date.parse('2026-01-01T00:00:00Z');
  test.each([
    [{ 'retry-after': '5' }, 5000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }, 9000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'x-ms-retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{}, undefined],
  ])('%j is %s ms', (headers, expected) => {
    expect(retryAfterMs(new Headers(headers as Record<string, string>), nowMs)).toBe(expected);
  });
});
