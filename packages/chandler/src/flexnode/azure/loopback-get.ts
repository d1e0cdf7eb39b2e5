/**
 * One GET request to a server on loopback, without proxy and redirects, and with limits on time and size. The caller
 * checks that the address is a loopback address.
 */
import { Agent, request } from 'node:http';
import type { Clock } from '@chandler/kube';

export interface LoopbackResponse {
  readonly status: number;
  /** Names in lower case; repeated headers are joined as HTTP specifies. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type LoopbackGet = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
) => Promise<LoopbackResponse>;

export const LOOPBACK_TIMEOUT_MS = 5_000;
export const MAX_RESPONSE_BYTES = 64 * 1024;

export function loopbackGet(clock: Pick<Clock, 'after'>): LoopbackGet {
  return (url, headers, signal) =>
    new Promise((resolve, reject) => {
      const stop = new AbortController();
      const onAbort = () => stop.abort(signal?.reason);
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      const timer = clock.after(LOOPBACK_TIMEOUT_MS, () =>
        stop.abort(new Error(`no response within ${LOOPBACK_TIMEOUT_MS / 1000} s`)),
      );
      // A separate agent, because the global one may use a proxy.
      const agent = new Agent({ keepAlive: false });
      const settle = (finish: () => void) => {
        timer.cancel();
        signal?.removeEventListener('abort', onAbort);
        agent.destroy();
        finish();
      };
      const fail = (error: unknown) => settle(() => reject(stop.signal.aborted ? stop.signal.reason : error));
      const sent = request(url, { method: 'GET', headers, agent, signal: stop.signal }, (answer) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MAX_RESPONSE_BYTES) stop.abort(new Error(`more than ${MAX_RESPONSE_BYTES} bytes`));
          else chunks.push(chunk);
        });
        answer.on('error', fail);
        answer.on('end', () =>
          settle(() =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: flat(answer.headers),
              body: Buffer.concat(chunks).toString('utf8'),
            }),
          ),
        );
      });
      sent.on('error', fail);
      sent.end();
    });
}

// ---------------------------------------------------------------------------------------------------

function flat(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}
