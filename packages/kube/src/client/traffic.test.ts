import { describe, expect, test } from 'vitest';
import { collect } from '../testing/collect.ts';
import { settle, virtualWorld } from '../testing/virtual-world.ts';
import { shapedTransport } from './connect.ts';
import { withDeadline } from './deadline.ts';
import { withRateLimit } from './rate-limit.ts';
import { targetOf } from './request-metrics.ts';
import { retryAfterMs, withRetry } from './retry.ts';
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';

const GET: TransportRequest = { method: 'GET', path: '/api/v1/pods' };
const POST: TransportRequest = { method: 'POST', path: '/api/v1/namespaces/a/pods', body: '{}' };

function answer(status = 200, headers: Record<string, string> = {}): TransportResponse {
  return { status, headers, text: async () => 'ok', async *chunks() {}, cancel() {} };
}

/** Answers in turn; the last one stays. */
function scripted(...answers: (TransportResponse | Error)[]): Transport & { calls: TransportRequest[] } {
  const calls: TransportRequest[] = [];
  const send: Transport = async (request) => {
    calls.push(request);
    const next = answers.length > 1 ? answers.shift() : answers[0];
    if (next instanceof Error) throw next;
    return next!;
  };
  return Object.assign(send, { calls });
}

describe('the rate limit of the client', () => {
  test('allows a burst and then a number of requests per second', async () => {
    const world = virtualWorld();
    const wire = scripted(answer());
    const send = withRateLimit(wire, world, { qps: 10, burst: 3 });
    const all = Promise.all(Array.from({ length: 5 }, () => send(GET)));
    await settle();
    expect(wire.calls).toHaveLength(3);
    await world.clock.advance(100);
    expect(wire.calls).toHaveLength(4);
    await world.clock.advance(100);
    expect(wire.calls).toHaveLength(5);
    await all;
  });

  test('releases the slot when the caller aborts', async () => {
    const world = virtualWorld();
    const wire = scripted(answer());
    const send = withRateLimit(wire, world, { qps: 1, burst: 1 });
    await send(GET);
    const abort = new AbortController();
    const waiting = send({ ...GET, signal: abort.signal });
    abort.abort(new Error('no more'));
    await expect(waiting).rejects.toThrow('no more');
    const next = send(GET);
    await world.clock.advance(1000);
    await next;
    expect(wire.calls).toHaveLength(2);
  });
});

describe('retries', () => {
  test('waits as long as a busy server asks, then sends again', async () => {
    const world = virtualWorld();
    const wire = scripted(answer(429, { 'retry-after': '2' }), answer(201));
    const sending = withRetry(wire, world)(POST);
    await world.clock.advance(1900);
    expect(wire.calls).toHaveLength(1);
    await world.clock.advance(400);
    expect((await sending).status).toBe(201);
    expect(world.values.get('rest_client_request_retries_total{code="429",verb="POST"}')).toBe(1);
  });

  test('returns a 429 without Retry-After, and one that the caller handles, at once', async () => {
    const world = virtualWorld();
    expect((await withRetry(scripted(answer(429)), world)(POST)).status).toBe(429);
    const pressed = scripted(answer(429, { 'retry-after': '5' }));
    expect((await withRetry(pressed, world)({ ...POST, retry: false })).status).toBe(429);
    const long = scripted(answer(503, { 'retry-after': '3600' }));
    expect((await withRetry(long, world)(GET)).status).toBe(503);
  });

  test('stops after ten rejections', async () => {
    const world = virtualWorld();
    const wire = scripted(answer(429, { 'retry-after': '1' }));
    const sending = withRetry(wire, world)(GET);
    await world.clock.advance(60_000);
    expect((await sending).status).toBe(429);
    expect(wire.calls).toHaveLength(11);
  });

  test('repeats a read whose connection broke', async () => {
    const world = virtualWorld();
    const wire = scripted(new TransportError('reset', 'broken'), answer());
    const sending = withRetry(wire, world)(GET);
    await world.clock.advance(1000);
    expect((await sending).status).toBe(200);
  });

  test('never repeats a write whose connection broke, nor a request to an unreachable server', async () => {
    const world = virtualWorld();
    const broken = scripted(new TransportError('reset', 'broken'));
    await expect(withRetry(broken, world)(POST)).rejects.toThrow('broken');
    expect(broken.calls).toHaveLength(1);
    const absent = scripted(new TransportError('unreachable', 'absent'));
    await expect(withRetry(absent, world)(GET)).rejects.toThrow('absent');
  });

  test('reads Retry-After as seconds or as a date', () => {
    expect(retryAfterMs('3', 0)).toBe(3000);
    expect(retryAfterMs('Thu, 01 Jan 1970 00:00:10 GMT', 4000)).toBe(6000);
    expect(retryAfterMs('soon', 0)).toBeUndefined();
    expect(retryAfterMs(undefined, 0)).toBeUndefined();
  });
});

describe('the deadline of a request', () => {
  test('ends a request that gets no answer', async () => {
    const world = virtualWorld();
    const send = withDeadline(() => new Promise(() => undefined), world.clock, { timeoutMs: 1000 });
    const sending = send(GET);
    const outcome = expect(sending).rejects.toMatchObject({ kind: 'timeout' });
    await world.clock.advance(1000);
    await outcome;
  });

  test('ends a body that never ends', async () => {
    const world = virtualWorld();
    const stuck = { ...answer(), text: () => new Promise<string>(() => undefined) };
    const response = await withDeadline(async () => stuck, world.clock, { timeoutMs: 1000 })(GET);
    const outcome = expect(response.text()).rejects.toMatchObject({ kind: 'timeout' });
    await world.clock.advance(1000);
    await outcome;
  });

  test('leaves no timer behind when the body was read, cancelled or streamed', async () => {
    const world = virtualWorld();
    const send = withDeadline(scripted(answer()), world.clock);
    await (await send(GET)).text();
    (await send(GET)).cancel();
    await collect((await send(GET)).chunks());
    await expect(withDeadline(scripted(new Error('no')), world.clock)(GET)).rejects.toThrow('no');
    expect(world.clock.pendingTimers).toBe(0);
  });

  test('sets none for streams and passes the caller’s own abort on', async () => {
    const world = virtualWorld();
    await withDeadline(scripted(answer()), world.clock)({ ...GET, stream: true });
    expect(world.clock.pendingTimers).toBe(0);
    const stuck = withDeadline(() => new Promise(() => undefined), world.clock);
    await expect(stuck({ ...GET, signal: AbortSignal.abort(new Error('mine')) })).rejects.toThrow('mine');
  });
});

describe('a transport as controllers use it', () => {
  test('counts requests under the metric names of client-go and Karpenter', async () => {
    const world = virtualWorld();
    const send = shapedTransport(scripted(answer(200)), { world, host: 'h:1', userAgent: 'example' });
    await (await send({ method: 'PATCH', path: '/apis/example.com/v1/widgets/a/status', body: '{}' })).text();
    expect(world.values.get('rest_client_requests_total{code="200",host="h:1",method="PATCH"}')).toBe(1);
    expect(world.values.get('client_go_request_total{code="200",method="PATCH"}')).toBe(1);
    const labels = 'group="example.com",kind="widgets",subresource="status",verb="PATCH",version="v1"';
    expect(world.values.has(`client_go_request_duration_seconds{${labels}}`)).toBe(true);
  });

  test('counts a request without answer as an error, with the user agent it was sent with', async () => {
    const world = virtualWorld();
    const wire = scripted(new TransportError('unreachable', 'gone'));
    const send = shapedTransport(wire, { world, host: 'h', limited: false, userAgent: 'me', timeoutMs: 5 });
    await expect(send(POST)).rejects.toThrow('gone');
    expect(world.values.get('rest_client_requests_total{code="<error>",host="h",method="POST"}')).toBe(1);
    expect(wire.calls[0]?.headers?.['user-agent']).toBe('me');
  });

  test.each([
    ['GET', '/api/v1/namespaces/a/pods/b', 'GET', '', 'pods', ''],
    ['GET', '/api/v1/namespaces/a/pods', 'LIST', '', 'pods', ''],
    ['GET', '/api/v1/namespaces/a', 'GET', '', 'namespaces', ''],
    ['POST', '/apis/apps/v1/namespaces/a/deployments', 'CREATE', 'apps', 'deployments', ''],
    ['PUT', '/api/v1/nodes/n/status', 'UPDATE', '', 'nodes', 'status'],
  ] as const)('%s %s is %s of %s/%s', (method, path, verb, group, kind, subresource) => {
    expect(targetOf({ method, path })).toEqual({ verb, group, version: 'v1', kind, subresource });
  });

  test('knows a watch, and paths that are about no kind', () => {
    expect(targetOf({ method: 'GET', path: '/api/v1/pods', stream: true })?.verb).toBe('WATCH');
    expect(targetOf({ method: 'GET', path: '/version' })).toBeUndefined();
    expect(targetOf({ method: 'GET', path: '/apis/apps/v1' })).toBeUndefined();
  });
});
