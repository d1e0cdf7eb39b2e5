import { request as httpsRequest } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { connect } from 'node:tls';
import { virtualWorld } from '@chandler/kube/testing';
import { createAuthority, issueClientCertificate } from '@chandler/kube/tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ApiServer, startApiServer } from './server.ts';

let server: ApiServer;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

beforeEach(async () => {
  server = await startApiServer({
    world: virtualWorld({ startMs: Date.now() }),
    port: 0,
    watchQueueLimit: 100,
  });
});
afterEach(async () => {
  await server.close();
});

interface Sent {
  readonly method?: string;
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly cert?: string;
  readonly key?: string;
}

const send = (path: string, { body, headers, ...more }: Sent = {}) =>
  new Promise<{ code: number; text: string; headers: Record<string, unknown> }>((resolve, reject) => {
    const request = httpsRequest(
      `${server.url}${path}`,
      {
        ca: server.caPem,
        agent: false,
        headers: { authorization: `Bearer ${server.adminToken}`, ...headers },
        ...more,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ code: response.statusCode!, text, headers: response.headers }));
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });

/** Opens a watch and hands out its lines as they come. */
const watch = (path: string) =>
  new Promise<{
    line(): Promise<string>;
    stop(): void;
    pause(): void;
    resume(): void;
    last(): string | undefined;
    ended: Promise<void>;
  }>((resolve, reject) => {
    const options = {
      ca: server.caPem,
      agent: false as const,
      headers: { authorization: `Bearer ${server.adminToken}` },
    };
    const request = httpsRequest(`${server.url}${path}`, options, (response) => {
      const lines: string[] = [];
      const waiting: ((line: string) => void)[] = [];
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        const parts = (rest + chunk).split('\n');
        rest = parts.pop()!;
        for (const part of parts) (waiting.shift() ?? ((line: string) => lines.push(line)))(part);
      });
      resolve({
        line: () =>
          lines.length > 0 ? Promise.resolve(lines.shift()!) : new Promise((done) => waiting.push(done)),
        stop: () => request.destroy(),
        pause: () => response.pause(),
        resume: () => response.resume(),
        last: () => lines.at(-1),
        ended: new Promise((done) => {
          response.on('error', () => done());
          response.on('close', () => done());
        }),
      });
    });
    request.on('error', reject);
    request.end();
  });

describe('the server on the network', () => {
  test('is reached with its kubeconfig', async () => {
    const { clusters, users } = parse(server.kubeconfig);
    expect(clusters[0].cluster.server).toBe(server.url);
    const ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString();
    expect(ca).toBe(server.caPem);
    const { code } = await send('/api/v1/nodes', {
      headers: { authorization: `Bearer ${users[0].user.token}` },
    });
    expect(code).toBe(200);
  });

  test('accepts bodies, and rejects those that are too large', async () => {
    const made = await send(CONFIG_MAPS, {
      method: 'POST',
      body: '{"metadata":{"name":"a"},"data":{"k":"ü"}}',
    });
    expect(made.code).toBe(201);
    expect(JSON.parse(made.text).data).toEqual({ k: 'ü' });
    expect(made.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-cache, private',
    });
    const large = await send(CONFIG_MAPS, { method: 'POST', body: Buffer.alloc(3 * 1024 * 1024 + 1, 97) });
    expect(large.code).toBe(413);
    expect(JSON.parse(large.text).message).toBe('Request entity too large: limit is 3145728');
  });

  test('sends warnings as headers', async () => {
    const { headers } = await send(CONFIG_MAPS, {
      method: 'POST',
      body: '{"metadata":{"name":"w"},"odd":1}',
    });
    expect(headers['warning']).toBe('299 - "unknown field \\"odd\\""');
  });

  test.each([
    ['characters beyond Latin-1', '描述 €', '描述 €'],
    ['control characters', 'a\\u0007b\\u0000c', 'a b c'],
  ])('sends warnings with %s, and serves the next request', async (_, name, shown) => {
    const body = Buffer.from(`{"metadata":{"name":"odd-field"},"${name}":1}`);
    const { code, headers } = await send(CONFIG_MAPS, { method: 'POST', body });
    expect(code).toBe(201);
    const warning = Buffer.from(String(headers['warning']), 'latin1').toString();
    expect(warning).toBe(`299 - "unknown field \\"${shown}\\""`);
    const { status, headers: own } = await server.adminFetch(`http://x${CONFIG_MAPS}?dryRun=All`, {
      method: 'POST',
      body: `{"metadata":{"name":"in-process"},"${name}":1}`,
    });
    expect([status, Buffer.from(own.get('warning') ?? '', 'latin1').toString()]).toEqual([201, warning]);
    expect((await send('/healthz')).code).toBe(200);
  });

  test('streams a watch and ends it when the client disconnects', async () => {
    const events = await watch(`${CONFIG_MAPS}?watch=1`);
    await send(CONFIG_MAPS, { method: 'POST', body: '{"metadata":{"name":"a"}}' });
    expect(JSON.parse(await events.line())).toMatchObject({
      type: 'ADDED',
      object: { metadata: { name: 'a' } },
    });
    await send(`${CONFIG_MAPS}/a`, { method: 'DELETE' });
    expect(JSON.parse(await events.line())).toMatchObject({ type: 'DELETED' });
    events.stop();
    await events.ended;
  });

  test('disconnects a client that does not read', async () => {
    const events = await watch(`${CONFIG_MAPS}?watch=1`);
    events.pause();
    const fetch = server.adminFetch;
    const text = 'x'.repeat(200_000);
    await fetch(`https://local${CONFIG_MAPS}`, { method: 'POST', body: '{"metadata":{"name":"big"}}' });
    for (let index = 0; index < 250; index++) {
      const body = JSON.stringify({ metadata: { name: 'big' }, data: { text, index: `${index}` } });
      await fetch(`https://local${CONFIG_MAPS}/big`, { method: 'PUT', body });
      if (index % 10 === 0) await new Promise((done) => setImmediate(done));
    }
    events.resume();
    await events.ended;
    expect(JSON.parse(events.last()!).object.data.index).not.toBe('249');
    expect((await send('/healthz')).text).toBe('ok');
  });

  test('authenticates client certificates of its CA, and rejects those of another', async () => {
    const strangers = await createAuthority(() => Date.now());
    const stranger = await issueClientCertificate(strangers, {
      commonName: 'eve',
      organizations: ['system:masters'],
    });
    const pem = { cert: stranger.certificatePem, key: stranger.privateKeyPem };
    const refused = await send('/api/v1/nodes', { ...pem, headers: { authorization: '' } });
    expect(refused.code).toBe(401);
    // A token beside it counts.
    expect((await send('/api/v1/nodes', pem)).code).toBe(200);
  });

  test('survives malformed requests, partial requests and reset connections', async () => {
    const port = Number(new URL(server.url!).port);
    for (const bytes of [
      'NOT HTTP AT ALL\r\n\r\n',
      `POST ${CONFIG_MAPS} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{`,
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect({ host: '127.0.0.1', port, ca: server.caPem }, () => {
          socket.write(bytes, () => socket.destroy());
        });
        socket.on('error', () => resolve());
        socket.on('close', () => resolve());
      });
    }
    expect((await send('/healthz')).text).toBe('ok');
  });

  test('ends connections that have not sent anything when it closes', async () => {
    const port = Number(new URL(server.url!).port);
    const socket = connectPlain(port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const ended = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    await server.close();
    await ended;
  });

  test('ends watches when it closes, and rejects further requests', async () => {
    const events = await watch(`${CONFIG_MAPS}?watch=1`);
    await server.close();
    await events.ended;
    expect(server.url).toBeUndefined();
  });
});
