/**
 * One request to one file server, and the interpretation of its response: a body to stream, or a failure that says
 * whether to retry. HTTPS only (except for loopback); redirects are validated one by one; idle connections time out.
 */
import type { Fetch, World } from '@chandler/kube';

export interface Refusal {
  readonly code:
    | 'not-found'
    | 'denied'
    | 'busy'
    | 'unreachable'
    | 'web-page'
    | 'insecure'
    | 'redirected'
    | 'range-refused'
    | 'truncated'
    | 'too-large'
    | 'hash-mismatch'
    | 'encoded';
  readonly text: string;
  readonly retry: 'never' | 'later' | 'at-once';
  /** The Retry-After of the server. */
  readonly afterMs?: number;
}

export interface Body {
  /** True if the body is the requested rest of the file, false if it is the whole file. */
  readonly resumed: boolean;
  /** The remaining bytes, if the server sends a length. */
  readonly expected?: number;
  readonly validator?: string;
  /** The Content-Encoding of the server, which `fetch` has removed: the bytes may not be those of the file. */
  readonly encoding?: string;
  chunks(): AsyncIterable<Uint8Array>;
  /** Classifies an error thrown by `chunks`. */
  broken(error: unknown): Refusal;
  cancel(): Promise<void>;
}

export type FileResponse =
  | { readonly kind: 'body'; readonly body: Body }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export interface RequestTools {
  readonly world: World;
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
}

export async function requestFile(
  source: string,
  range: { readonly from: number; readonly validator?: string },
  tools: RequestTools,
): Promise<FileResponse> {
  const idle = new IdleTimeout(tools);
  let url = source;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const refused = insecure(url, hop === 0 ? undefined : source);
    if (refused !== undefined) return { kind: 'refused', refusal: refused };
    let response: Response;
    try {
      response = await tools.fetch(url, {
        headers: headersFor(range),
        redirect: 'manual',
        signal: idle.signal,
      });
    } catch (error) {
      idle.stop();
      tools.signal.throwIfAborted();
      return { kind: 'refused', refusal: unreachable(error, idle.timedOut) };
    }
    const location = response.headers.get('location');
    if (!REDIRECTS.has(response.status) || location === null) {
      return await read(response, range.from, idle);
    }
    await discardBody(response);
    if (!URL.canParse(location, url)) {
      idle.stop();
      return redirected(`the redirect has no valid URL`);
    }
    url = new URL(location, url).href;
  }
  idle.stop();
  return redirected(`more than ${MAX_REDIRECTS} redirects`);
}

/** The query of a signed URL contains a credential and must not be logged. */
export function withoutQuery(url: string): string {
  if (!URL.canParse(url)) return url.split('?')[0]!;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

// ---------------------------------------------------------------------------------------------------

const MAX_REDIRECTS = 5;
/** What `fetch` decodes. Others, such as `aws-chunked`, leave the body as it is. */
const DECODED = /\b(?:gzip|deflate|br|zstd)\b/i;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const IDLE_TIMEOUT_MS = 60_000;
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/;

function headersFor(range: { readonly from: number; readonly validator?: string }): Record<string, string> {
  return {
    accept: '*/*',
    // A compressed response has other bytes and another length than the file.
    'accept-encoding': 'identity',
    ...(range.from > 0 ? { range: `bytes=${range.from}-` } : {}),
    ...(range.from > 0 && range.validator !== undefined ? { 'if-range': range.validator } : {}),
  };
}

function insecure(url: string, redirectedFrom: string | undefined): Refusal | undefined {
  if (!URL.canParse(url)) return { code: 'insecure', text: 'the URL is invalid', retry: 'never' };
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') {
    return { code: 'insecure', text: 'a URL with a user name or password is not allowed', retry: 'never' };
  }
  if (protocol === 'https:') return undefined;
  const fromHere = redirectedFrom === undefined || LOOPBACK.test(new URL(redirectedFrom).hostname);
  if (protocol === 'http:' && LOOPBACK.test(hostname) && fromHere) return undefined;
  if (redirectedFrom === undefined) return { code: 'insecure', text: 'the URL is not https', retry: 'never' };
  return { code: 'redirected', text: 'the redirect leads to a URL that is not https', retry: 'never' };
}

async function read(response: Response, from: number, idle: IdleTimeout): Promise<FileResponse> {
  const refusal = refusalOf(response, from);
  if (refusal !== undefined) {
    await discardBody(response);
    idle.stop();
    return { kind: 'refused', refusal };
  }
  const encoding = response.headers.get('content-encoding') ?? '';
  const isEncoded = DECODED.test(encoding);
  const length = isEncoded ? Number.NaN : Number(response.headers.get('content-length') ?? Number.NaN);
  // A weak ETag does not identify the bytes. A date has a precision of one second, which is enough for release files.
  const validator = strongTag(response) ?? response.headers.get('last-modified') ?? undefined;
  return {
    kind: 'body',
    body: {
      resumed: response.status === 206,
      ...(Number.isFinite(length) ? { expected: length } : {}),
      ...(validator === undefined ? {} : { validator }),
      ...(isEncoded ? { encoding } : {}),
      chunks: () => chunksOf(response, from > 0 && response.status === 206, idle),
      broken: (error) =>
        error instanceof WebPage
          ? { code: 'web-page', text: 'the server returned an HTML page instead of the file', retry: 'never' }
          : unreachable(error, idle.timedOut),
      cancel: async () => {
        idle.stop();
        await discardBody(response);
      },
    },
  };
}

function refusalOf(response: Response, from: number): Refusal | undefined {
  const { status } = response;
  if (status === 206) {
    const begins = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1];
    if (from > 0 && begins !== undefined && Number(begins) === from) return undefined;
    return {
      code: 'range-refused',
      text: 'the server returned another range than requested',
      retry: 'at-once',
    };
  }
  if (status === 200) {
    const type = response.headers.get('content-type') ?? '';
    if (!/^text\/html|^application\/xhtml/i.test(type)) return undefined;
    return { code: 'web-page', text: 'the server returned an HTML page instead of the file', retry: 'never' };
  }
  if (status === 416)
    return { code: 'range-refused', text: 'the server rejected the requested range', retry: 'at-once' };
  if (status === 404 || status === 410) {
    return { code: 'not-found', text: `the file was not found (HTTP ${status})`, retry: 'never' };
  }
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const afterMs = retryAfterMs(response);
    return {
      code: 'busy',
      text: `the server failed (HTTP ${status})`,
      retry: 'later',
      ...(afterMs === undefined ? {} : { afterMs }),
    };
  }
  return { code: 'denied', text: `the server returned HTTP ${status}`, retry: 'never' };
}

/** Seconds, or a date relative to the Date header of the server, because the local clock may be wrong. */
function retryAfterMs(response: Response): number | undefined {
  const asked = response.headers.get('retry-after');
  if (asked === null) return undefined;
  if (/^\d+$/.test(asked)) return Number(asked) * 1000;
  const until = Date.parse(asked) - Date.parse(response.headers.get('date') ?? '');
  return Number.isNaN(until) ? undefined : Math.max(0, until);
}

function strongTag(response: Response): string | undefined {
  const tag = response.headers.get('etag');
  return tag === null || tag.startsWith('W/') ? undefined : tag;
}

class WebPage extends Error {}

async function* chunksOf(
  response: Response,
  resumed: boolean,
  idle: IdleTimeout,
): AsyncGenerator<Uint8Array> {
  let first = !resumed;
  try {
    for await (const chunk of response.body ?? []) {
      idle.reset();
      if (first && looksLikeHtml(chunk)) throw new WebPage();
      first = false;
      yield chunk;
    }
  } finally {
    idle.stop();
  }
}

function looksLikeHtml(chunk: Uint8Array): boolean {
  const start = new TextDecoder('latin1').decode(chunk.subarray(0, 64)).trimStart().toLowerCase();
  return start.startsWith('<!doctype') || start.startsWith('<html');
}

async function discardBody(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {});
}

function unreachable(error: unknown, timedOut: boolean): Refusal {
  const text = timedOut
    ? `no data received for ${IDLE_TIMEOUT_MS / 1000} s`
    : `the connection failed (${reasonOf(error)})`;
  return { code: 'unreachable', text, retry: 'later' };
}

/** undici throws `fetch failed`; the reason is in its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return 'unknown';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

function redirected(text: string): FileResponse {
  return { kind: 'refused', refusal: { code: 'redirected', text, retry: 'never' } };
}

/** Aborts a connection that receives no data. */
class IdleTimeout {
  readonly signal: AbortSignal;
  readonly #world: World;
  readonly #controller = new AbortController();
  #timer: { cancel(): void };

  constructor(tools: RequestTools) {
    this.#world = tools.world;
    this.signal = AbortSignal.any([tools.signal, this.#controller.signal]);
    this.#timer = this.#arm();
  }

  get timedOut(): boolean {
    return this.#controller.signal.aborted;
  }

  reset(): void {
    this.#timer.cancel();
    this.#timer = this.#arm();
  }

  stop(): void {
    this.#timer.cancel();
  }

  #arm(): { cancel(): void } {
    return this.#world.clock.after(IDLE_TIMEOUT_MS, () => this.#controller.abort(new Error('idle timeout')));
  }
}
