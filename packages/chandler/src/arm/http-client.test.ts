import type { PipelineRequest } from '@azure/core-rest-pipeline';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { ArmRateLimiter } from './arm-rate-limiter.ts';
import { createHttpClient, MAX_RETRY_AFTER_MS, retryAfterMs } from './http-client.ts';

const requestOf = (changes: Partial<PipelineRequest>) =>
  ({
    method: 'GET',
    url: 'https://management.azure.com/subscriptions/s',
    timeout: 0,
    headers: { toJSON: () => ({}) },
    ...changes,
  }) as PipelineRequest;

describe('a call without an answer', () => {
  test.each([
    ['of the client', 0, 60_000],
    ['of the request, which is shorter', 3_000, 3_000],
    ['of the client, which is shorter', 90_000, 60_000],
  ])('ends with the deadline %s', async (_, timeout, endMs) => {
    const world = virtualWorld({
      fetch: (_input, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
        }),
    });
    const ended = createHttpClient({ world })
      .sendRequest(requestOf({ timeout }))
      .catch((error: unknown) => ({ error, atMs: world.clock.monotonic() }));
    await world.clock.advance(120_000);
    expect(await ended).toMatchObject({
      atMs: endMs,
      error: { code: 'NoAnswer', message: `no response within ${endMs / 1000} s` },
    });
  });
});

test('a throttled request for a serial log does not hold up the launch of a VM', async () => {
  const vm = 'https://management.azure.com/subscriptions/s/providers/Microsoft.Compute/virtualMachines/vm';
  const world = virtualWorld({
    fetch: async (input) =>
      String(input).includes('retrieveBootDiagnosticsData')
        ? new Response('', { status: 429, headers: { 'retry-after': '60' } })
        : Response.json({}),
  });
  const gate = new ArmRateLimiter(world.clock, { longestWaitMs: 0 });
  const client = createHttpClient({ world, gate });
  const serialLog = requestOf({ method: 'POST', url: `${vm}/retrieveBootDiagnosticsData?x` });
  expect(await client.sendRequest(serialLog)).toMatchObject({ status: 429 });
  expect(await client.sendRequest(requestOf({ method: 'PUT', url: vm }))).toMatchObject({ status: 200 });
  await expect(client.sendRequest(serialLog)).rejects.toMatchObject({
    code: 'HeldBack',
    retryAfterMs: 60_000,
  });
});

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
