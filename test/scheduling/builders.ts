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
  TopologySpreadConstraint,
} from '../../packages/chandler/src/scheduling/index.ts';

import * as short from './shorthand.ts';

type Amount = string | number;

export interface PodOptions {
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
  spread?: readonly (string | TopologySpreadConstraint)[];
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
  /** The node that it is bound to. */
  on?: string;
  ownedBy?: { kind: string; name: string };
  phase?: string;
  /** Fields without a short form. */
  spec?: Partial<PodSpec>;
}

export function aPod(given: PodOptions = {}): Pod {
  const { name = 'pod', namespace = 'default', ownedBy } = given;
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
      uid: given.uid ?? `uid-${namespace}-${name}`,
      creationTimestamp: given.created ?? '2025-01-01T00:00:00Z',
      ...(given.labels ? { labels: short.labels(given.labels) } : {}),
      ...(owner ? { ownerReferences: [owner] } : {}),
    },
    spec: { ...podSpec(given), ...given.spec },
    ...(given.phase === undefined ? {} : { status: { phase: given.phase } }),
  };
}

/** `web-1` to `web-n`, all alike. */
export function podsLike(count: number, given: PodOptions = {}): Pod[] {
  return Array.from({ length: count }, (_, at) =>
    aPod({ ...given, name: `${given.name ?? 'pod'}-${at + 1}` }),
  );
}

export function aDaemonSet(given: PodOptions = {}): DaemonSet {
  const { metadata, spec } = aPod({ namespace: 'kube-system', name: 'daemon', ...given });
  return {
    metadata: { name: metadata.name!, namespace: metadata.namespace!, uid: `DaemonSet/${metadata.name}` },
    spec: { template: { metadata: { labels: metadata.labels ?? {} }, spec } },
  };
}

export interface OfferingOptions {
  zone?: string;
  capacity?: string;
  price?: number;
  available?: boolean;
  reservation?: { id: string; capacity: number };
  labels?: Readonly<Record<string, Amount>>;
  capacityOverride?: ResourceList;
  overheadOverride?: Overhead;
}

export function anOffering(given: OfferingOptions = {}): Offering {
  const { zone = 'zone-1', capacity = 'on-demand', price = 0.2, reservation, labels = {} } = given;
  const all: Record<string, string> = {
    [short.ZONE]: zone,
    [short.CAPACITY_TYPE]: capacity,
    ...short.labels(labels),
  };
  return {
    requirements: Object.entries(all).map(([key, value]) => isOneOf(key, [value])),
    price,
    ...(given.available === undefined ? {} : { available: given.available }),
    ...(reservation ? { reservation } : {}),
    ...(given.capacityOverride ? { capacityOverride: given.capacityOverride } : {}),
    ...(given.overheadOverride ? { overheadOverride: given.overheadOverride } : {}),
  };
}

export interface TypeOptions {
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
  offerings?: readonly OfferingOptions[];
  overhead?: Overhead;
}

export const ZONES: readonly string[] = ['zone-1', 'zone-2', 'zone-3'];

export function aType(given: TypeOptions = {}): InstanceType {
  const { name = 'medium', cpu = 4, memory = '16Gi', pods = 110, zones = ZONES } = given;
  const { capacities = ['on-demand'], price = Number(cpu) * 0.05, arch = 'amd64', os = 'linux' } = given;
  const offerings = (given.offerings ?? everyOffering(zones, capacities, price)).map(anOffering);
  const custom = Object.entries(short.labels(given.labels)).map(([key, value]) => isOneOf(key, [value]));
  return {
    name,
    requirements: [
      isOneOf(short.TYPE, [name]),
      isOneOf(short.ARCH, [arch]),
      isOneOf(short.OS, [os]),
      isOneOf(short.ZONE, valuesOf(offerings, short.ZONE)),
      isOneOf(short.CAPACITY_TYPE, valuesOf(offerings, short.CAPACITY_TYPE)),
      ...custom,
      ...(given.requirements ?? []).map(short.requirement),
    ].filter(({ operator, values = [] }) => operator !== 'In' || values.length > 0),
    offerings,
    capacity: amounts({ cpu, memory, pods, ...given.capacity }),
    ...(given.overhead ? { overhead: given.overhead } : {}),
  };
}

/** The default types of a test: three sizes, amd64, three zones, on demand, at 5 cents for a core. */
export const STANDARD_TYPES: readonly InstanceType[] = [
  aType({ name: 'small', cpu: 2, memory: '8Gi' }),
  aType({ name: 'medium', cpu: 4, memory: '16Gi' }),
  aType({ name: 'large', cpu: 16, memory: '64Gi' }),
];

export interface PoolOptions {
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

export function aPool(given: PoolOptions = {}): PoolInput {
  const { name = 'default', types = STANDARD_TYPES } = given;
  const spec = {
    ...(given.weight === undefined ? {} : { weight: given.weight }),
    ...(given.replicas === undefined ? {} : { replicas: given.replicas }),
    ...(given.limits ? { limits: amounts(given.limits) } : {}),
    template: {
      metadata: { labels: short.labels(given.labels), annotations: { ...given.annotations } },
      spec: {
        nodeClassRef: { group: 'example.com', kind: 'NodeClass', name: 'default' },
        requirements: (given.requirements ?? []).map(short.requirement),
        ...(given.taints ? { taints: given.taints.map(short.taint) } : {}),
        ...(given.startupTaints ? { startupTaints: given.startupTaints.map(short.taint) } : {}),
      },
    },
  };
  return {
    nodePool: { metadata: { name, uid: `pool-${name}` }, spec: spec as unknown as NodePoolSpec },
    instanceTypes: types,
    ...(given.used ? { used: amounts(given.used) } : {}),
  };
}

export interface NodeOptions {
  name?: string;
  cpu?: Amount;
  memory?: Amount;
  pods?: Amount;
  capacity?: Readonly<Record<string, Amount>>;
  zone?: string;
  /** The pool that launched it; none for a node that is not managed. */
  pool?: string;
  type?: string;
  labels?: Readonly<Record<string, Amount>>;
  taints?: readonly string[];
  startupTaints?: readonly string[];
  initialized?: boolean;
}

export function aNode(given: NodeOptions = {}): ExistingNode {
  const { name = 'node-1', cpu = 4, memory = '16Gi', pods = 110, zone = 'zone-1', type = 'medium' } = given;
  const ours = {
    [short.POOL]: given.pool ?? '',
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
      ...(given.pool === undefined ? {} : ours),
      ...short.labels(given.labels),
    },
    allocatable: amounts({ cpu, memory, pods, ...given.capacity }),
    ...(given.taints ? { taints: given.taints.map(short.taint) } : {}),
    ...(given.startupTaints ? { startupTaints: given.startupTaints.map(short.taint) } : {}),
    ...(given.initialized === undefined ? {} : { initialized: given.initialized }),
  };
}

/** A snapshot with one pool of standard types by default. */
export function aCluster(parts: Partial<SchedulingInput> = {}): SchedulingInput {
  return { pools: [aPool()], pods: [], ...parts };
}

export function podKey(pod: Pod): string {
  return `${pod.metadata.namespace ?? 'default'}/${pod.metadata.name}`;
}

// ---------------------------------------------------------------------------------------------------

function podSpec(given: PodOptions): PodSpec {
  const requests = amounts({ cpu: given.cpu ?? '100m', memory: given.memory ?? '128Mi', ...given.requests });
  const affinity = affinityOf(given);
  return {
    containers: [
      { name: 'main', resources: { requests }, ...(given.ports ? { ports: given.ports.map(port) } : {}) },
    ],
    ...(given.on === undefined ? {} : { nodeName: given.on }),
    ...(given.nodeSelector ? { nodeSelector: short.labels(given.nodeSelector) } : {}),
    ...(affinity ? { affinity } : {}),
    ...(given.tolerate ? { tolerations: given.tolerate.map(short.toleration) } : {}),
    ...(given.spread
      ? { topologySpreadConstraints: given.spread.map((s) => (typeof s === 'string' ? short.spread(s) : s)) }
      : {}),
    ...(given.claims
      ? {
          volumes: given.claims.map((claimName, at) => ({
            name: `v${at}`,
            persistentVolumeClaim: { claimName },
          })),
        }
      : {}),
    ...(given.priority === undefined ? {} : { priority: given.priority }),
  };
}

function affinityOf(given: PodOptions): PodSpec['affinity'] {
  const { require, prefer, affinity, antiAffinity, preferAffinity, preferAntiAffinity } = given;
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

function termsOf(require: NonNullable<PodOptions['require']>): { matchExpressions: LabelRequirement[] }[] {
  const terms = require.every((part) => typeof part === 'string')
    ? [require]
    : (require as readonly string[][]);
  return terms.map((term) => ({ matchExpressions: (term as readonly string[]).map(short.requirement) }));
}

function port(given: string | number): { hostPort: number; protocol: string; hostIP?: string } {
  const [, ip, number, protocol = 'TCP'] = /^(?:([\d.]+):)?(\d+)(?:\/(\w+))?$/.exec(String(given))!;
  return { hostPort: Number(number), protocol, ...(ip === undefined ? {} : { hostIP: ip }) };
}

function everyOffering(
  zones: readonly string[],
  capacities: readonly string[],
  price: number,
): OfferingOptions[] {
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
