/** Objects for tests of the stand-ins, with only what the test needs. */
import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  StatusCondition,
  StorageClass,
  Stored,
  Taint,
} from '@chandler/kube';
import { ClusterSnapshot, type Lookup } from './scheduler/cluster-snapshot.ts';

export interface NodeOptions {
  readonly cpu?: string;
  readonly memory?: string;
  readonly pods?: number;
  readonly labels?: Record<string, string>;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly resources?: Record<string, string>;
  readonly conditions?: StatusCondition[];
}

export function aNode(name: string, options: NodeOptions = {}): Stored<Node> {
  const {
    cpu = '4',
    memory = '16Gi',
    pods = 110,
    labels,
    taints,
    unschedulable,
    resources,
    conditions,
  } = options;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: '1',
      labels: { 'kubernetes.io/hostname': name, ...labels },
    },
    spec: { ...(taints ? { taints } : {}), ...(unschedulable === undefined ? {} : { unschedulable }) },
    status: {
      allocatable: { cpu, memory, pods: String(pods), ...resources },
      conditions: conditions ?? [{ type: 'Ready', status: 'True' }],
    },
  };
}

export interface PodOptions {
  readonly cpu?: string;
  readonly memory?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly namespace?: string;
  readonly node?: string;
  readonly phase?: string;
  readonly ready?: boolean;
  readonly terminating?: boolean;
  readonly owner?: { kind: string; name: string; uid: string };
  readonly created?: string;
  readonly spec?: Partial<PodSpec>;
}

export function aPod(name: string, options: PodOptions = {}): Stored<Pod> {
  const {
    cpu,
    memory,
    labels,
    annotations,
    namespace = 'default',
    node,
    phase,
    ready,
    owner,
    created,
    spec,
  } = options;
  const requests = { ...(cpu ? { cpu } : {}), ...(memory ? { memory } : {}) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      resourceVersion: '1',
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(created ? { creationTimestamp: created } : {}),
      ...(options.terminating ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      ...(owner ? { ownerReferences: [{ apiVersion: 'apps/v1', controller: true, ...owner }] } : {}),
    },
    spec: {
      containers: [{ name: 'main', image: 'nginx', resources: { requests } }],
      ...(node ? { nodeName: node } : {}),
      ...spec,
    },
    status: {
      phase: phase ?? (node ? 'Running' : 'Pending'),
      ...(ready === undefined
        ? {}
        : {
            conditions: [
              { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' },
            ],
          }),
    },
  };
}

export interface Storage {
  readonly claims?: readonly Stored<PersistentVolumeClaim>[];
  readonly volumes?: readonly Stored<PersistentVolume>[];
  readonly classes?: readonly Stored<StorageClass>[];
  readonly namespaces?: Readonly<Record<string, Record<string, string>>>;
  readonly lookup?: Partial<Lookup>;
}

export function aClusterSnapshot(
  nodes: readonly Stored<Node>[],
  pods: readonly Stored<Pod>[] = [],
  storage: Storage = {},
): ClusterSnapshot {
  const { claims = [], volumes = [], classes = [], namespaces = {}, lookup = {} } = storage;
  const snapshot = new ClusterSnapshot({
    namespaceLabels: (name) => namespaces[name] ?? {},
    claim: (namespace, name) =>
      claims.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
    volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    volumes: () => volumes,
    storageClass: (name) => classes.find(({ metadata }) => metadata.name === name),
    csiNode: () => undefined,
    attachedTo: () => [],
    ...lookup,
  });
  for (const node of nodes) snapshot.setNode(node);
  for (const pod of pods) snapshot.setPod(pod);
  return snapshot;
}
