/**
 * Builders for the input of the engine. Everything has a default, so that a test states only what it is
 * about: a pod requests 100m and 128Mi, a type has 4 cores and 16Gi in three zones on demand, a pool allows
 * every type.
 */
import type { NodePoolSpec, ResourceList } from '../../packages/chandler/src/api/index.ts';
import type {
  DaemonSet,
  ExistingNode,
  InstanceType,
  LabelRequirement,
  Offering,
  Overhead,
  Pod,
  PodAffinityTerm,
  PodSpec,
  PoolInput,
  SchedulingInput,
  SpreadConstraint,
} from '../../packages/chandler/src/scheduling/index.ts';

import * as short from './shorthand.ts';

type Amount = string | number;

export interface PodWish {
  name?: string;
  namespace?: string;
  cpu?: Amount;
  memory?: Amount;
  /** Resources besides cpu and memory. */
  requests?: Readonly<Record<string, Amount>>;
  labels?: Readonly<Record<string, Amount>>;
  nodeSelector?: Readonly<Record<string, Amount>>;
  /** One term as a list of requirements, or several terms of which one must hold. */
  require?: readonly string[] | readonly (readonly string[])[];
  prefer?: readonly { weight?: number; term: readonly string[] }[];
  tolerate?: readonly string[];
  spread?: readonly (string | SpreadConstraint)[];
  affinity?: readonly (string | PodAffinityTerm)[];
  antiAffinity?: readonly (string | PodAffinityTerm)[];
  preferAffinity?: readonly { weight?: number; term: string }[];
  preferAntiAffinity?: readonly { weight?: number; term: string }[];
  /** `8080`, `8080/UDP`, `10.0.0.1:8080`. */
  ports?: readonly (string | number)[];
  /** Names of volume claims. */
  claims?: readonly string[];
  priority?: number;
  created?: string;
  uid?: string;
  /** The node it sits on. */
  on?: string;
  ownedBy?: { kind: string; name: string };
  phase?: string;
  /** For whatever has no short form. */
  spec?: Partial<PodSpec>;
}

export function aPod(wish: PodWish = {}): Pod {
  const { name = 'pod', namespace = 'default', ownedBy } = wish;
  const owner = ownedBy && {
    apiVersion: 'apps/v1',
    kind: ownedBy.kind,
    name: ownedBy.name,
    uid: `${ownedBy.kind}/${ownedBy.name}`,
    controller: true,
  };
  return {
    metadata: {
      name,
      namespace,
      uid: wish.uid ?? `uid-${namespace}-${name}`,
      creationTimestamp: wish.created ?? '2025-01-01T00:00:00Z',
      ...(wish.labels ? { labels: short.labels(wish.labels) } : {}),
      ...(owner ? { ownerReferences: [owner] } : {}),
    },
    spec: { ...podSpec(wish), ...wish.spec },
    ...(wish.phase === undefined ? {} : { status: { phase: wish.phase } }),
  };
}

/** `web-1` to `web-n`, all alike. */
export function podsLike(count: number, wish: PodWish = {}): Pod[] {
  return Array.from({ length: count }, (_, at) => aPod({ ...wish, name: `${wish.name ?? 'pod'}-${at + 1}` }));
}

export function aDaemonSet(wish: PodWish = {}): DaemonSet {
  const { metadata, spec } = aPod({ namespace: 'kube-system', name: 'daemon', ...wish });
  return {
    metadata: { name: metadata.name!, namespace: metadata.namespace!, uid: `DaemonSet/${metadata.name}` },
    spec: { template: { metadata: { labels: metadata.labels ?? {} }, spec } },
  };
}

export interface OfferingWish {
  zone?: string;
  capacity?: string;
  price?: number;
  available?: boolean;
  reservation?: { id: string; capacity: number };
  labels?: Readonly<Record<string, Amount>>;
  capacityOverride?: ResourceList;
  overheadOverride?: Overhead;
}

export function anOffering(wish: OfferingWish = {}): Offering {
  const { zone = 'zone-1', capacity = 'on-demand', price = 0.2, reservation, labels = {} } = wish;
  const all: Record<string, string> = {
    [short.ZONE]: zone,
    [short.CAPACITY_TYPE]: capacity,
    ...short.labels(labels),
  };
  return {
    requirements: Object.entries(all).map(([key, value]) => isOneOf(key, [value])),
    price,
    ...(wish.available === undefined ? {} : { available: wish.available }),
    ...(reservation ? { reservation } : {}),
    ...(wish.capacityOverride ? { capacityOverride: wish.capacityOverride } : {}),
    ...(wish.overheadOverride ? { overheadOverride: wish.overheadOverride } : {}),
  };
}

export interface TypeWish {
  name?: string;
  cpu?: Amount;
  memory?: Amount;
  pods?: Amount;
  /** Resources besides cpu, memory and pods. */
  capacity?: Readonly<Record<string, Amount>>;
  /** On demand; spot is 40 % of it. Default 5 cents for a core. */
  price?: number;
  arch?: string;
  os?: string;
  zones?: readonly string[];
  capacities?: readonly string[];
  labels?: Readonly<Record<string, Amount>>;
  requirements?: readonly string[];
  offerings?: readonly OfferingWish[];
  overhead?: Overhead;
}

export const ZONES: readonly string[] = ['zone-1', 'zone-2', 'zone-3'];

export function aType(wish: TypeWish = {}): InstanceType {
  const { name = 'medium', cpu = 4, memory = '16Gi', pods = 110, zones = ZONES } = wish;
  const { capacities = ['on-demand'], price = Number(cpu) * 0.05, arch = 'amd64', os = 'linux' } = wish;
  const offerings = (wish.offerings ?? everyOffering(zones, capacities, price)).map(anOffering);
  const custom = Object.entries(short.labels(wish.labels)).map(([key, value]) => isOneOf(key, [value]));
  return {
    name,
    requirements: [
      isOneOf(short.TYPE, [name]),
      isOneOf(short.ARCH, [arch]),
      isOneOf(short.OS, [os]),
      isOneOf(short.ZONE, valuesOf(offerings, short.ZONE)),
      isOneOf(short.CAPACITY_TYPE, valuesOf(offerings, short.CAPACITY_TYPE)),
      ...custom,
      ...(wish.requirements ?? []).map(short.requirement),
    ].filter(({ operator, values = [] }) => operator !== 'In' || values.length > 0),
    offerings,
    capacity: amounts({ cpu, memory, pods, ...wish.capacity }),
    ...(wish.overhead ? { overhead: wish.overhead } : {}),
  };
}

/** What a test gets that names no types: three sizes, amd64, three zones, on demand, at 5 cents for a core. */
export const STANDARD_TYPES: readonly InstanceType[] = [
  aType({ name: 'small', cpu: 2, memory: '8Gi' }),
  aType({ name: 'medium', cpu: 4, memory: '16Gi' }),
  aType({ name: 'large', cpu: 16, memory: '64Gi' }),
];

export interface PoolWish {
  name?: string;
  weight?: number;
  limits?: Readonly<Record<string, Amount>>;
  taints?: readonly string[];
  startupTaints?: readonly string[];
  labels?: Readonly<Record<string, Amount>>;
  annotations?: Readonly<Record<string, string>>;
  requirements?: readonly string[];
  types?: readonly InstanceType[] | string;
  used?: Readonly<Record<string, Amount>>;
  replicas?: number;
}

export function aPool(wish: PoolWish = {}): PoolInput {
  const { name = 'default', types = STANDARD_TYPES } = wish;
  const spec = {
    ...(wish.weight === undefined ? {} : { weight: wish.weight }),
    ...(wish.replicas === undefined ? {} : { replicas: wish.replicas }),
    ...(wish.limits ? { limits: amounts(wish.limits) } : {}),
    template: {
      metadata: { labels: short.labels(wish.labels), annotations: { ...wish.annotations } },
      spec: {
        nodeClassRef: { group: 'example.com', kind: 'NodeClass', name: 'default' },
        requirements: (wish.requirements ?? []).map(short.requirement),
        ...(wish.taints ? { taints: wish.taints.map(short.taint) } : {}),
        ...(wish.startupTaints ? { startupTaints: wish.startupTaints.map(short.taint) } : {}),
      },
    },
  };
  return {
    nodePool: { metadata: { name, uid: `pool-${name}` }, spec: spec as unknown as NodePoolSpec },
    instanceTypes: types,
    ...(wish.used ? { used: amounts(wish.used) } : {}),
  };
}

export interface NodeWish {
  name?: string;
  cpu?: Amount;
  memory?: Amount;
  pods?: Amount;
  capacity?: Readonly<Record<string, Amount>>;
  zone?: string;
  /** The pool it was bought from; none for a node that is not ours. */
  pool?: string;
  type?: string;
  labels?: Readonly<Record<string, Amount>>;
  taints?: readonly string[];
  startupTaints?: readonly string[];
  initialized?: boolean;
}

export function aNode(wish: NodeWish = {}): ExistingNode {
  const { name = 'node-1', cpu = 4, memory = '16Gi', pods = 110, zone = 'zone-1', type = 'medium' } = wish;
  const ours = {
    [short.POOL]: wish.pool ?? '',
    [short.CAPACITY_TYPE]: 'on-demand',
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
  };
  return {
    name,
    labels: {
      [short.HOST]: name,
      [short.ZONE]: zone,
      [short.ARCH]: 'amd64',
      [short.OS]: 'linux',
      [short.TYPE]: type,
      ...(wish.pool === undefined ? {} : ours),
      ...short.labels(wish.labels),
    },
    allocatable: amounts({ cpu, memory, pods, ...wish.capacity }),
    ...(wish.taints ? { taints: wish.taints.map(short.taint) } : {}),
    ...(wish.startupTaints ? { startupTaints: wish.startupTaints.map(short.taint) } : {}),
    ...(wish.initialized === undefined ? {} : { initialized: wish.initialized }),
  };
}

/** A snapshot with one pool of standard types, unless told otherwise. */
export function aCluster(parts: Partial<SchedulingInput> = {}): SchedulingInput {
  return { pools: [aPool()], pods: [], ...parts };
}

export function podKey(pod: Pod): string {
  return `${pod.metadata.namespace ?? 'default'}/${pod.metadata.name}`;
}

// ---------------------------------------------------------------------------------------------------

function podSpec(wish: PodWish): PodSpec {
  const requests = amounts({ cpu: wish.cpu ?? '100m', memory: wish.memory ?? '128Mi', ...wish.requests });
  const affinity = affinityOf(wish);
  return {
    containers: [
      { name: 'main', resources: { requests }, ...(wish.ports ? { ports: wish.ports.map(port) } : {}) },
    ],
    ...(wish.on === undefined ? {} : { nodeName: wish.on }),
    ...(wish.nodeSelector ? { nodeSelector: short.labels(wish.nodeSelector) } : {}),
    ...(affinity ? { affinity } : {}),
    ...(wish.tolerate ? { tolerations: wish.tolerate.map(short.toleration) } : {}),
    ...(wish.spread
      ? { topologySpreadConstraints: wish.spread.map((s) => (typeof s === 'string' ? short.spread(s) : s)) }
      : {}),
    ...(wish.claims
      ? {
          volumes: wish.claims.map((claimName, at) => ({
            name: `v${at}`,
            persistentVolumeClaim: { claimName },
          })),
        }
      : {}),
    ...(wish.priority === undefined ? {} : { priority: wish.priority }),
  };
}

function affinityOf(wish: PodWish): PodSpec['affinity'] {
  const { require, prefer, affinity, antiAffinity, preferAffinity, preferAntiAffinity } = wish;
  const toTerm = (t: string | PodAffinityTerm) => (typeof t === 'string' ? short.affinityTerm(t) : t);
  const weigh = (list: readonly { weight?: number; term: string }[]) =>
    list.map(({ weight = 1, term }) => ({ weight, podAffinityTerm: short.affinityTerm(term) }));
  const parts = {
    ...(require || prefer
      ? {
          nodeAffinity: {
            ...(require
              ? { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: termsOf(require) } }
              : {}),
            ...(prefer
              ? {
                  preferredDuringSchedulingIgnoredDuringExecution: prefer.map(({ weight = 1, term }) => ({
                    weight,
                    preference: { matchExpressions: term.map(short.requirement) },
                  })),
                }
              : {}),
          },
        }
      : {}),
    ...podAffinity('podAffinity', affinity?.map(toTerm), preferAffinity && weigh(preferAffinity)),
    ...podAffinity(
      'podAntiAffinity',
      antiAffinity?.map(toTerm),
      preferAntiAffinity && weigh(preferAntiAffinity),
    ),
  };
  return Object.keys(parts).length > 0 ? parts : undefined;
}

function podAffinity(name: string, required: object | undefined, preferred: object | undefined): object {
  if (!required && !preferred) return {};
  return {
    [name]: {
      ...(required ? { requiredDuringSchedulingIgnoredDuringExecution: required } : {}),
      ...(preferred ? { preferredDuringSchedulingIgnoredDuringExecution: preferred } : {}),
    },
  };
}

function termsOf(require: NonNullable<PodWish['require']>): { matchExpressions: LabelRequirement[] }[] {
  const terms = require.every((part) => typeof part === 'string')
    ? [require]
    : (require as readonly string[][]);
  return terms.map((term) => ({ matchExpressions: (term as readonly string[]).map(short.requirement) }));
}

function port(wish: string | number): { hostPort: number; protocol: string; hostIP?: string } {
  const [, ip, number, protocol = 'TCP'] = /^(?:([\d.]+):)?(\d+)(?:\/(\w+))?$/.exec(String(wish))!;
  return { hostPort: Number(number), protocol, ...(ip === undefined ? {} : { hostIP: ip }) };
}

function everyOffering(
  zones: readonly string[],
  capacities: readonly string[],
  price: number,
): OfferingWish[] {
  return capacities.flatMap((capacity) =>
    zones.map((zone) => ({ zone, capacity, price: capacity === 'spot' ? round(price * 0.4) : round(price) })),
  );
}

function round(price: number): number {
  return Math.round(price * 1e6) / 1e6;
}

function valuesOf(offerings: readonly Offering[], key: string): string[] {
  const values = offerings.flatMap(({ requirements }) => requirements.filter((r) => r.key === key));
  return [...new Set(values.flatMap((r) => r.values ?? []))];
}

function isOneOf(key: string, values: readonly string[]): LabelRequirement {
  return { key, operator: 'In', values };
}

function amounts(list: Readonly<Record<string, Amount>>): ResourceList {
  return Object.fromEntries(Object.entries(list).map(([name, amount]) => [name, String(amount)]));
}
