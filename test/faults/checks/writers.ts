/**
 * Who may write, and how: only the process that holds the lease, and every write has a precondition, so that
 * a late write has no effect.
 */
import { type Check, isLeaseOrEvent, isWrite, type MakeCheck, type Traffic } from './check.ts';

export const singleWriter: MakeCheck = (view): Check => ({
  name: 'single writer',
  onSend(traffic) {
    if (!view.election || !changesSomething(traffic)) return;
    const lease = view.kube.get('leases', 'karpenter-leader-election', 'kube-system');
    const holder = lease?.spec?.holderIdentity as string | undefined;
    if (holder !== traffic.process)
      view.violated(
        this.name,
        `${traffic.process} sent ${traffic.method} ${traffic.path} while ${holder || 'no process'} held the lease`,
      );
  },
});

export const conditionalWrites: MakeCheck = (view): Check => ({
  name: 'conditional writes',
  onArrival(traffic) {
    const missing = missingCondition(traffic);
    if (missing !== undefined)
      view.violated(
        this.name,
        `${traffic.method} ${traffic.path} of ${traffic.process} has no ${missing}: ${JSON.stringify(traffic.body)?.slice(0, 200)}`,
      );
    return undefined;
  },
});

// ---------------------------------------------------------------------------------------------------

function changesSomething(traffic: Traffic): boolean {
  return traffic.writes && !(traffic.server === 'kube' && isLeaseOrEvent(traffic));
}

function missingCondition(traffic: Traffic): string | undefined {
  const { server, method, path, body } = traffic;
  if (server !== 'kube' || !isWrite(traffic) || isLeaseOrEvent(traffic)) return undefined;
  if (method === 'DELETE') return body?.preconditions?.uid === undefined ? 'UID' : undefined;
  if (path.endsWith('/eviction'))
    return body?.deleteOptions?.preconditions?.uid === undefined ? 'UID' : undefined;
  if (method === 'POST') return body?.metadata?.name === undefined ? 'name' : undefined;
  return body?.metadata?.resourceVersion === undefined ? 'resourceVersion' : undefined;
}
