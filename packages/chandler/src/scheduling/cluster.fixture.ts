/** Builders for the tests of this module: a small cloud with three zones, and builders for pods, pools and nodes. */
import { CapacityType, KarpenterLabel, KubernetesLabel, type NodePoolSpec } from '../api/index.ts';
import type {
  ExistingNode,
  InstanceType,
  LabelRequirement,
  Offering,
  Pod,
  PodSpec,
  PoolInput,
  SchedulingInput,
} from './model.ts';

export const ZONE = KubernetesLabel.zone;
export const HOST = KubernetesLabel.hostname;
export const TYPE = KubernetesLabel.instanceType;
export const CAPACITY = KarpenterLabel.capacityType;
export const ZONES = ['zone-a', 'zone-b', 'zone-c'];

export function oneOf(key: string, ...values: string[]): LabelRequirement {
  return { key, operator: 'In', values };
}

export interface TypeShape {
  readonly cpu?: number;
  readonly memoryGi?: number;
  readonly pods?: number;
  readonly price?: number;
  readonly zones?: readonly string[];
  readonly capacityTypes?: readonly string[];
  readonly arch?: string;
  readonly requirements?: readonly LabelRequirement[];
  readonly capacity?: Readonly<Record<string, string>>;
  readonly offerings?: readonly Offering[];
  readonly overhead?: InstanceType['overhead'];
}

export function anOffering(
  zone: string,
  capacityType: string,
  price: number,
  more: Partial<Offering> = {},
): Offering {
  return { requirements: [oneOf(ZONE, zone), oneOf(CAPACITY, capacityType)], price, ...more };
}

export function aType(name: string, shape: TypeShape = {}): InstanceType {
  const { cpu = 4, memoryGi = cpu * 4, pods = 110, zones = ZONES, arch = 'amd64' } = shape;
  const capacityTypes = shape.capacityTypes ?? [CapacityType.onDemand, CapacityType.spot];
  const price = shape.price ?? cpu * 0.05;
  const offerings = zones.flatMap((zone) =>
    capacityTypes.map((type) => anOffering(zone, type, type === CapacityType.spot ? price * 0.4 : price)),
  );
  return {
    name,
    requirements: [
      oneOf(KubernetesLabel.arch, arch),
      oneOf(KubernetesLabel.os, 'linux'),
      oneOf(ZONE, ...zones),
      oneOf(CAPACITY, ...capacityTypes),
      ...(shape.requirements ?? []),
    ],
    offerings: shape.offerings ?? offerings,
    capacity: { cpu: `${cpu}`, memory: `${memoryGi}Gi`, pods: `${pods}`, ...shape.capacity },
    ...(shape.overhead === undefined ? {} : { overhead: shape.overhead }),
  };
}

/** small 2 cores, medium 4, large 16. */
export const TYPES: readonly InstanceType[] = [
  aType('small', { cpu: 2 }),
  aType('medium', { cpu: 4 }),
  aType('large', { cpu: 16 }),
];

export interface PoolShape {
  readonly types?: PoolInput['instanceTypes'];
  readonly requirements?: NodePoolSpec['template']['spec']['requirements'];
  readonly labels?: Record<string, string>;
  readonly taints?: NodePoolSpec['template']['spec']['taints'];
  readonly weight?: number;
  readonly limits?: Record<string, string>;
  readonly used?: Record<string, string>;
}

export function aPool(name = 'default', shape: PoolShape = {}): PoolInput {
  const { types = TYPES, requirements = [], labels, taints, weight, limits, used } = shape;
  return {
    nodePool: {
      metadata: { name },
      spec: {
        template: {
          ...(labels === undefined ? {} : { metadata: { labels } }),
          spec: {
            nodeClassRef: { group: 'example.sh', kind: 'TestNodeClass', name: 'default' },
            requirements,
            ...(taints === undefined ? {} : { taints }),
          },
        },
        ...(weight === undefined ? {} : { weight }),
        ...(limits === undefined ? {} : { limits }),
      },
    },
    instanceTypes: types,
    ...(used === undefined ? {} : { used }),
  };
}

export interface PodShape extends Partial<PodSpec> {
  readonly cpu?: string;
  readonly memory?: string;
  readonly requests?: Record<string, string>;
  readonly labels?: Record<string, string>;
  readonly namespace?: string;
  readonly hostPort?: number;
  readonly uid?: string;
  readonly created?: string;
  readonly owner?: string;
}

export function aPod(name: string, shape: PodShape = {}): Pod {
  const { cpu, memory, requests, labels, namespace = 'shop', hostPort, uid, created, owner, ...spec } = shape;
  const asked = {
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
    ...requests,
  };
  return {
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(uid === undefined ? {} : { uid }),
      ...(created === undefined ? {} : { creationTimestamp: created }),
      ...(owner === undefined
        ? {}
        : {
            ownerReferences: [
              { apiVersion: 'apps/v1', kind: owner, name: 'owner', uid: 'u', controller: true },
            ],
          }),
    },
    spec: {
      containers: [
        {
          name: 'app',
          resources: { requests: asked },
          ...(hostPort === undefined ? {} : { ports: [{ hostPort }] }),
        },
      ],
      ...spec,
    },
  };
}

/** So many pods of one shape: name-1, name-2, … */
export function pods(count: number, name: string, shape: PodShape = {}): Pod[] {
  return Array.from({ length: count }, (_, index) =>
    aPod(`${name}-${String(index + 1).padStart(3, '0')}`, shape),
  );
}

export interface NodeShape extends Partial<Omit<ExistingNode, 'labels'>> {
  readonly zone?: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly pool?: string;
  readonly labels?: Record<string, string>;
}

export function aNode(name: string, shape: NodeShape = {}): ExistingNode {
  const { zone = 'zone-a', cpu = '4', memory = '16Gi', pool, labels, ...rest } = shape;
  return {
    name,
    labels: {
      [HOST]: name,
      [ZONE]: zone,
      ...(pool === undefined ? {} : { [KarpenterLabel.nodePool]: pool }),
      ...labels,
    },
    allocatable: { cpu, memory, pods: '110' },
    ...rest,
  };
}

export function bound(node: string, ...list: Pod[]): Pod[] {
  return list.map((pod) => ({ ...pod, spec: { ...pod.spec, nodeName: node } }));
}

export function cluster(input: Partial<SchedulingInput>): SchedulingInput {
  return { pools: [aPool()], pods: [], ...input };
}

export function spreadOver(key: string, app: string, more: object = {}): PodShape {
  return {
    labels: { app },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: key,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app } },
        ...more,
      },
    ],
  };
}

export function affinityTo(key: string, app: string) {
  return { topologyKey: key, labelSelector: { matchLabels: { app } } };
}

export function near(key: string, app: string): PodShape {
  return {
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [affinityTo(key, app)] } },
  };
}

export function awayFrom(key: string, app: string): PodShape {
  return {
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [affinityTo(key, app)] } },
  };
}
