/**
 * Whether a pod fits on a node: an ordered list of filters, as in kube-scheduler; the first that rejects gives the reason.
 * Pure: the answer depends on the pod and the snapshot alone. There is no preemption: no pod is ever
 * evicted for another.
 */
import type { Pod, Stored } from '@chandler/kube';
import type { ClusterSnapshot, NodeInfo } from './cluster-snapshot.ts';
import type { Filter, NodeCheck, Refusal } from './filter.ts';
import { hostPortFilter } from './host-port-filter.ts';
import { namedNodeFilter, nodeAffinityFilter, nodeNameFilter, unschedulableFilter } from './node-affinity.ts';
import { podAffinityFilter } from './pod-affinity.ts';
import { resourceFilter } from './resource-fit.ts';
import { taintFilter } from './taints.ts';
import { spreadFilter } from './topology-spread.ts';
import { volumeLimitFilter } from './volume-limits.ts';
import { singlePodClaimFilter, volumeFilter, volumeZoneFilter } from './volumes.ts';

const FILTERS: readonly Filter[] = [
  namedNodeFilter,
  unschedulableFilter,
  nodeNameFilter,
  taintFilter,
  nodeAffinityFilter,
  hostPortFilter,
  resourceFilter,
  singlePodClaimFilter,
  volumeLimitFilter,
  volumeFilter,
  volumeZoneFilter,
  spreadFilter,
  podAffinityFilter,
];

export interface Feasibility {
  /** In order of name. */
  readonly nodes: readonly NodeInfo[];
  readonly refusals: ReadonlyMap<string, Refusal>;
  /** Why no node was evaluated. */
  readonly blocked: string | undefined;
}

/** The feasible nodes, and why the others are rejected. */
export function feasibleNodes(pod: Stored<Pod>, snapshot: ClusterSnapshot): Feasibility {
  const prepared = prepare(pod, snapshot);
  const refusals = new Map<string, Refusal>();
  if ('blocked' in prepared) return { nodes: [], refusals, blocked: prepared.blocked };
  const nodes: NodeInfo[] = [];
  for (const node of snapshot.nodes) {
    const refusal = ask(prepared.checks, node);
    if (refusal) refusals.set(node.name, refusal);
    else nodes.push(node);
  }
  return { nodes, refusals, blocked: undefined };
}

/** Undefined when the node is feasible. */
export function refusalOf(
  pod: Stored<Pod>,
  nodeName: string,
  snapshot: ClusterSnapshot,
): Refusal | undefined {
  const node = snapshot.node(nodeName);
  if (!node) return { reasons: [`node "${nodeName}" not found`], resolvable: false };
  const prepared = prepare(pod, snapshot);
  if ('blocked' in prepared) return { reasons: [prepared.blocked], resolvable: false };
  return ask(prepared.checks, node);
}

// ---------------------------------------------------------------------------------------------------

function prepare(pod: Stored<Pod>, snapshot: ClusterSnapshot): { checks: NodeCheck[] } | { blocked: string } {
  const checks: NodeCheck[] = [];
  for (const filter of FILTERS) {
    const check = filter(pod, snapshot);
    if (check === undefined) continue;
    if (typeof check !== 'function') return check;
    checks.push(check);
  }
  return { checks };
}

function ask(checks: readonly NodeCheck[], node: NodeInfo): Refusal | undefined {
  for (const check of checks) {
    const refusal = check(node);
    if (refusal) return refusal;
  }
  return undefined;
}
