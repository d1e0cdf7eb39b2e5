/**
 * A limit on how long an ordinary request may take, body included, on the World's clock. Streams have none:
 * the reflector watches over them with its own idle timer.
 */
import type { Clock } from '../world.ts';
import { aborted, linkedAbort } from './linked-abort.ts';
import { type Transport, TransportError } from './transport.ts';

export interface DeadlineOptions {
  /** Default 60 s, the limit kube-apiserver sets itself. */
  readonly timeoutMs?: number;
}

export function withDeadline(send: Transport, clock: Clock, options: DeadlineOptions = {}): Transport {
  const { timeoutMs = 60_000 } = options;
  return async (request) => {
    if (request.stream) return send(request);
    const reason = () =>
      new TransportError('timeout', `${request.method} ${request.path}: no answer within ${timeoutMs} ms`);
    const { signal, release } = linkedAbort(request.signal, {
      limit: { clock, afterMs: timeoutMs, reason },
    });
    // Some transports notice an abort late; the race makes the deadline hold all the same.
    const tooLate = aborted(signal).then((): never => {
      throw signal.reason;
    });
    tooLate.catch(() => undefined);
    try {
      const sending = send({ ...request, signal });
      // A late answer is discarded.
      sending.then(
        (late) => signal.aborted && late.cancel(),
        () => undefined,
      );
      const response = await Promise.race([sending, tooLate]);
      return {
        ...response,
        text: () => Promise.race([response.text(), tooLate]).finally(release),
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
