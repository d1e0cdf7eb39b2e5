import { readFileSync } from 'node:fs';
import {
  createServer as createHttp,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createSecureServer as createHttp2 } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { Fence, withFence } from '../leader/fence.ts';
import { makeCertificates } from '../testing/certificates.ts';
import { collect } from '../testing/collect.ts';
import { virtualWorld } from '../testing/virtual-world.ts';
import type { Endpoint } from './endpoint.ts';
import { undiciTransport } from './undici-transport.ts';

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

async function http(listener: RequestListener, endpoint: Partial<Endpoint> = {}) {
  const port = await listen(createHttp(listener));
  const transport = undiciTransport({ server: `http://127.0.0.1:${port}`, ...endpoint });
  cleanups.push(() => transport.close());
  return { ...transport, port };
}

const GET = { method: 'GET', path: '/api/v1/pods' } as const;

describe('the transport of a real cluster', () => {
  test('sends what it is given, below the prefix of the server, and reads the answer', async () => {
    const seen: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = [];
    const port = await listen(
      createHttp(async (request, response) => {
        seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
        const body = (await collect(request)).join('');
        response.writeHead(201, { 'X-Many': ['a', 'b'] }).end(`got ${body}`);
      }),
    );
    const { send, close } = undiciTransport({ server: `http://127.0.0.1:${port}/clusters/one/` });
    cleanups.push(close);
    const response = await send({
      ...GET,
      method: 'POST',
      query: { a: 1 },
      body: 'hello',
      headers: { 'x-mine': '1' },
    });
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/clusters/one/api/v1/pods?a=1' });
    expect(seen[0]?.headers['x-mine']).toBe('1');
    expect(response.status).toBe(201);
    expect(response.headers['x-many']).toBe('a, b');
    expect(await response.text()).toBe('got hello');
  });

  test('gets the credential for every request, and once more after a 401', async () => {
    const asked: boolean[] = [];
    let token = 'stale';
    const { send } = await http(
      (request, response) =>
        response.writeHead(request.headers.authorization === 'Bearer good' ? 200 : 401).end('{}'),
      {
        async identify({ fresh }) {
          asked.push(fresh);
          if (fresh) token = 'good';
          return { headers: { authorization: `Bearer ${token}` } };
        },
      },
    );
    expect((await send(GET)).status).toBe(200);
    expect((await send(GET)).status).toBe(200);
    expect(asked).toEqual([false, false, true, false]);
  });

  test('renews once for all concurrent 401s, and serves them all', async () => {
    let token = 'stale';
    let renewals = 0;
    const { send } = await http(
      (request, response) =>
        response.writeHead(request.headers.authorization === 'Bearer good' ? 200 : 401).end('{}'),
      {
        async identify({ fresh }) {
          if (fresh) {
            renewals += 1;
            await new Promise((resolve) => setTimeout(resolve, 20 * renewals));
            token = 'good';
          }
          return { headers: { authorization: `Bearer ${token}` } };
        },
      },
    );
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(GET)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(renewals).toBe(1);
  });

  test('uses HTTP/1.1 with a server that also supports HTTP/2, so that one dead connection does not affect all requests', async () => {
    const { ca, server } = await makeCertificates();
    const versions: string[] = [];
    const both = createHttp2({ ...server, allowHTTP1: true }, (request, response) => {
      versions.push(request.httpVersion);
      response.end('ok');
    });
    await new Promise<void>((resolve) => both.listen(0, '127.0.0.1', resolve));
    const { send, close } = undiciTransport({
      server: `https://127.0.0.1:${(both.address() as AddressInfo).port}`,
      ca,
    });
    cleanups.push(() => new Promise((resolve) => both.close(resolve)), close);
    await (await send(GET)).text();
    expect(versions).toEqual(['1.1']);
  });

  test('returns a 401 when there is no better credential', async () => {
    let requests = 0;
    const refuse: RequestListener = (_, response) => {
      requests += 1;
      response.writeHead(401).end();
    };
    const known = await http(refuse, {
      identify: async () => ({ headers: { authorization: 'Bearer same' } }),
    });
    expect((await known.send(GET)).status).toBe(401);
    const nobody = await http(refuse);
    expect((await nobody.send(GET)).status).toBe(401);
    expect(requests).toBe(2);
  });

  test('checks the server’s certificate and shows its own, also after it was rotated', async () => {
    const { ca, server, client } = await makeCertificates();
    const subjects: unknown[] = [];
    const port = await listen(
      createHttps({ ...server, ca, requestCert: true, rejectUnauthorized: false }, (request, response) => {
        subjects.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN);
        response.end('ok');
      }),
    );
    const at = `https://127.0.0.1:${port}`;
    let shown = false;
    const mutual = undiciTransport({
      server: at,
      ca: Buffer.from(ca),
      identify: async () => (shown ? { headers: {}, ...client } : { headers: {} }),
    });
    cleanups.push(() => mutual.close());
    await (await mutual.send(GET)).text();
    shown = true;
    await (await mutual.send(GET)).text();
    expect(subjects).toEqual([undefined, 'admin']);
    const trusting = undiciTransport({ server: at });
    cleanups.push(() => trusting.close());
    await expect(trusting.send(GET)).rejects.toMatchObject({ kind: 'unreachable' });
    const insecure = undiciTransport({ server: at, insecure: true, serverName: 'whatever' });
    cleanups.push(() => insecure.close());
    expect((await insecure.send(GET)).status).toBe(200);
  });

  test('uses the current CA on a new connection, and keeps running watches', async () => {
    const [before, after] = [await makeCertificates(), await makeCertificates()];
    let streaming: ServerResponse | undefined;
    const rotating = createHttps({ ...before.server }, (request, response) => {
      if (request.url?.includes('watch')) {
        streaming = response;
        response.writeHead(200).write('one');
      } else response.end('ok');
    });
    const port = await listen(rotating);
    let ca = before.ca;
    const { send, close } = undiciTransport({
      server: `https://127.0.0.1:${port}`,
      ca: before.ca,
      identify: async () => ({ headers: {}, ca }),
    });
    cleanups.push(close);
    const watch = await send({ ...GET, query: { watch: 'true' }, stream: true });
    const chunks = watch.chunks()[Symbol.asyncIterator]();
    expect(Buffer.from((await chunks.next()).value!).toString()).toBe('one');
    await (await send(GET)).text();
    rotating.setSecureContext(after.server);
    rotating.closeIdleConnections();
    const refusal = () =>
      send(GET).then(
        () => 'ok',
        ({ kind }) => kind,
      );
    // The connection from before may still be there to be broken.
    await expect.poll(refusal).toBe('unreachable');
    ca = after.ca;
    expect(await (await send(GET)).text()).toBe('ok');
    streaming?.end('two');
    expect(Buffer.from((await chunks.next()).value!).toString()).toBe('two');
  });

  test('streams bytes as they arrive, and releases the connection on cancel', async () => {
    let closed: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { send } = await http((request, response) => {
      response.writeHead(200).write('one');
      request.socket.on('close', closed);
    });
    const response = await send({ ...GET, stream: true });
    const chunks: string[] = [];
    for await (const chunk of response.chunks()) {
      chunks.push(Buffer.from(chunk).toString());
      response.cancel();
    }
    expect(chunks).toEqual(['one']);
    await gone;
  });

  test('reports reset when the connection breaks, unreachable when nothing listens', async () => {
    const { send } = await http((request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setTimeout(() => request.socket.resetAndDestroy(), 20);
    });
    await expect(collect((await send({ ...GET, stream: true })).chunks())).rejects.toMatchObject({
      kind: 'reset',
    });
    await expect((await send(GET)).text()).rejects.toMatchObject({ kind: 'reset' });
    const nobody = undiciTransport({ server: 'http://127.0.0.1:1' });
    cleanups.push(() => nobody.close());
    await expect(nobody.send(GET)).rejects.toMatchObject({ kind: 'unreachable' });
  });

  test('keeps the reason of an abort by the caller', async () => {
    const { send } = await http(() => undefined);
    const abort = new AbortController();
    const sending = send({ ...GET, signal: abort.signal });
    setTimeout(() => abort.abort(new Error('mine')), 20);
    await expect(sending).rejects.toThrow('mine');
  });

  test('does not send a write when the lease expired while it waited for a connection', async () => {
    let arrived = 0;
    const { port } = await http((_, response) => {
      arrived += 1;
      response.end('{}');
    });
    const world = virtualWorld();
    const fence = new Fence(world.clock);
    const { send, close } = undiciTransport({
      server: `http://127.0.0.1:${port}`,
      // A credential plugin that takes its time.
      async identify() {
        await world.clock.advance(20_000);
        return { headers: {} };
      },
    });
    cleanups.push(close);
    fence.openFor(10_000, world.clock.monotonic());
    const write = withFence(send, fence)({ ...GET, method: 'POST', body: '{}' });
    await expect(write).rejects.toMatchObject({ kind: 'fenced' });
    expect(arrived).toBe(0);
    fence.openFor(30_000, world.clock.monotonic());
    expect((await withFence(send, fence)({ ...GET, method: 'POST', body: '{}' })).status).toBe(200);
    expect(arrived).toBe(1);
  });

  test('uses a proxy where one is configured', async () => {
    const targets: string[] = [];
    const proxy = createTcp((socket) => {
      socket.once('data', (data) => {
        targets.push(data.toString().split('\r\n')[0] ?? '');
        socket.destroy();
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => new Promise((resolve) => proxy.close(resolve)));
    const at = (proxy.address() as AddressInfo).port;
    const { send, close } = undiciTransport({
      server: 'https://10.9.8.7:6443',
      proxyUrl: `http://127.0.0.1:${at}`,
    });
    cleanups.push(close);
    await expect(send(GET)).rejects.toMatchObject({ name: 'TransportError' });
    expect(targets[0]).toBe('CONNECT 10.9.8.7:6443 HTTP/1.1');
    const socks = undiciTransport({
      server: 'https://10.9.8.7:6443',
      proxyUrl: `socks5://127.0.0.1:${at}`,
    });
    cleanups.push(() => socks.close());
    void socks.send(GET).catch(() => undefined);
    await expect.poll(() => targets.length).toBe(2);
    expect(targets[1]?.charCodeAt(0)).toBe(5);
  });

  // The kernel shows its timers only on Linux.
  test.skipIf(process.platform !== 'linux')(
    'probes a quiet connection after 30 seconds, also one to a proxy',
    async () => {
      const silent = createTcp((socket) => cleanups.push(() => socket.destroy()));
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      cleanups.push(() => void silent.close());
      const { port } = silent.address() as AddressInfo;
      for (const endpoint of [
        { server: `http://127.0.0.1:${port}` },
        { server: 'https://10.9.8.7:6443', proxyUrl: `http://127.0.0.1:${port}` },
      ]) {
        const { send, close } = undiciTransport(endpoint);
        void send(GET).catch(() => undefined);
        await expect.poll(() => keepAliveSeconds(port)).toHaveLength(1);
        const [seconds = 0] = keepAliveSeconds(port);
        expect(seconds).toBeGreaterThan(0);
        expect(seconds).toBeLessThanOrEqual(30);
        await close();
        await expect.poll(() => keepAliveSeconds(port)).toEqual([]);
      }
    },
  );
});

/** The time until the next keep-alive probe of each connection to this port. */
function keepAliveSeconds(port: number): number[] {
  const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , to, , , timer]) => to === remote && timer?.startsWith('02:'))
    .map(([, , , , , timer = '']) => Number.parseInt(timer.slice(3), 16) / 100);
}
