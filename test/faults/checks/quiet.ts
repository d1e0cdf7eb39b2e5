/**
 * While the cluster is stable, nothing is written except leases and repeated events on pending pods and about disruption, and
 * nothing fails: an error without any fault would repeat forever.
 */
import { type Check, conditionOf, isLeaseOrEvent, type MakeCheck, type Traffic, type View } from './check.ts';

export const noWritesWhenStable: MakeCheck = (view): Check => {
  /** In the present stable phase. It ends without a verdict when a node is disrupted after all. */
  let writes: string[] = [];
  /** In the same phase: writes that are right once, and not again and again. */
  let upkeep = new Set<string>();
  return {
    name: 'no writes when stable',
    onSend(traffic) {
      if (view.phase !== 'quiet') return;
      if (
        !traffic.writes ||
        isLease(traffic.path) ||
        (isLeaseOrEvent(traffic) && (isSomethingPending(view) || isExpected(view, traffic))) ||
        isFirstConsistencyCheck(view, traffic)
      )
        return;
      const write = `${traffic.method} ${traffic.path} ${JSON.stringify(traffic.body)?.slice(0, 1500)}`;
      if (!upkeep.has(write) && view.servers.cloud.isUpkeep(traffic.path, traffic.body)) upkeep.add(write);
      else writes.push(write);
    },
    periodically() {
      if (view.phase === 'quiet') return;
      writes = [];
      upkeep = new Set();
    },
    atEnd() {
      for (const write of writes) view.violated(this.name, write);
    },
  };
};

export const noErrorsWhenStable: MakeCheck = (view): Check => {
  const { lines } = view.servers.world;
  let from: number | undefined;
  return {
    name: 'no errors when stable',
    periodically() {
      if (view.phase !== 'quiet') return;
      // Requests that were in flight when the phase began may still fail.
      from ??= lines.length;
      for (; from < lines.length; from++) {
        const { level, message, fields } = lines[from]!;
        if (level === 'error') view.violated(this.name, `${message} ${textOf(fields)}`);
      }
    },
  };
};

// ---------------------------------------------------------------------------------------------------

function textOf({ controller, name, error, ...rest }: Readonly<Record<string, unknown>>): string {
  const why = error instanceof Error ? `${error.name}: ${error.message}` : error;
  return JSON.stringify({ controller, name, why, ...('process' in rest ? {} : rest) }).slice(0, 400);
}

const CONSISTENT = 'ConsistentStateFound';

function isLease(path: string): boolean {
  return /\/leases(?:\/|$)/.test(path);
}

/** The consistency check runs ten minutes after the claim was created and writes its condition once. */
function isFirstConsistencyCheck({ kube }: View, { path, body }: Traffic): boolean {
  const [, name] = /\/nodeclaims\/([^/]+)\/status$/.exec(path) ?? [];
  const claim = name === undefined ? undefined : kube.get('claims', name);
  if (claim === undefined || conditionOf(claim, CONSISTENT) !== undefined) return false;
  const types = (body?.status?.conditions ?? []).map(({ type }: { type: string }) => type);
  return types.length === (claim.status?.conditions ?? []).length + 1 && types.includes(CONSISTENT);
}

/** The event says why a node stays: it is repeated while it holds, and then only counted. Or that a shift has ended. */
function isExpected({ kube }: View, { path, body }: Traffic): boolean {
  const [, namespace, name] = /\/namespaces\/([^/]+)\/events\/([^/]+)$/.exec(path) ?? [];
  const known = name === undefined ? undefined : kube.get('events', name, namespace);
  const reason = body?.reason ?? (known as { readonly reason?: string } | undefined)?.reason ?? '';
  // A zonal shift ends by itself, at any time.
  return ABOUT_DISRUPTION.has(reason) || reason === 'ZonalShiftCleared';
}

const ABOUT_DISRUPTION = new Set([
  'Unconsolidatable',
  'DisruptionBlocked',
  'NodeRepairBlocked',
  'ConsolidationCandidate',
  'ConsolidationApproved',
]);

/** A pending pod, or an object whose deletion is blocked by finalizers. */
function isSomethingPending({ kube }: View): boolean {
  const waits = kube.list('pods').some(({ spec, status }) => !spec.nodeName && status?.phase === 'Pending');
  return waits || kube.list('classes').some(({ metadata }) => metadata.deletionTimestamp !== undefined);
}
