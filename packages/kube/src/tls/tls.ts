/**
 * Certificates of the embedded server: its authority, its serving certificate, and those it hands to clients. Keys
 * are EC P-256. All times come from the caller's clock. For certificates of real sockets this is the time of the machine,
 * also where time in the cluster runs faster.
 */

import { createHash, createPrivateKey, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type * as X509 from '@peculiar/x509';
import { loadX509 } from './x509-library.ts';

export interface KeyAndCertificate {
  readonly certificatePem: string;
  /** PKCS 8. */
  readonly privateKeyPem: string;
}

export interface CertificateAuthority extends KeyAndCertificate {
  readonly now: () => number;
}

export interface ServingOptions {
  /** DNS names and IP addresses; default: loopback and the names of the service `kubernetes`. */
  readonly names?: readonly string[];
  readonly addresses?: readonly string[];
  /** One more name or address. */
  readonly host?: string;
}

export interface ClientOptions {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly days?: number;
}

export async function createAuthority(
  now: () => number,
  commonName = 'kubernetes',
): Promise<CertificateAuthority> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    ...validity(now(), AUTHORITY_DAYS),
    keys,
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(CA_USAGES(x509), true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificatePem: pem(certificate), privateKeyPem: await privatePem(keys.privateKey), now };
}

/** The authority again, from what was kept of it. */
export function loadAuthority(kept: KeyAndCertificate, now: () => number): CertificateAuthority {
  return { certificatePem: kept.certificatePem, privateKeyPem: kept.privateKeyPem, now };
}

export async function issueServingCertificate(
  authority: CertificateAuthority,
  options: ServingOptions = {},
): Promise<KeyAndCertificate> {
  const x509 = await loadX509();
  const { host, names: given = DEFAULT_NAMES, addresses = DEFAULT_ADDRESSES } = options;
  const more = host === undefined ? [] : [host];
  const isAddress = (value: string) => isIP(value) !== 0;
  const hosts = new Set([...given, ...addresses, ...more]);
  const names = [...hosts].map((value) => ({
    type: isAddress(value) ? ('ip' as const) : ('dns' as const),
    value,
  }));
  return await issueWithKey(authority, {
    subject: [{ CN: ['kube-apiserver'] }],
    days: CERTIFICATE_DAYS,
    extendedUsages: [x509.ExtendedKeyUsage.serverAuth],
    names,
  });
}

/** What a client certificate says about its holder: the common name is the user, organizations are groups. */
export async function issueClientCertificate(
  authority: CertificateAuthority,
  options: ClientOptions,
): Promise<KeyAndCertificate> {
  const x509 = await loadX509();
  return await issueWithKey(authority, {
    subject: [
      ...options.organizations.map((name) => ({ O: verbatim(name) })),
      { CN: verbatim(options.commonName) },
    ],
    days: options.days ?? CERTIFICATE_DAYS,
    extendedUsages: [x509.ExtendedKeyUsage.clientAuth],
    names: [],
  });
}

/** The holder of a client certificate: the common name is the user, organizations are groups. */
export interface CertificateIdentity {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate, hexadecimal. */
  readonly fingerprint?: string;
}

/** The certificate of a TLS peer, as `getPeerCertificate()` gives it, as an identity; undefined when there is none. */
export function peerIdentity(peer: {
  readonly subject?: { readonly CN?: string | string[]; readonly O?: string | string[] };
  readonly raw?: Buffer;
}): CertificateIdentity | undefined {
  const commonName = listOf(peer.subject?.CN)[0];
  if (commonName === undefined) return undefined;
  const organizations = listOf(peer.subject?.O);
  if (peer.raw === undefined) return { commonName, organizations };
  return { commonName, organizations, fingerprint: createHash('sha256').update(peer.raw).digest('hex') };
}

export interface SignOptions {
  readonly subject: X509.Name;
  readonly publicKey: X509.PublicKeyType;
  readonly validityMs: number;
  readonly usages: number;
  readonly extendedUsages: readonly string[];
  readonly names: readonly { readonly type: 'dns' | 'ip'; readonly value: string }[];
}

/** A certificate for a key that someone else holds. */
export async function signCertificate(
  authority: CertificateAuthority,
  options: SignOptions,
): Promise<string> {
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(authority.certificatePem);
  const startMs = authority.now() - BACKDATE_MS;
  const certificate = await x509.X509CertificateGenerator.create({
    subject: options.subject,
    issuer: issuer.subjectName,
    notBefore: new Date(startMs),
    notAfter: new Date(authority.now() + options.validityMs),
    publicKey: options.publicKey,
    signingKey: await importPrivateKey(authority.privateKeyPem),
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      // An empty extension would make the certificate invalid.
      ...(options.usages === 0 ? [] : [new x509.KeyUsagesExtension(options.usages, true)]),
      new x509.ExtendedKeyUsageExtension([...options.extendedUsages]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ...(options.names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension([...options.names])]),
    ],
  });
  return pem(certificate);
}

export const DAY_MS = 24 * 60 * 60 * 1000;
export const CERTIFICATE_DAYS = 365;

// ---------------------------------------------------------------------------------------------------

const AUTHORITY_DAYS = 3650;
/** Clocks differ a little: a certificate is good from a few minutes before it was made. */
const BACKDATE_MS = 5 * 60 * 1000;
const KEYS = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' };
const DEFAULT_NAMES = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];
const DEFAULT_ADDRESSES = ['127.0.0.1', '::1'];

const CA_USAGES = (x509: typeof X509) =>
  x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature;

interface IssueOptions {
  readonly subject: X509.JsonNameParams;
  readonly days: number;
  readonly extendedUsages: readonly string[];
  readonly names: SignOptions['names'];
}

async function issueWithKey(
  authority: CertificateAuthority,
  options: IssueOptions,
): Promise<KeyAndCertificate> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const certificatePem = await signCertificate(authority, {
    subject: new x509.Name(options.subject),
    publicKey: keys.publicKey,
    validityMs: options.days * DAY_MS,
    usages: x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment,
    extendedUsages: options.extendedUsages,
    names: options.names,
  });
  return { certificatePem, privateKeyPem: await privatePem(keys.privateKey) };
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(KEYS, true, ['sign', 'verify']);
}

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();
}

async function importPrivateKey(privateKeyPem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(privateKeyPem).export({ type: 'pkcs8', format: 'der' });
  return await webcrypto.subtle.importKey('pkcs8', der, KEYS, false, ['sign']);
}

/** Names are taken as they are; as plain strings they would be read for quotes and escapes. */
function verbatim(name: string): X509.JsonAttributeAndObjectValue[string] {
  return [{ utf8String: name }];
}

function pem(certificate: X509.X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

function validity(nowMs: number, days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(nowMs - BACKDATE_MS), notAfter: new Date(nowMs + days * DAY_MS) };
}

function listOf(value: string | string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
