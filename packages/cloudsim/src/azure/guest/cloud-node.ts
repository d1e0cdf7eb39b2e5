/**
 * What the agents of AKS do to a Node besides its kubelet: the cloud node manager sets its provider ID and zone, the
 * problem detector reports problems.
 */
import {
  formatTime,
  ignoreApiErrors,
  isApiError,
  type KubeClient,
  NODES,
  type Node,
  type Stored,
  withConditions,
} from '@chandler/kube';
import type { VmFacts } from '../compute/vm-hooks.ts';
import { cloudLabels, providerIdOf, UNINITIALIZED } from './node-plan.ts';

export function findNode(client: KubeClient, name: string): Promise<Stored<Node> | undefined> {
  return client.find(NODES, { name });
}

/** Sets provider ID, zone and instance type; then pods can be scheduled. Does nothing when the Node does not exist. */
export async function initializeNode(client: KubeClient, name: string, vm: VmFacts): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const node = await findNode(client, name);
    if (node === undefined) return;
    const { resourceVersion } = node.metadata;
    const taints = (node.spec?.taints ?? []).filter(({ key }) => key !== UNINITIALIZED.key);
    const patch = {
      metadata: { resourceVersion, labels: cloudLabels(vm) },
      spec: { providerID: providerIdOf(vm), taints },
    };
    try {
      await client.patch(NODES, { name }, { type: 'merge', patch });
      return;
    } catch (error) {
      if (isApiError(error, 'notFound')) return;
      if (!isApiError(error, 'conflict')) throw error;
    }
  }
  throw new Error(`the node ${name} changed faster than it could be initialized`);
}

/** Sets the address of its network interface, and the versions of its software. */
export async function describeNode(client: KubeClient, name: string, vm: VmFacts): Promise<void> {
  const { privateIpAddress, vmId } = vm;
  const patch = {
    status: {
      ...(privateIpAddress === undefined
        ? {}
        : { addresses: [{ type: 'InternalIP', address: privateIpAddress }] }),
      nodeInfo: { ...systemOf(vm), systemUUID: vmId, machineID: vmId.replaceAll('-', '') },
    },
  };
  await ignoreApiErrors(client.patchStatus(NODES, { name }, { type: 'strategic', patch }), 'notFound');
}

export interface NodeProblem {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export const UNHEALTHY: NodeProblem = {
  type: 'Ready',
  status: 'False',
  reason: 'KubeletNotReady',
  message: 'PLEG is not healthy: pleg was last seen active 3m9s ago; threshold is 3m0s',
};

export const PREEMPTION: NodeProblem = {
  type: 'PreemptionScheduled',
  status: 'True',
  reason: 'PreemptionScheduled',
  message: 'The virtual machine of this node will be evicted',
};

export async function reportProblem(
  client: KubeClient,
  name: string,
  problem: NodeProblem,
  nowMs: number,
): Promise<void> {
  const node = await findNode(client, name);
  if (node === undefined) return;
  const time = formatTime(nowMs);
  const conditions = withConditions(
    node.status?.conditions,
    [{ ...problem, lastHeartbeatTime: time, lastTransitionTime: time }],
    time,
  );
  const patch = { status: { conditions } };
  await ignoreApiErrors(client.patchStatus(NODES, { name }, { type: 'strategic', patch }), 'notFound');
}

/** By a part of the image's name. */
export function systemOf(vm: Pick<VmFacts, 'resource'>): {
  readonly osImage: string;
  readonly kernelVersion: string;
  readonly containerRuntimeVersion: string;
} {
  const storage = vm.resource.properties['storageProfile'] as { imageReference?: Record<string, unknown> };
  const image = JSON.stringify(storage?.imageReference ?? '').toLowerCase();
  const row = SYSTEMS.find(({ part }) => image.includes(part)) ?? SYSTEMS[0]!;
  return {
    osImage: row.osImage,
    kernelVersion: row.kernelVersion,
    containerRuntimeVersion: row.containerRuntimeVersion,
  };
}

// ---------------------------------------------------------------------------------------------------

const ATTEMPTS = 10;

const SYSTEMS = [
  {
    part: '2204',
    osImage: 'Ubuntu 22.04.5 LTS',
    kernelVersion: '5.15.0-1089-azure',
    containerRuntimeVersion: 'containerd://1.7.27-1',
  },
  {
    part: '2404',
    osImage: 'Ubuntu 24.04.3 LTS',
    kernelVersion: '6.8.0-1029-azure',
    containerRuntimeVersion: 'containerd://2.0.5-1',
  },
  {
    part: 'azurelinuxv3',
    osImage: 'Microsoft Azure Linux 3.0',
    kernelVersion: '6.6.96.1-1.azl3',
    containerRuntimeVersion: 'containerd://2.0.0',
  },
  {
    part: 'v2',
    osImage: 'CBL-Mariner/Linux',
    kernelVersion: '5.15.186.1-1.cm2',
    containerRuntimeVersion: 'containerd://1.6.26',
  },
];
