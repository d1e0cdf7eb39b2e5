/** Builders for the tests that repeat scenarios of upstream's disruption specs, and readers of plans. */
import {
  type DisruptionInput,
  type DisruptionNode,
  type DisruptionOptions,
  type DisruptionPlan,
  type JudgedNode,
  judgeNodes,
  planDisruption,
} from '../../packages/chandler/src/disruption/index.ts';
import {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  type ClusterShape,
  NOW,
  type NodeShape,
  type PoolShape,
  PriceBook,
} from '../../packages/chandler/src/disruption/testing.ts';
import { finish, type InstanceType, type Pod } from '../../packages/chandler/src/scheduling/index.ts';
import { aPod, aType, pods } from '../../packages/chandler/src/scheduling/testing.ts';

export const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';
export const MINUTE = 60_000;
export const TYPE_LABEL = 'node.kubernetes.io/instance-type';

/** t01 to t20 with 2 to 32 cores, on demand and spot; the larger, the more expensive. */
export const ASSORTED: readonly InstanceType[] = Array.from({ length: 20 }, (_, at) =>
  aType(`t${String(at + 1).padStart(2, '0')}`, { cpu: at < 10 ? 2 : 32, price: 0.1 + at / 100 }),
);
export const DEAREST = 't20';
export const CHEAPEST = 't01';

export const onDemandOnly = (name: string, cpu: number, price: number): InstanceType =>
  aType(name, { cpu, price, capacityTypes: ['on-demand'] });

export function plan(
  nodes: readonly DisruptionNode[],
  shape: ClusterShape = {},
  options: DisruptionOptions = {},
  nowMs = NOW,
): DisruptionPlan {
  return planDisruption(aCluster(nodes, shape), options, nowMs);
}

/** Pools over the assorted types. */
export function assorted(shape: PoolShape = {}, name = 'default') {
  return aDisruptedPool(name, { types: ASSORTED, ...shape });
}

/** A node of 32 cores of the most expensive type, with pods. */
export function big(name: string, own: readonly Pod[], shape: NodeShape = {}): DisruptionNode {
  return aManagedNode(name, { type: DEAREST, cpu: 32, pods: own, ...shape });
}

/** Like the other, but of the cheapest type: no replacement is cheaper, so it can only be deleted. */
export function cheap(name: string, own: readonly Pod[], shape: NodeShape = {}): DisruptionNode {
  return aManagedNode(name, { type: CHEAPEST, cpu: 32, pods: own, ...shape });
}

/** Pods of a ReplicaSet with this name. */
export function replicas(count: number, name: string, cpu = '100m', labels = { app: name }): Pod[] {
  return pods(count, name, { cpu, labels, owner: 'ReplicaSet' });
}

export function annotated(pod: Pod, annotations: Record<string, string>, more: Partial<Pod> = {}): Pod {
  return { ...pod, ...more, metadata: { ...pod.metadata, annotations } };
}

export const protectedPod = (name: string, more: Partial<Pod> = {}): Pod =>
  annotated(aPod(name, { cpu: '100m', owner: 'ReplicaSet' }), { [DO_NOT_DISRUPT]: 'true' }, more);

export const terminating = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: '2026-06-02T11:59:00Z' },
});

/** The nodes of each command. */
export const removed = ({ commands }: DisruptionPlan): readonly (readonly string[])[] =>
  commands.map(({ candidates }) => candidates.map(({ name }) => name));

/** The nodes of all commands. */
export const gone = (result: DisruptionPlan): readonly string[] => removed(result).flat().sort();

export function keepsOf({ nodes }: DisruptionPlan, node: string): readonly string[] {
  return nodes
    .find(({ name }) => name === node)!
    .keeps.map((keep) => ('block' in keep ? keep.block.code : keep.rejection.code));
}

/** `reason: message` of the events about the node. */
export function eventsOf({ nodes }: DisruptionPlan, node: string): readonly string[] {
  return nodes
    .find(({ name }) => name === node)!
    .keeps.flatMap(({ event }) => (event === undefined ? [] : [`${event.reason}: ${event.message}`]));
}

export function judged(input: DisruptionInput, options: DisruptionOptions = {}): readonly JudgedNode[] {
  return finish(judgeNodes(input, new PriceBook(input.pools, input.scheduling), options, NOW));
}
