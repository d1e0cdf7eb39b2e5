/** A debug line for every call to Azure: what, the answer, how long it took. Never a query, a header or a body. */
import type { Fetch, World } from '@chandler/kube';

/** @param isOn asked at every call: the option can change at runtime. */
export function withCallLog(send: Fetch, { clock, log }: World, isOn: () => boolean): Fetch {
  return async (input, init) => {
    if (!isOn()) return send(input, init);
    const url = URL.parse(input instanceof Request ? input.url : String(input));
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
    const call = { method: method.toUpperCase(), host: url?.host ?? '', path: url?.pathname ?? '' };
    const startMs = clock.monotonic();
    const tookMs = () => Math.round(clock.monotonic() - startMs);
    try {
      const answer = await send(input, init);
      const requestId = answer.headers.get('x-ms-request-id') ?? undefined;
      log.debug('call to Azure', { ...call, status: answer.status, tookMs: tookMs(), requestId });
      return answer;
    } catch (error) {
      log.debug('call to Azure', { ...call, error, tookMs: tookMs() });
      throw error;
    }
  };
}
