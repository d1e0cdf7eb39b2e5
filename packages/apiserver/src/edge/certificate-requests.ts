/**
 * Signs approved CertificateSigningRequests for the signers of client certificates. A request that its signer must
 * not sign is answered with the reason, which goes into the Failed condition; that is the caller's to write.
 */
import {
  CERTIFICATE_DAYS,
  type CertificateAuthority,
  DAY_MS,
  loadX509,
  signCertificate,
} from '@chandler/kube/tls';
import type * as X509 from '@peculiar/x509';
import { rowOf } from '../table-row.ts';

export const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';
export const KUBELET_CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';

export interface CertificateRequestSpec {
  readonly signerName: string;
  /** PEM, in base64 as it is on the wire. */
  readonly request: string;
  readonly usages: readonly string[];
  readonly expirationSeconds?: number;
}

export type SigningOutcome =
  | { readonly certificatePem: string }
  /** For the condition Failed with reason SignerValidationFailure. */
  | { readonly failure: string }
  /** The request is for another signer. */
  | { readonly ignored: true };

export async function signCertificateRequest(
  authority: CertificateAuthority,
  spec: CertificateRequestSpec,
): Promise<SigningOutcome> {
  const validate = rowOf(SIGNERS, spec.signerName);
  if (validate === undefined) return { ignored: true };
  const x509 = await loadX509();
  const request = parseRequest(x509, spec.request);
  if (request === undefined) return { failure: 'PEM block type must be CERTIFICATE REQUEST' };
  const failure = validate(subjectOf(x509, request), spec.usages);
  if (failure !== undefined) return { failure };
  if (!(await request.verify())) return { failure: 'certificate request signature is invalid' };
  const certificatePem = await signCertificate(authority, {
    subject: request.subjectName,
    publicKey: request.publicKey,
    validityMs: validityMs(spec.expirationSeconds),
    usages: keyUsages(x509, spec.usages),
    extendedUsages: [x509.ExtendedKeyUsage.clientAuth],
    names: [],
  });
  return { certificatePem };
}

// ---------------------------------------------------------------------------------------------------

const MIN_VALIDITY_MS = 10 * 60 * 1000;
/** Its members may do everything, and no authorizer is asked. */
const MASTERS = 'system:masters';
const NODES = 'system:nodes';
const NODE_PREFIX = 'system:node:';
const CLIENT_AUTH = 'client auth';
const SIGNATURE = 'digital signature';
const ENCIPHERMENT = 'key encipherment';

interface Subject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Kinds of alternative names: dns, email, ip, url. */
  readonly nameTypes: readonly string[];
}

type Validate = (subject: Subject, usages: readonly string[]) => string | undefined;

const SIGNERS: Readonly<Record<string, Validate>> = {
  [CLIENT_SIGNER]: (subject, usages) =>
    subject.organizations.includes(MASTERS)
      ? `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`
      : clientUsages(usages),
  [KUBELET_CLIENT_SIGNER]: kubeletClient,
};

/** By the kind of alternative name that a kubelet may not ask for. */
const FORBIDDEN_NAMES: readonly (readonly [type: string, shown: string])[] = [
  ['dns', 'DNS'],
  ['email', 'Email'],
  ['ip', 'IP'],
  ['url', 'URI'],
];

function clientUsages(usages: readonly string[]): string | undefined {
  const odd = usages.find((usage) => ![CLIENT_AUTH, SIGNATURE, ENCIPHERMENT].includes(usage));
  if (odd !== undefined) return `invalid usage for client certificate: ${odd}`;
  if (usages.includes(CLIENT_AUTH)) return undefined;
  return `missing required usage for client certificate: ${CLIENT_AUTH}`;
}

function kubeletClient(subject: Subject, usages: readonly string[]): string | undefined {
  if (subject.organizations.length !== 1 || subject.organizations[0] !== NODES) {
    return 'subject organization is not system:nodes';
  }
  const name = FORBIDDEN_NAMES.find(([type]) => subject.nameTypes.includes(type));
  if (name !== undefined) return `${name[1]} subjectAltNames are not allowed`;
  if (!subject.commonName.startsWith(NODE_PREFIX))
    return 'subject common name does not begin with system:node:';
  const given = [...new Set(usages)].sort().join(' ');
  const required = [CLIENT_AUTH, SIGNATURE, ENCIPHERMENT];
  if (given === required.join(' ') || given === required.slice(0, 2).join(' ')) return undefined;
  return `usages did not match [${required.join(' ')}]`;
}

function parseRequest(x509: typeof X509, request: string): X509.Pkcs10CertificateRequest | undefined {
  const pem = Buffer.from(request, 'base64').toString();
  if (!pem.includes('-----BEGIN CERTIFICATE REQUEST-----')) return undefined;
  try {
    return new x509.Pkcs10CertificateRequest(pem);
  } catch {
    return undefined;
  }
}

function subjectOf(x509: typeof X509, request: X509.Pkcs10CertificateRequest): Subject {
  const names = request.extensions.find(
    (extension) => extension instanceof x509.SubjectAlternativeNameExtension,
  );
  return {
    commonName: request.subjectName.getField('CN')[0] ?? '',
    organizations: request.subjectName.getField('O'),
    nameTypes: names?.names.items.map((item) => item.type) ?? [],
  };
}

function keyUsages(x509: typeof X509, usages: readonly string[]): number {
  const signature = usages.includes(SIGNATURE) ? x509.KeyUsageFlags.digitalSignature : 0;
  return signature | (usages.includes(ENCIPHERMENT) ? x509.KeyUsageFlags.keyEncipherment : 0);
}

function validityMs(expirationSeconds: number | undefined): number {
  const longest = CERTIFICATE_DAYS * DAY_MS;
  if (expirationSeconds === undefined) return longest;
  return Math.min(longest, Math.max(MIN_VALIDITY_MS, expirationSeconds * 1000));
}
