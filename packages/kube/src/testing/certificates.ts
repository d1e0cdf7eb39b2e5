/** Certificates for tests that need TLS: an authority, a server for 127.0.0.1, a client. Made in memory. */
import { loadX509 } from '@chandler/kube/tls';

export interface KeyAndCertificate {
  readonly cert: string;
  readonly key: string;
}

export async function makeCertificates(): Promise<{
  ca: string;
  server: KeyAndCertificate;
  client: KeyAndCertificate;
}> {
  const x509 = await loadX509();
  x509.cryptoProvider.set(globalThis.crypto);
  const makeKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const authority = await makeKeys();
  const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=test authority',
    keys: authority,
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.BasicConstraintsExtension(true)],
    ...validity,
  });
  const issue = async (subject: string, ip?: string): Promise<KeyAndCertificate> => {
    const keys = await makeKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      subject,
      issuer: ca.subject,
      publicKey: keys.publicKey,
      signingKey: authority.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions:
        ip === undefined ? [] : [new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: ip }])],
      ...validity,
    });
    const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
    return { cert: certificate.toString('pem'), key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY') };
  };
  return {
    ca: ca.toString('pem'),
    server: await issue('CN=server', '127.0.0.1'),
    client: await issue('CN=admin, O=system:masters'),
  };
}

// ------------------------------------------------------------------------------------------------

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
