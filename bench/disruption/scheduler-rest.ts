/**
 * `node bench/disruption/scheduler-rest.ts pods kind [max]`: our disruption until it finds nothing to do, in a cluster where pods
 * do not go where the plan has them: they go in a random order to the node that kube-scheduler's default scores prefer (most
 * free resources, used evenly). Pods that are left over get new nodes. Budgets are 10 %. With `max` a command launches at most
 * so many nodes; Karpenter launches one.
 */
import { KubernetesLabel } from '../../packages/chandler/src/api/index.ts';
import { DisruptionPlanner } from '../../packages/chandler/src/disruption/index.ts';
import { type Plan, Planner, type Pod } from '../../packages/chandler/src/scheduling/index.ts';
import { assertWork } from '../result.ts';
import { catalogue } from '../scheduling/catalogue.ts';
import { GoRand } from '../scheduling/go-rand.ts';
import { NOW_MS } from './bench-node.ts';
import {
  checkRest,
  clusterOf,
  halfEmptyCluster,
  nameOf,
  priceOf,
  REST_KINDS,
  type RestNode,
  requestOf,
} from './rest-cluster.ts';

export interface SchedulerRest {
  readonly maxReplacements: number | null;
  readonly startPrice: number;
  readonly passes: number;
  readonly commands: number;
  readonly podsMoved: number;
  /** Pods for which another node was launched after a command. */
  readonly podsLeftOver: number;
  /** Passes after which the cluster cost more than before. */
  readonly priceRises: number;
  readonly nodes: number;
  readonly pricePerHour: number;
}

const MAX_PASSES = 500;
const PASS_MS = 600_000;
const SEED = 7;
const ROWS = new Map(catalogue().map((row) => [row.type.name, row]));

const [count, kind, max] = process.argv.slice(2) as [string, string, string?];
const { spotToSpot } = REST_KINDS[kind]!;
const { input, pods, start } = halfEmptyCluster(Number(count), REST_KINDS[kind]!);
const byName = new Map(pods.map((pod) => [nameOf(pod), pod]));
const random = new GoRand(SEED);
const planner = new DisruptionPlanner();
let nodes: RestNode[] = [...start];
let launched = 0;
let passes = 0;
let commands = 0;
let podsMoved = 0;
let podsLeftOver = 0;
let priceRises = 0;
for (; ; passes++) {
  assertWork(passes < MAX_PASSES, `the cluster is stable within ${MAX_PASSES} passes`);
  const cluster = clusterOf(nodes, byName, input.pools[0]!, '10%');
  const options = { spotToSpot, ...(max === undefined ? {} : { maxReplacements: Number(max) }) };
  const given = planner.plan(cluster, options, NOW_MS + passes * PASS_MS).commands;
  if (given.length === 0) break;
  const before = priceOf(nodes);
  const gone = new Set(given.flatMap(({ candidates }) => candidates.map(({ name }) => name)));
  const moved = nodes.filter(({ name }) => gone.has(name)).flatMap((node) => node.pods);
  nodes = nodes.filter(({ name }) => !gone.has(name));
  for (const { cheapest } of given.flatMap(({ replacements }) => replacements)) launch(cheapest, []);
  const left = shuffled(moved).filter((pod) => !schedule(pod));
  provision(left);
  commands += given.length;
  podsMoved += given.reduce((sum, each) => sum + each.podsMoved, 0);
  podsLeftOver += left.length;
  if (priceOf(nodes) > before + 1e-9) priceRises++;
}
checkRest(nodes, pods);
const result: SchedulerRest = {
  maxReplacements: max === undefined ? null : Number(max),
  startPrice: priceOf(start),
  passes,
  commands,
  podsMoved,
  podsLeftOver,
  priceRises,
  nodes: nodes.length,
  pricePerHour: priceOf(nodes),
};
console.log(JSON.stringify(result));

// ---------------------------------------------------------------------------------------------------

function launch(
  { instanceType, zone, capacityType }: Plan['claims'][number]['cheapest'],
  own: readonly string[],
): void {
  nodes.push({
    name: `new-${launched++}`,
    instanceType,
    zone: zone!,
    capacityType: capacityType!,
    pods: own,
  });
}

function shuffled(names: readonly string[]): readonly string[] {
  return names
    .map((name) => ({ name, at: random.float64() }))
    .sort((one, other) => one.at - other.at)
    .map(({ name }) => name);
}

/** LeastAllocated and BalancedAllocation, with equal weight. Returns whether the pod fits anywhere. */
function schedule(name: string): boolean {
  const pod = byName.get(name)!;
  let best: number | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const [index, node] of nodes.entries()) {
    const free = freeWith(node, pod);
    if (free === undefined) continue;
    const score = (free.cpu + free.memory) / 2 + 1 - Math.abs(free.cpu - free.memory) / 2;
    if (score <= most) continue;
    most = score;
    best = index;
  }
  if (best === undefined) return false;
  const node = nodes[best]!;
  nodes[best] = { ...node, pods: [...node.pods, name] };
  return true;
}

/** The shares that would be free with the pod; undefined: it does not fit. */
function freeWith({ instanceType, pods: own }: RestNode, pod: Pod) {
  const { allocatable, arch } = ROWS.get(instanceType)!;
  if (own.length >= allocatable.pods) return undefined;
  if (![undefined, arch].includes(pod.spec.nodeSelector?.[KubernetesLabel.arch] as typeof arch))
    return undefined;
  const all = [...own.map((name) => byName.get(name)!), pod];
  const cpu = allocatable.cpuMilli - all.reduce((sum, each) => sum + requestOf(each, 'cpu'), 0);
  const memory = allocatable.memoryMi - all.reduce((sum, each) => sum + requestOf(each, 'memory'), 0);
  if (cpu < 0 || memory < 0) return undefined;
  return { cpu: cpu / allocatable.cpuMilli, memory: memory / allocatable.memoryMi };
}

/** As the provisioner does for pods that fit nowhere. */
function provision(names: readonly string[]): void {
  if (names.length === 0) return;
  const { scheduling } = clusterOf(nodes, byName, input.pools[0]!);
  const plan = new Planner().plan({ ...scheduling, pods: names.map((name) => byName.get(name)!) });
  for (const { node, pods: own } of plan.placements) {
    const at = nodes.findIndex(({ name }) => name === node);
    nodes[at] = { ...nodes[at]!, pods: [...nodes[at]!.pods, ...own] };
  }
  for (const { cheapest, pods: own } of plan.claims) launch(cheapest, own);
}
