/**
 * The guard of a leader: once its lease may have passed to another replica, no request that changes anything is
 * started any more. Reads go on. The deadline is measured on this replica's own clocks, never by comparing
 * with timestamps that another replica wrote.
 *
 * The last check and the write are one step for this process, but a machine can be stopped between them, so a
 * request may still arrive late. It does no harm, because writes carry what they were based on: updates and patches a
 * resourceVersion, deletes a UID, creates a name that does not depend on who makes it. `preconditions.ts`
 * refuses writes that lack it.
 */
import {
  isMutating,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '../client/transport.ts';
import type { Clock } from '../world.ts';

export class Fence {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  #open: { untilMs: number; sinceMs: number; sinceWallMs: number } | undefined;
  #inFlight = 0;
  #idle: (() => void)[] = [];

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
  }

  /** Allows writes for `forMs` after `sinceMs`, the monotonic time before the lease was requested. */
  openFor(durationMs: number, sinceMs: number): void {
    const ageMs = this.#clock.monotonic() - sinceMs;
    this.#open = { untilMs: sinceMs + durationMs, sinceMs, sinceWallMs: this.#clock.now() - ageMs };
  }

  close(): void {
    this.#open = undefined;
  }

  /** The monotonic clock stops during a suspend and the wall clock may jump: the one that advanced further counts. */
  get isOpen(): boolean {
    const open = this.#open;
    if (!open) return false;
    if (this.#clock.monotonic() >= open.untilMs) return false;
    return this.#clock.now() - open.sinceWallMs < open.untilMs - open.sinceMs;
  }

  /** Writes that were started and have not been answered. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Resolves when no write is in flight. */
  idle(): Promise<void> {
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Throws once another replica may hold the lease. */
  check(request: Pick<TransportRequest, 'method' | 'path'>): void {
    if (this.isOpen) return;
    const what = `${request.method} ${request.path}`;
    throw new TransportError('fenced', `${what}: not started, this replica does not hold the lease`);
  }

  async guard(request: TransportRequest, send: Transport): Promise<TransportResponse> {
    if (!isMutating(request)) return send(request);
    this.check(request);
    this.#inFlight += 1;
    try {
      return await send({ ...request, lastCheck: () => this.check(request) });
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }
}

/** Checks now, and again when the request is written: in between it may wait for a token, a socket, a free slot. */
export function withFence(send: Transport, fence: Fence): Transport {
  return (request) => fence.guard(request, send);
}
