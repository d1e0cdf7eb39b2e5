/**
 * The certificate authority that an API server itself presents, for clusters whose credentials name none. Nothing
 * is trusted on the way: the connection is opened to read the certificates and closed again, no request is sent. A
 * root is given out only if it is self-signed, vouches for the whole chain and the server's name, and all are valid now.
 */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import type { Clock } from '@chandler/kube';

export interface TlsCAOptions {
  /** URL of the API server. */
  readonly endpoint: string;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Default 5 s. */
  readonly timeoutMs?: number;
}

/** Base64 of the root in PEM; undefined when the server does not present its root. Rejects when it cannot be asked. */
export async function readTlsCA(options: TlsCAOptions): Promise<string | undefined> {
  const { hostname, port } = new URL(options.endpoint);
  const host = hostname.replace(/^\[|\]$/g, '');
  const chain = await readChain(host, port === '' ? 443 : Number(port), options);
  const root = rootOf(chain, host, options.clock.now());
  return root === undefined ? undefined : Buffer.from(root.toString()).toString('base64');
}

/** The last certificate, if the chain up to it is whole and ends in itself. */
export function rootOf(
  chain: readonly X509Certificate[],
  host: string,
  nowMs: number,
): X509Certificate | undefined {
  const [leaf] = chain;
  const root = chain.at(-1);
  if (leaf === undefined || root === undefined || chain.length < 2) return undefined;
  const isNamed = isIP(host) === 0 ? leaf.checkHost(host) : leaf.checkIP(host);
  if (isNamed === undefined || !root.ca || !issued(root, root)) return undefined;
  if (!chain.every((certificate) => isValidAt(certificate, nowMs))) return undefined;
  const whole = chain.every((certificate, index) => issued(certificate, chain[index + 1] ?? root));
  return whole ? root : undefined;
}

// ---------------------------------------------------------------------------------------------------

/** More than any real chain; a hostile server could send no end of them. */
const MAX_CHAIN = 10;

function readChain(host: string, port: number, options: TlsCAOptions): Promise<X509Certificate[]> {
  const { clock, timeoutMs = 5_000 } = options;
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      // Whom we talk to is what we are about to find out; nothing is sent.
      rejectUnauthorized: false,
    });
    const timer = clock.after(timeoutMs, () =>
      socket.destroy(new Error(`${host}:${port} did not respond within ${timeoutMs / 1000} s`)),
    );
    const finish = (settle: () => void) => {
      timer.cancel();
      socket.destroy();
      settle();
    };
    socket.once('error', (error) => finish(() => reject(error)));
    socket.once('close', () => finish(() => reject(new Error(`${host}:${port} closed the connection`))));
    socket.once('secureConnect', () => {
      // Once it is destroyed a socket has forgotten whom it talked to.
      const chain = chainOf(socket);
      finish(() => resolve(chain));
    });
  });
}

function chainOf(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (next?.raw !== undefined && chain.length < MAX_CHAIN) {
    const certificate = new X509Certificate(next.raw);
    // A root is its own issuer, here too.
    if (chain.at(-1)?.fingerprint256 === certificate.fingerprint256) break;
    chain.push(certificate);
    next = next.issuerCertificate;
  }
  return chain;
}

function issued(child: X509Certificate, parent: X509Certificate): boolean {
  return child.checkIssued(parent) && child.verify(parent.publicKey);
}

function isValidAt(certificate: X509Certificate, nowMs: number): boolean {
  return Date.parse(certificate.validFrom) <= nowMs && nowMs <= Date.parse(certificate.validTo);
}
