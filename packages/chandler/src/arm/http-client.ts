/**
 * The wire of the Azure SDKs: their `HttpClient` over a `Fetch` that the caller passes, so that it can be the real
 * network, one with a private authority, or a server in the same process. Deadlines, call rates and Retry-After
 * are here, on the World's clock; retrying is left to the caller.
 */
import type {
  HttpClient,
  PipelineRequest,
  PipelineResponse,
  RawHttpHeaders,
} from '@azure/core-rest-pipeline';
import { type Counter, type Fetch, rethrowProgramError, type World } from '@chandler/kube';
import { ArmError, BAD_ANSWER, fromResponse, NO_ANSWER, rememberResponse } from './arm-error.ts';
import { type ArmRateLimiter, type CallClass, callClass, MAX_CLOSE_MS } from './arm-rate-limiter.ts';
import { callName, LACKS_PERMISSION } from './missing-permission.ts';
import { targetOf, throttledTarget, throttlesClass } from './throttling.ts';

export interface HttpClientOptions {
  readonly world: World;
  /** Default: the World's. */
  readonly fetch?: Fetch | undefined;
  /** Only for calls to ARM: token endpoints have limits of their own. */
  readonly gate?: ArmRateLimiter;
  /**
   * A URL. Requests carry a token, and SDKs follow the links of answers, so that a request to another origin is an error.
   * Default: any origin.
   */
  readonly endpoint?: string;
  /** Is told what Azure denies, and allows again. */
  readonly denials?: CallDenials | undefined;
  /** For one call, headers and body together. Default 60 s. */
  readonly timeoutMs?: number | undefined;
}

/** Calls by their names, as of `callName`. */
export interface CallDenials {
  denied(call: string, error: ArmError): void;
  allowed(call: string): void;
}

export const DEFAULT_CALL_TIMEOUT_MS = 60_000;

/** When 429 comes without Retry-After. */
export const DEFAULT_CLOSE_MS = 10_000;

/** A larger value is a mistake, or a clock that is wrong: no call waits for ever because of it. */
export const MAX_RETRY_AFTER_MS = MAX_CLOSE_MS;

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const calls = options.world.metrics.counter({
    name: 'chandler_azure_requests_total',
    help: 'Requests to Azure by method and status; status 0 means no response',
    labels: ['method', 'status'],
  });
  return { sendRequest: (request) => sendOne(options, calls, request) };
}

/** Whether the URL has the origin of the endpoint. */
export function isAt(endpoint: string, url: string): boolean {
  return URL.canParse(url) && new URL(url).origin === new URL(endpoint).origin;
}

/** @throws {ArmError} for a URL of another origin. */
export function assertAt(endpoint: string, url: string): void {
  if (isAt(endpoint, url)) return;
  const { origin } = new URL(endpoint);
  throw new ArmError({
    code: BAD_ANSWER,
    message: `an answer of ${origin} refers to ${withoutQuery(url)}, which gets no token: it is at another origin`,
  });
}

/** `Retry-After` and its siblings in milliseconds: seconds, or a date. */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const saidMs = saidToWaitMs(headers, nowMs);
  return saidMs === undefined ? undefined : Math.min(saidMs, MAX_RETRY_AFTER_MS);
}

// ---------------------------------------------------------------------------------------------------

function saidToWaitMs(headers: Headers, nowMs: number): number | undefined {
  for (const name of ['retry-after-ms', 'x-ms-retry-after-ms']) {
    const ms = numberIn(headers.get(name));
    if (ms !== undefined) return ms;
  }
  const text = headers.get('retry-after') ?? '';
  const seconds = numberIn(text);
  if (seconds !== undefined) return seconds * 1000;
  // A number below zero is a date to `Date.parse`.
  const dateMs = Number.isNaN(Number(text)) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

/** Undefined for what is no number from zero up; an empty header is none. */
function numberIn(text: string | null): number | undefined {
  const value = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return value >= 0 ? value : undefined;
}

async function sendOne(
  options: HttpClientOptions,
  calls: Counter,
  request: PipelineRequest,
): Promise<PipelineResponse> {
  const { world, gate, endpoint } = options;
  if (endpoint !== undefined) assertAt(endpoint, request.url);
  const lane = callClass(request.method, request.url);
  if (gate !== undefined) await inTurn(gate, lane, request);
  if (request.abortSignal?.aborted === true) throw aborted(request);
  let answer: Answer;
  try {
    answer = await exchange(options, request);
  } catch (error) {
    calls.add(1, { method: request.method, status: '0' });
    throw error;
  }
  calls.add(1, { method: request.method, status: String(answer.status) });
  const waitMs = retryAfterMs(answer.headers, world.clock.now());
  if (answer.status >= 400) {
    const raw = {
      status: answer.status,
      text: answer.text,
      retryAfterMs: waitMs,
      requestId: answer.headers.get('x-ms-request-id') ?? undefined,
    };
    if (throttlesClass(raw)) gate?.close(lane, waitMs ?? DEFAULT_CLOSE_MS, throttledTarget(raw, request.url));
    rememberResponse(request, raw);
  }
  if (options.denials !== undefined) tellDenials(options.denials, request, answer);
  if (gate !== undefined && isInvalidResponse(request, answer)) {
    const message = `${request.method} ${withoutQuery(request.url)}: the response is not JSON`;
    throw new ArmError({ status: answer.status, code: BAD_ANSWER, message });
  }
  return {
    request,
    status: answer.status,
    headers: new PlainHeaders(answer.headers),
    bodyAsText: answer.text,
  };
}

/** Any other error says nothing about permissions. */
function tellDenials(denials: CallDenials, { method, url }: PipelineRequest, { status, text }: Answer): void {
  const call = callName(method, url);
  if (status < 400) denials.allowed(call);
  else if (status === 403) {
    const error = fromResponse({ status, text });
    if (LACKS_PERMISSION.has(error.code)) denials.denied(call, error);
  }
}

/** Waits for the turn of the call, at most until the caller aborts it. */
async function inTurn(gate: ArmRateLimiter, lane: CallClass, request: PipelineRequest): Promise<void> {
  const stop = new AbortController();
  const onAbort = () => stop.abort(aborted(request));
  if (request.abortSignal?.aborted === true) onAbort();
  request.abortSignal?.addEventListener('abort', onAbort);
  try {
    await gate.pass(lane, stop.signal, targetOf(request.url));
  } finally {
    request.abortSignal?.removeEventListener('abort', onAbort);
  }
}

/** The SDKs take a page of HTML, or nothing at all, for an object without fields: a cluster without settings, an empty list. */
function isInvalidResponse({ method }: PipelineRequest, { status, text }: Answer): boolean {
  if (status !== 200) return false;
  return text.trim() === '' ? method === 'GET' : !/^\s*[[{]/.test(text);
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function exchange(options: HttpClientOptions, request: PipelineRequest): Promise<Answer> {
  const { world } = options;
  const send = options.fetch ?? world.fetch;
  // The SDKs have a deadline of their own for some calls; 0 is none.
  const timeoutMs = Math.min(options.timeoutMs ?? DEFAULT_CALL_TIMEOUT_MS, request.timeout || Infinity);
  const stop = new AbortController();
  const onAbort = () => stop.abort(aborted(request));
  if (request.abortSignal?.aborted === true) onAbort();
  request.abortSignal?.addEventListener('abort', onAbort);
  const timer = world.clock.after(timeoutMs, () =>
    stop.abort(new ArmError({ code: NO_ANSWER, message: `no response within ${timeoutMs / 1000} s` })),
  );
  let response: Response | undefined;
  try {
    const body = bodyOf(request);
    response = await send(request.url, {
      method: request.method,
      headers: request.headers.toJSON(),
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: stop.signal,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    if (!stop.signal.aborted) rethrowProgramError(error);
    throw describeFailure(request, stop.signal, error, response?.status);
  } finally {
    timer.cancel();
    request.abortSignal?.removeEventListener('abort', onAbort);
  }
}

/** The error name by which the SDKs recognize an abort by the caller. */
function aborted(request: PipelineRequest): Error {
  const error = new Error(`${request.method} ${withoutQuery(request.url)}: canceled by the caller`);
  error.name = 'AbortError';
  return error;
}

function bodyOf(request: PipelineRequest): string | undefined {
  if (request.body === undefined || request.body === null) return undefined;
  if (typeof request.body === 'string') return request.body;
  throw new Error(`${request.method} ${request.url}: only text bodies are sent to Azure`);
}

function describeFailure(
  request: PipelineRequest,
  signal: AbortSignal,
  error: unknown,
  status: number | undefined,
): Error {
  const reason: unknown = signal.aborted ? signal.reason : error;
  if (reason instanceof ArmError) return reason;
  if (signal.aborted && reason instanceof Error) return reason;
  const what = reason instanceof Error ? causes(reason) : String(reason);
  const call = `${request.method} ${withoutQuery(request.url)}`;
  return status === undefined
    ? new ArmError({ code: NO_ANSWER, message: `${call}: ${what}`, cause: reason })
    : new ArmError({
        status,
        code: BAD_ANSWER,
        message: `${call}: the response is truncated: ${what}`,
        cause: reason,
      });
}

/** `fetch failed` says nothing; what it was caused by does. */
function causes(error: Error): string {
  const inner = error.cause;
  return inner instanceof Error && inner.message !== ''
    ? `${error.message}: ${inner.message}`
    : error.message;
}

function withoutQuery(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
}

/** The SDKs' header bag over the answer's, so that nothing of their package is loaded for it. */
class PlainHeaders implements Iterable<[string, string]> {
  readonly #headers: Headers;

  constructor(headers: Headers) {
    this.#headers = new Headers(headers);
  }

  get(name: string): string | undefined {
    return this.#headers.get(name) ?? undefined;
  }

  has(name: string): boolean {
    return this.#headers.has(name);
  }

  set(name: string, value: string | number | boolean): void {
    this.#headers.set(name, String(value));
  }

  delete(name: string): void {
    this.#headers.delete(name);
  }

  toJSON(): RawHttpHeaders {
    return Object.fromEntries(this.#headers.entries());
  }

  [Symbol.iterator](): Iterator<[string, string]> {
    return this.#headers.entries();
  }
}
