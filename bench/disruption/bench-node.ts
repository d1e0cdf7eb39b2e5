/** A managed node of the benchmarks of disruption, as both Chandler and upstream get it. */
import { CapacityType, KarpenterLabel, KubernetesLabel } from '../../packages/chandler/src/api/index.ts';
import type { DisruptionInput, DisruptionNode } from '../../packages/chandler/src/disruption/index.ts';
import type { ExistingNode, Pod, PoolInput } from '../../packages/chandler/src/scheduling/index.ts';
import { CATEGORY, catalogue, FAMILY, type TypeRow } from '../scheduling/catalogue.ts';
import { CATALOGUE, HOST, ZONE } from '../scheduling/shapes.ts';

export const NOW_MS = Date.parse('2026-06-02T12:00:00Z');
export const POOL = 'default';

export interface BenchNode {
  readonly name: string;
  readonly row: TypeRow;
  readonly zone: string;
  /** Default on-demand. */
  readonly capacityType?: string;
  readonly pods: readonly Pod[];
}

export function benchNode({ name, row, zone, capacityType, pods }: BenchNode): DisruptionNode {
  const { type, allocatable, arch, family, category } = row;
  const labels = {
    [HOST]: name,
    [ZONE]: zone,
    [KubernetesLabel.instanceType]: type.name,
    [KubernetesLabel.arch]: arch,
    [KubernetesLabel.os]: 'linux',
    [FAMILY]: family,
    [CATEGORY]: category,
    [KarpenterLabel.capacityType]: capacityType ?? CapacityType.onDemand,
    [KarpenterLabel.nodePool]: POOL,
  };
  const amounts = {
    cpu: `${allocatable.cpuMilli}m`,
    memory: `${allocatable.memoryMi}Mi`,
    pods: `${allocatable.pods}`,
  };
  return {
    name,
    nodePool: POOL,
    labels,
    node: {
      metadata: { name, labels },
      status: { capacity: type.capacity, allocatable: amounts, conditions: [True('Ready')] },
    },
    claim: {
      metadata: { name: `claim-${name}`, uid: `uid-${name}`, creationTimestamp: LONG_AGO, labels },
      spec: {
        nodeClassRef: { group: 'bench.chandler.sh', kind: 'BenchNodeClass', name: 'default' },
        requirements: [],
      },
      status: { nodeName: name, conditions: [True('Initialized'), True('Consolidatable')] },
    },
    registered: true,
    initialized: true,
    deleting: false,
    pods: pods.map((pod) => boundTo(pod, name)),
  };
}

export function boundTo(pod: Pod, node: string): Pod {
  return { ...pod, spec: { ...pod.spec, nodeName: node } };
}

/** The cluster of these nodes, without pending pods. */
export function benchCluster(nodes: readonly DisruptionNode[], pools: readonly PoolInput[]): DisruptionInput {
  return {
    scheduling: {
      pods: [],
      pools,
      nodes: nodes.map(existingOf),
      boundPods: nodes.flatMap(({ pods }) => pods),
      catalogues: { [CATALOGUE]: TYPES },
      wellKnownLabels: [FAMILY, CATEGORY],
    },
    nodes,
    pools,
    podDisruptionBudgets: [],
  };
}

/** The pool with this budget for all reasons. */
export function withBudget(pool: PoolInput, nodes: string): PoolInput {
  const { nodePool } = pool;
  const disruption = { ...nodePool.spec.disruption!, budgets: [{ nodes }] };
  return { ...pool, nodePool: { ...nodePool, spec: { ...nodePool.spec, disruption } } };
}

// ---------------------------------------------------------------------------------------------------

const LONG_AGO = '2026-06-01T00:00:00Z';
const TYPES = catalogue().map(({ type }) => type);

function True(condition: string) {
  return {
    type: condition,
    status: 'True' as const,
    reason: condition,
    message: '',
    lastTransitionTime: LONG_AGO,
  };
}

function existingOf({ name, labels, node }: DisruptionNode): ExistingNode {
  const { allocatable = {}, capacity = {} } = node!.status!;
  return { name, labels, taints: [], allocatable, capacity, managed: true, initialized: true };
}
