/**
 * A fake cloud for tests of controllers: machines in a map, nodes by the stand-ins, no wire. What a real cloud does
 * is tested over its wire; this one is fast and fails on request.
 */
import type { Standins } from '@chandler/apiserver/standins';
import { ignoreApiErrors, type KubeObject, NODES, parseQuantity, type World } from '@chandler/kube';
import { AKS_NODE_CLASSES, type NodeClaim } from '../../packages/chandler/src/api/index.ts';
import { azureProvider } from '../../packages/chandler/src/cloud/azure/index.ts';
import {
  type Cloud,
  CloudError,
  type CloudParts,
  type CloudProvider,
  type CloudWires,
  type Instance,
  type LaunchRequest,
  type RepairPolicy,
} from '../../packages/chandler/src/cloud/index.ts';
import { type InstanceType, overlaidTypes } from '../../packages/chandler/src/scheduling/index.ts';

export interface FakeInstance {
  readonly instance: Instance;
  deleting: boolean;
}

export interface FakeCloud extends Cloud {
  /** By claim UID. */
  readonly machines: Map<string, FakeInstance>;
  /** How many machines were ever made, by claim UID. */
  readonly launches: Map<string, number>;
  /** Thrown by the next creates. */
  failures: CloudError[];
  /** Thrown by every delete while it is set. */
  undeletable: CloudError | undefined;
  /** Thrown by every get while it is set. */
  unreadable: CloudError | undefined;
  /** Operations of reboots that were accepted. */
  readonly reboots: Set<string>;
  /** Thrown by every reboot while it is set. */
  unrebootable: CloudError | undefined;
  /** From the reboot until the kubelet reports again. */
  rebootMs: number;
  /** Instances that start but never register. */
  joins: boolean;
  bootMs: number;
  /** From the registration of the Node until its providerID is set. */
  providerIdMs: number;
  /** The reason, or why it cannot be told. */
  drifted: string | CloudError | undefined;
  /** Which limits delay every launch. */
  limit: 'ours' | 'of the cloud' | undefined;
  /** Taints of new nodes in addition to those of the claim. */
  bootTaints: readonly { readonly key: string; readonly effect: string }[];
}

export const ZONES = ['eastus-1', 'eastus-2', 'eastus-3'];

export function fakeCloud(
  world: World,
  standins: () => Standins,
  repairPolicies: readonly RepairPolicy[] = REPAIR_POLICIES,
): FakeCloud {
  const machines = new Map<string, FakeInstance>();
  const launches = new Map<string, number>();
  const types = SIZES.map(instanceType);
  const cloud: FakeCloud = {
    name: 'fake',
    nodeClasses: [{ ...AKS_NODE_CLASSES }],
    wellKnownLabels: [],
    repairPolicies,
    ownership: azureProvider.ownership,
    terminationAdvice: azureProvider.terminationAdvice,
    machines,
    launches,
    failures: [],
    undeletable: undefined,
    unreadable: undefined,
    reboots: new Set(),
    unrebootable: undefined,
    rebootMs: 30_000,
    joins: true,
    bootMs: 5_000,
    providerIdMs: 1_000,
    drifted: undefined,
    limit: undefined,
    bootTaints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }],
    instanceTypes: async () => types,
    async create(request) {
      const failure = cloud.failures.shift();
      if (failure !== undefined) throw failure;
      if (cloud.limit)
        return { state: 'waiting', retryAfterMs: 10_000, rateLimited: cloud.limit === 'ours', stages: [] };
      const uid = request.claim.metadata.uid;
      let machine = machines.get(uid);
      if (machine === undefined) {
        machine = { instance: newInstance(request, types), deleting: false };
        machines.set(uid, machine);
        launches.set(uid, (launches.get(uid) ?? 0) + 1);
        boot(world, standins, cloud, machine, request.claim);
      }
      return { state: 'launched', instance: machine.instance, settled: true, stages: [] };
    },
    async delete(claim) {
      if (cloud.undeletable !== undefined) throw cloud.undeletable;
      const machine = machines.get(claim.metadata.uid);
      if (machine === undefined) return { state: 'gone' };
      if (!machine.deleting) {
        machine.deleting = true;
        world.clock.after(2_000, () => {
          machines.delete(claim.metadata.uid);
          void standins().removeNode(machine.instance.name);
        });
      }
      return { state: 'deleting', retryAfterMs: 1_000 };
    },
    async reboot(claim, operationId) {
      if (cloud.unrebootable !== undefined) throw cloud.unrebootable;
      const machine = machines.get(claim.metadata.uid);
      if (machine === undefined) throw new CloudError('NotFound', `no machine of ${claim.metadata.name}`);
      if (cloud.reboots.has(operationId)) return;
      cloud.reboots.add(operationId);
      standins().stopNode(machine.instance.name);
      world.clock.after(cloud.rebootMs, () => {
        if (!machine.deleting) void standins().resumeNode(machine.instance.name);
      });
    },
    nodeName: ({ metadata }) => `aks-${metadata.name}`,
    async get(providerID) {
      if (cloud.unreadable !== undefined) throw cloud.unreadable;
      for (const { instance } of machines.values()) if (instance.providerID === providerID) return instance;
      throw new CloudError('NotFound', `no machine ${providerID}`);
    },
    list: async () => [...machines.values()].map(({ instance, deleting }) => ({ ...instance, deleting })),
    async drift() {
      if (cloud.drifted instanceof CloudError) throw cloud.drifted;
      return cloud.drifted === undefined ? undefined : { reason: cloud.drifted, message: 'as the test says' };
    },
  };
  return cloud;
}

/** The provider of an existing cloud. */
export function fakeProvider(cloud: Cloud, parts: Omit<CloudParts, 'cloud'> = {}): CloudProvider {
  const { name, nodeClasses, wellKnownLabels, repairPolicies, ownership, terminationAdvice } = cloud;
  return {
    name,
    nodeClasses,
    wellKnownLabels,
    repairPolicies,
    ownership,
    terminationAdvice,
    options: { title: name, table: {}, rules: [], ownGroups: [] },
    stages: [],
    labelRules: azureProvider.labelRules,
    createParts: () => ({ cloud, ...parts }),
  };
}

/** For clouds that need none. */
export const NO_WIRES: CloudWires = {
  fetch: async () => {
    throw new Error('the fake cloud makes no requests');
  },
  readFile: (path) => {
    throw new Error(`no file ${path}`);
  },
  version: '1.2.3',
};

// ---------------------------------------------------------------------------------------------------

const REPAIR_POLICIES: readonly RepairPolicy[] = [
  {
    conditionType: 'Ready',
    conditionStatus: 'False',
    tolerationMs: 600_000,
    action: 'ReplaceNode',
    fallback: true,
  },
  { conditionType: 'Ready', conditionStatus: 'Unknown', tolerationMs: 600_000, action: 'ReplaceNode' },
];

const SIZES = [
  { name: 'paper-2', cpu: 2, memory: 8, price: 0.1 },
  { name: 'paper-4', cpu: 4, memory: 16, price: 0.2 },
  { name: 'paper-16', cpu: 16, memory: 64, price: 0.8 },
];

function instanceType({ name, cpu, memory, price }: (typeof SIZES)[number]): InstanceType {
  const one = (key: string, values: readonly string[]) => ({ key, operator: 'In', values });
  return {
    name,
    requirements: [
      one('node.kubernetes.io/instance-type', [name]),
      one('kubernetes.io/arch', ['amd64']),
      one('kubernetes.io/os', ['linux']),
      one('topology.kubernetes.io/zone', ZONES),
      one('karpenter.sh/capacity-type', ['on-demand']),
    ],
    offerings: ZONES.map((zone) => ({
      requirements: [
        one('topology.kubernetes.io/zone', [zone]),
        one('karpenter.sh/capacity-type', ['on-demand']),
      ],
      price,
    })),
    capacity: { cpu: `${cpu}`, memory: `${memory}Gi`, pods: '110' },
    overhead: { kubeReserved: { cpu: '100m', memory: '512Mi' } },
  };
}

/** As every cloud: only types that have all that the claim requests, with the overlays of the launch. */
function fitting(
  { claim, nodePool, overlays = [] }: LaunchRequest,
  types: readonly InstanceType[],
): readonly InstanceType[] {
  const requests = Object.entries(claim.spec.resources?.requests ?? {});
  const offered = nodePool === undefined ? types : overlaidTypes(types, nodePool, overlays);
  return offered.filter(({ capacity }) =>
    requests.every(
      ([name, amount]) => parseQuantity(amount).compare(parseQuantity(capacity[name] ?? 0)) <= 0,
    ),
  );
}

function newInstance(request: LaunchRequest, types: readonly InstanceType[]): Instance {
  const { claim, nodePool } = request;
  const values = (key: string) =>
    claim.spec.requirements.find((one) => one.key === key && one.operator === 'In')?.values;
  const name = `aks-${claim.metadata.name}`;
  const type = fitting(request, types).find(
    (each) => values('node.kubernetes.io/instance-type')?.includes(each.name) ?? true,
  );
  if (type === undefined) throw new CloudError('InsufficientCapacity', 'no such type on paper');
  const zone = values('topology.kubernetes.io/zone')?.[0] ?? ZONES[0]!;
  const { cpu, memory, pods, ...devices } = type.capacity as Record<string, string>;
  return {
    providerID: `azure:///paper/${name}`,
    name,
    claimUid: claim.metadata.uid,
    claimName: claim.metadata.name,
    ...(nodePool === undefined ? {} : { nodePool: nodePool.metadata.name }),
    instanceType: type.name,
    zone,
    capacityType: 'on-demand',
    imageID: 'paper-image-1',
    deleting: false,
    labels: {
      'node.kubernetes.io/instance-type': type.name,
      'topology.kubernetes.io/zone': zone,
      'karpenter.sh/capacity-type': 'on-demand',
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/os': 'linux',
    },
    annotations: {},
    capacity: { cpu: cpu!, memory: memory!, pods: pods!, ...devices },
    allocatable: {
      cpu: `${Number(cpu) * 1000 - 100}m`,
      memory: `${Number.parseInt(memory!, 10) * 1024 - 512}Mi`,
      pods: pods!,
      ...devices,
    },
  };
}

function boot(
  world: World,
  standins: () => Standins,
  cloud: FakeCloud,
  machine: FakeInstance,
  claim: NodeClaim & Partial<KubeObject>,
): void {
  const { instance } = machine;
  world.clock.after(cloud.bootMs, () => {
    if (!cloud.joins || machine.deleting) return;
    const { cpu, memory } = instance.capacity as Record<string, string>;
    void standins().addNode({
      name: instance.name,
      cpu: cpu!,
      memory: memory!,
      allocatable: instance.allocatable as Record<string, string>,
      labels: { ...instance.labels, ...claim.metadata.labels },
      taints: [...(claim.spec.taints ?? []), ...(claim.spec.startupTaints ?? []), ...cloud.bootTaints],
    });
    // As on AKS, where the cloud node manager sets it some time after the kubelet has registered.
    world.clock.after(cloud.providerIdMs, () => void setProviderId(standins(), instance));
  });
}

async function setProviderId(standins: Standins, { name, providerID }: Instance): Promise<void> {
  const client = standins.watched.client('cloud-node-manager');
  const patch = { spec: { providerID } };
  await ignoreApiErrors(client.patch(NODES, { name }, { type: 'merge', patch }), 'notFound');
}
