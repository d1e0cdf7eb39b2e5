/**
 * The network between a process and a server: latency and faults drawn from a seed. A request may be lost
 * before the server processes it, or its response afterwards; a response may be an error that the server did
 * not send. A request that was sent arrives even when its sender has timed out or died. Watches lag, break
 * and repeat events.
 */
import type { Fetch, Random, Timer } from '@chandler/kube';
import type { VirtualClock } from '@chandler/kube/testing';
import type { Traffic } from './checks/check.ts';
import type { Personality } from './personality.ts';
import { isWatch, urlOf } from './request.ts';

export type Server = Traffic['server'];

/** Probabilities, per request or per chunk of a watch. */
export interface NetworkFaults {
  readonly lostRequest: number;
  readonly lostAnswer: number;
  /** 500 before the request is processed. */
  readonly serverError: number;
  /** 500 after the request was processed. */
  readonly lateServerError: number;
  readonly tooMany: number;
  /** 409, as after a concurrent write. */
  readonly conflict: number;
  /** 404 with the page of a proxy, which says nothing about the object. */
  readonly foreignNotFound: number;
  /** A webhook denies the deletion of a Node or NodeClaim. */
  readonly deniedDeletion: number;
  /** A latency of seconds instead of milliseconds. */
  readonly slow: number;
  /** Processed without a response. */
  readonly hang: number;
  readonly cutWatch: number;
  readonly repeatEvent: number;
  /** The maximum lag in milliseconds, drawn for each watch. */
  readonly watchLagMs: number;
}

export type FaultName = keyof NetworkFaults;

export const NO_FAULTS: NetworkFaults = {
  lostRequest: 0,
  lostAnswer: 0,
  serverError: 0,
  lateServerError: 0,
  tooMany: 0,
  conflict: 0,
  foreignNotFound: 0,
  deniedDeletion: 0,
  slow: 0,
  hang: 0,
  cutWatch: 0,
  repeatEvent: 0,
  watchLagMs: 0,
};

/** A proxy or load balancer between the processes and the API server that ends connections of a certain age. */
export interface ConnectionProxy {
  readonly maxConnectionMs: number;
  /** How the client sees it: the end of the answer, or a broken connection. */
  readonly how: 'close' | 'reset';
}

export interface NetworkOptions {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly onFault: (fault: string, what: string) => void;
  readonly personality: Pick<Personality, 'wire' | 'refusal'>;
  /** It stays also when the faults stop. */
  readonly proxy?: ConnectionProxy;
  /** Whether watches have bookmarks, which a server may leave out. Default true. */
  readonly bookmarks?: boolean;
  readonly onWatchCut?: (process: string, url: string) => void;
}

export class Network {
  readonly #clock: VirtualClock;
  readonly #random: Random;
  readonly #options: NetworkOptions;
  #faults: Readonly<Record<Server, NetworkFaults>> = { kube: NO_FAULTS, cloud: NO_FAULTS };
  /** Disconnected until this time, by `process server`. */
  readonly #downUntilMs = new Map<string, number>();
  #hanging = 0;

  constructor(options: NetworkOptions) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#options = options;
  }

  /** Requests that will never get a response and have not timed out. */
  get hanging(): number {
    return this.#hanging;
  }

  set(faults: Readonly<Record<Server, NetworkFaults>>): void {
    this.#faults = faults;
  }

  calm(): void {
    this.set({ kube: NO_FAULTS, cloud: NO_FAULTS });
    this.#downUntilMs.clear();
  }

  /** Disconnects one process from one server for some time. */
  cut(process: string, server: Server, forMs: number): void {
    this.#downUntilMs.set(`${process} ${server}`, this.#clock.monotonic() + forMs);
  }

  /** One request from a process to a server, and back. */
  carry(
    traffic: Traffic,
    send: Fetch,
    input: string | URL | Request,
    init: RequestInit | undefined,
  ): Promise<Response> {
    const signal = init?.signal ?? undefined;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const journey = isWatch(input)
      ? this.#watch(traffic, send, input, init)
      : this.#exchange(traffic, () => send(input, without(init)));
    return orAborted(journey, signal);
  }

  async #exchange(traffic: Traffic, send: () => Promise<Response>): Promise<Response> {
    const { server } = traffic;
    const way = `${traffic.process} ${server}`;
    const what = `${traffic.method} ${traffic.path}`;
    const refusal = (code: 403 | 409 | 429 | 500) =>
      server === 'kube' ? kubeRefusal(code) : this.#options.personality.refusal(code, traffic);
    const happens = (fault: FaultName) => this.#happens(server, fault, what);
    await this.#clock.sleep(this.#latencyMs(server, happens('slow')));
    if (this.#isDown(way) || happens('lostRequest')) throw reset('before it arrived');
    if (happens('serverError')) return refusal(500);
    if (happens('tooMany')) return refusal(429);
    if (/^(?:PATCH|PUT) /.test(what) && server === 'kube' && happens('conflict')) return refusal(409);
    if (!traffic.isSignIn && happens('foreignNotFound')) return proxyPage();
    if (NODE_DELETION.test(what) && happens('deniedDeletion')) return refusal(403);
    const answer = await send();
    await this.#clock.sleep(this.#latencyMs(server, happens('slow')));
    const lost = this.#isDown(way) || happens('lostAnswer');
    const hangs = !lost && happens('hang');
    if (!lost && !hangs && !happens('lateServerError')) return answer;
    await answer.body?.cancel();
    if (lost) throw reset('before the answer came');
    if (hangs) {
      this.#hanging += 1;
      await this.#clock.sleep(HANG_MS);
      this.#hanging -= 1;
    }
    return refusal(500);
  }

  async #watch(
    { process, server, method, path }: Traffic,
    send: Fetch,
    input: string | URL | Request,
    init: RequestInit | undefined,
  ): Promise<Response> {
    const way = `${process} ${server}`;
    const what = `${method} ${path}`;
    await this.#clock.sleep(this.#latencyMs(server, false));
    if (this.#isDown(way)) throw reset('before it arrived');
    const asked = this.#options.bookmarks === false ? withoutBookmarks(urlOf(input)) : input;
    const answer = await send(asked, without(init));
    if (answer.status !== 200 || answer.body === null) return answer;
    const lagMs = this.#random.next() * this.#faults[server].watchLagMs;
    const onCut = () => this.#options.onWatchCut?.(process, urlOf(input));
    const body = this.#lagging(way, server, what, answer.body as ReadableStream<Uint8Array>, lagMs, onCut);
    return new Response(body, { status: 200, headers: answer.headers });
  }

  /** Delays chunks, keeps their order, and sometimes repeats one or breaks the connection. */
  #lagging(
    way: string,
    server: Server,
    what: string,
    from: ReadableStream<Uint8Array>,
    lagMs: number,
    onCut: () => void,
  ): ReadableStream<Uint8Array> {
    const reader = from.getReader();
    const { proxy } = this.#options;
    let open = true;
    let cut: Timer | undefined;
    const close = (end: () => void) => {
      if (!open) return;
      open = false;
      cut?.cancel();
      reader.cancel().catch(() => undefined);
      end();
    };
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        if (proxy !== undefined)
          cut = this.#clock.after(proxy.maxConnectionMs, () => {
            onCut();
            close(() => (proxy.how === 'close' ? controller.close() : controller.error(reset('by a proxy'))));
          });
        const deliver = (value: Uint8Array) => {
          if (!open) return;
          if (this.#isDown(way) || this.#happens(server, 'cutWatch', what))
            return close(() => controller.error(reset('in the middle of a watch')));
          controller.enqueue(value);
          if (this.#happens(server, 'repeatEvent', what)) controller.enqueue(value.slice());
        };
        // Chunks keep their order, also when the lag ends.
        let lastMs = 0;
        const later = (task: () => void) => {
          const nowMs = this.#clock.monotonic();
          lastMs = Math.max(lastMs, nowMs + 1 + (this.#calmed(server) ? 0 : lagMs));
          this.#clock.after(lastMs - nowMs, task);
        };
        const pump = async () => {
          for (;;) {
            const { done, value } = await reader.read();
            if (done) break;
            later(() => deliver(value));
          }
          later(() => close(() => controller.close()));
        };
        pump().catch((error: unknown) => close(() => controller.error(error)));
      },
      cancel: () => close(() => undefined),
    });
  }

  #calmed(server: Server): boolean {
    return this.#faults[server].watchLagMs === 0;
  }

  #isDown(way: string): boolean {
    return (this.#downUntilMs.get(way) ?? 0) > this.#clock.monotonic();
  }

  #happens(server: Server, fault: FaultName, what: string): boolean {
    const chance = this.#faults[server][fault];
    if (chance === 0 || this.#random.next() >= chance) return false;
    this.#options.onFault(fault, `${server === 'kube' ? server : this.#options.personality.wire} ${what}`);
    return true;
  }

  #latencyMs(server: Server, slow: boolean): number {
    if (slow) return 500 + this.#random.next() * SLOWEST_MS;
    return 1 + Math.floor(this.#random.next() * (server === 'kube' ? 8 : 40));
  }
}

// ---------------------------------------------------------------------------------------------------

const SLOWEST_MS = 25_000;
const NODE_DELETION = /^DELETE .*\/(?:nodes|nodeclaims)\/[^/]+$/;
/** Longer than any request timeout. */
const HANG_MS = 120_000;

/** Aborting does not stop a request that was already sent. */
function without(init: RequestInit | undefined): RequestInit {
  const { signal: _, ...rest } = init ?? {};
  return rest;
}

function withoutBookmarks(url: string): string {
  return url.replace(/([?&])allowWatchBookmarks=true&?/, '$1').replace(/[?&]$/, '');
}

function proxyPage(): Response {
  const headers = { 'content-type': 'text/html' };
  return new Response('<html><body><h1>404 Not Found</h1></body></html>', { status: 404, headers });
}

function orAborted(journey: Promise<Response>, signal: AbortSignal | undefined): Promise<Response> {
  if (signal === undefined) return journey;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    journey.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function reset(when: string): TypeError {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error(`connection reset ${when}`), { code: 'ECONNRESET' }),
  });
}

const REASONS: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  409: 'Conflict',
  429: 'TooManyRequests',
  500: 'InternalError',
};

function kubeRefusal(code: number): Response {
  const message = 'made up by the network of a test';
  const reason = REASONS[code];
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (code === 429) headers['retry-after'] = '2';
  return new Response(JSON.stringify(body), { status: code, headers });
}
