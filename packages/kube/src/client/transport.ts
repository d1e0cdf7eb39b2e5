/**
 * The interface to an API server: one function from a request to an answer. Everything that shapes
 * traffic (rate limit, retry, fence, metrics) is a function from a Transport to a Transport; what a status
 * code means is left to `api-error.ts`.
 */
import { isProgramError } from '../program-error.ts';
import type { Fetch } from '../world.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface TransportRequest {
  readonly method: Method;
  /** Begins with a slash; escaped already. */
  readonly path: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** The answer is streamed and may last for minutes (a watch): no deadline applies. */
  readonly stream?: boolean;
  /** False: a 429 is returned to the caller and not retried (eviction). Default true. */
  readonly retry?: boolean;
  /** Called right before the request is written, synchronously; an error that it throws is the result. */
  readonly lastCheck?: () => void;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body. Either this or `chunks`, once. */
  text(): Promise<string>;
  chunks(): AsyncIterable<Uint8Array>;
  /** Releases the connection without reading on. Safe to call twice. */
  cancel(): void;
}

export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** A transport that owns sockets. */
export interface ClosableTransport {
  readonly send: Transport;
  close(): Promise<void>;
}

/** Why a request got no answer. A closed set: an answer with a status code is never one of these. */
export type TransportErrorKind = 'unreachable' | 'reset' | 'timeout' | 'fenced';

export class TransportError extends Error {
  readonly kind: TransportErrorKind;

  constructor(kind: TransportErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TransportError';
    this.kind = kind;
  }
}

export function isMutating(request: Pick<TransportRequest, 'method'>): boolean {
  return request.method !== 'GET';
}

/** `/api/v1/pods?limit=5`; undefined values are left out. */
export function pathWithQuery(path: string, query: Query = {}): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  }
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** A transport over a `fetch`, so that an API server in this process needs no socket. */
export function fetchTransport(send: Fetch, baseUrl = 'http://kubernetes.internal'): Transport {
  const base = baseUrl.replace(/\/$/, '');
  return async (request) => {
    const url = base + pathWithQuery(request.path, request.query);
    const init: RequestInit = { method: request.method, headers: { ...request.headers } };
    if (request.body !== undefined) init.body = request.body as string;
    if (request.signal) init.signal = request.signal;
    let response: Response;
    request.signal?.throwIfAborted();
    request.lastCheck?.();
    try {
      response = await send(url, init);
    } catch (error) {
      throw fromNetwork(error, request.signal, `${request.method} ${request.path}`);
    }
    return fetchResponse(response, request);
  };
}

/** Adds headers that the request does not carry itself. */
export function withHeaders(send: Transport, headers: Readonly<Record<string, string>>): Transport {
  return (request) => send({ ...request, headers: { ...headers, ...request.headers } });
}

export function withUserAgent(send: Transport, userAgent: string): Transport {
  return withHeaders(send, { 'user-agent': userAgent });
}

/** Classifies a network failure. An abort by the caller keeps the caller's reason; an error of the program is kept as it is. */
export function fromNetwork(error: unknown, signal: AbortSignal | undefined, what: string): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof TransportError || isProgramError(error)) return error;
  const codes = codesOf(error);
  const kind = codes.map((code) => KIND_BY_CODE[code]).find((found) => found !== undefined) ?? 'reset';
  const detail = deepestMessage(error);
  return new TransportError(kind, `${what}: ${detail}`, { cause: error });
}

// ------------------------------------------------------------------------------------------------

const KIND_BY_CODE: Readonly<Record<string, TransportErrorKind | undefined>> = {
  ECONNREFUSED: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'unreachable',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'unreachable',
  SELF_SIGNED_CERT_IN_CHAIN: 'unreachable',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unreachable',
  UNABLE_TO_GET_ISSUER_CERT: 'unreachable',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unreachable',
  // Two authorities of one name, which is what a rotation makes.
  CERT_SIGNATURE_FAILURE: 'unreachable',
  CERT_NOT_YET_VALID: 'unreachable',
  CERT_HAS_EXPIRED: 'unreachable',
  ERR_TLS_CERT_ALTNAME_INVALID: 'unreachable',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
};

/** Codes of an error and of what caused it, outermost first. */
function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let at: unknown = error; at instanceof Error && codes.length < 8; at = at.cause) {
    const code = (at as { code?: unknown }).code;
    if (typeof code === 'string') codes.push(code);
    if (at instanceof AggregateError) codes.push(...at.errors.flatMap(codesOf));
  }
  return codes;
}

function deepestMessage(error: unknown): string {
  let message = 'connection lost';
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    const inner = at instanceof AggregateError && at.errors[0] instanceof Error ? at.errors[0] : at;
    if (inner.message !== '') message = inner.message;
  }
  return message;
}

function fetchResponse(response: Response, request: TransportRequest): TransportResponse {
  const what = `${request.method} ${request.path}`;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let cancelled = false;
  const cancel = () => {
    if (cancelled) return;
    cancelled = true;
    // Ends a pending read too, so that no reader waits on an aborted stream.
    const ending = reader ? reader.cancel() : response.body?.cancel();
    ending?.catch(() => undefined);
  };
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    async text() {
      try {
        return await response.text();
      } catch (error) {
        throw fromNetwork(error, request.signal, what);
      }
    },
    async *chunks() {
      if (!response.body || cancelled) return;
      reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
      request.signal?.addEventListener('abort', cancel, { once: true });
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          yield value;
        }
      } catch (error) {
        if (!cancelled) throw fromNetwork(error, request.signal, what);
      } finally {
        request.signal?.removeEventListener('abort', cancel);
        cancel();
      }
      if (request.signal?.aborted) throw request.signal.reason;
    },
    cancel,
  };
}
