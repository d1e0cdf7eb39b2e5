import type { PipelineRequest } from '@azure/core-rest-pipeline';
import { settle, virtualWorld } from '@chandler/kube/testing';
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

describe('a throttled request', () => {
  const at = (subscription: string, rest: string) =>
    `https://management.azure.com/subscriptions/${subscription}/${rest}?api-version=1`;
  const CLUSTER = at('s', 'resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c');
  const OTHER_POOL = `${CLUSTER.split('?')[0]}/agentPools/p?x`;
  const VM = at('s', 'resourceGroups/g/providers/Microsoft.Compute/virtualMachines/a');
  const ROLES = `${VM.split('?')[0]}/providers/Microsoft.Authorization/roleAssignments?x`;
  const OTHER_SUBSCRIPTION = CLUSTER.replace('/s/', '/t/');

  test.each([
    ['by its resource provider', 'TooManyRequests', [OTHER_POOL]],
    ['for its subscription', 'SubscriptionRequestsThrottled', [OTHER_POOL, VM, ROLES]],
    ['for the tenant', 'TenantRequestsThrottled', [OTHER_POOL, VM, ROLES, OTHER_SUBSCRIPTION]],
    ['by a gateway on the way', undefined, [OTHER_POOL, VM, ROLES, OTHER_SUBSCRIPTION]],
  ])('%s holds up only what has the same limit', async (_, code, held) => {
    const text = code === undefined ? '' : JSON.stringify({ error: { code, message: 'limit reached' } });
    const world = virtualWorld({
      fetch: async (input) =>
        String(input) === CLUSTER
          ? new Response(text, { status: 429, headers: { 'retry-after': '60' } })
          : Response.json({}),
    });
    const client = createHttpClient({ world, gate: new ArmRateLimiter(world.clock, { longestWaitMs: 0 }) });
    await client.sendRequest(requestOf({ url: CLUSTER }));
    const refused: string[] = [];
    for (const url of [OTHER_POOL, VM, ROLES, OTHER_SUBSCRIPTION])
      await client.sendRequest(requestOf({ url })).catch(() => refused.push(url));
    expect(refused).toEqual(held);
    await world.clock.advance(60_000);
    expect(await client.sendRequest(requestOf({ url: OTHER_POOL }))).toMatchObject({ status: 200 });
  });
});

test('a call that waits for its turn ends when the caller aborts it', async () => {
  const world = virtualWorld({ fetch: async () => Response.json({}) });
  const gate = new ArmRateLimiter(world.clock, { longestWaitMs: 300_000 });
  gate.close('read', 200_000);
  const stop = new AbortController();
  let ended: unknown;
  void createHttpClient({ world, gate })
    .sendRequest(requestOf({ abortSignal: stop.signal }))
    .catch((error: unknown) => {
      ended = error;
    });
  await settle();
  stop.abort();
  await settle();
  expect(ended).toMatchObject({ name: 'AbortError' });
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
