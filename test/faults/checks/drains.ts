/**
 * How pods are evicted: through the eviction API, never against do-not-disrupt or a disruption budget, in the
 * drain order.
 */
import type { ObservedObject } from '../server-state/kube-state.ts';
import { type Check, type MakeCheck, ownerKind, type Traffic, type View } from './check.ts';
import { isProtectedPod } from './disruption/facts.ts';

export const drainRules: MakeCheck = (view): Check => {
  const protectedSince = new Map<string, number>();
  /** Possible violations of a budget; whether it was deleted at the same moment is known later. */
  let suspects: { readonly budget: string; readonly where: string; readonly atMs: number }[] = [];
  const judge = (untilMs: number, name: string) => {
    for (const { budget, where, atMs } of suspects)
      if (atMs < untilMs) view.violated(name, `${where}: the disruption budget ${budget} was violated`);
    suspects = suspects.filter(({ atMs }) => atMs >= untilMs);
  };
  return {
    name: 'drain rules',
    periodically() {
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
        view.violated(this.name, `${where}: its node is not being deleted`);
      if (!evicted) {
        if (!isOutOfTime(view, pod)) view.violated(this.name, `${where}: deleted instead of evicted`);
        return undefined;
      }
      const sinceMs = protectedSince.get(pod.metadata.uid!);
      const nowMs = view.servers.world.clock.now();
      if (sinceMs !== undefined && nowMs - sinceMs > UNSEEN_MS && isProtectedPod(pod, nowMs))
        view.violated(this.name, `${where}: evicted despite do-not-disrupt`);
      const budget = brokenBudget(view, pod);
      const inTheWay = lowerTier(view, pod);
      return (status) => {
        if (status >= 300) return;
        if (budget !== undefined) suspects.push({ budget, where, atMs: view.servers.world.clock.now() });
        if (inTheWay !== undefined)
          view.violated(
            this.name,
            `${where}: evicted before ${inTheWay.metadata.name} of an earlier drain tier`,
          );
      };
    },
  };
};

// ---------------------------------------------------------------------------------------------------

const POD_PATH = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)(\/eviction)?$/;
/** One minute after its grace period a pod no longer blocks the drain. */
const STUCK_MS = 60_000;
/** The maximum watch lag of a process. */
const UNSEEN_MS = 45_000;

function podOf(
  { kube }: View,
  { server, method, path }: Traffic,
): { readonly pod: ObservedObject; readonly evicted: boolean } | undefined {
  if (server !== 'kube' || (method !== 'POST' && method !== 'DELETE')) return undefined;
  const [, namespace, name, eviction] = POD_PATH.exec(path) ?? [];
  if (name === undefined || (method === 'POST') !== (eviction !== undefined)) return undefined;
  const pod = kube.get('pods', name, namespace);
  return pod === undefined ? undefined : { pod, evicted: eviction !== undefined };
}

/** Perhaps only for some time. */
function isProtected({ metadata }: ObservedObject): boolean {
  return metadata.annotations?.['karpenter.sh/do-not-disrupt'] !== undefined;
}

/** The termination deadline of its node is closer than the pod's grace period. */
function isOutOfTime({ kube, servers }: View, pod: ObservedObject): boolean {
  const node = kube.get('nodes', pod.spec.nodeName ?? '');
  const claim = kube.list('claims').find(({ status }) => status?.providerID === node?.spec?.providerID);
  const deadline = claim?.metadata.annotations?.['karpenter.sh/nodeclaim-termination-timestamp'];
  if (deadline === undefined) return false;
  const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000;
  return servers.world.clock.now() >= Date.parse(deadline) - graceMs;
}

/** The name of a budget that allows no disruption. */
function brokenBudget({ kube }: View, pod: ObservedObject): string | undefined {
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

function isHealthy(pod: ObservedObject): boolean {
  const ready = (pod.status?.conditions ?? []).some(
    ({ type, status }: { type: string; status: string }) => type === 'Ready' && status === 'True',
  );
  return ready && pod.metadata.deletionTimestamp === undefined;
}

/** A pod on the same node that must be evicted first. */
function lowerTier({ kube, servers }: View, pod: ObservedObject): ObservedObject | undefined {
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

function boundMs(pod: ObservedObject): number {
  const scheduled = (pod.status?.conditions ?? []).find(
    ({ type }: { type: string }) => type === 'PodScheduled',
  );
  return Date.parse(scheduled?.lastTransitionTime ?? pod.metadata.creationTimestamp ?? '');
}

function tierOf(pod: ObservedObject): number {
  const critical = /^system-(?:cluster|node)-critical$/.test(pod.spec.priorityClassName ?? '');
  return (critical ? 2 : 0) + (ownerKind(pod) === 'DaemonSet' ? 1 : 0);
}

/** A pod that tolerates the disruption taint is not drained. */
function toleratesAll(pod: ObservedObject): boolean {
  return (pod.spec.tolerations ?? []).some(
    ({ key, operator, effect }: { key?: string; operator?: string; effect?: string }) =>
      (key === undefined || key === '' || key === 'karpenter.sh/disrupted') &&
      (operator === 'Exists' || key === 'karpenter.sh/disrupted') &&
      (effect === undefined || effect === '' || effect === 'NoSchedule'),
  );
}
