/**
 * Builders for workloads: pods, pools, type requirements. Plain values in the shapes of the engine's input,
 * which are those of Kubernetes.
 */
import { CapacityType, KarpenterLabel, KubernetesLabel } from '../../packages/chandler/src/api/index.ts';
import type {
  LabelRequirement,
  Pod,
  PodSpec,
  PoolInput,
  SchedulingInput,
} from '../../packages/chandler/src/scheduling/index.ts';

/** One input for both engines, and what is expected of a correct answer. */
export interface Workload {
  readonly name: string;
  readonly input: SchedulingInput;
  /** How many pods a correct plan places; the others cannot fit. */
  readonly placeable: number;
  /**
   * What the same planner planned before, by round: other pods of the same kind, drawn from another seed, on the same
   * cluster. It warms the planner up.
   */
  readonly earlier: (round: number) => SchedulingInput;
}

export interface PodShape {
  readonly namespace?: string;
  readonly labels: Record<string, string>;
  readonly cpuMilli: number;
  readonly memoryMi: number;
  readonly resources?: Record<string, string>;
  readonly spec?: Omit<PodSpec, 'containers'>;
}

/**
 * A pod whose name and UID count up, so that pods of equal size are taken in the order of generation. (Upstream's
 * own benchmark leaves that order to random UIDs.)
 */
export function podOf(shape: PodShape, index: number, prefix = 'pod'): Pod {
  const number = String(index).padStart(12, '0');
  return {
    metadata: {
      name: `${prefix}-${number}`,
      namespace: shape.namespace ?? 'default',
      uid: `00000000-0000-4000-8000-${number}`,
      labels: { ...shape.labels },
    },
    spec: {
      ...shape.spec,
      containers: [
        {
          name: 'main',
          resources: {
            requests: { cpu: `${shape.cpuMilli}m`, memory: `${shape.memoryMi}Mi`, ...shape.resources },
          },
        },
      ],
    },
  };
}

export interface PoolShape {
  readonly name: string;
  readonly weight?: number;
  readonly labels?: Record<string, string>;
  readonly requirements?: readonly LabelRequirement[];
  readonly taints?: readonly { key: string; value: string; effect: 'NoSchedule' }[];
  readonly limits?: Record<string, string>;
}

/** A pool over the shared catalogue. */
export function poolOf(shape: PoolShape): PoolInput {
  return {
    nodePool: {
      metadata: { name: shape.name, uid: `pool-${shape.name}` },
      spec: {
        ...(shape.weight === undefined ? {} : { weight: shape.weight }),
        ...(shape.limits === undefined ? {} : { limits: shape.limits }),
        disruption: { consolidateAfter: '0s', consolidationPolicy: 'WhenEmptyOrUnderutilized' },
        template: {
          metadata: { labels: { ...shape.labels } },
          spec: {
            nodeClassRef: { group: 'bench.chandler.sh', kind: 'BenchNodeClass', name: 'default' },
            requirements: (shape.requirements ?? []).map((r) => ({ ...r, values: [...(r.values ?? [])] })),
            ...(shape.taints === undefined ? {} : { taints: shape.taints.map((taint) => ({ ...taint })) }),
          },
        },
      },
    } as PoolInput['nodePool'],
    instanceTypes: CATALOGUE,
  };
}

/** The name of the one list of instance types that all pools of a workload share. */
export const CATALOGUE = 'bench';

export const ZONE = KubernetesLabel.zone;
export const HOST = KubernetesLabel.hostname;

export function oneOf(key: string, ...values: string[]): LabelRequirement {
  return { key, operator: 'In', values };
}

export function offeringOf(zone: string, capacityType: string, price: number) {
  return {
    requirements: [oneOf(ZONE, zone), oneOf(KarpenterLabel.capacityType, capacityType)],
    price,
    available: true,
  };
}

export const SPOT = CapacityType.spot;
export const ON_DEMAND = CapacityType.onDemand;

/** An even spread of the pods that carry these labels. */
export function spread(
  key: string,
  matchLabels: Record<string, string>,
  whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway',
  maxSkew = 1,
) {
  return { maxSkew, topologyKey: key, whenUnsatisfiable, labelSelector: { matchLabels } };
}

export function affinityTerm(key: string, matchLabels: Record<string, string>) {
  return { topologyKey: key, labelSelector: { matchLabels } };
}
