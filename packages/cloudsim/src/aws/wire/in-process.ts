/** The server as a `fetch` in this process: the same gateway as over HTTP, without a socket. */
import type { Fetch } from '@chandler/kube';
import type { Gateway, WireReply, WireRequest } from './gateway.ts';

export function inProcessFetch(gateway: Gateway): Fetch {
  return async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined) ?? undefined;
    signal?.throwIfAborted();
    const request =
      plainRequest(input, init, signal) ?? (await wireRequest(new Request(input, init), signal));
    const reply = await orAborted(gateway.handle(request), signal);
    if (reply.cut) throw new TypeError('fetch failed', { cause: new ConnectionReset() });
    const bodyless = reply.status === 204 || reply.status === 304;
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
  signal: AbortSignal | undefined,
): WireRequest | undefined {
  const { body = '', headers = {}, method = 'GET' } = init ?? {};
  if (input instanceof Request || typeof body !== 'string') return undefined;
  if (headers instanceof Headers || Array.isArray(headers)) return undefined;
  const { host, pathname, search } = typeof input === 'string' ? new URL(input) : input;
  const named = Object.entries(headers as Record<string, string>).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);
  return {
    method: method.toUpperCase(),
    target: pathname + search,
    headers: { host, ...Object.fromEntries(named) },
    body,
    ...(signal === undefined ? {} : { signal }),
  };
}

async function wireRequest(request: Request, signal: AbortSignal | undefined): Promise<WireRequest> {
  const { host, pathname, search } = new URL(request.url);
  return {
    method: request.method,
    target: pathname + search,
    // A Request drops the header `host`.
    headers: { ...Object.fromEntries(request.headers), host: request.headers.get('host') ?? host },
    body: await request.text(),
    ...(signal === undefined ? {} : { signal }),
  };
}

function orAborted(reply: Promise<WireReply>, signal: AbortSignal | undefined): Promise<WireReply> {
  if (signal === undefined) return reply;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    reply.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
