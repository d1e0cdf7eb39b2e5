/**
 * A cluster for the benchmarks of disruption: nodes with thirty pods each, of applications with a hundred replicas. A fifth of
 * the applications spreads over zones, a tenth keeps its pods on different hosts. Every node has the cheapest type for what it
 * runs at its share of use, so that a well used cluster leaves little to do and a badly used one a lot.
 */
import { CapacityType, KarpenterLabel, KubernetesLabel } from '../packages/chandler/src/api/index.ts';
import type { DisruptionInput, DisruptionNode } from '../packages/chandler/src/disruption/index.ts';
import type { ExistingNode, Pod, PoolInput } from '../packages/chandler/src/scheduling/index.ts';
import { CATEGORY, catalogue, FAMILY, type TypeRow, ZONES } from './scheduling/catalogue.ts';
import { GoRand } from './scheduling/go-rand.ts';
import {
  affinityTerm,
  CATALOGUE,
  HOST,
  oneOf,
  type PodShape,
  podOf,
  poolOf,
  spread,
  ZONE,
} from './scheduling/shapes.ts';

export const PODS_PER_NODE = 30;
export const NOW_MS = Date.parse('2026-06-02T12:00:00Z');

export interface ClusterShape {
  readonly nodes: number;
  /** Of the requests of a node in its allocatable resources. */
  readonly use: readonly [least: number, most: number];
  /** Of the NodePool. */
  readonly budget: string;
}

export function disruptionCluster({ nodes: count, use, budget }: ClusterShape): DisruptionInput {
  const random = new GoRand(7);
  const rows = catalogue()
    .filter(({ arch, category }) => arch === 'amd64' && category !== 'x')
    .sort((one, other) => priceOf(one) - priceOf(other));
  const podsOn = Array.from({ length: count }, (): { pod: Pod; shape: PodShape }[] => []);
  const inZone = ZONES.map((_, zone) => podsOn.filter((__, index) => index % ZONES.length === zone));
  const next = ZONES.map(() => 0);
  const apps = Math.ceil((count * PODS_PER_NODE) / REPLICAS);
  const shapes = Array.from({ length: apps }, (_, app) => shapeOf(app));
  for (let index = 0; index < count * PODS_PER_NODE; index++) {
    // All first replicas, then all second ones, …: the replicas of an application are on different nodes.
    const replica = Math.floor(index / apps);
    const zone = replica % ZONES.length;
    const shape = shapes[index % apps]!;
    const node = inZone[zone]![next[zone]!++ % inZone[zone]!.length]!;
    node.push({ pod: podOf(shape, index), shape });
  }
  const nodes = podsOn.map((pods, index) => {
    const share = use[0] + (use[1] - use[0]) * random.float64();
    const cpu = sum(pods, ({ shape }) => shape.cpuMilli) / share;
    const memory = sum(pods, ({ shape }) => shape.memoryMi) / share;
    const row = rows.find(
      ({ allocatable }) => allocatable.cpuMilli >= cpu && allocatable.memoryMi >= memory,
    )!;
    // What the type has more than that is taken by others, such as DaemonSets.
    const left = { cpuMilli: Math.round(cpu), memoryMi: Math.round(memory), pods: row.allocatable.pods };
    return nodeOf(
      index,
      { ...row, allocatable: left },
      pods.map(({ pod }) => pod),
    );
  });
  const pool = poolOf({
    name: 'default',
    requirements: [
      oneOf(KarpenterLabel.capacityType, CapacityType.onDemand),
      oneOf(KubernetesLabel.arch, 'amd64'),
      { key: CATEGORY, operator: 'NotIn', values: ['x'] },
    ],
  });
  const { nodePool } = pool;
  const disruption = { ...nodePool.spec.disruption!, budgets: [{ nodes: budget }] };
  const pools: PoolInput[] = [{ ...pool, nodePool: { ...nodePool, spec: { ...nodePool.spec, disruption } } }];
  return {
    scheduling: {
      pods: [],
      pools,
      nodes: nodes.map(existingOf),
      boundPods: nodes.flatMap(({ pods }) => pods),
      catalogues: { [CATALOGUE]: catalogue().map(({ type }) => type) },
      wellKnownLabels: [FAMILY, CATEGORY],
    },
    nodes,
    pools,
    podDisruptionBudgets: [],
  };
}

// ---------------------------------------------------------------------------------------------------

const REPLICAS = 100;
const LONG_AGO = '2026-06-01T00:00:00Z';

function shapeOf(app: number): PodShape {
  const random = new GoRand(1000 + app);
  const labels = { app: `app-${app}` };
  const cpuMilli = Math.round(50 * 20 ** random.float64());
  const memoryMi = Math.round(cpuMilli * (1 + 5 * random.float64()));
  if (app % 10 < 2)
    return {
      labels,
      cpuMilli,
      memoryMi,
      spec: { topologySpreadConstraints: [spread(ZONE, labels, 'DoNotSchedule')] },
    };
  if (app % 10 === 2)
    return {
      labels,
      cpuMilli,
      memoryMi,
      spec: {
        affinity: {
          podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [affinityTerm(HOST, labels)] },
        },
      },
    };
  return { labels, cpuMilli, memoryMi };
}

function nodeOf(
  index: number,
  { type, allocatable, arch, family, category }: TypeRow,
  pods: readonly Pod[],
): DisruptionNode {
  const name = `node-${String(index).padStart(5, '0')}`;
  const labels = {
    [HOST]: name,
    [ZONE]: ZONES[index % ZONES.length]!,
    [KubernetesLabel.instanceType]: type.name,
    [KubernetesLabel.arch]: arch,
    [KubernetesLabel.os]: 'linux',
    [FAMILY]: family,
    [CATEGORY]: category,
    [KarpenterLabel.capacityType]: CapacityType.onDemand,
    [KarpenterLabel.nodePool]: 'default',
  };
  const amounts = {
    cpu: `${allocatable.cpuMilli}m`,
    memory: `${allocatable.memoryMi}Mi`,
    pods: `${allocatable.pods}`,
  };
  const True = (condition: string) => ({
    type: condition,
    status: 'True' as const,
    reason: condition,
    message: '',
    lastTransitionTime: LONG_AGO,
  });
  return {
    name,
    nodePool: 'default',
    labels,
    node: {
      metadata: { name, labels },
      status: { capacity: type.capacity, allocatable: amounts, conditions: [True('Ready')] },
    },
    claim: {
      metadata: { name: `claim-${index}`, uid: `uid-${index}`, creationTimestamp: LONG_AGO, labels },
      spec: {
        nodeClassRef: { group: 'bench.chandler.sh', kind: 'BenchNodeClass', name: 'default' },
        requirements: [],
      },
      status: { nodeName: name, conditions: [True('Initialized'), True('Consolidatable')] },
    },
    registered: true,
    initialized: true,
    deleting: false,
    pods: pods.map((pod) => ({ ...pod, spec: { ...pod.spec, nodeName: name } })),
  };
}

function existingOf({ name, labels, node }: DisruptionNode): ExistingNode {
  const { allocatable = {}, capacity = {} } = node!.status!;
  return { name, labels, taints: [], allocatable, capacity, managed: true, initialized: true };
}

function priceOf({ type }: TypeRow): number {
  return Math.min(
    ...type.offerings.flatMap(({ requirements, price }) =>
      requirements.some(({ values }) => values?.includes(CapacityType.onDemand)) ? [price] : [],
    ),
  );
}

function sum<T>(list: readonly T[], of: (item: T) => number): number {
  return list.reduce((total, item) => total + of(item), 0);
}
