/**
 * A large cluster of EKS on real sockets, for a controller in its own process: an API server and a simulated AWS with many nodes,
 * each with instance, claim and thirty pods, in a stable state. It prints one line with the environment of the controller
 * when everything is ready, and ends with its standard input.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { controllerEnvironment, writeControllerFiles } from '@chandler/cloudsim/aws';
import {
  CLUSTER_GROUP_ID,
  fleetParams,
  type InstanceRecord,
  imageNamed,
  ownedTags,
  TestAws,
  templateParams,
} from '@chandler/cloudsim/aws/testing';
import { fetchTransport, KubeClient, type KubeObject, NODES, type ResourceRef } from '@chandler/kube';
import type { VirtualWorld } from '@chandler/kube/testing';
import {
  EC2_NODE_CLASSES,
  type Hashable,
  NODE_CLAIMS,
  NODE_POOL_HASH_VERSION,
  NODE_POOLS,
  nodePoolHash,
} from '../packages/chandler/src/api/index.ts';
import { startPlayground } from '../packages/chandler/src/playground/index.ts';
import { roleObjects } from '../test/e2e/roles.ts';
import { each, newFolder, QUIET_STANDINS, serve, writeKubeconfig, writePods } from './large-cluster-parts.ts';
import { benchWorld } from './world.ts';

type PoolName = 'general' | 'spot';

const [NODE_COUNT, POD_COUNT] = process.argv.slice(2).map(Number) as [number, number];
const ZONES = 3;
/** Of one CreateFleet. */
const MAX_INSTANCES = 500;
const TYPE = 'm5.xlarge';
const CAPACITY = { cpu: '4', memory: '15896Mi', pods: '58', 'ephemeral-storage': '20Gi' };
const CLAIM_CONDITIONS = [
  'Launched',
  'Registered',
  'Initialized',
  'Consolidatable',
  'ConsistentStateFound',
  'Ready',
];
const ALLOCATABLE = { cpu: '3920m', memory: '14880Mi', pods: '58', 'ephemeral-storage': '18242267924' };

const folder = newFolder();
const snapshotFile = join(folder, 'state');
await writePods(snapshotFile, POD_COUNT, (at) => nodeName(at % NODE_COUNT));
const world = benchWorld();
const playground = await startPlayground({
  world,
  snapshotFile,
  systemNodes: 0,
  standinOptions: QUIET_STANDINS,
  aws: {
    server: {
      callLogLimit: 1_000,
      latencies: { requestMs: 0, consistencyMs: 0, pendingMs: 0, eventMs: 0 },
    },
  },
});
rmSync(snapshotFile);
const { server } = playground.aws!;
const { settings } = server;
const admin = new KubeClient({ transport: fetchTransport(playground.server.adminFetch) });
// Of the world it uses the clock alone.
const aws = new TestAws(server, world as unknown as VirtualWorld);
const time = new Date(world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');

await admin.create(EC2_NODE_CLASSES, playground.cloud!.defaultNodeClass);
const pools = {
  general: await admin.create(NODE_POOLS, nodePool('general')),
  spot: await admin.create(NODE_POOLS, nodePool('spot')),
};
const instances = await launchAll();
await each(NODE_COUNT, addNode);
const roles = roleObjects('', [], 'rbac-aws.yaml');
const kubeconfig = await writeKubeconfig(folder, playground, admin, roles);
const around = { server, serverUrl: playground.url!, kubeconfig };
const files = await writeControllerFiles(folder, around);
serve(folder, { ...controllerEnvironment(around, files), CHANDLER_CLOUD: 'aws' });

// ---------------------------------------------------------------------------------------------------

function poolOf(at: number): PoolName {
  return at % 5 < 3 ? 'general' : 'spot';
}

function claimName(at: number): string {
  return `${poolOf(at)}-${at.toString(36).padStart(5, '0')}`;
}

function nodeName(at: number): string {
  return `node-${claimName(at)}`;
}

/** By number of the node. */
async function launchAll(): Promise<readonly InstanceRecord[]> {
  const byNode: InstanceRecord[] = [];
  for (const pool of ['general', 'spot'] as const) {
    const template = templateParams(
      server,
      {
        NetworkInterfaces: [{ DeviceIndex: 0, Groups: [CLUSTER_GROUP_ID] }],
        // It starts no kubelet: the nodes are written here.
        UserData: Buffer.from('#!/bin/bash\n').toString('base64'),
        TagSpecifications: ['network-interface', 'spot-instances-request'].map((ResourceType) => ({
          ResourceType,
          Tags: ownedTags(settings.clusterName),
        })),
      },
      `karpenter.k8s.aws/${pool}`,
    );
    await answered('CreateLaunchTemplate', template);
    for (let zone = 0; zone < ZONES; zone++) {
      const nodes = Array.from({ length: NODE_COUNT }, (_, at) => at).filter(
        (at) => poolOf(at) === pool && at % ZONES === zone,
      );
      for (let from = 0; from < nodes.length; from += MAX_INSTANCES) {
        const part = nodes.slice(from, from + MAX_INSTANCES);
        const text = await answered(
          'CreateFleet',
          fleetParams(server, {
            types: [TYPE],
            zones: [zone],
            count: part.length,
            capacity: pool === 'spot' ? 'spot' : 'on-demand',
            template: template.LaunchTemplateName,
          }),
        );
        const ids = TestAws.values(text, 'item').filter((id) => id.startsWith('i-'));
        if (ids.length !== part.length) throw new Error(`${ids.length} of ${part.length} were launched`);
        for (const [index, at] of part.entries()) byNode[at] = server.instances.get(ids[index]!)!;
      }
    }
  }
  return byNode;
}

async function answered(action: string, params: Parameters<TestAws['ec2']>[1]): Promise<string> {
  const { code, text } = await aws.ec2(action, params);
  if (code !== undefined) throw new Error(text);
  return text;
}

/** Nodes are not worth their price here: without the budget they would be removed. */
function nodePool(name: PoolName): KubeObject {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      weight: name === 'spot' ? 10 : 1,
      disruption: {
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: '1m',
        budgets: [{ nodes: '0' }],
      },
      template: {
        metadata: { labels: { team: 'payments' } },
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          expireAfter: '720h',
          requirements: [
            { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
            { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
            {
              key: 'karpenter.sh/capacity-type',
              operator: 'In',
              values: [name === 'spot' ? 'spot' : 'on-demand'],
            },
            { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['m'] },
          ],
        },
      },
    },
  };
}

async function addNode(at: number): Promise<void> {
  const { zone, id } = instances[at]!;
  const providerID = `aws:///${zone}/${id}`;
  const pool = pools[poolOf(at)];
  const zoneId = settings.zones.find((each) => each.name === zone)!.id;
  const labels = labelsOf(pool.metadata.name!, zone, zoneId);
  const claim = await create(
    NODE_CLAIMS,
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: {
        name: claimName(at),
        labels,
        annotations: {
          'karpenter.sh/nodepool-hash': nodePoolHash(pool as Hashable),
          'karpenter.sh/nodepool-hash-version': NODE_POOL_HASH_VERSION,
          'karpenter.k8s.aws/tagged': 'true',
          'compatibility.karpenter.k8s.aws/cluster-name-tagged': 'true',
        },
        finalizers: ['karpenter.sh/termination'],
        ownerReferences: [owner(pool, 'NodePool')],
      },
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        expireAfter: '720h',
        requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: [TYPE] }],
        resources: { requests: { cpu: '3', memory: '4Gi', pods: '4' } },
      },
    },
    {
      providerID,
      nodeName: nodeName(at),
      imageID: imageNamed(server, `al2023-x86_64-standard-${settings.kubernetesMinor}`),
      capacity: CAPACITY,
      allocatable: ALLOCATABLE,
      lastPodEventTime: time,
      conditions: CLAIM_CONDITIONS.map((type) => ({ ...isTrue(type), observedGeneration: 1 })),
    },
  );
  await create(
    NODES,
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: nodeName(at),
        labels: {
          ...labels,
          'kubernetes.io/hostname': nodeName(at),
          'karpenter.sh/registered': 'true',
          'karpenter.sh/initialized': 'true',
        },
        finalizers: ['karpenter.sh/termination'],
        ownerReferences: [owner(claim, 'NodeClaim')],
      },
      spec: { providerID },
    },
    {
      capacity: CAPACITY,
      allocatable: ALLOCATABLE,
      conditions: [{ ...isTrue('Ready'), lastHeartbeatTime: time }],
      nodeInfo: {
        architecture: 'amd64',
        operatingSystem: 'linux',
        kubeletVersion: `v${settings.kubernetesMinor}.0`,
      },
    },
  );
}

function isTrue(type: string) {
  return { type, status: 'True', reason: type, message: '', lastTransitionTime: time };
}

async function create(resource: ResourceRef, object: KubeObject, status: object): Promise<KubeObject> {
  const created = await admin.create(resource, object);
  const key = { name: created.metadata.name! };
  await admin.patchStatus(resource, key, { type: 'merge', patch: { status } });
  return created;
}

function owner({ metadata }: KubeObject, kind: string) {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind,
    name: metadata.name!,
    uid: metadata.uid!,
    blockOwnerDeletion: true,
  };
}

function labelsOf(pool: string, zone: string, zoneId: string): Record<string, string> {
  const own = {
    category: 'm',
    cpu: '4',
    'cpu-manufacturer': 'intel',
    family: 'm5',
    generation: '5',
    hypervisor: 'nitro',
    memory: '16384',
    size: 'xlarge',
    tenancy: 'default',
  };
  return {
    'karpenter.sh/nodepool': pool,
    'karpenter.sh/capacity-type': pool === 'spot' ? 'spot' : 'on-demand',
    'karpenter.k8s.aws/ec2nodeclass': 'default',
    ...Object.fromEntries(
      Object.entries(own).map(([name, value]) => [`karpenter.k8s.aws/instance-${name}`, value]),
    ),
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': TYPE,
    team: 'payments',
    'topology.k8s.aws/zone-id': zoneId,
    'topology.kubernetes.io/region': settings.region,
    'topology.kubernetes.io/zone': zone,
  };
}
