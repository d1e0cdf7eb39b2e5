/**
 * Requests that may have been received and are sent again, by their client token: one call, one answer and one pause serve all
 * claims of a request. Bounded: what nobody has asked about for a while is forgotten.
 */
import type { Clock } from '@chandler/kube';
import { CloudError, unlessAborted } from '../../index.ts';

import { type DealtAnswer, DOUBT_LIMIT_MS } from '../launch/index.ts';
import { type RequestFailure, requestFailure } from './request-failure.ts';

export type Answers = DealtAnswer['answers'];

export class RepeatedRequests {
  readonly #clock: Clock;
  readonly #requests = new Map<string, RepeatedRequest>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What EC2 has answered. */
  answers(token: string): Answers | undefined {
    return this.#requests.get(token)?.answers;
  }

  /** How it failed the last time. */
  failure(token: string): RequestFailure | undefined {
    return this.#requests.get(token)?.failure;
  }

  /**
   * @param call is made unless one for the token is in flight, or has failed meanwhile.
   * @param before the failure that the caller knows.
   * @throws what it throws.
   */
  async send(
    token: string,
    call: () => Promise<Answers>,
    { before, signal }: { readonly before: RequestFailure | undefined; readonly signal: AbortSignal },
  ): Promise<Answers> {
    for (;;) {
      const request = this.#of(token);
      if (request.failure !== undefined && request.failure !== before) throw request.failure.error;
      const inFlight = request.inFlight ?? { work: this.#run(request, call), signal };
      request.inFlight = inFlight;
      try {
        return await unlessAborted(signal, inFlight.work);
      } catch (error) {
        signal.throwIfAborted();
        // The claim that sent it was aborted, not this one.
        if (!inFlight.signal.aborted) throw error;
      }
    }
  }

  async #run(request: RepeatedRequest, call: () => Promise<Answers>): Promise<Answers> {
    try {
      request.answers = await call();
      return request.answers;
    } catch (error) {
      if (error instanceof CloudError)
        request.failure = requestFailure(error, request.failure, this.#clock.monotonic());
      throw error;
    } finally {
      delete request.inFlight;
    }
  }

  /** In the order of time, so that the oldest is first. */
  #of(token: string): RepeatedRequest {
    const nowMs = this.#clock.monotonic();
    const request: RepeatedRequest = this.#requests.get(token) ?? { atMs: nowMs };
    request.atMs = nowMs;
    this.#requests.delete(token);
    this.#requests.set(token, request);
    for (const [known, { atMs }] of this.#requests) {
      if (nowMs - atMs < DOUBT_LIMIT_MS) break;
      this.#requests.delete(known);
    }
    return request;
  }
}

// ---------------------------------------------------------------------------------------------------------------

interface RepeatedRequest {
  atMs: number;
  inFlight?: { readonly work: Promise<Answers>; readonly signal: AbortSignal };
  answers?: Answers;
  failure?: RequestFailure;
}
