/**
 * The transport of a real cluster: HTTP/1.1 over TLS through undici. The identity comes from `Endpoint`,
 * which is called before every request, so that a rotated token, client certificate or CA is used without a restart.
 * Deadlines are in `deadline.ts`, because those of undici do not use the World's clock.
 */
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
import {
  type ClosableTransport,
  fromNetwork,
  pathWithQuery,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';

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

export function undiciTransport(endpoint: Endpoint): ClosableTransport {
  const url = new URL(endpoint.server);
  const prefix = url.pathname.replace(/\/$/, '');
  const agents = new AgentByTrust(endpoint);

  const once = async (request: TransportRequest, identity: Identity): Promise<TransportResponse> => {
    try {
      const options: CheckedOptions = {
        origin: url.origin,
        path: prefix + pathWithQuery(request.path, request.query),
        method: request.method,
        headers: { ...request.headers, ...identity.headers },
        body: request.body ?? null,
        signal: request.signal ?? null,
        headersTimeout: 0,
        bodyTimeout: 0,
        lastCheck: request.lastCheck,
      };
      const answer = await agents.for(identity).request(options);
      return undiciResponse(answer, request);
    } catch (error) {
      throw fromNetwork(error, request.signal, `${request.method} ${url.origin}${request.path}`);
    }
  };

  const identify = endpoint.identify?.bind(endpoint) ?? (async () => ANONYMOUS);
  let renewing: Promise<Identity> | undefined;
  /** All requests that were rejected with the same credential share the renewed one. */
  const renew = async (refused: Identity): Promise<Identity> => {
    const current = await (renewing ?? identify({ fresh: false }));
    if (!sameIdentity(current, refused)) return current;
    renewing ??= identify({ fresh: true }).finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
  return {
    async send(request) {
      const identity = await identify({ fresh: false });
      const first = await once(request, identity);
      if (first.status !== 401 || !endpoint.identify) return first;
      // The credential may have been revoked or rotated early: after a 401 nothing was executed, so retry once.
      const renewed = await renew(identity).catch((error: unknown) => {
        first.cancel();
        throw error;
      });
      if (sameIdentity(renewed, identity)) return first;
      first.cancel();
      return once(request, renewed);
    },
    close: () => agents.close(),
  };
}

// ------------------------------------------------------------------------------------------------

type CheckedOptions = Dispatcher.RequestOptions & { lastCheck: (() => void) | undefined };

/** A request may wait for a connection first; undici calls `onRequestStart` when it has one and is about to write. */
const checkedAtTheWire: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const { lastCheck } = options as CheckedOptions;
  if (!lastCheck) return dispatch(options, handler);
  const start = handler.onRequestStart?.bind(handler);
  handler.onRequestStart = (controller, context) => {
    start?.(controller, context);
    try {
      lastCheck();
    } catch (error) {
      controller.abort(error as Error);
    }
  };
  return dispatch(options, handler);
};

const ANONYMOUS: Identity = { headers: {} };

/** client-go's figure: below the idle limit of the usual load balancers. Node.js gives up after ten probes, one a second. */
const KEEP_ALIVE_PROBE_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;

/** One pool of connections per client certificate and authority; the one before is closed once its requests have ended. */
class AgentByTrust {
  readonly #endpoint: Endpoint;
  #agent: Dispatcher | undefined;
  #last: Identity = ANONYMOUS;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  for(identity: Identity): Dispatcher {
    const last = this.#last;
    const same =
      sameBytes(identity.cert, last.cert) &&
      sameBytes(identity.key, last.key) &&
      sameBytes(identity.ca, last.ca);
    this.#last = identity;
    if (this.#agent && same) return this.#agent;
    this.#agent?.close().catch(() => undefined);
    this.#agent = agentFor(this.#endpoint, identity).compose(checkedAtTheWire);
    return this.#agent;
  }

  async close(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    await agent?.destroy();
  }
}

function agentFor(endpoint: Endpoint, identity: Identity): Dispatcher {
  const ca = identity.ca ?? endpoint.ca;
  const tls = {
    ...(ca === undefined ? {} : { ca: asPem(ca) }),
    ...(identity.cert === undefined ? {} : { cert: asPem(identity.cert) }),
    ...(identity.key === undefined ? {} : { key: asPem(identity.key) }),
    ...(endpoint.insecure ? { rejectUnauthorized: false } : {}),
    ...(endpoint.serverName === undefined ? {} : { servername: endpoint.serverName }),
  };
  const socket = {
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    timeout: CONNECT_TIMEOUT_MS,
  };
  // A watch occupies a connection for minutes, so their number is not bounded here but by the rate limit. HTTP/2 would
  // put all of them on one connection: when that dies silently, leader election waits with the rest.
  const shared = { pipelining: 1, keepAliveTimeout: 90_000, allowH2: false };
  if (endpoint.proxyUrl === undefined) return new Agent({ ...shared, connect: { ...tls, ...socket } });
  if (endpoint.proxyUrl.startsWith('socks')) {
    return new Socks5ProxyAgent(endpoint.proxyUrl, { ...shared, requestTls: tls });
  }
  return new ProxyAgent({ ...shared, uri: endpoint.proxyUrl, proxyTls: socket, requestTls: tls });
}

function undiciResponse(answer: Dispatcher.ResponseData, request: TransportRequest): TransportResponse {
  const what = `${request.method} ${request.path}`;
  let cancelled = false;
  // Errors reach us through the reader; without a listener an early destroy would end the process.
  answer.body.on('error', () => undefined);
  return {
    status: answer.statusCode,
    headers: flatHeaders(answer.headers),
    async text() {
      try {
        return await answer.body.text();
      } catch (error) {
        throw fromNetwork(error, request.signal, what);
      }
    },
    async *chunks() {
      try {
        for await (const chunk of answer.body) yield chunk as Uint8Array;
      } catch (error) {
        if (!cancelled) throw fromNetwork(error, request.signal, what);
      }
    },
    cancel() {
      cancelled = true;
      answer.body.destroy();
    },
  };
}

function flatHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

function asPem(value: string | Uint8Array): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString('utf8');
}

function sameBytes(left?: string | Uint8Array, right?: string | Uint8Array): boolean {
  if (left === undefined || right === undefined) return left === right;
  return asPem(left) === asPem(right);
}

function sameIdentity(left: Identity, right: Identity): boolean {
  return (
    sameBytes(left.cert, right.cert) &&
    sameBytes(left.key, right.key) &&
    left.headers['authorization'] === right.headers['authorization']
  );
}
