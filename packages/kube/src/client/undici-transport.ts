/**
 * The transport of a real cluster: HTTP/1.1 over TLS through undici. The identity comes from `Endpoint`,
 * which is called before every request, so that a rotated token, client certificate or CA is used without a restart.
 * Deadlines are in `deadline.ts`, because those of undici do not use the World's clock.
 */
import type { Dispatcher } from 'undici';
import { asPem, type Endpoint, type Identity } from './endpoint.ts';
import {
  type ClosableTransport,
  fromNetwork,
  pathWithQuery,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';
import type { AgentFactory, CheckedOptions } from './undici-agent.ts';

export function undiciTransport(endpoint: Endpoint): ClosableTransport {
  const url = new URL(endpoint.server);
  const prefix = url.pathname.replace(/\/$/, '');
  const agents = new AgentByTrust(endpoint);

  const once = async (request: TransportRequest, identity: Identity): Promise<TransportResponse> => {
    // Loaded with the first request: most verbs of the command line send none, and undici takes long to load.
    const { agentFor } = await import('./undici-agent.ts');
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
      const answer = await agents.for(identity, agentFor).request(options);
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

const ANONYMOUS: Identity = { headers: {} };

/** One pool of connections per client certificate and authority; the one before is closed once its requests have ended. */
class AgentByTrust {
  readonly #endpoint: Endpoint;
  #agent: Dispatcher | undefined;
  #last: Identity = ANONYMOUS;
  #closed = false;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  for(identity: Identity, agentFor: AgentFactory): Dispatcher {
    if (this.#closed) throw new Error('the transport is closed');
    const last = this.#last;
    const same =
      sameBytes(identity.cert, last.cert) &&
      sameBytes(identity.key, last.key) &&
      sameBytes(identity.ca, last.ca);
    this.#last = identity;
    if (this.#agent && same) return this.#agent;
    this.#agent?.close().catch(() => undefined);
    this.#agent = agentFor(this.#endpoint, identity);
    return this.#agent;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const agent = this.#agent;
    this.#agent = undefined;
    await agent?.destroy();
  }
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
