import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, describe, expect, test } from 'vitest';
import { virtualWorld } from '../testing/virtual-world.ts';
import {
  createAuthority,
  issueClientCertificate,
  issueServingCertificate,
  type KeyAndCertificate,
  loadAuthority,
  peerIdentity,
} from './tls.ts';

const NOW_MS = Date.now();
const authority = await createAuthority(() => NOW_MS);
const servers: { close(): void }[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

async function listen(serving: KeyAndCertificate): Promise<number> {
  const server = createServer(
    {
      cert: serving.certificatePem,
      key: serving.privateKeyPem,
      ca: authority.certificatePem,
      requestCert: true,
      rejectUnauthorized: false,
    },
    (incoming, outgoing) => {
      const socket = incoming.socket as TLSSocket;
      const identity = socket.authorized ? peerIdentity(socket.getPeerCertificate()) : undefined;
      outgoing.end(JSON.stringify(identity ?? null));
    },
  );
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function whoAmI(port: number, host: string, client?: KeyAndCertificate): Promise<unknown> {
  const sent = request({
    port,
    host: '127.0.0.1',
    servername: host,
    ca: authority.certificatePem,
    agent: false,
    ...(client === undefined ? {} : { cert: client.certificatePem, key: client.privateKeyPem }),
  });
  sent.end();
  const [response] = await once(sent, 'response');
  let body = '';
  for await (const chunk of response) body += chunk;
  return JSON.parse(body);
}

describe('certificates of the embedded server', () => {
  test('a client that trusts the authority reaches the server by address and by service name', async () => {
    const port = await listen(await issueServingCertificate(authority));
    expect(await whoAmI(port, 'localhost')).toBeNull();
    expect(await whoAmI(port, 'kubernetes.default.svc')).toBeNull();
    await expect(whoAmI(port, 'example.com')).rejects.toThrow(/does not match certificate/);
  });

  test('the serving certificate covers loopback addresses', async () => {
    const { certificatePem } = await issueServingCertificate(authority);
    const certificate = new X509Certificate(certificatePem);
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkIP('::1')).toBe('::1');
    expect(certificate.verify(new X509Certificate(authority.certificatePem).publicKey)).toBe(true);
  });

  test('a client certificate carries the user and all groups', async () => {
    const client = await issueClientCertificate(authority, {
      commonName: 'system:node:aks-one, "odd"',
      organizations: ['system:nodes', 'second+group'],
    });
    const port = await listen(await issueServingCertificate(authority));
    expect(await whoAmI(port, 'localhost', client)).toEqual({
      commonName: 'system:node:aks-one, "odd"',
      organizations: ['system:nodes', 'second+group'],
      fingerprint: new X509Certificate(client.certificatePem).fingerprint256
        .replaceAll(':', '')
        .toLowerCase(),
    });
  });

  test('a certificate of another authority identifies no user', async () => {
    const stranger = await createAuthority(() => NOW_MS);
    const client = await issueClientCertificate(stranger, {
      commonName: 'root',
      organizations: ['system:masters'],
    });
    const port = await listen(await issueServingCertificate(authority));
    expect(await whoAmI(port, 'localhost', client)).toBeNull();
  });

  test('validity starts a few minutes before the time of the given clock', async () => {
    const world = virtualWorld({ startMs: Date.UTC(2031, 4, 1) });
    const virtual = await createAuthority(() => world.clock.now());
    const kept = loadAuthority(virtual, () => world.clock.now());
    await world.clock.advance(24 * 60 * 60 * 1000);
    const client = await issueClientCertificate(kept, { commonName: 'a', organizations: [] });
    const certificate = new X509Certificate(client.certificatePem);
    expect(new Date(certificate.validFrom).toISOString()).toBe('2031-05-01T23:55:00.000Z');
    expect(new Date(certificate.validTo).toISOString()).toBe('2032-05-01T00:00:00.000Z');
    expect(new X509Certificate(virtual.certificatePem).ca).toBe(true);
  });
});
