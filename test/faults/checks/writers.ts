/**
 * Who may write, and how: only the process that holds the lease, and every write says what it was based on, so that one that
 * arrives late does no harm.
 */
import { type Check, changesAzure, isBesides, isWrite, type MakeCheck, type Traffic } from './check.ts';

export const oneWriter: MakeCheck = (view): Check => ({
  name: 'one writer',
  onSend(traffic) {
    if (!view.election || !changesSomething(traffic)) return;
    const lease = view.kube.get('leases', 'karpenter-leader-election', 'kube-system');
    const holder = lease?.spec?.holderIdentity as string | undefined;
    if (holder !== traffic.process)
      view.violated(
        this.name,
        `${traffic.process} sent ${traffic.method} ${traffic.path} while ${holder || 'nobody'} held the lease`,
      );
  },
});

export const writesAreConditional: MakeCheck = (view): Check => ({
  name: 'writes are conditional',
  onArrival(traffic) {
    const missing = missingCondition(traffic);
    if (missing !== undefined)
      view.violated(
        this.name,
        `${traffic.method} ${traffic.path} of ${traffic.process} says no ${missing}: ${JSON.stringify(traffic.body)?.slice(0, 200)}`,
      );
    return undefined;
  },
});

// ---------------------------------------------------------------------------------------------------

function changesSomething(traffic: Traffic): boolean {
  return traffic.server === 'arm' ? changesAzure(traffic) : isWrite(traffic) && !isBesides(traffic);
}

function missingCondition(traffic: Traffic): string | undefined {
  const { server, method, path, body } = traffic;
  if (!isWrite(traffic)) return undefined;
  if (server === 'arm') {
    // Everything we make says for whom; a machine is never put over another.
    const made = method === 'PUT' && /\/(?:virtualMachines|networkInterfaces)\/[^/]+$/i.test(path);
    return made && body?.tags?.['chandler.sh_claim-uid'] === undefined ? 'claim' : undefined;
  }
  if (isBesides(traffic)) return undefined;
  if (method === 'DELETE') return body?.preconditions?.uid === undefined ? 'UID' : undefined;
  if (path.endsWith('/eviction'))
    return body?.deleteOptions?.preconditions?.uid === undefined ? 'UID' : undefined;
  if (method === 'POST') return body?.metadata?.name === undefined ? 'name' : undefined;
  return body?.metadata?.resourceVersion === undefined ? 'resourceVersion' : undefined;
}
