/**
 * The server as a `fetch` in this process: the same gateway as over HTTPS, without a socket.
 */
import type { Fetch } from '@chandler/kube';
import { type Gateway, MAX_BODY_BYTES, type WireReply, type WireRequest } from './gateway.ts';

export function inProcessFetch(gateway: Gateway, ownUrl: () => string): Fetch {
  return async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    signal?.throwIfAborted();
    const request = plainRequest(input, init, ownUrl) ?? (await readRequest(new Request(input, init)));
    const reply = await orAborted(gateway.handle(request), signal ?? undefined);
    if (reply.cut) throw new TypeError('fetch failed', { cause: new ConnectionReset() });
    const bodyless = reply.status === 204 || reply.status === 304 || request.method === 'HEAD';
    return new Response(bodyless ? null : reply.body, { status: reply.status, headers: reply.headers });
  };
}

// ---------------------------------------------------------------------------------------------------

class ConnectionReset extends Error {
  readonly code = 'ECONNRESET';
  constructor() {
    super('read ECONNRESET');
  }
}

/** What most callers send: building a Request for it would cost more than handling it. */
function plainRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
  ownUrl: () => string,
): WireRequest | undefined {
  if (input instanceof Request) return undefined;
  const body = init?.body ?? '';
  if (typeof body !== 'string') return undefined;
  const url = typeof input === 'string' ? input : input.href;
  const origin = /^https?:\/\/[^/?#]+/i.exec(url)?.[0];
  return sized({
    method: (init?.method ?? 'GET').toUpperCase(),
    target: url.slice(origin?.length ?? 0).replace(/#.*$/s, '') || '/',
    headers: lowerCase(init?.headers),
    body,
    baseUrl: origin ?? ownUrl(),
  });
}

async function readRequest(request: Request): Promise<WireRequest> {
  const { origin, pathname, search } = new URL(request.url);
  return sized({
    method: request.method,
    target: pathname + search,
    headers: lowerCase(request.headers),
    body: await request.text(),
    baseUrl: origin,
  });
}

function sized(request: WireRequest): WireRequest {
  const tooLarge = request.body.length > MAX_BODY_BYTES || Buffer.byteLength(request.body) > MAX_BODY_BYTES;
  return tooLarge ? { ...request, body: '', tooLarge } : request;
}

function lowerCase(given: RequestInit['headers']): Record<string, string> {
  const headers: Record<string, string> = {};
  if (given === undefined || given === null) return headers;
  const pairs =
    given instanceof Headers || Array.isArray(given)
      ? (given as Iterable<[string, string]>)
      : Object.entries(given as Record<string, string>);
  for (const [name, value] of pairs) headers[name.toLowerCase()] = value;
  return headers;
}

function orAborted(reply: Promise<WireReply>, signal: AbortSignal | undefined): Promise<WireReply> {
  if (signal === undefined) return reply;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    reply.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
