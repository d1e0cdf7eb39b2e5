/**
 * A few pods that arrive at a running cluster: 1,000 nodes that are nearly full, 421 instance types of Azure, one pool.
 * The pods belong to services of a few replicas, as one rollout or one scale-up creates them; they do not fit on the
 * nodes, since kube-scheduler has tried. Between two batches a few nodes and pods change.
 */

import { parseQuantity } from '@chandler/kube';
import { KarpenterLabel, KubernetesLabel } from '../../packages/chandler/src/api/index.ts';
import type { ExistingNode, InstanceType, Pod } from '../../packages/chandler/src/scheduling/index.ts';

import { assertWork } from '../result.ts';
import { AZURE_TYPES, type AzureCatalogue, azureCatalogue } from './azure-catalogue.ts';
import { GoRand } from './go-rand.ts';
import {
  affinityTerm,
  CATALOGUE,
  HOST,
  ON_DEMAND,
  oneOf,
  type PodShape,
  podOf,
  poolOf,
  spread,
  type Workload,
  ZONE,
} from './shapes.ts';

export async function batchWorkload(count: number): Promise<Workload> {
  const azure = await azureCatalogue();
  const cluster = runningCluster(azure);
  const still = {
    pools: [poolOf({ name: 'default', requirements: [oneOf(KarpenterLabel.capacityType, ON_DEMAND)] })],
    catalogues: { [CATALOGUE]: azure.types },
    wellKnownLabels: azure.wellKnownLabels,
  };
  const inputOf = (round: number) => ({
    ...still,
    ...changed(cluster, round),
    pods: arriving(count, round),
  });
  const input = inputOf(0);
  assertWork(azure.types.length === AZURE_TYPES, `the catalogue has ${AZURE_TYPES} types`);
  assertWork(
    inputOf(1).nodes.some((node, index) => node !== input.nodes[index]),
    'nodes have changed since the last batch',
  );
  return { name: 'batch', input, placeable: count, earlier: inputOf };
}

// ---------------------------------------------------------------------------------------------------

const SEED = 42;
const NODES = 1_000;
const NODE_TYPES = ['Standard_D4s_v5', 'Standard_D8s_v5', 'Standard_E8s_v5', 'Standard_D16s_v5'];
const SERVICES = 200;
const REPLICAS = 10;
const BOUND_FROM = 1_000_000;
/** What changes between two batches: nodes that report, and pods that are replaced. */
const CHANGED_NODES = 5;
const CHANGED_PODS = 20;
/** Less than any pod of a batch requests. */
const MAX_FREE_CPU_MILLI = 200;
const FILLER_MEMORY_MI = 64;

interface RunningCluster {
  readonly nodes: readonly ExistingNode[];
  readonly boundPods: readonly Pod[];
}

const services: PodShape[] = [];

function service(index: number): PodShape {
  services[index] ??= newService(index);
  return services[index]!;
}

/** Sizes from 250 m to 4 cpu; a third is spread over zones, a tenth keeps its pods on different hosts. */
function newService(index: number): PodShape {
  const random = new GoRand(SEED + index);
  const labels = { app: `service-${index}`, team: `team-${index % 20}` };
  const cpuMilli = Math.round(250 * 16 ** random.float64());
  const memoryMi = Math.round((cpuMilli / 1000) * (1.5 + 5 * random.float64()) * 1024);
  const kind = index % 10;
  const spec =
    kind < 2
      ? { topologySpreadConstraints: [spread(ZONE, labels, 'ScheduleAnyway')] }
      : kind === 2
        ? { topologySpreadConstraints: [spread(ZONE, labels, 'DoNotSchedule')] }
        : kind === 3
          ? {
              affinity: {
                podAntiAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: [affinityTerm(HOST, labels)],
                },
              },
            }
          : {};
  return { namespace: labels.team, labels, cpuMilli, memoryMi, spec };
}

/** The pods of a batch: ten replicas at most of each service. */
function arriving(count: number, round: number): Pod[] {
  const random = new GoRand(SEED * 1_000 + round);
  const first = random.intn(SERVICES);
  return Array.from({ length: count }, (_, index) =>
    podOf(service((first + Math.floor(index / REPLICAS)) % SERVICES), index, `batch-${round}`),
  );
}

function runningCluster({ types, zones }: AzureCatalogue): RunningCluster {
  const random = new GoRand(SEED);
  const nodes: ExistingNode[] = [];
  const boundPods: Pod[] = [];
  for (let index = 0; index < NODES; index++) {
    const size = NODE_TYPES[random.intn(NODE_TYPES.length)]!;
    const type = types.find(({ name }) => name === size)!;
    const node = runningNode(`node-${String(index).padStart(4, '0')}`, type, zones[index % zones.length]!);
    nodes.push(node);
    for (const shape of fillOf(node, random)) boundPods.push(boundPod(shape, boundPods.length, node.name));
  }
  return { nodes, boundPods };
}

function boundPod(shape: PodShape, index: number, nodeName: string): Pod {
  const pod = podOf(shape, BOUND_FROM + index, 'bound');
  return { ...pod, spec: { ...pod.spec, nodeName }, status: { phase: 'Running' } };
}

function runningNode(name: string, type: InstanceType, zone: string): ExistingNode {
  const single = type.requirements.filter(
    ({ operator, values }) => operator === 'In' && values?.length === 1,
  );
  const labels = Object.fromEntries(single.map(({ key, values }) => [key, values![0]!]));
  return {
    name,
    labels: {
      ...labels,
      [HOST]: name,
      [ZONE]: zone,
      [KubernetesLabel.instanceType]: type.name,
      [KarpenterLabel.capacityType]: ON_DEMAND,
      [KarpenterLabel.nodePool]: 'default',
      [KarpenterLabel.registered]: 'true',
      [KarpenterLabel.initialized]: 'true',
    },
    allocatable: allocatableOf(type),
    capacity: { ...type.capacity },
  };
}

function allocatableOf({ capacity, overhead }: InstanceType): Record<string, string> {
  const left = (name: string) =>
    Object.values(overhead ?? {}).reduce(
      (rest, reserved) => rest - (reserved?.[name] === undefined ? 0n : milliOf(reserved[name])),
      milliOf(capacity[name] ?? '0'),
    );
  return {
    cpu: `${left('cpu')}m`,
    memory: String(left('memory') / 1000n),
    pods: String(left('pods') / 1000n),
  };
}

function milliOf(quantity: string | number): bigint {
  return parseQuantity(String(quantity)).milli();
}

/** Pods of services without rules about hosts, and one that takes nearly all of the rest. */
function fillOf(node: ExistingNode, random: GoRand): PodShape[] {
  let cpu = Number(milliOf(node.allocatable['cpu']!));
  let memory = Math.floor(Number(milliOf(node.allocatable['memory']!) / 1000n) / 2 ** 20) - FILLER_MEMORY_MI;
  const shapes: PodShape[] = [];
  for (let tries = 0; tries < 40; tries++) {
    const shape = service(random.intn(SERVICES));
    if (shape.spec?.affinity !== undefined || shape.cpuMilli > cpu || shape.memoryMi > memory) continue;
    shapes.push(shape);
    cpu -= shape.cpuMilli;
    memory -= shape.memoryMi;
  }
  const rest = Math.floor(cpu - random.intn(MAX_FREE_CPU_MILLI));
  if (rest > 0)
    shapes.push({
      namespace: 'batch-jobs',
      labels: { app: 'filler' },
      cpuMilli: rest,
      memoryMi: FILLER_MEMORY_MI,
    });
  return shapes;
}

/** The cluster some time later: the same content in new objects, as a watch delivers it. */
function changed({ nodes, boundPods }: RunningCluster, round: number): RunningCluster {
  const random = new GoRand(SEED * 2_000 + round);
  const laterNodes = nodes.slice();
  const laterPods = boundPods.slice();
  for (let i = 0; i < CHANGED_NODES; i++) {
    const at = random.intn(nodes.length);
    laterNodes[at] = { ...nodes[at]!, labels: { ...nodes[at]!.labels, 'example.com/checked': `${round}` } };
  }
  for (let i = 0; i < CHANGED_PODS; i++) {
    const at = random.intn(boundPods.length);
    const { metadata, spec, ...rest } = boundPods[at]!;
    laterPods[at] = {
      ...rest,
      metadata: { ...metadata, name: `${metadata.name}-${round}`, uid: `${metadata.uid}-${round}` },
      spec: { ...spec },
    };
  }
  return { nodes: laterNodes, boundPods: laterPods };
}
