/**
 * Wires that carry no write: what observing means, and what losing the lease means for Azure, is kept here, below
 * everything that could forget it. What an observer is refused is counted, so that a mistake above is seen.
 */
import { type Fence, type Fetch, type Metrics, type Transport, TransportError } from '@chandler/kube';

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
    const write = azureWrite(input, init);
    if (write === undefined) return send(input, init);
    refused.add(1, { target: 'azure' });
    throw new Error(`${write}: not sent, we only observe`);
  };
}

/**
 * Azure is written by the replica that holds the lease: one that was stopped for a while and goes on would otherwise undo
 * what its successor did.
 */
export function withAzureFence(send: Fetch, fence: Pick<Fence, 'isOpen'>): Fetch {
  return async (input, init) => {
    const write = azureWrite(input, init);
    if (write === undefined || fence.isOpen) return send(input, init);
    throw new Error(`${write}: not sent, this replica does not hold the lease`);
  };
}

// ---------------------------------------------------------------------------------------------------

const HARMLESS_POST = /\/providers\/Microsoft\.ResourceGraph\/resources$|\/oauth2\/(v2\.0\/)?token\/?$/i;

/** Method and path; undefined when nothing is changed by it. */
function azureWrite(...[input, init]: Parameters<Fetch>): string | undefined {
  const path = pathOf(input instanceof Request ? input.url : String(input));
  const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
  const isRead = method === 'GET' || method === 'HEAD' || (method === 'POST' && HARMLESS_POST.test(path));
  return isRead ? undefined : `${method} ${path}`;
}

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
