/**
 * The server in this process, as a `fetch`. Requests are handled in the order of the calls, and at once unless `turns`
 * delays them; watches are streamed as far as their reader keeps up.
 */
import { type Fetch, pathWithQuery, type Transport, type Turns } from '@chandler/kube';
import type { UserInfo } from '../resource.ts';
import type { ApiAnswer, ApiRequest, EventStream } from './answer.ts';
import { bodyEncoding, bodyTooLarge, MAX_BODY_BYTES } from './body.ts';
import { errorAnswer, handle } from './handle.ts';
import type { Parts } from './parts.ts';

/** With a user, no credentials are needed. */
export function inProcessFetch(parts: Parts, user?: UserInfo): Fetch {
  return async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    signal?.throwIfAborted();
    const plain = plainRequest(input, init) ?? (await readRequest(new Request(input, init)));
    const request: ApiRequest = user === undefined ? plain : { ...plain, user };
    const turn = parts.turns?.pass();
    if (turn !== undefined) {
      await turn;
      signal?.throwIfAborted();
    }
    const answer =
      plain.body.length > MAX_BODY_BYTES ? errorAnswer(parts, plain, bodyTooLarge()) : handle(parts, request);
    return responseOf(request, answer, signal ?? undefined, parts.turns);
  };
}

/** Requests with one answer: no watches. */
export function inProcessTransport(parts: Parts, user: UserInfo): Transport {
  return async ({ method, path, query, headers = {}, body = '', signal, lastCheck }) => {
    signal?.throwIfAborted();
    lastCheck?.();
    if (typeof body !== 'string') throw new TypeError('a body in this process is a text');
    const answer = handle(parts, { method, target: pathWithQuery(path, query), headers, body, user });
    const text = answer.body;
    if (typeof text !== 'string') throw new TypeError('a watch in this process goes through fetch');
    return {
      status: answer.status,
      headers: answer.headers,
      text: async () => text,
      async *chunks() {
        yield Buffer.from(text);
      },
      cancel: () => undefined,
    };
  };
}

/** As bytes of UTF-8, one character each: a header cannot hold anything else. Control characters become spaces. */
export function warningHeader(text: string): string {
  const line = text.replace(/[\\"]/g, '\\$&').replace(/\p{Cc}+/gu, ' ');
  return `299 - "${Buffer.from(line).toString('latin1')}"`;
}

// ---------------------------------------------------------------------------------------------------

const CHUNK_LENGTH = 64 * 1024;
const BUFFER_BYTES = 256 * 1024;

/** What most callers send: an address and a text. Building a Request for that would cost more than handling it. */
function plainRequest(input: string | URL | Request, init: RequestInit | undefined): ApiRequest | undefined {
  if (input instanceof Request) return undefined;
  const body = init?.body ?? '';
  if (typeof body !== 'string') return undefined;
  return {
    method: (init?.method ?? 'GET').toUpperCase(),
    target: targetOf(typeof input === 'string' ? input : input.href),
    headers: headersOf(init?.headers),
    body,
  };
}

async function readRequest(request: Request): Promise<ApiRequest> {
  return {
    method: request.method,
    target: targetOf(request.url),
    headers: headersOf(request.headers),
    body: Buffer.from(await request.arrayBuffer()).toString(
      bodyEncoding(request.headers.get('content-type') ?? undefined),
    ),
  };
}

/** Only path and query count; the origin may be anything, also absent. */
export function targetOf(url: string): string {
  if (url.startsWith('/') && !url.includes('#')) return url;
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url)?.[0].length ?? 0;
  const hash = url.indexOf('#');
  const target = url.slice(origin, hash < 0 ? undefined : hash);
  return target.startsWith('/') ? target : `/${target}`;
}

function headersOf(given: RequestInit['headers']): Record<string, string> {
  const headers: Record<string, string> = {};
  if (given === undefined || given === null) return headers;
  if (given instanceof Headers || Array.isArray(given) || Symbol.iterator in (given as object)) {
    for (const [name, value] of given as Iterable<[string, string]>) headers[name.toLowerCase()] = value;
    return headers;
  }
  for (const name in given as Record<string, string>)
    headers[name.toLowerCase()] = (given as Record<string, string>)[name]!;
  return headers;
}

function responseOf(
  request: ApiRequest,
  answer: ApiAnswer,
  signal: AbortSignal | undefined,
  turns: Turns | undefined,
): Response {
  const headers: [string, string][] = Object.entries(answer.headers);
  for (const warning of answer.warnings ?? []) headers.push(['warning', warningHeader(warning)]);
  const { status, body } = answer;
  if (typeof body !== 'string') {
    const source = new EventSource(body, signal, turns);
    const stream = new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }));
    return new Response(stream, { status, headers });
  }
  const bodyless = request.method === 'HEAD' || status === 304 || status === 204;
  return new Response(bodyless ? null : body, { status, headers });
}

/** The events of a watch as bytes, taken from it only as fast as they are read. */
class EventSource {
  readonly #events: EventStream;
  readonly #signal: AbortSignal | undefined;
  readonly #turns: Turns | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #scheduled = false;
  #open = true;

  constructor(events: EventStream, signal: AbortSignal | undefined, turns: Turns | undefined) {
    this.#events = events;
    this.#signal = signal;
    this.#turns = turns;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    this.#signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#events.onReady(() => {
      if (this.#scheduled) return;
      this.#scheduled = true;
      queueMicrotask(() => this.#flush());
    });
    this.#flush();
  }

  pull(): Promise<void> | undefined {
    const turn = this.#turns?.pass();
    if (turn !== undefined) return turn.then(() => this.#flush());
    this.#flush();
    return undefined;
  }

  cancel(): void {
    this.#close();
    this.#events.cancel();
  }

  #flush(): void {
    this.#scheduled = false;
    if (!this.#open) return;
    const controller = this.#controller!;
    // Handing over a chunk may bring the reader back here at once, and the inner call may be the one that closes.
    while (this.#open && (controller.desiredSize ?? 0) > 0) {
      const text = this.#events.take(CHUNK_LENGTH);
      if (text === undefined) break;
      controller.enqueue(Buffer.from(text));
    }
    if (!this.#open || !this.#events.ended) return;
    this.#close();
    controller.close();
  }

  #close(): void {
    this.#open = false;
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = () => {
    if (!this.#open) return;
    this.cancel();
    this.#controller?.error(this.#signal?.reason);
  };
}
