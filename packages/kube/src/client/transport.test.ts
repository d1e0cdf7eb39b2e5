import { describe, expect, test } from 'vitest';
import { collect } from '../testing/collect.ts';
import { json, TinyServer } from '../testing/tiny-server.ts';
import { fetchTransport, fromNetwork, pathWithQuery, TransportError, withUserAgent } from './transport.ts';

describe('a transport over fetch', () => {
  test('sends method, path, query, headers and body, and returns status, headers and text', async () => {
    const seen: Request[] = [];
    const send = fetchTransport(async (input, init) => {
      seen.push(new Request(input, init));
      return json(201, { ok: true }, { 'X-Answer': 'yes' });
    }, 'http://server/');
    const response = await withUserAgent(
      send,
      'chandler/1',
    )({
      method: 'POST',
      path: '/api/v1/pods',
      query: { limit: 5, watch: undefined, labelSelector: 'a=b c' },
      body: '{}',
      headers: { accept: 'application/json' },
    });
    expect(seen[0]?.url).toBe('http://server/api/v1/pods?limit=5&labelSelector=a%3Db%20c');
    expect(seen[0]?.method).toBe('POST');
    expect(seen[0]?.headers.get('user-agent')).toBe('chandler/1');
    expect(await seen[0]?.text()).toBe('{}');
    expect(response.status).toBe(201);
    expect(response.headers['x-answer']).toBe('yes');
    expect(JSON.parse(await response.text())).toEqual({ ok: true });
  });

  test('streams chunks until the reader cancels, even while it waits for the next', async () => {
    const server = new TinyServer();
    server.put('/api/v1/namespaces/a', { metadata: { name: 'a' } });
    const response = await fetchTransport(server.fetch)({
      method: 'GET',
      path: '/api/v1/namespaces',
      query: { watch: true, resourceVersion: '100' },
      stream: true,
    });
    const chunks: string[] = [];
    for await (const chunk of response.chunks()) {
      chunks.push(Buffer.from(chunk).toString());
      queueMicrotask(() => response.cancel());
    }
    expect(chunks.join('')).toContain('"type":"ADDED"');
    expect(server.watchers).toBe(0);
  });

  test('ends a stream with the reason of the signal that was aborted', async () => {
    const server = new TinyServer();
    const abort = new AbortController();
    const response = await fetchTransport(server.fetch)({
      method: 'GET',
      path: '/api/v1/namespaces',
      query: { watch: true, resourceVersion: '100' },
      signal: abort.signal,
    });
    const reading = (async () => {
      for await (const _ of response.chunks());
    })();
    abort.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });

  test('calls the fence right before sending', async () => {
    const server = new TinyServer();
    const lastCheck = () => {
      throw new TransportError('fenced', 'too late');
    };
    const sending = fetchTransport(server.fetch)({ method: 'GET', path: '/api/v1/pods', lastCheck });
    await expect(sending).rejects.toThrow('too late');
    expect(server.requests).toEqual([]);
  });

  test('reports a stream that breaks as a reset and an empty body as no chunks', async () => {
    const broken = fetchTransport(
      async () => new Response(new ReadableStream({ start: (c) => c.error(new Error('boom')) })),
    );
    const response = await broken({ method: 'GET', path: '/x' });
    await expect(collect(response.chunks())).rejects.toMatchObject({ kind: 'reset' });
    const again = await broken({ method: 'GET', path: '/x' });
    await expect(again.text()).rejects.toMatchObject({ kind: 'reset' });
    const empty = await fetchTransport(async () => new Response(null, { status: 204 }))({
      method: 'GET',
      path: '/x',
    });
    expect(await collect(empty.chunks())).toEqual([]);
  });
});

describe('classifying network failures', () => {
  test.each([
    ['ECONNREFUSED', 'unreachable'],
    ['ENOTFOUND', 'unreachable'],
    ['CERT_HAS_EXPIRED', 'unreachable'],
    ['CERT_SIGNATURE_FAILURE', 'unreachable'],
    ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
    ['ECONNRESET', 'reset'],
    ['UND_ERR_SOCKET', 'reset'],
  ])('%s is %s', (code, kind) => {
    const cause = Object.assign(new Error('inner'), { code });
    const error = fromNetwork(
      new TypeError('fetch failed', { cause }),
      undefined,
      'GET /x',
    ) as TransportError;
    expect(error.kind).toBe(kind);
    expect(error.message).toBe('GET /x: inner');
  });

  test('looks into the attempts of a host with several addresses', () => {
    const attempts = ['::1', '127.0.0.1'].map((at) =>
      Object.assign(new Error(`connect ${at}`), { code: 'ECONNREFUSED' }),
    );
    const error = fromNetwork(new AggregateError(attempts), undefined, 'GET /x') as TransportError;
    expect(error.kind).toBe('unreachable');
    expect(error.message).toContain('connect ::1');
  });

  test('keeps a transport error unchanged and classifies an unknown one as a reset', () => {
    const known = new TransportError('fenced', 'x');
    expect(fromNetwork(known, undefined, 'y')).toBe(known);
    expect(fromNetwork('odd', undefined, 'y')).toMatchObject({
      kind: 'reset',
      message: 'y: connection lost',
    });
  });

  test('writes no question mark without a query', () => {
    expect(pathWithQuery('/api')).toBe('/api');
  });
});
