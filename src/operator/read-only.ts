/**
 * Wires that carry no write: what observing means is kept here, below everything that could forget it. What is refused is
 * counted, so that a mistake above is seen.
 */
import { type Transport, TransportError } from '../kube/index.ts';
import type { Fetch, Metrics } from '../world.ts';

/** The API server is only read. */
export function withoutWrites(send: Transport, metrics: Metrics): Transport {
  const refused = refusals(metrics);
  return async (request) => {
    if (request.method === 'GET') return send(request);
    refused.add(1, { target: 'kubernetes' });
    throw new TransportError('fenced', `${request.method} ${request.path}: not sent, we only observe`);
  };
}

/** Azure is only read: queries and sign-in are POSTs that change nothing. */
export function withoutAzureWrites(send: Fetch, metrics: Metrics): Fetch {
  const refused = refusals(metrics);
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
    if (method === 'GET' || method === 'HEAD' || (method === 'POST' && HARMLESS_POST.test(pathOf(url))))
      return send(input, init);
    refused.add(1, { target: 'azure' });
    throw new Error(`${method} ${pathOf(url)}: not sent, we only observe`);
  };
}

// ---------------------------------------------------------------------------------------------------

const HARMLESS_POST = /\/providers\/Microsoft\.ResourceGraph\/resources$|\/oauth2\/(v2\.0\/)?token\/?$/i;

function refusals(metrics: Metrics) {
  return metrics.counter({
    name: 'chandler_observe_refused_writes_total',
    help: 'Writes that were not sent because we only observe. More than 0 is a mistake of ours.',
    labels: ['target'],
  });
}

function pathOf(url: string): string {
  return URL.parse(url)?.pathname ?? url;
}
