/** The cluster of a simulation: which nodes get pods, and where pods are that a command has moved. */
import {
  type ExistingNode,
  type Plan,
  type Pod,
  type PoolInput,
  type SchedulingInput,
  usageAfter,
} from '../scheduling/index.ts';
import { nameOf, settledAtMs } from './candidates.ts';
import type { DisruptionInput } from './model.ts';

/** Why pods do not fit is asked for in single requests. */
export function withoutSearch(scheduling: SchedulingInput): SchedulingInput {
  const { options } = scheduling;
  return {
    ...scheduling,
    options: {
      ...options,
      improveEffort: 0,
      reservedMode: 'fallback',
      explain: false,
      maxPreferenceCost: -1,
      statePreferenceCost: false,
    },
  };
}

/** What limited pools use, where it is not given: nodes that commands remove go on counting. */
export function withUsage(scheduling: SchedulingInput): SchedulingInput {
  const { pools, nodes = [] } = scheduling;
  const lacks = ({ nodePool, used }: PoolInput) => used === undefined && nodePool.spec.limits !== undefined;
  if (!pools.some(lacks)) return scheduling;
  const summed = (pool: PoolInput) => usageAfter([{ ...pool, used: {} }], [], nodes);
  return { ...scheduling, pools: pools.flatMap((pool) => (lacks(pool) ? summed(pool) : [pool])) };
}

const UNBOUND = new WeakMap<Pod, Pod>();

export function unbound(pod: Pod): Pod {
  const known = UNBOUND.get(pod);
  if (known !== undefined) return known;
  const { nodeName: _, ...spec } = pod.spec;
  const free: Pod = { ...pod, spec };
  UNBOUND.set(pod, free);
  return free;
}

const CLOSED = new WeakMap<ExistingNode, ExistingNode>();

/** The same node, on which no further pod fits. It remains a domain of its topology. */
export function withoutRoom(node: ExistingNode): ExistingNode {
  const known = CLOSED.get(node);
  if (known !== undefined) return known;
  const closed = { ...node, allocatable: { ...node.allocatable, pods: '0' } };
  CLOSED.set(node, closed);
  return closed;
}

/** Moved pods are at their old places in the list: the planner reads again only what has changed in it. */
export function rebound(
  pods: readonly Pod[],
  removed: ReadonlySet<string>,
  bound: ReadonlyMap<string, Pod>,
): readonly Pod[] {
  const left = new Map(bound);
  const list = pods.flatMap((pod) => {
    if (!removed.has(pod.spec.nodeName ?? '')) return pod;
    const name = nameOf(pod);
    const moved = left.get(name);
    left.delete(name);
    return moved ?? [];
  });
  return [...list, ...left.values()];
}

/**
 * Pending pods that fit on existing nodes are as good as bound: kube-scheduler will bind them. Those that fit nowhere are left
 * out: they would be tried again in every simulation.
 */
export function withPlaced(scheduling: SchedulingInput, { placements, refusals }: Plan): SchedulingInput {
  const nodeOf = new Map(placements.flatMap(({ node, pods }) => pods.map((pod) => [pod, node])));
  const refused = new Set(refusals.flatMap(({ pods }) => pods));
  const bound: Pod[] = [];
  const pods = scheduling.pods.filter((pod) => {
    if (refused.has(nameOf(pod))) return false;
    const node = nodeOf.get(nameOf(pod));
    if (node !== undefined) bound.push({ ...pod, spec: { ...pod.spec, nodeName: node } });
    return node === undefined;
  });
  return { ...scheduling, pods, boundPods: [...(scheduling.boundPods ?? []), ...bound] };
}

export function unsettledNodes({ nodes, pools }: DisruptionInput, nowMs: number): string[] {
  const byName = new Map(pools.map(({ nodePool }) => [nodePool.metadata.name, nodePool]));
  return nodes.flatMap(({ name, claim, nodePool }) => {
    const pool = byName.get(nodePool);
    if (claim === undefined || pool === undefined) return [];
    const settledMs = settledAtMs(claim, pool);
    return settledMs !== undefined && settledMs > nowMs ? [name] : [];
  });
}
