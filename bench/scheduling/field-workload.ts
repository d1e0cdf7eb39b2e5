/**
 * A workload with the shape of real clusters: many pods of a few hundred applications with soft spreads and
 * some anti-affinity, a thousand nodes that already run pods, twenty pools over a full catalogue, and
 * unschedulable pods. All other pods can be placed. It is generated from a fixed seed.
 */
import { KarpenterLabel, KubernetesLabel } from '../../packages/chandler/src/api/index.ts';
import type { ExistingNode, Pod, PoolInput } from '../../packages/chandler/src/scheduling/index.ts';

import { CATEGORY, catalogue, FAMILY, type TypeRow, ZONES } from './catalogue.ts';
import { type App, DEDICATED, fieldApps, impossibleShapes } from './field-apps.ts';
import { GoRand } from './go-rand.ts';
import {
  CATALOGUE,
  HOST,
  ON_DEMAND,
  oneOf,
  type PoolShape,
  podOf,
  poolOf,
  SPOT,
  type Workload,
  ZONE,
} from './shapes.ts';

/** `count` pods that fit, and a twentieth as many that do not. */
export function fieldWorkload(count: number): Workload {
  const random = new GoRand(SEED);
  const rows = catalogue();
  const apps = fieldApps(count, random);
  const pods = shuffled(podsOf(apps, count), random);
  const { nodes, boundPods } = runningNodes(rows, apps, random);
  const input = {
    pods,
    nodes,
    boundPods,
    pools: POOLS.map(poolOf) as PoolInput[],
    catalogues: { [CATALOGUE]: rows.map((row) => row.type) },
    wellKnownLabels: [FAMILY, CATEGORY],
  };
  const earlier = (round: number) => {
    const other = new GoRand(SEED + round);
    return { ...input, pods: shuffled(podsOf(fieldApps(count, other), count), other) };
  };
  return { name: 'field', input, placeable: count, earlier };
}

// ---------------------------------------------------------------------------------------------------

const SEED = 42;
const NODES = 1000;
const PODS_PER_NODE = 10;
/** Bound pods are numbered from here, out of the way of pending ones. */
const BOUND_FROM = 1_000_000;
const GENEROUS = { cpu: '1000000', memory: '8000000Gi' };

/** Twelve pools for all, each narrower than the catch-all with the least weight, and eight for teams. */
const POOLS: readonly PoolShape[] = [
  { requirements: [oneOf(CATEGORY, 'c'), oneOf(KarpenterLabel.capacityType, SPOT)] },
  { requirements: [oneOf(CATEGORY, 'm'), oneOf(KarpenterLabel.capacityType, SPOT), oneOf(ZONE, 'zone-1')] },
  { requirements: [oneOf(CATEGORY, 'm'), oneOf(KarpenterLabel.capacityType, SPOT)] },
  { requirements: [oneOf(CATEGORY, 'r'), oneOf(ZONE, 'zone-1', 'zone-2')] },
  { requirements: [oneOf(KubernetesLabel.arch, 'arm64'), oneOf(KarpenterLabel.capacityType, SPOT)] },
  { requirements: [oneOf(KubernetesLabel.arch, 'arm64')] },
  { requirements: [oneOf(FAMILY, 'c1', 'c2', 'm1', 'm2')] },
  { requirements: [{ key: CATEGORY, operator: 'NotIn', values: ['x', 't'] }, oneOf(ZONE, 'zone-2')] },
  { requirements: [{ key: CATEGORY, operator: 'NotIn', values: ['x'] }, oneOf(ZONE, 'zone-3')] },
  { requirements: [oneOf(KarpenterLabel.capacityType, ON_DEMAND), oneOf(KubernetesLabel.arch, 'amd64')] },
  { requirements: [oneOf(KarpenterLabel.capacityType, ON_DEMAND)] },
  {},
  ...Array.from({ length: 8 }, (_, index) => ({ team: `team-${12 + index}` })),
].map((draft: Partial<PoolShape> & { team?: string }, index) => ({
  name: `pool-${String(index).padStart(2, '0')}`,
  weight: 100 - 5 * index,
  limits: GENEROUS,
  ...(draft.requirements === undefined ? {} : { requirements: draft.requirements }),
  ...(draft.team === undefined
    ? {}
    : {
        labels: { [DEDICATED]: draft.team },
        taints: [{ key: DEDICATED, value: draft.team, effect: 'NoSchedule' as const }],
      }),
}));

function podsOf(apps: readonly App[], count: number): Pod[] {
  let index = 0;
  const pods = apps.flatMap((app) => Array.from({ length: app.replicas }, () => podOf(app, index++)));
  const shapes = impossibleShapes();
  for (let i = 0; i < count / 20; i++) pods.push(podOf(shapes[i % shapes.length]!, index++));
  return pods;
}

function runningNodes(
  rows: readonly TypeRow[],
  apps: readonly App[],
  random: GoRand,
): { nodes: ExistingNode[]; boundPods: Pod[] } {
  const middling = rows.filter((row) => row.cpu >= 8 && row.cpu <= 48);
  const nodes: ExistingNode[] = [];
  const boundPods: Pod[] = [];
  for (let index = 0; index < NODES; index++) {
    const row = middling[random.intn(middling.length)]!;
    const pool = POOLS[index % POOLS.length]!;
    const node = runningNode(`node-${String(index).padStart(4, '0')}`, row, pool, random);
    nodes.push(node);
    for (const app of appsOn(node, row, apps, random)) {
      const pod = podOf(app, BOUND_FROM + boundPods.length, 'bound');
      boundPods.push({ ...pod, spec: { ...pod.spec, nodeName: node.name }, status: { phase: 'Running' } });
    }
  }
  return { nodes, boundPods };
}

function runningNode(name: string, row: TypeRow, pool: PoolShape, random: GoRand): ExistingNode {
  const { cpuMilli, memoryMi, pods } = row.allocatable;
  return {
    name,
    labels: {
      [HOST]: name,
      [KubernetesLabel.instanceType]: row.type.name,
      [KubernetesLabel.arch]: row.arch,
      [KubernetesLabel.os]: 'linux',
      [ZONE]: ZONES[random.intn(ZONES.length)]!,
      [KarpenterLabel.capacityType]: random.intn(3) === 0 ? ON_DEMAND : SPOT,
      [KarpenterLabel.nodePool]: pool.name,
      [KarpenterLabel.registered]: 'true',
      [KarpenterLabel.initialized]: 'true',
      [FAMILY]: row.family,
      [CATEGORY]: row.category,
      ...pool.labels,
    },
    ...(pool.taints === undefined ? {} : { taints: [...pool.taints] }),
    allocatable: { cpu: `${cpuMilli}m`, memory: `${memoryMi}Mi`, pods: String(pods) },
    capacity: { ...row.type.capacity },
  };
}

/** Different applications that may run there and fit beside each other. */
function appsOn(node: ExistingNode, row: TypeRow, apps: readonly App[], random: GoRand): App[] {
  const chosen = new Set<App>();
  let { cpuMilli, memoryMi } = row.allocatable;
  for (let tries = 0; tries < 12 * PODS_PER_NODE && chosen.size < PODS_PER_NODE; tries++) {
    const app = apps[random.intn(apps.length)]!;
    const fits = app.cpuMilli <= cpuMilli && app.memoryMi <= memoryMi;
    if (!fits || chosen.has(app) || !mayRunOn(app, node)) continue;
    chosen.add(app);
    cpuMilli -= app.cpuMilli;
    memoryMi -= app.memoryMi;
  }
  return [...chosen];
}

function mayRunOn(app: App, node: ExistingNode): boolean {
  return (
    app.runsAnywhere &&
    app.dedicated === node.labels[DEDICATED] &&
    (app.arch === undefined || app.arch === node.labels[KubernetesLabel.arch]) &&
    (!app.onDemand || node.labels[KarpenterLabel.capacityType] === ON_DEMAND)
  );
}

/** Pods arrive mixed, not application by application. */
function shuffled<T>(items: T[], random: GoRand): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = random.intn(i + 1);
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
  return items;
}
