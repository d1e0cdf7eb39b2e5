/** Clusters for the benchmarks of `why`: small objects for many requests, and objects of realistic size. */
import type { ReadObject } from '../packages/chandler/src/causes/index.ts';
import type { Dump } from '../packages/chandler/src/diagnose/index.ts';
import { encodeJourney } from '../packages/chandler/src/journey/testing.ts';

import { aClass, aController, aPool } from '../test/why/cluster-objects.ts';
import { aClaim, aNode, aPod, merged, NOW_MS } from '../test/why/objects.ts';

const PODS_PER_NODE = 4;

export type Grown = (object: ReadObject) => ReadObject;

export interface ClusterSize {
  readonly podsPerNode?: number;
  /** NodePools of teams beside the general one. */
  readonly pools?: number;
}

/**
 * Nodes with claim and pods, all well, and pods that are not: `waiting` selects a label that no NodePool has, `spread` also
 * has rules about other pods, and `crashing` crashes.
 */
export function clusterOf(
  nodes: number,
  grown: Grown = (object) => object,
  { podsPerNode = PODS_PER_NODE, pools = 0 }: ClusterSize = {},
): ReadObject[] {
  const objects: ReadObject[] = [...aController(), aClass(), aPool()];
  for (let index = 0; index < pools; index++) objects.push(teamPool(index));
  for (let index = 0; index < nodes; index++) {
    const name = `default-n${index}`;
    objects.push(grown(aClaim({ name })), grown(aNode({ claim: name })));
    for (let at = 0; at < podsPerNode; at++)
      objects.push(
        aPod({ name: `web-${index}-${at}`, node: `aks-${name}`, namespace: `team-${index % 50}` }),
      );
  }
  const selector = { nodeSelector: { 'example.com/none': 'x' } };
  objects.push(aPod({ name: 'waiting', spec: selector }));
  for (let index = 0; index < Math.min(nodes, SPREAD_PODS); index++)
    objects.push(aPod({ name: `spread-${index}`, node: `aks-default-n${index}`, metadata: SPREAD_LABELS }));
  objects.push(aPod({ name: 'spread', metadata: SPREAD_LABELS, spec: { ...selector, ...SPREAD } }));
  const container = {
    waiting: { reason: 'CrashLoopBackOff' },
    last: { reason: 'Error', exitCode: 1 },
    restarts: 7,
  };
  objects.push(aPod({ name: 'crashing', node: 'aks-default-n0', ready: false, container }));
  return objects;
}

/** All of it, as if it were dumped whole. */
export function wholeDump(objects: readonly ReadObject[]): Dump {
  const kinds: Record<string, { objects: ReadObject[]; complete: boolean }> = {};
  for (const { plural } of RESOURCES) kinds[plural] = { objects: [], complete: true };
  for (const object of objects)
    kinds[RESOURCES.find(({ kind }) => kind === object.kind)!.plural]!.objects.push(object);
  return {
    kind: 'ChandlerDump',
    version: 1,
    madeAt: new Date(NOW_MS).toISOString(),
    madeBy: 'bench',
    kinds,
    logs: {},
    evidence: [],
    unread: [],
  };
}

/** With the labels, conditions, figures, images and journey that a real node and claim carry. */
export function lifeSized(object: ReadObject): ReadObject {
  const name = object.metadata.name;
  const labels = Object.fromEntries(
    Array.from({ length: 28 }, (_, at) => [`karpenter.azure.com/sku-property-${at}`, `value-${at}-${name}`]),
  );
  return merged(object, {
    metadata: {
      labels,
      annotations: object.kind === 'Node' ? NODE_NOTES : { 'chandler.sh/journey': journeyOf(name) },
    },
    spec: object.kind === 'Node' ? {} : { requirements: REQUIREMENTS },
    status: object.kind === 'Node' ? nodeStatus(object) : { capacity: AMOUNTS, allocatable: AMOUNTS },
  });
}

// ---------------------------------------------------------------------------------------------------

const SPREAD_PODS = 1000;
const SPREAD_LABELS = { labels: { app: 'spread' } };
const SPREAD = {
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: SPREAD_LABELS.labels },
    },
  ],
};

/** Half of them with a label and a taint, a third at its limit. */
function teamPool(index: number): ReadObject {
  const team = `team-${index}`;
  const isOwn = index % 2 === 1;
  const isFull = index % 3 === 0;
  return aPool({
    name: team,
    spec: {
      limits: isFull ? { cpu: '10' } : {},
      template: {
        spec: {
          requirements: isOwn ? [{ key: 'team', operator: 'In', values: [team] }] : [],
          taints: isOwn ? [{ key: 'team', value: team, effect: 'NoSchedule' }] : [],
        },
      },
    },
    status: { resources: isFull ? { cpu: '10', nodes: '3' } : {} },
  });
}

const RESOURCES: readonly { readonly kind: string; readonly plural: string }[] = [
  { kind: 'Pod', plural: 'pods' },
  { kind: 'Node', plural: 'nodes' },
  { kind: 'Event', plural: 'events' },
  { kind: 'Namespace', plural: 'namespaces' },
  { kind: 'Service', plural: 'services' },
  { kind: 'DaemonSet', plural: 'daemonsets.apps' },
  { kind: 'Deployment', plural: 'deployments.apps' },
  { kind: 'Lease', plural: 'leases.coordination.k8s.io' },
  { kind: 'NodeClaim', plural: 'nodeclaims.karpenter.sh' },
  { kind: 'NodePool', plural: 'nodepools.karpenter.sh' },
  { kind: 'AKSNodeClass', plural: 'aksnodeclasses.karpenter.azure.com' },
];

const AMOUNTS = {
  cpu: '4',
  'ephemeral-storage': '129886128Ki',
  'hugepages-1Gi': '0',
  'hugepages-2Mi': '0',
  memory: '16374180Ki',
  pods: '110',
};

const NODE_NOTES = {
  'csi.volume.kubernetes.io/nodeid':
    '{"disk.csi.azure.com":"aks-default","file.csi.azure.com":"aks-default"}',
  'karpenter.azure.com/aksnodeclass-hash': '1234567890123456789',
  'karpenter.sh/nodepool-hash': '9876543210987654321',
  'node.alpha.kubernetes.io/ttl': '0',
  'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
};

const REQUIREMENTS = Array.from({ length: 10 }, (_, at) => ({
  key: `karpenter.azure.com/sku-property-${at}`,
  operator: 'In',
  values: Array.from({ length: 8 }, (__, value) => `value-${value}`),
}));

const PRESSURES = [
  'MemoryPressure',
  'DiskPressure',
  'PIDPressure',
  'FrequentKubeletRestart',
  'KernelDeadlock',
];

function nodeStatus(node: ReadObject): unknown {
  const { conditions = [] } = node['status'] as { readonly conditions?: readonly unknown[] };
  return {
    capacity: AMOUNTS,
    conditions: [
      ...conditions,
      ...PRESSURES.map((type) => ({
        type,
        status: 'False',
        reason: `No${type}`,
        message: `kubelet has looked for ${type} and there is none of it on this node`,
        lastHeartbeatTime: new Date(NOW_MS).toISOString(),
        lastTransitionTime: new Date(NOW_MS).toISOString(),
      })),
    ],
    images: Array.from({ length: 50 }, (_, at) => ({
      names: [
        `registry.example.com/team/image-${at}@sha256:${'0123456789abcdef'.repeat(4)}`,
        `image-${at}:v1.2.3`,
      ],
      sizeBytes: 100_000_000 + at,
    })),
  };
}

/** As long as the journey of a machine that was made is. */
function journeyOf(name: string): string {
  const stages = ['options', 'resolved', 'template', 'plan', 'vmObject', 'request', 'azure', 'registered'];
  return encodeJourney(
    stages.map((stage, at) => ({
      name: stage,
      outcome: 'ok',
      atMs: NOW_MS - 600_000 + at * 5_000,
      values: {
        vmSize: 'Standard_D4s_v5',
        zone: '1',
        machine: `aks-${name}`,
        image: 'AKSUbuntu-2204gen2containerd',
      },
    })) as unknown as Parameters<typeof encodeJourney>[0],
  );
}
