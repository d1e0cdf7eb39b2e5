/**
 * The order in which pods are placed: the largest first (cpu, then memory), then the oldest, then by uid.
 * Priority decides before size only if the caller wants it.
 */
import { byCodeUnit } from '../requirements/algebra.ts';
import { CPU, MEMORY, type Requests } from '../resources.ts';
import type { QueuedPod } from './run.ts';

export function queueOrder(pods: readonly QueuedPod[], byPriority: boolean): QueuedPod[] {
  const entries = pods.map((queued, index) => ({
    queued,
    index,
    priority: byPriority ? (queued.pod.spec?.priority ?? 0) : 0,
    cpu: amountOf(queued.podClass.requests, CPU),
    memory: amountOf(queued.podClass.requests, MEMORY),
    created: queued.pod.metadata.creationTimestamp ?? '',
    uid: queued.pod.metadata.uid ?? '',
  }));
  entries.sort(
    (first, second) =>
      second.priority - first.priority ||
      second.cpu - first.cpu ||
      second.memory - first.memory ||
      byCodeUnit(first.created, second.created) ||
      byCodeUnit(first.uid, second.uid) ||
      byName(first.queued, second.queued) ||
      first.index - second.index,
  );
  return entries.map(({ queued }) => queued);
}

export function amountOf(requests: Requests, slot: number): number {
  const at = requests.slots.indexOf(slot);
  return at < 0 ? 0 : requests.amounts[at]!;
}

// ---------------------------------------------------------------------------------------------------------------

function byName(first: QueuedPod, second: QueuedPod): number {
  const { metadata: one } = first.pod;
  const { metadata: two } = second.pod;
  return byCodeUnit(one.namespace ?? '', two.namespace ?? '') || byCodeUnit(one.name ?? '', two.name ?? '');
}
