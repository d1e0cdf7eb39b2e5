/** Small clusters and pods made by chance from a seed, with everything a scheduler has to look at. */
import type { CSINode, KubeObject, Node, PersistentVolumeClaim, Pod, StorageClass } from '@chandler/kube';
import { seededRandom } from '@chandler/kube/testing';

export const DRIVER = 'disk.standin.test';
const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const ZONES = ['a', 'b', 'c'];
const APPS = ['red', 'blue', 'green'];

export class Chance {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed).next;
  }

  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  /** True in so many of a hundred cases. */
  percent(share: number): boolean {
    return this.#next() * 100 < share;
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  some<T>(items: readonly T[]): T[] {
    const chosen = items.filter(() => this.percent(50));
    return chosen.length === 0 ? [this.of(items)] : chosen;
  }
}

export function randomNode(
  chance: Chance,
  name: string,
): { node: Node; csiNode: CSINode; taints: Node['spec'] } {
  const cpu = String(1 + chance.below(4));
  const amounts = {
    cpu,
    memory: `${1 + chance.below(4)}Gi`,
    pods: String(2 + chance.below(6)),
    'ephemeral-storage': '10Gi',
    ...(chance.percent(30) ? { 'example.com/gpu': '1' } : {}),
  };
  const taints = [
    ...(chance.percent(20) ? [{ key: 'team', value: chance.of(APPS), effect: chance.of(EFFECTS) }] : []),
    ...(chance.percent(10) ? [{ key: 'spot', effect: 'NoExecute' }] : []),
  ];
  const labels: Record<string, string> = {
    [HOST]: name,
    size: cpu,
    ...(chance.percent(85) ? { [ZONE]: chance.of(ZONES) } : {}),
    ...(chance.percent(50) ? { disk: chance.of(['ssd', 'hdd']) } : {}),
  };
  const node: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    status: {
      capacity: amounts,
      allocatable: amounts,
      conditions: [{ type: 'Ready', status: 'True', reason: 'Test', message: '' }],
    },
  };
  const csiNode: CSINode = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name },
    spec: {
      drivers: [
        {
          name: DRIVER,
          nodeID: name,
          topologyKeys: [],
          allocatable: { count: 1 + chance.below(2) },
        } as never,
      ],
    },
  };
  return { node, csiNode, taints: { taints, ...(chance.percent(10) ? { unschedulable: true } : {}) } };
}

export function storageClasses(prefix: string): StorageClass[] {
  const base = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', provisioner: DRIVER };
  const volumeBindingMode = 'WaitForFirstConsumer';
  return [
    { ...base, metadata: { name: `${prefix}-anywhere` }, volumeBindingMode },
    {
      ...base,
      metadata: { name: `${prefix}-zone-a` },
      volumeBindingMode,
      allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: ['a'] }] }],
    },
  ];
}

export function randomClaim(
  chance: Chance,
  prefix: string,
  namespace: string,
  name: string,
): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: `${prefix}-${chance.of(['anywhere', 'zone-a'])}`,
      resources: { requests: { storage: '1Gi' } },
    },
  };
}

export function namespaceObject(name: string, tier: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { tier } } };
}

export function randomPod(
  chance: Chance,
  where: {
    namespace: string;
    other: string;
    name: string;
    nodes: readonly string[];
    claim: string | undefined;
  },
): Pod {
  const affinity = {
    ...(chance.percent(25) ? { nodeAffinity: randomNodeAffinity(chance, where.nodes) } : {}),
    ...(chance.percent(20) ? { podAffinity: randomPodAffinity(chance, where.other) } : {}),
    ...(chance.percent(20) ? { podAntiAffinity: randomPodAffinity(chance, where.other) } : {}),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: where.name,
      namespace: where.namespace,
      labels: { app: chance.of(APPS), rev: chance.of(['1', '2']) },
    },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [container(chance, 'main', chance.percent(15))],
      ...(chance.percent(20) ? { initContainers: [sidecar(chance), container(chance, 'first', false)] } : {}),
      ...(chance.percent(15)
        ? { nodeSelector: chance.of([{ disk: 'ssd' }, { [ZONE]: chance.of(ZONES) }]) }
        : {}),
      ...(chance.percent(60) ? { tolerations: chance.some(TOLERATIONS) } : {}),
      ...(Object.keys(affinity).length > 0 ? { affinity } : {}),
      ...(chance.percent(30) ? { topologySpreadConstraints: randomSpread(chance) } : {}),
      ...(where.claim === undefined
        ? {}
        : { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: where.claim } }] }),
    },
  } as Pod;
}

// ---------------------------------------------------------------------------------------------------

const EFFECTS = ['NoSchedule', 'NoExecute', 'PreferNoSchedule'];
const TOLERATIONS = [
  { key: 'team', operator: 'Exists' },
  { key: 'team', operator: 'Equal', value: 'red', effect: 'NoSchedule' },
  { key: 'spot', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists' },
];

function container(chance: Chance, name: string, withPort: boolean) {
  const requests = {
    ...(chance.percent(80) ? { cpu: chance.of(['100m', '250m', '0.5', '1']) } : {}),
    ...(chance.percent(60) ? { memory: chance.of(['64Mi', '256Mi', '1Gi', '500M']) } : {}),
    ...(chance.percent(10) ? { 'ephemeral-storage': '4Gi' } : {}),
  };
  const gpu = chance.percent(8) ? { 'example.com/gpu': '1' } : {};
  const port = {
    containerPort: 80,
    hostPort: chance.of([8080, 8081]),
    ...(chance.percent(50) ? { hostIP: chance.of(['127.0.0.1', '127.0.0.2']) } : {}),
    protocol: chance.of(['TCP', 'UDP']),
  };
  return {
    name,
    image: 'test',
    resources: { requests: { ...requests, ...gpu }, limits: gpu },
    ...(withPort ? { ports: [port] } : {}),
  };
}

function sidecar(chance: Chance) {
  return {
    ...container(chance, 'beside', false),
    ...(chance.percent(60) ? { restartPolicy: 'Always' } : {}),
  };
}

function randomNodeAffinity(chance: Chance, nodes: readonly string[]) {
  const expression = () =>
    chance.of([
      { key: ZONE, operator: 'In', values: chance.some(ZONES) },
      { key: ZONE, operator: 'NotIn', values: [chance.of(ZONES)] },
      { key: 'disk', operator: 'Exists' },
      { key: 'disk', operator: 'DoesNotExist' },
      { key: 'size', operator: 'Gt', values: ['1'] },
      { key: 'size', operator: 'Lt', values: ['3'] },
    ]);
  const field = { key: 'metadata.name', operator: chance.of(['In', 'NotIn']), values: [chance.of(nodes)] };
  const term = () => (chance.percent(25) ? { matchFields: [field] } : { matchExpressions: [expression()] });
  const nodeSelectorTerms = chance.percent(30) ? [term(), term()] : [term()];
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
}

function randomPodAffinity(chance: Chance, other: string) {
  const term = {
    topologyKey: chance.of([ZONE, HOST]),
    labelSelector: chance.of([
      { matchLabels: { app: chance.of(APPS) } },
      { matchExpressions: [{ key: 'app', operator: 'NotIn', values: [chance.of(APPS)] }] },
    ]),
    ...chance.of([
      {},
      {},
      { namespaces: [other] },
      { namespaceSelector: { matchLabels: { tier: chance.of(['x', 'y']) } } },
      { namespaceSelector: {} },
    ]),
  };
  return { requiredDuringSchedulingIgnoredDuringExecution: [term] };
}

function randomSpread(chance: Chance) {
  const one = (topologyKey: string) => ({
    topologyKey,
    maxSkew: 1 + chance.below(2),
    whenUnsatisfiable: chance.percent(80) ? 'DoNotSchedule' : 'ScheduleAnyway',
    labelSelector: { matchLabels: { app: chance.of(APPS) } },
    ...(chance.percent(30) ? { nodeTaintsPolicy: 'Honor' } : {}),
    ...(chance.percent(30) ? { nodeAffinityPolicy: 'Ignore' } : {}),
    ...(chance.percent(20) ? { matchLabelKeys: ['rev'] } : {}),
  });
  const constraints = chance.percent(30) ? [one(ZONE), one(HOST)] : [one(chance.of([ZONE, HOST]))];
  return constraints.map((constraint) =>
    constraint.whenUnsatisfiable === 'DoNotSchedule' && chance.percent(20)
      ? { ...constraint, minDomains: 1 + chance.below(3) }
      : constraint,
  );
}
