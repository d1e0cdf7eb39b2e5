/**
 * A small plan for a made-up cluster. JavaScript is compiled while it runs: the first plans of a process take many times as
 * long as later ones. A controller makes this plan while it starts, so that the first pods need not wait for it.
 */
import { KarpenterLabel, KubernetesLabel, type NodePoolSpec } from '../api/index.ts';
import type { ExistingNode, InstanceType, Pod, SchedulingInput } from './model.ts';
import type { Plan } from './plan.ts';
import { Planner } from './solve.ts';

/** Each plan in a turn of the event loop of its own: probes are answered meanwhile. @returns the last of the plans. */
export async function warmUp(turn: () => Promise<void>): Promise<Plan> {
  const planner = new Planner();
  let plan = planner.plan(clusterAt(0, FIRST_SERVICES));
  for (let round = 1; round < ROUNDS; round++) {
    await turn();
    plan = planner.plan(clusterAt(round, SERVICES));
  }
  return plan;
}

// ---------------------------------------------------------------------------------------------------------------

const ROUNDS = 6;
/** The first plan runs code that is not compiled: it is small. */
const FIRST_SERVICES = 2;
const TYPES = 60;
const NODES = 30;
const SERVICES = 12;
const REPLICAS = 8;
const ZONES = ['zone-1', 'zone-2', 'zone-3'];

function clusterAt(round: number, services: number): SchedulingInput {
  return {
    pools: [{ nodePool: { metadata: { name: 'default' }, spec: POOL }, instanceTypes: types }],
    nodes: [...nodes.slice(0, round), nodeOf(round), ...nodes.slice(round + 1)],
    boundPods: nodes.map(({ name }, index) => podOf(index % SERVICES, `bound-${index}`, name)),
    pods: Array.from({ length: services * REPLICAS }, (_, index) =>
      podOf(Math.floor(index / REPLICAS), `${round}-${index}`),
    ),
  };
}

const POOL: NodePoolSpec = {
  template: {
    spec: {
      nodeClassRef: { group: 'chandler.sh', kind: 'None', name: 'none' },
      requirements: [{ key: KubernetesLabel.os, operator: 'In', values: ['linux'] }],
    },
  },
} as unknown as NodePoolSpec;

const types: readonly InstanceType[] = Array.from({ length: TYPES }, (_, index) => {
  const cpu = 2 ** (1 + (index % 6));
  const memoryGi = cpu * [2, 4, 8][index % 3]!;
  const name = `type-${index}`;
  return {
    name,
    requirements: [
      oneOf(KubernetesLabel.instanceType, name),
      oneOf(KubernetesLabel.arch, 'amd64'),
      oneOf(KubernetesLabel.os, 'linux'),
      oneOf(KubernetesLabel.zone, ...ZONES),
      oneOf(KarpenterLabel.capacityType, 'on-demand'),
    ],
    capacity: { cpu: `${cpu}`, memory: `${memoryGi}Gi`, pods: '110' },
    offerings: ZONES.map((zone) => ({
      requirements: [oneOf(KubernetesLabel.zone, zone), oneOf(KarpenterLabel.capacityType, 'on-demand')],
      price: cpu * 0.03 + memoryGi * 0.004 + index / 1_000,
    })),
  };
});

const nodes: readonly ExistingNode[] = Array.from({ length: NODES }, (_, index) => nodeOf(index));

function nodeOf(index: number): ExistingNode {
  return {
    name: `node-${index}`,
    labels: {
      [KubernetesLabel.hostname]: `node-${index}`,
      [KubernetesLabel.zone]: ZONES[index % ZONES.length]!,
      [KubernetesLabel.os]: 'linux',
    },
    allocatable: { cpu: '500m', memory: '1Gi', pods: '110' },
  };
}

/** Services with each kind of constraint. */
function podOf(service: number, name: string, nodeName?: string): Pod {
  const labels = { app: `service-${service}` };
  const selector = { labelSelector: { matchLabels: labels } };
  const spread = { maxSkew: 1, topologyKey: KubernetesLabel.zone, ...selector };
  const constraints = [
    {},
    { topologySpreadConstraints: [{ ...spread, whenUnsatisfiable: 'DoNotSchedule' as const }] },
    { topologySpreadConstraints: [{ ...spread, whenUnsatisfiable: 'ScheduleAnyway' as const }] },
    {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: KubernetesLabel.hostname, ...selector },
          ],
        },
      },
    },
  ];
  const requests = { cpu: `${300 + 150 * service}m`, memory: `${512 * (1 + (service % 5))}Mi` };
  return {
    metadata: { name, namespace: 'default', labels },
    spec: {
      ...constraints[service % constraints.length],
      containers: [
        { name: 'main', resources: { requests: nodeName === undefined ? requests : { cpu: '400m' } } },
      ],
      ...(nodeName === undefined ? {} : { nodeName }),
    },
  };
}

function oneOf(key: string, ...values: string[]) {
  return { key, operator: 'In', values };
}
