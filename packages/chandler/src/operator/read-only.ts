/** A transport that rejects every write: it enforces observe mode below all other code. */
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
