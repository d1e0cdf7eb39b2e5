/**
 * One question to one file server and how its answer is to be taken: a body to stream, or a refusal with whether asking
 * again makes sense. HTTPS only (loopback excepted), redirects followed by hand, silence ended on the World's clock.
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
    | 'hash-mismatch';
  readonly text: string;
  readonly again: 'never' | 'later' | 'at-once';
  /** What the server asked for (Retry-After). */
  readonly afterMs?: number;
}

export interface Body {
  /** The rest of a file of which we have the beginning; otherwise the whole of it. */
  readonly resumed: boolean;
  /** Bytes still to come, when the server says. */
  readonly expected?: number;
  readonly validator?: string;
  chunks(): AsyncIterable<Uint8Array>;
  /** What an error thrown by `chunks` means. */
  broken(error: unknown): Refusal;
  cancel(): Promise<void>;
}

export type Answer =
  | { readonly kind: 'body'; readonly body: Body }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export interface AskTools {
  readonly world: World;
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
}

export async function ask(
  source: string,
  range: { readonly from: number; readonly validator?: string },
  tools: AskTools,
): Promise<Answer> {
  const quiet = new Silence(tools);
  let url = source;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const refused = insecure(url, hop === 0 ? undefined : source);
    if (refused !== undefined) return { kind: 'refused', refusal: refused };
    let response: Response;
    try {
      response = await tools.fetch(url, {
        headers: headersFor(range),
        redirect: 'manual',
        signal: quiet.signal,
      });
    } catch (error) {
      quiet.over();
      tools.signal.throwIfAborted();
      return { kind: 'refused', refusal: unreachable(error, quiet.ended) };
    }
    const location = response.headers.get('location');
    if (!REDIRECTS.has(response.status) || location === null) {
      return await read(response, range.from, quiet);
    }
    await discardBody(response);
    if (!URL.canParse(location, url)) {
      quiet.over();
      return redirected(`it redirects to something that is not an address`);
    }
    url = new URL(location, url).href;
  }
  quiet.over();
  return redirected(`it redirects more than ${MOST_REDIRECTS} times`);
}

/** Signed addresses carry their permission in the query: it is nobody's business. */
export function withoutQuery(url: string): string {
  if (!URL.canParse(url)) return url.split('?')[0]!;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

// ---------------------------------------------------------------------------------------------------

const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const SILENCE_MS = 60_000;
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/;

function headersFor(range: { readonly from: number; readonly validator?: string }): Record<string, string> {
  return {
    accept: '*/*',
    // A packed answer would have another length and other bytes than the file.
    'accept-encoding': 'identity',
    ...(range.from > 0 ? { range: `bytes=${range.from}-` } : {}),
    ...(range.from > 0 && range.validator !== undefined ? { 'if-range': range.validator } : {}),
  };
}

function insecure(url: string, redirectedFrom: string | undefined): Refusal | undefined {
  if (!URL.canParse(url)) return { code: 'insecure', text: 'that is not an address', again: 'never' };
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') {
    return { code: 'insecure', text: 'an address with a user or password is not used', again: 'never' };
  }
  if (protocol === 'https:') return undefined;
  const fromHere = redirectedFrom === undefined || LOOPBACK.test(new URL(redirectedFrom).hostname);
  if (protocol === 'http:' && LOOPBACK.test(hostname) && fromHere) return undefined;
  if (redirectedFrom === undefined) return { code: 'insecure', text: 'it is not https', again: 'never' };
  return { code: 'redirected', text: 'it redirects to an address that is not https', again: 'never' };
}

async function read(response: Response, from: number, quiet: Silence): Promise<Answer> {
  const refusal = refusalOf(response, from);
  if (refusal !== undefined) {
    await discardBody(response);
    quiet.over();
    return { kind: 'refused', refusal };
  }
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  // A weak ETag says "as good as", not "the same bytes"; a date is good to a second, which a release file bears.
  const validator = strongTag(response) ?? response.headers.get('last-modified') ?? undefined;
  return {
    kind: 'body',
    body: {
      resumed: response.status === 206,
      ...(Number.isFinite(length) ? { expected: length } : {}),
      ...(validator === undefined ? {} : { validator }),
      chunks: () => chunksOf(response, from > 0 && response.status === 206, quiet),
      broken: (error) =>
        error instanceof WebPage
          ? { code: 'web-page', text: 'it answered with a web page instead of the file', again: 'never' }
          : unreachable(error, quiet.ended),
      cancel: async () => {
        quiet.over();
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
    return { code: 'range-refused', text: 'it answered with another part than asked for', again: 'at-once' };
  }
  if (status === 200) {
    const type = response.headers.get('content-type') ?? '';
    if (!/^text\/html|^application\/xhtml/i.test(type)) return undefined;
    return { code: 'web-page', text: 'it answered with a web page instead of the file', again: 'never' };
  }
  if (status === 416)
    return { code: 'range-refused', text: 'it has no such part of the file', again: 'at-once' };
  if (status === 404 || status === 410) {
    return { code: 'not-found', text: `it has no such file (HTTP ${status})`, again: 'never' };
  }
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const afterMs = retryAfterMs(response);
    return {
      code: 'busy',
      text: `it could not answer (HTTP ${status})`,
      again: 'later',
      ...(afterMs === undefined ? {} : { afterMs }),
    };
  }
  return { code: 'denied', text: `it answered HTTP ${status}`, again: 'never' };
}

/** Seconds, or a date measured against the server's own clock: ours may be wrong, which is a reason to be here. */
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

async function* chunksOf(response: Response, resumed: boolean, quiet: Silence): AsyncGenerator<Uint8Array> {
  let first = !resumed;
  try {
    for await (const chunk of response.body ?? []) {
      quiet.heard();
      if (first && looksLikeHtml(chunk)) throw new WebPage();
      first = false;
      yield chunk;
    }
  } finally {
    quiet.over();
  }
}

function looksLikeHtml(chunk: Uint8Array): boolean {
  const start = new TextDecoder('latin1').decode(chunk.subarray(0, 64)).trimStart().toLowerCase();
  return start.startsWith('<!doctype') || start.startsWith('<html');
}

async function discardBody(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {});
}

function unreachable(error: unknown, silent: boolean): Refusal {
  const text = silent
    ? `nothing came for ${SILENCE_MS / 1000} s`
    : `the connection failed (${reasonOf(error)})`;
  return { code: 'unreachable', text, again: 'later' };
}

/** undici says `fetch failed` and keeps what matters in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return 'unknown';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

function redirected(text: string): Answer {
  return { kind: 'refused', refusal: { code: 'redirected', text, again: 'never' } };
}

/** Ends a connection on which nothing comes any more. */
class Silence {
  readonly signal: AbortSignal;
  readonly #world: World;
  readonly #ends = new AbortController();
  #timer: { cancel(): void };

  constructor(tools: AskTools) {
    this.#world = tools.world;
    this.signal = AbortSignal.any([tools.signal, this.#ends.signal]);
    this.#timer = this.#arm();
  }

  get ended(): boolean {
    return this.#ends.signal.aborted;
  }

  heard(): void {
    this.#timer.cancel();
    this.#timer = this.#arm();
  }

  over(): void {
    this.#timer.cancel();
  }

  #arm(): { cancel(): void } {
    return this.#world.clock.after(SILENCE_MS, () => this.#ends.abort(new Error('silence')));
  }
}
