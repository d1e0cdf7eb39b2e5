/** Builders for the tests of this module: nodes with their claims, pods and NodePools, as a cluster has them. */
import type { PodDisruptionBudget } from '@chandler/kube';
import {
  type Budget,
  CapacityType,
  KarpenterLabel,
  KubernetesLabel,
  type NodeClaim,
  type NodePoolSpec,
} from '../api/index.ts';
import type { ExistingNode, InstanceType, Pod, PoolInput, SchedulingInput } from '../scheduling/index.ts';
import { aPool, aType } from '../scheduling/testing.ts';
import type { DisruptionInput, DisruptionNode } from './model.ts';

export const NOW = Date.parse('2026-06-02T12:00:00Z');
const LONG_AGO = '2026-06-01T00:00:00Z';

/** s 2 cores $0.10, m 4 cores $0.20, l 16 cores $0.80; spot costs 40 %. */
export const TYPES: readonly InstanceType[] = [
  aType('s', { cpu: 2, price: 0.1 }),
  aType('m', { cpu: 4, price: 0.2 }),
  aType('l', { cpu: 16, price: 0.8 }),
];
const CPU_OF: Readonly<Record<string, number>> = { s: 2, m: 4, l: 16 };

export interface PoolShape {
  readonly budgets?: readonly Budget[];
  readonly policy?: NonNullable<NodePoolSpec['disruption']>['consolidationPolicy'];
  readonly consolidateAfter?: string;
  readonly types?: readonly InstanceType[];
  readonly replicas?: number;
  readonly requirements?: NodePoolSpec['template']['spec']['requirements'];
  readonly limits?: Record<string, string>;
}

export function aDisruptedPool(name = 'default', shape: PoolShape = {}): PoolInput {
  const { types = TYPES, requirements, limits } = shape;
  const pool = aPool(name, {
    types,
    ...(requirements === undefined ? {} : { requirements }),
    ...(limits === undefined ? {} : { limits }),
  });
  const { consolidateAfter = '0s', policy = 'WhenEmptyOrUnderutilized', budgets = [], replicas } = shape;
  const spec: NodePoolSpec = {
    ...pool.nodePool.spec,
    disruption: { consolidateAfter, consolidationPolicy: policy, budgets: [...budgets] },
    ...(replicas === undefined ? {} : { replicas }),
  };
  return { ...pool, nodePool: { ...pool.nodePool, spec } };
}

export interface NodeShape {
  readonly pool?: string;
  readonly type?: string;
  readonly cpu?: number;
  readonly zone?: string;
  readonly capacityType?: string;
  readonly pods?: readonly Pod[];
  /** Conditions of the claim besides the usual ones: True, or absent when undefined; with a time as text. */
  readonly conditions?: Readonly<Record<string, boolean | string | undefined>>;
  readonly ready?: boolean;
  readonly annotations?: Record<string, string>;
  readonly claimSpec?: Partial<NodeClaim['spec']>;
  readonly labels?: Readonly<Record<string, string | undefined>>;
  readonly lastPodEventTime?: string;
  readonly more?: Partial<DisruptionNode>;
}

export function aManagedNode(name: string, shape: NodeShape = {}): DisruptionNode {
  const { pool = 'default', type = 'm', zone = 'zone-a', capacityType = CapacityType.onDemand } = shape;
  const labels = withoutUndefined({
    [KubernetesLabel.hostname]: name,
    [KubernetesLabel.instanceType]: type,
    [KubernetesLabel.zone]: zone,
    [KubernetesLabel.arch]: 'amd64',
    [KubernetesLabel.os]: 'linux',
    [KarpenterLabel.capacityType]: capacityType,
    [KarpenterLabel.nodePool]: pool,
    ...shape.labels,
  });
  const conditions = { Initialized: true, Consolidatable: true, ...shape.conditions };
  const annotations = shape.annotations === undefined ? {} : { annotations: shape.annotations };
  const cpu = shape.cpu ?? CPU_OF[type] ?? 4;
  const amounts = { cpu: `${cpu}`, memory: `${cpu * 4}Gi`, pods: '110' };
  return {
    name,
    nodePool: labels[KarpenterLabel.nodePool],
    labels,
    node: {
      metadata: { name, labels, ...annotations },
      status: {
        capacity: amounts,
        allocatable: amounts,
        conditions: [{ type: 'Ready', status: (shape.ready ?? true) ? 'True' : 'False' }],
      },
    },
    claim: {
      metadata: { name: `claim-${name}`, uid: `uid-${name}`, creationTimestamp: LONG_AGO, labels },
      spec: {
        nodeClassRef: { group: 'example.sh', kind: 'TestNodeClass', name: 'default' },
        requirements: [],
        ...shape.claimSpec,
      },
      status: {
        nodeName: name,
        ...(shape.lastPodEventTime === undefined ? {} : { lastPodEventTime: shape.lastPodEventTime }),
        conditions: Object.entries(conditions).flatMap(([conditionType, value]) =>
          value === undefined || value === false
            ? []
            : [
                {
                  type: conditionType,
                  status: 'True' as const,
                  reason: conditionType,
                  message: '',
                  lastTransitionTime: value === true ? LONG_AGO : value,
                },
              ],
        ),
      },
    },
    registered: true,
    initialized: true,
    deleting: false,
    pods: (shape.pods ?? []).map((pod) => ({ ...pod, spec: { ...pod.spec, nodeName: name } })),
    ...shape.more,
  };
}

export interface ClusterShape {
  readonly pools?: readonly PoolInput[];
  readonly pending?: readonly Pod[];
  readonly budgets?: readonly PodDisruptionBudget[];
  readonly scheduling?: Partial<SchedulingInput>;
}

/** A cluster of these nodes. Nodes that are being deleted are not offered to the planner. */
export function aCluster(nodes: readonly DisruptionNode[], shape: ClusterShape = {}): DisruptionInput {
  const pools = shape.pools ?? [aDisruptedPool()];
  const staying = nodes.filter(({ deleting }) => !deleting);
  return {
    scheduling: {
      pools: pools.filter(({ nodePool }) => nodePool.spec.replicas === undefined),
      nodes: staying.map(existingOf),
      boundPods: staying.flatMap(({ pods }) => pods),
      pods: shape.pending ?? [],
      ...shape.scheduling,
    },
    nodes,
    pools,
    podDisruptionBudgets: shape.budgets ?? [],
  };
}

export function aPdb(name: string, app: string, allowed: number): PodDisruptionBudget {
  return {
    metadata: { name, namespace: 'shop' },
    spec: { selector: { matchLabels: { app } }, maxUnavailable: 1 },
    status: { disruptionsAllowed: allowed },
  };
}

// ---------------------------------------------------------------------------------------------------

function existingOf({ name, labels, node, claim, initialized }: DisruptionNode): ExistingNode {
  const { allocatable = {}, capacity = {} } = node?.status ?? {};
  return {
    name,
    labels,
    taints: node?.spec?.taints ?? [],
    allocatable,
    capacity,
    managed: claim !== undefined,
    initialized,
  };
}

function withoutUndefined(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
