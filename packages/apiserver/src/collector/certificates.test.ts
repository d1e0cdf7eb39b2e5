import { request as httpsRequest } from 'node:https';
import { virtualWorld } from '@chandler/kube/testing';
import { loadX509 } from '@chandler/kube/tls';
import { afterEach, describe, expect, test } from 'vitest';
import { type SmallServer, smallServer } from '../rest/small-server.fixture.ts';

const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
let api: SmallServer;
afterEach(() => api.server.close());

/** A key and the request for its certificate. */
async function signingRequest(subject: string) {
  const x509 = await loadX509();
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const csr = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: algorithm,
  });
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`;
  return { key, request: Buffer.from(csr.toString('pem')).toString('base64') };
}

const statusOf = async (name: string) =>
  (await api.ask(`GET ${CSRS}/${name}`)).body['status'] as unknown as {
    certificate?: string;
    conditions?: object[];
  };

async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const ask = async (request: string, usages: string[]) => {
  const spec = { signerName: 'kubernetes.io/kube-apiserver-client', request, usages };
  const { code } = await api.ask(`POST ${CSRS}`, { metadata: { name: 'me' }, spec });
  expect(code).toBe(201);
  const condition = { type: 'Approved', status: 'True', reason: 'Test', message: 'yes' };
  await api.ask(`PATCH ${CSRS}/me/approval`, { status: { conditions: [condition] } });
};

describe('a certificate signing request', () => {
  test.each([
    ['', 0],
    [', also when time in the cluster runs ahead', 24 * 3600_000],
  ])('that was approved gets a certificate with which its owner can authenticate%s', async (_, aheadMs) => {
    const world = virtualWorld({ startMs: Date.now() });
    api = await smallServer({ world, certificateNow: Date.now });
    await world.clock.advance(aheadMs);
    const url = await api.server.listen();
    const { key, request } = await signingRequest('CN=carol');
    await ask(request, ['client auth']);
    const certificate = await until(async () => (await statusOf('me')).certificate);
    const cert = Buffer.from(certificate, 'base64').toString();
    const options = { ca: api.server.caPem, cert, key, agent: false as const, rejectUnauthorized: false };
    const text = await new Promise<string>((resolve, reject) => {
      const sent = httpsRequest(`${url}/api/v1/nodes`, options, async (response) => {
        let body = '';
        for await (const chunk of response) body += chunk;
        resolve(body);
      });
      sent.on('error', reject);
      sent.end();
    });
    expect(text).toContain('carol');
  });

  test('for a use that its signer does not grant fails', async () => {
    api = await smallServer();
    const { request } = await signingRequest('CN=carol');
    await ask(request, ['server auth']);
    const conditions = await until(async () => {
      const { conditions: found } = await statusOf('me');
      return found !== undefined && found.length > 1 ? found : undefined;
    });
    expect(conditions[1]).toMatchObject({ type: 'Failed', reason: 'SignerValidationFailure' });
    expect((await statusOf('me')).certificate).toBeUndefined();
  });
});
