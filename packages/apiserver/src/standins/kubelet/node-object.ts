/** What a kubelet registers: the Node, its CSINode and its lease, from a short description of the host. Pure. */
import {
  type CSINode,
  formatMicroTime,
  formatTime,
  type Labels,
  type Lease,
  type NamedObject,
  type Node,
  type ResourceAmounts,
  type StatusCondition,
  type Stored,
  type Taint,
} from '@chandler/kube';
import { nameOf } from '../object-facts.ts';
import { NODE_LEASES } from '../watched.ts';

/** CSI drivers, and how many volumes each attaches to a node; undefined: any number. */
export type CsiDrivers = Readonly<Record<string, number | undefined>>;

/** A simulated host. */
export interface NodeSpec {
  readonly name: string;
  /** Default 4. */
  readonly cpu?: string | number;
  /** Default 16Gi. */
  readonly memory?: string | number;
  /** Maximum number of pods. Default 110. */
  readonly pods?: number;
  /** Default 100Gi. */
  readonly ephemeralStorage?: string;
  /** Further resources, such as `nvidia.com/gpu`. */
  readonly resources?: ResourceAmounts;
  /** What of the capacity pods may use. Default: all of it. */
  readonly allocatable?: ResourceAmounts;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly taints?: readonly Taint[];
  readonly providerID?: string;
  /** From the registration to Ready. Default 0: it registers as ready. */
  readonly readyAfterMs?: number;
  /** Default: the playground's own, 16. */
  readonly csiDrivers?: CsiDrivers;
  /** Default `amd64`. */
  readonly architecture?: string;
  /** Default `linux`. */
  readonly os?: string;
  readonly kubeletVersion?: string;
}

/** Marks nodes that the stand-in kubelet serves, also after a restart. */
export const STANDIN_NODE = 'chandler.sh/playground-node';
export const PLAYGROUND_DRIVER = 'disk.csi.chandler.sh';
export const KUBELET_VERSION = 'v1.36.3';

export function nodeObject(
  spec: NodeSpec,
  where: { nowMs: number; address: string; bootId: string },
): Node & NamedObject {
  const { name, labels, annotations, taints = [], providerID } = spec;
  const { architecture = 'amd64', os = 'linux' } = spec;
  const capacity: ResourceAmounts = {
    cpu: String(spec.cpu ?? 4),
    memory: String(spec.memory ?? '16Gi'),
    pods: String(spec.pods ?? 110),
    'ephemeral-storage': spec.ephemeralStorage ?? '100Gi',
    ...spec.resources,
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': architecture,
        'beta.kubernetes.io/os': os,
        'kubernetes.io/arch': architecture,
        'kubernetes.io/os': os,
        'kubernetes.io/hostname': name,
        ...labels,
      },
      annotations: { [STANDIN_NODE]: 'true', 'node.alpha.kubernetes.io/ttl': '0', ...annotations },
    },
    spec: { ...(taints.length === 0 ? {} : { taints }), ...(providerID === undefined ? {} : { providerID }) },
    status: {
      capacity,
      allocatable: { ...capacity, ...spec.allocatable },
      conditions: nodeConditions((spec.readyAfterMs ?? 0) === 0, where.nowMs),
      addresses: [
        { type: 'InternalIP', address: where.address },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        machineID: where.bootId.replaceAll('-', ''),
        systemUUID: where.bootId,
        bootID: where.bootId,
        kernelVersion: '6.8.0-playground',
        osImage: 'Chandler playground',
        containerRuntimeVersion: 'playground://1.0.0',
        kubeletVersion: spec.kubeletVersion ?? KUBELET_VERSION,
        kubeProxyVersion: '',
        operatingSystem: os,
        architecture,
      },
    },
  };
}

export function nodeConditions(ready: boolean, nowMs: number): StatusCondition[] {
  const now = formatTime(nowMs);
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  return [
    ...PRESSURES.map(({ type, reason, message }) => ({ type, status: 'False', reason, message, ...times })),
    ready
      ? {
          type: 'Ready',
          status: 'True',
          reason: 'KubeletReady',
          message: 'kubelet is posting ready status',
          ...times,
        }
      : {
          type: 'Ready',
          status: 'False',
          reason: 'KubeletNotReady',
          message: 'container runtime network not ready',
          ...times,
        },
  ];
}

export function csiNodeObject(spec: NodeSpec, node: Stored<Node>): CSINode & NamedObject {
  const drivers = spec.csiDrivers ?? { [PLAYGROUND_DRIVER]: 16 };
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name: spec.name, ownerReferences: [ownedBy(node)] },
    spec: {
      drivers: Object.entries(drivers).map(([name, count]) => ({
        name,
        nodeID: spec.name,
        topologyKeys: ['topology.kubernetes.io/zone'],
        ...(count === undefined ? {} : { allocatable: { count } }),
      })),
    },
  };
}

export function leaseObject(node: Stored<Node>, nowMs: number): Lease & NamedObject {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: nameOf(node), namespace: NODE_LEASES, ownerReferences: [ownedBy(node)] },
    spec: { holderIdentity: nameOf(node), leaseDurationSeconds: 40, renewTime: formatMicroTime(nowMs) },
  };
}

// ---------------------------------------------------------------------------------------------------

const PRESSURES = [
  {
    type: 'MemoryPressure',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  { type: 'DiskPressure', reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure' },
  { type: 'PIDPressure', reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available' },
];

function ownedBy(node: Stored) {
  return { apiVersion: 'v1', kind: 'Node', name: nameOf(node), uid: node.metadata.uid };
}
