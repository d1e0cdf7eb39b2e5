/** How pods are asked to go: through the eviction API, never those that may not be disturbed, in the order of tiers. */
import type { TruthObject } from '../truth/kube-truth.ts';
import { type Check, type MakeCheck, ownerKind, type Traffic, type View } from './check.ts';

export const podsGoByTheRules: MakeCheck = (view): Check => {
  const protectedSince = new Map<string, number>();
  /** Evictions against a budget, as far as is known: whether it was deleted in the same moment is told a moment later. */
  let suspects: { readonly budget: string; readonly where: string; readonly atMs: number }[] = [];
  const judge = (untilMs: number, name: string) => {
    for (const { budget, where, atMs } of suspects)
      if (atMs < untilMs) view.violated(name, `${where}: the budget ${budget} was broken`);
    suspects = suspects.filter(({ atMs }) => atMs >= untilMs);
  };
  return {
    name: 'pods go by the rules',
    sometimes() {
      judge(view.servers.world.clock.now(), this.name);
    },
    atEnd() {
      judge(Number.POSITIVE_INFINITY, this.name);
    },
    onKube({ kind, type, object, before }) {
      if (kind === 'budgets' && type === 'DELETED')
        suspects = suspects.filter(
          ({ budget, atMs }) => budget !== object.metadata.name || atMs < view.servers.world.clock.now(),
        );
      if (kind !== 'pods') return;
      const uid = object.metadata.uid!;
      if (type === 'DELETED' || !isProtected(object)) protectedSince.delete(uid);
      else if (before === undefined || !isProtected(before))
        protectedSince.set(uid, view.servers.world.clock.now());
    },
    onArrival(traffic) {
      const target = podOf(view, traffic);
      if (target === undefined) return undefined;
      const { pod, evicted } = target;
      const where = `${pod.metadata.name} on ${pod.spec.nodeName} by ${traffic.process}`;
      const node = view.kube.get('nodes', pod.spec.nodeName ?? '');
      if (node !== undefined && node.metadata.deletionTimestamp === undefined)
        view.violated(this.name, `${where}: its node does not go`);
      if (!evicted) {
        if (!isOutOfTime(view, pod)) view.violated(this.name, `${where}: deleted, not evicted`);
        return undefined;
      }
      const sinceMs = protectedSince.get(pod.metadata.uid!);
      if (sinceMs !== undefined && view.servers.world.clock.now() - sinceMs > UNSEEN_MS)
        view.violated(this.name, `${where}: evicted though it may not be disturbed`);
      const budget = brokenBudget(view, pod);
      const inTheWay = lowerTier(view, pod);
      return (status) => {
        if (status >= 300) return;
        if (budget !== undefined) suspects.push({ budget, where, atMs: view.servers.world.clock.now() });
        if (inTheWay !== undefined)
          view.violated(this.name, `${where}: evicted before ${inTheWay.metadata.name} of an earlier tier`);
      };
    },
  };
};

// ---------------------------------------------------------------------------------------------------

const POD_PATH = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)(\/eviction)?$/;
/** A minute after its time a pod is not waited for. */
const STUCK_MS = 60_000;
/** What a process cannot have seen yet. */
const UNSEEN_MS = 45_000;

function podOf(
  { kube }: View,
  { server, method, path }: Traffic,
): { readonly pod: TruthObject; readonly evicted: boolean } | undefined {
  if (server !== 'kube' || (method !== 'POST' && method !== 'DELETE')) return undefined;
  const [, namespace, name, eviction] = POD_PATH.exec(path) ?? [];
  if (name === undefined || (method === 'POST') !== (eviction !== undefined)) return undefined;
  const pod = kube.get('pods', name, namespace);
  return pod === undefined ? undefined : { pod, evicted: eviction !== undefined };
}

function isProtected({ metadata }: TruthObject): boolean {
  return metadata.annotations?.['karpenter.sh/do-not-disrupt'] === 'true';
}

/** Its node's deadline is nearer than the pod's own time to stop. */
function isOutOfTime({ kube, servers }: View, pod: TruthObject): boolean {
  const node = kube.get('nodes', pod.spec.nodeName ?? '');
  const claim = kube.list('claims').find(({ status }) => status?.providerID === node?.spec?.providerID);
  const deadline = claim?.metadata.annotations?.['karpenter.sh/nodeclaim-termination-timestamp'];
  if (deadline === undefined) return false;
  const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000;
  return servers.world.clock.now() >= Date.parse(deadline) - graceMs;
}

/** The name of a budget that has no room for one pod less. */
function brokenBudget({ kube }: View, pod: TruthObject): string | undefined {
  if (!isHealthy(pod)) return undefined;
  for (const budget of kube.list('budgets')) {
    const app = budget.spec.selector?.matchLabels?.app as string | undefined;
    if (app === undefined || pod.metadata.labels?.['app'] !== app) continue;
    const covered = kube.list('pods').filter(({ metadata }) => metadata.labels?.['app'] === app);
    const healthy = covered.filter(isHealthy).length;
    const { desiredHealthy = 0 } = budget.status ?? {};
    if (healthy - 1 < desiredHealthy) return budget.metadata.name;
  }
  return undefined;
}

function isHealthy(pod: TruthObject): boolean {
  const ready = (pod.status?.conditions ?? []).some(
    ({ type, status }: { type: string; status: string }) => type === 'Ready' && status === 'True',
  );
  return ready && pod.metadata.deletionTimestamp === undefined;
}

/** A pod on the same node that has to go first. */
function lowerTier({ kube, servers }: View, pod: TruthObject): TruthObject | undefined {
  const nowMs = servers.world.clock.now();
  const tier = tierOf(pod);
  return kube.list('pods').find((other) => {
    if (other.spec.nodeName !== pod.spec.nodeName || tierOf(other) >= tier) return false;
    if (/Succeeded|Failed/.test(other.status?.phase ?? '') || toleratesAll(other)) return false;
    const deletedMs = Date.parse(other.metadata.deletionTimestamp ?? '');
    if (nowMs - deletedMs > STUCK_MS) return false;
    return nowMs - boundMs(other) > UNSEEN_MS;
  });
}

function boundMs(pod: TruthObject): number {
  const scheduled = (pod.status?.conditions ?? []).find(
    ({ type }: { type: string }) => type === 'PodScheduled',
  );
  return Date.parse(scheduled?.lastTransitionTime ?? pod.metadata.creationTimestamp ?? '');
}

function tierOf(pod: TruthObject): number {
  const critical = /^system-(?:cluster|node)-critical$/.test(pod.spec.priorityClassName ?? '');
  return (critical ? 2 : 0) + (ownerKind(pod) === 'DaemonSet' ? 1 : 0);
}

/** A pod that would come back whatever taints there are is not drained. */
function toleratesAll(pod: TruthObject): boolean {
  return (pod.spec.tolerations ?? []).some(
    ({ key, operator, effect }: { key?: string; operator?: string; effect?: string }) =>
      (key === undefined || key === '' || key === 'karpenter.sh/disrupted') &&
      (operator === 'Exists' || key === 'karpenter.sh/disrupted') &&
      (effect === undefined || effect === '' || effect === 'NoSchedule'),
  );
}
