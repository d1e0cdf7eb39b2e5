import { connect } from 'node:tls';
import { virtualWorld } from '@chandler/kube/testing';
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMPUTE, NETWORK, nicBody } from '../arm-server.fixture.ts';
import { type ArmServer, startArmServer } from '../arm-server.ts';

describe('the HTTPS server', () => {
  let server: ArmServer;
  let dispatcher: Agent;
  let group: string;

  beforeAll(async () => {
    // The certificate is made for the time of the World, and checked against that of this host.
    server = await startArmServer({ world: virtualWorld({ startMs: Date.now() }), providers: [] });
    dispatcher = new Agent({ connect: { ca: server.caPem! } });
    const { subscriptionId, nodeResourceGroup } = server.settings;
    group = `${server.url}/subscriptions/${subscriptionId}/resourceGroups/${nodeResourceGroup}/providers`;
  });
  afterAll(async () => {
    await dispatcher.close();
    await server.close();
  });

  const call = (method: string, path: string, body?: string) =>
    fetch(`${group}/${path}`, {
      method,
      dispatcher,
      headers: { authorization: `Bearer ${server.token()}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    });

  const raw = (text: string) =>
    new Promise<string>((resolve) => {
      let received = '';
      const socket = connect({ port: server.port!, host: '127.0.0.1', ca: server.caPem! }, () =>
        socket.write(text),
      );
      socket.on('data', (chunk) => {
        received += String(chunk);
      });
      socket.on('close', () => resolve(received));
      socket.on('error', () => resolve(received));
    });

  test('links use the address that the caller used', async () => {
    const put = await call(
      'PUT',
      `${NETWORK}/networkInterfaces/a?api-version=2022-01-01`,
      JSON.stringify(nicBody(server, 'a')),
    );
    expect(put.status).toBe(201);
    expect(put.headers.get('azure-asyncoperation')).toMatch(new RegExp(`^${server.url}/`));
  });

  test('a body over the limit is rejected', async () => {
    const put = await call(
      'PUT',
      `${COMPUTE}/virtualMachines/a?api-version=2025-04-01`,
      `"${'x'.repeat(5_000_000)}"`,
    );
    expect(put.status).toBe(413);
  });

  test('malformed requests get 400 and do not affect others', async () => {
    expect(await raw('HELLO\r\n\r\n')).toContain('400');
    expect(await raw('GET / HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 4/);
    expect((await call('GET', `${COMPUTE}/virtualMachines?api-version=2025-04-01`)).status).toBe(200);
  });

  test('a forged Host header does not get into links', async () => {
    const path = `/subscriptions/${server.settings.subscriptionId}/resourceGroups/${server.settings.nodeResourceGroup}/providers/${NETWORK}/networkInterfaces/b`;
    const body = JSON.stringify(nicBody(server, 'b'));
    const answer = await raw(
      `PUT ${path}?api-version=2022-01-01 HTTP/1.1\r\nhost: evil/"x\r\nauthorization: Bearer ${server.token()}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
    expect(answer).toContain('201');
    expect(answer).not.toContain('evil');
    expect(answer).toContain(server.url);
  });
});
