/**
 * A cluster for the benchmarks of disruption: nodes with thirty pods each, of applications with a hundred replicas. A fifth of
 * the applications spreads over zones, a tenth keeps its pods on different hosts. Every node has the cheapest type for what it
 * runs at its share of use, so that a well used cluster leaves little to do and a badly used one a lot.
 */
import { CapacityType, KarpenterLabel, KubernetesLabel } from '../packages/chandler/src/api/index.ts';
import type { DisruptionInput } from '../packages/chandler/src/disruption/index.ts';
import type { Pod } from '../packages/chandler/src/scheduling/index.ts';
import { benchCluster, benchNode, POOL, withBudget } from './disruption/bench-node.ts';
import { assertWork } from './result.ts';
import { CATEGORY, catalogue, type TypeRow, ZONES } from './scheduling/catalogue.ts';
import { GoRand } from './scheduling/go-rand.ts';
import {
  affinityTerm,
  HOST,
  oneOf,
  type PodShape,
  podOf,
  poolOf,
  spread,
  ZONE,
} from './scheduling/shapes.ts';

export { NOW_MS } from './disruption/bench-node.ts';

export interface ClusterShape {
  readonly nodes: number;
  /** Default 30. */
  readonly podsPerNode?: number;
  /** Of an application. Default 100. */
  readonly replicas?: number;
  /** Of the requests of a node in its allocatable resources. */
  readonly use: readonly [least: number, most: number];
  /** Of the NodePool. */
  readonly budget: string;
  /** Another one gives other sizes of pods. Default 7. */
  readonly seed?: number;
}

export function disruptionCluster(shape: ClusterShape): DisruptionInput {
  const { nodes: count, podsPerNode = 30, replicas = 100, use, budget, seed = 7 } = shape;
  const random = new GoRand(seed);
  const rows = catalogue()
    .filter(({ arch, category }) => arch === 'amd64' && category !== 'x')
    .sort((one, other) => priceOf(one) - priceOf(other));
  const podsOn = Array.from({ length: count }, (): { pod: Pod; shape: PodShape }[] => []);
  const inZone = ZONES.map((_, zone) => podsOn.filter((__, index) => index % ZONES.length === zone));
  const next = ZONES.map(() => 0);
  const apps = Math.ceil((count * podsPerNode) / replicas);
  const shapes = Array.from({ length: apps }, (_, app) => shapeOf(app, seed));
  for (let index = 0; index < count * podsPerNode; index++) {
    // All first replicas, then all second ones, …: the replicas of an application are on different nodes.
    const replica = Math.floor(index / apps);
    const zone = replica % ZONES.length;
    const node = inZone[zone]![next[zone]!++ % inZone[zone]!.length]!;
    const chosen = shapes[index % apps]!;
    node.push({ pod: podOf(chosen, index), shape: chosen });
  }
  for (const pods of podsOn)
    assertWork(
      new Set(pods.map((each) => each.shape)).size === pods.length,
      'replicas are on different nodes',
    );
  const nodes = podsOn.map((pods, index) => {
    const share = use[0] + (use[1] - use[0]) * random.float64();
    const cpu = sum(pods, (each) => each.shape.cpuMilli) / share;
    const memory = sum(pods, (each) => each.shape.memoryMi) / share;
    const row = rows.find(
      ({ allocatable }) => allocatable.cpuMilli >= cpu && allocatable.memoryMi >= memory,
    )!;
    // What the type has more than that is taken by others, such as DaemonSets.
    const left = { cpuMilli: Math.round(cpu), memoryMi: Math.round(memory), pods: row.allocatable.pods };
    return benchNode({
      name: `node-${String(index).padStart(5, '0')}`,
      row: { ...row, allocatable: left },
      zone: ZONES[index % ZONES.length]!,
      pods: pods.map(({ pod }) => pod),
    });
  });
  const pool = poolOf({
    name: POOL,
    requirements: [
      oneOf(KarpenterLabel.capacityType, CapacityType.onDemand),
      oneOf(KubernetesLabel.arch, 'amd64'),
      { key: CATEGORY, operator: 'NotIn', values: ['x'] },
    ],
  });
  return benchCluster(nodes, [withBudget(pool, budget)]);
}

// ---------------------------------------------------------------------------------------------------

function shapeOf(app: number, seed: number): PodShape {
  const random = new GoRand(1000 * (seed - 6) + app);
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
