/** The server as a `fetch` in this process: the same gateway as over HTTP, without a socket. */
import type { Fetch } from '@chandler/kube';
import type { Gateway, WireReply, WireRequest } from './gateway.ts';

export function inProcessFetch(gateway: Gateway): Fetch {
  return async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined) ?? undefined;
    signal?.throwIfAborted();
    const request = await wireRequest(new Request(input, init), signal);
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
