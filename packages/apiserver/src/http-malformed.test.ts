import { connect } from 'node:tls';
import { virtualWorld } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from './server.ts';

let server: ApiServer;

beforeEach(async () => {
  server = await startApiServer({ world: virtualWorld({ startMs: Date.now() }), port: 0 });
});
afterEach(async () => {
  await server.close();
});

/** Sends the bytes of a request as they are and gives back what comes until the server closes. */
const raw = (lines: readonly string[], body = '') =>
  new Promise<string>((resolve, reject) => {
    const port = Number(new URL(server.url!).port);
    let text = '';
    const socket = connect({ host: '127.0.0.1', port, ca: server.caPem }, () => {
      socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    });
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });

const asAdmin = (line: string, ...headers: readonly string[]) =>
  raw([
    `${line} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    `Authorization: Bearer ${server.adminToken}`,
    ...headers,
  ]);

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

describe('requests of unusual size', () => {
  test('may have long addresses and long headers', async () => {
    const selector = encodeURIComponent(`a in (${'value,'.repeat(20_000)}value)`);
    expect(statusOf(await asAdmin(`GET /api/v1/nodes?labelSelector=${selector}`))).toBe(200);
    expect(statusOf(await asAdmin('GET /healthz', `X-Long: ${'x'.repeat(500_000)}`))).toBe(200);
  });

  test('may have many headers, all of which are read', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => `X-${index}: y`);
    const answer = await raw([
      'GET /api/v1/nodes HTTP/1.1',
      'Host: x',
      'Connection: close',
      ...many,
      `Authorization: Bearer ${server.adminToken}`,
    ]);
    expect(statusOf(answer)).toBe(200);
  });

  test('are rejected when their headers are too large', async () => {
    const answer = await asAdmin('GET /healthz', `X-Long: ${'x'.repeat(1_100_000)}`).catch(String);
    // The client may still be writing when the server closes, and then never sees the answer.
    expect(answer).toMatch(/^HTTP\/1\.1 431 |ECONNRESET|EPIPE|^$/);
    expect(statusOf(await asAdmin('GET /healthz'))).toBe(200);
  });
});

describe('a request line', () => {
  test('may name the whole address, as for a proxy', async () => {
    expect(statusOf(await asAdmin('GET https://elsewhere/healthz'))).toBe(200);
  });

  test('without an HTTP version is rejected', async () => {
    expect(statusOf(await raw(['GET /']))).toBe(400);
  });
});

describe('a user who impersonates another', () => {
  test('sends each group in a separate header', async () => {
    const answer = await asAdmin(
      'GET /api/v1/nodes',
      'Impersonate-User: jane',
      'Impersonate-Group: developers',
      'Impersonate-Group: system:masters',
    );
    expect(statusOf(answer)).toBe(200);
    const refused = await asAdmin(
      'GET /api/v1/nodes',
      'Impersonate-User: jane',
      'Impersonate-Group: developers, system:masters',
    );
    expect(statusOf(refused)).toBe(403);
  });
});
