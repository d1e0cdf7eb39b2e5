import { createServer as createTcpServer, type Server } from 'node:net';
import { createServer } from 'node:tls';
import { systemClock } from '@chandler/kube';
import { makeCertificates } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { readTlsCA } from './tls-ca.ts';

/** The machine may be busy. */
const PATIENT = { clock: systemClock, timeoutMs: 60_000 };

const open: Server[] = [];

afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

async function listen(server: Server): Promise<string> {
  open.push(server);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return `https://127.0.0.1:${(server.address() as { port: number }).port}`;
}

describe('the CA that an API server presents', () => {
  test('is its root, when it sends it along', async () => {
    const { ca, server } = await makeCertificates();
    const endpoint = await listen(createServer({ key: server.key, cert: `${server.cert}\n${ca}` }));
    const found = await readTlsCA({ endpoint, ...PATIENT });
    const body = (pem: string) => pem.replace(/\s/g, '');
    expect(body(Buffer.from(found!, 'base64').toString())).toBe(body(ca));
  });

  test('is not there when the server sends its own certificate only', async () => {
    const { server } = await makeCertificates();
    const endpoint = await listen(createServer(server));
    expect(await readTlsCA({ endpoint, ...PATIENT })).toBeUndefined();
  });

  test('is not taken from a root that did not sign the server, nor for another name, nor out of its time', async () => {
    const [mine, other] = [await makeCertificates(), await makeCertificates()];
    const forged = await listen(
      createServer({ key: mine.server.key, cert: `${mine.server.cert}\n${other.ca}` }),
    );
    expect(await readTlsCA({ endpoint: forged, ...PATIENT })).toBeUndefined();
    const good = await listen(
      createServer({ key: mine.server.key, cert: `${mine.server.cert}\n${mine.ca}` }),
    );
    const localhost = good.replace('127.0.0.1', 'localhost');
    expect(await readTlsCA({ endpoint: localhost, ...PATIENT })).toBeUndefined();
    const later = { ...systemClock, now: () => systemClock.now() + 365 * 24 * 3600_000 };
    expect(await readTlsCA({ endpoint: good, ...PATIENT, clock: later })).toBeUndefined();
  });

  test('a server that does not answer, closes the connection or does not speak TLS is an error that says so', async () => {
    const silent = await listen(createTcpServer());
    await expect(readTlsCA({ endpoint: silent, clock: systemClock, timeoutMs: 20 })).rejects.toThrow(
      'did not respond',
    );
    const rude = await listen(createTcpServer((socket) => socket.destroy()));
    await expect(readTlsCA({ endpoint: rude, ...PATIENT })).rejects.toThrow();
    const gone = createTcpServer();
    const nobody = await listen(gone);
    await new Promise((done) => gone.close(done));
    await expect(readTlsCA({ endpoint: nobody, ...PATIENT })).rejects.toThrow('ECONNREFUSED');
    await expect(readTlsCA({ endpoint: 'nonsense', ...PATIENT })).rejects.toThrow('URL');
  });
});
