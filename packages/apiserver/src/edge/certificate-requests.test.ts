import { X509Certificate } from 'node:crypto';
import { createAuthority, loadX509 } from '@chandler/kube/tls';
import { describe, expect, test } from 'vitest';
import {
  type CertificateRequestSpec,
  CLIENT_SIGNER,
  KUBELET_CLIENT_SIGNER,
  signCertificateRequest,
} from './certificate-requests.ts';

const NOW_MS = Date.now();
const authority = await createAuthority(() => NOW_MS);

async function aRequest(
  subject: string,
  spec: Partial<CertificateRequestSpec> = {},
  names: string[] = [],
): Promise<CertificateRequestSpec> {
  const x509 = await loadX509();
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ]);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys: keys as never,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions:
      names.length === 0
        ? []
        : [new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value })))],
  });
  return {
    signerName: KUBELET_CLIENT_SIGNER,
    request: Buffer.from(request.toString('pem')).toString('base64'),
    usages: ['client auth', 'digital signature'],
    ...spec,
  };
}

describe('certificate signing requests', () => {
  test('a kubelet gets the client certificate that it requests', async () => {
    const outcome = await signCertificateRequest(
      authority,
      await aRequest('O=system:nodes,CN=system:node:one', { expirationSeconds: 3600 }),
    );
    if (!('certificatePem' in outcome)) throw new Error(JSON.stringify(outcome));
    const certificate = new X509Certificate(outcome.certificatePem);
    expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:one');
    expect(certificate.verify(new X509Certificate(authority.certificatePem).publicKey)).toBe(true);
    expect(Date.parse(certificate.validTo)).toBe(Math.floor(NOW_MS / 1000) * 1000 + 3_600_000);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  });

  test('nobody gets a certificate of the group that may do everything', async () => {
    const spec = await aRequest('O=system:masters,CN=bob', { signerName: CLIENT_SIGNER });
    expect(await signCertificateRequest(authority, spec)).toEqual({
      failure: 'use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    });
  });

  test.each([
    ['O=admins,CN=system:node:one', {}, [], 'subject organization is not system:nodes'],
    ['O=system:nodes,CN=bob', {}, [], 'subject common name does not begin with system:node:'],
    ['O=system:nodes,CN=system:node:one', {}, ['a.example'], 'DNS subjectAltNames are not allowed'],
    [
      'O=system:nodes,CN=system:node:one',
      { usages: ['server auth'] },
      [],
      'usages did not match [client auth digital signature key encipherment]',
    ],
    [
      'CN=bob',
      { signerName: CLIENT_SIGNER, usages: ['server auth'] },
      [],
      'invalid usage for client certificate: server auth',
    ],
    [
      'CN=bob',
      { signerName: CLIENT_SIGNER, usages: ['digital signature'] },
      [],
      'missing required usage for client certificate: client auth',
    ],
  ])('%s %j is rejected with the wording of the real signer', async (subject, spec, names, failure) => {
    expect(await signCertificateRequest(authority, await aRequest(subject, spec, names))).toEqual({
      failure,
    });
  });

  test('a request for another signer is ignored, and an invalid one fails', async () => {
    const other = await aRequest('CN=bob', { signerName: 'example.com/mine' });
    expect(await signCertificateRequest(authority, other)).toEqual({ ignored: true });
    const nonsense = { ...other, signerName: CLIENT_SIGNER, request: 'bm8=' };
    expect(await signCertificateRequest(authority, nonsense)).toEqual({
      failure: 'PEM block type must be CERTIFICATE REQUEST',
    });
  });

  test('an RSA key may be certified too', async () => {
    const x509 = await loadX509();
    const algorithm = {
      name: 'RSASSA-PKCS1-v1_5',
      hash: 'SHA-256',
      publicExponent: new Uint8Array([1, 0, 1]),
    };
    const keys = await crypto.subtle.generateKey({ ...algorithm, modulusLength: 2048 }, true, [
      'sign',
      'verify',
    ]);
    const made = await x509.Pkcs10CertificateRequestGenerator.create({
      name: 'CN=bob,O=team',
      keys: keys as never,
      signingAlgorithm: algorithm,
    });
    const outcome = await signCertificateRequest(authority, {
      signerName: CLIENT_SIGNER,
      request: Buffer.from(made.toString('pem')).toString('base64'),
      usages: ['client auth'],
    });
    expect(outcome).toHaveProperty('certificatePem');
  });
});
