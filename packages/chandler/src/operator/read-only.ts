/** A wire to the API server that carries no write: what observing means is kept here, below everything that could forget it. */
import { type Metrics, type Transport, TransportError } from '@chandler/kube';
import { refusedWrites } from '../cloud/index.ts';

export function withoutWrites(send: Transport, metrics: Metrics): Transport {
  const refused = refusedWrites(metrics);
  return async (request) => {
    if (request.method === 'GET') return send(request);
    refused.add(1, { target: 'kubernetes' });
    throw new TransportError(
      'fenced',
      `${request.method} ${request.path}: not sent, the controller is in observe mode`,
    );
  };
}
