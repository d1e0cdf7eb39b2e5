/** Where a cluster is, and as whom it is called. */
export interface Endpoint {
  /** Scheme, host, port and an optional path prefix: `https://10.0.0.1:443`. */
  readonly server: string;
  /** PEM of the authorities the server's certificate is checked against. Default: those of the system. */
  readonly ca?: string | Uint8Array;
  /** Accepts any certificate. Default false; a cluster that needs it is misconfigured. */
  readonly insecure?: boolean;
  /** The name the certificate must carry, where it is not the host of `server`. */
  readonly serverName?: string;
  readonly proxyUrl?: string;
  /** The current identity. Called with `fresh` after the server answered 401 to the previous one. */
  identify?(options: { fresh: boolean }): Promise<Identity>;
}

export interface Identity {
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
  /** PEM of the authorities the server's certificate is checked against now. Default: those of the endpoint. */
  readonly ca?: string | Uint8Array;
}

export function asPem(value: string | Uint8Array): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString('utf8');
}
