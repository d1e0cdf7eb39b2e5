/**
 * Counts and times every request, under the names that client-go (`rest_client_*`) and Karpenter
 * (`client_go_*`) expose, so that dashboards keep working.
 */
import type { Clock, Metrics } from '../world.ts';
import { type Transport, TransportError, type TransportRequest } from './transport.ts';

export function withRequestMetrics(
  send: Transport,
  world: { readonly clock: Clock; readonly metrics: Metrics },
  host: string,
): Transport {
  const total = world.metrics.counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the API server, by status code, method and host.',
    labels: ['code', 'method', 'host'],
  });
  const clientTotal = world.metrics.counter({
    name: 'client_go_request_total',
    help: 'Requests to the API server, by status code and method.',
    labels: ['code', 'method'],
  });
  const duration = world.metrics.histogram({
    name: 'client_go_request_duration_seconds',
    help: 'Time until the head of the answer, by verb, group, version, kind and subresource.',
    labels: ['verb', 'group', 'version', 'kind', 'subresource'],
    buckets: Array.from({ length: 20 }, (_, step) => 0.001 * 1.5 ** step),
  });
  return async (request) => {
    const startMs = world.clock.monotonic();
    const count = (code: string) => {
      total.add(1, { code, method: request.method, host });
      clientTotal.add(1, { code, method: request.method });
      const target = targetOf(request);
      if (target) duration.observe((world.clock.monotonic() - startMs) / 1000, target);
    };
    try {
      const response = await send(request);
      count(String(response.status));
      return response;
    } catch (error) {
      // A fenced request was never sent, and one that the caller aborts says nothing about the server.
      const fenced = error instanceof TransportError && error.kind === 'fenced';
      if (!fenced && !request.signal?.aborted) count('<error>');
      throw error;
    }
  };
}

interface Target extends Record<string, string> {
  verb: string;
  group: string;
  version: string;
  kind: string;
  subresource: string;
}

/** What a path is about: `/apis/{group}/{version}[/namespaces/{ns}]/{plural}[/{name}[/{subresource}]]`. */
export function targetOf(request: Pick<TransportRequest, 'method' | 'path' | 'stream'>): Target | undefined {
  const parts = request.path.split('/').slice(1);
  const core = parts[0] === 'api';
  if (!core && parts[0] !== 'apis') return undefined;
  const rest = parts.slice(core ? 1 : 2);
  if (rest.length < 2) return undefined;
  const [version = '', ...after] = rest;
  const inNamespace = after[0] === 'namespaces' && after.length > 2;
  const [kind = '', name, subresource = ''] = inNamespace ? after.slice(2) : after;
  return {
    verb: verbOf(request, name !== undefined),
    group: core ? '' : parts[1]!,
    version,
    kind,
    subresource,
  };
}

// ------------------------------------------------------------------------------------------------

function verbOf(request: Pick<TransportRequest, 'method' | 'stream'>, named: boolean): string {
  if (request.method === 'POST') return 'CREATE';
  if (request.method === 'PUT') return 'UPDATE';
  if (request.method === 'GET' && !named) return request.stream ? 'WATCH' : 'LIST';
  return request.method;
}
