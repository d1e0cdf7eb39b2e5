/**
 * Wires to a cloud that carry no write: what observe mode and the loss of the lease mean is kept here, below
 * everything that could forget it. Which requests are writes, the cloud says.
 */
import type { Fence, Fetch, Metrics } from '@chandler/kube';

/** Method and path; undefined when the request changes nothing. */
export type WriteOf = (...request: Parameters<Fetch>) => string | undefined;

/** The cloud is only read. Refused writes are counted, so that a mistake above is seen. */
export function withoutCloudWrites(send: Fetch, writeOf: WriteOf, metrics: Metrics, target: string): Fetch {
  const refused = refusedWrites(metrics);
  return async (input, init) => {
    const write = writeOf(input, init);
    if (write === undefined) return send(input, init);
    refused.add(1, { target });
    throw new Error(`${write}: not sent, the controller is in observe mode`);
  };
}

/**
 * The cloud is written by the replica that holds the lease: one that was stopped for a while and goes on would otherwise
 * undo what its successor did.
 */
export function withCloudFence(send: Fetch, writeOf: WriteOf, fence: Pick<Fence, 'isOpen'>): Fetch {
  return async (input, init) => {
    const write = writeOf(input, init);
    if (write === undefined || fence.isOpen) return send(input, init);
    throw new Error(`${write}: not sent, this replica does not hold the lease`);
  };
}

export function refusedWrites(metrics: Metrics) {
  return metrics.counter({
    name: 'chandler_observe_refused_writes_total',
    help: 'Writes that were not sent because the controller is in observe mode. More than 0 is a defect of the controller.',
    labels: ['target'],
  });
}
