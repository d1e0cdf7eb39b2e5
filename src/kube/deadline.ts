/**
 * A limit on how long an ordinary request may take, body included, on the World's clock. Streams have none:
 * the reflector watches over them with its own idle timer.
 */
import type { Clock } from '../world.ts';
import { type Transport, TransportError } from './transport.ts';

export interface DeadlineOptions {
  /** Default 60 s, the limit kube-apiserver sets itself. */
  readonly timeoutMs?: number;
}

export function withDeadline(send: Transport, clock: Clock, options: DeadlineOptions = {}): Transport {
  const { timeoutMs = 60_000 } = options;
  return async (request) => {
    if (request.stream) return send(request);
    const abort = new AbortController();
    const what = `${request.method} ${request.path}`;
    const tooLate = new TransportError('timeout', `${what}: no answer within ${timeoutMs} ms`);
    const onAbort = () => abort.abort(request.signal?.reason);
    const timer = clock.after(timeoutMs, () => abort.abort(tooLate));
    const release = () => {
      timer.cancel();
      request.signal?.removeEventListener('abort', onAbort);
    };
    if (request.signal?.aborted) onAbort();
    request.signal?.addEventListener('abort', onAbort, { once: true });
    // Some transports notice an abort late; the race makes the deadline hold all the same.
    const aborted = new Promise<never>((_, reject) => {
      if (abort.signal.aborted) reject(abort.signal.reason);
      abort.signal.addEventListener('abort', () => reject(abort.signal.reason), { once: true });
    });
    aborted.catch(() => undefined);
    try {
      const response = await Promise.race([send({ ...request, signal: abort.signal }), aborted]);
      return {
        ...response,
        text: () => Promise.race([response.text(), aborted]).finally(release),
        async *chunks() {
          try {
            yield* response.chunks();
          } finally {
            release();
          }
        },
        cancel() {
          release();
          response.cancel();
        },
      };
    } catch (error) {
      release();
      throw error;
    }
  };
}
