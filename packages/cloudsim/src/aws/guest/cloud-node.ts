/** What the controllers of EKS do to a Node besides its kubelet: they set provider ID, zone and type. */
import { ignoreApiErrors, isApiError, type KubeClient, NODES, type Node, type Stored } from '@chandler/kube';
import type { AwsSettings } from '../settings.ts';
import type { InstanceRecord } from '../store/records.ts';
import { cloudLabels, providerIdOf, UNINITIALIZED } from './node-plan.ts';

export function findNode(client: KubeClient, name: string): Promise<Stored<Node> | undefined> {
  return client.find(NODES, { name });
}

/** Sets provider ID, zone and instance type; then pods can be scheduled. Does nothing when the Node does not exist. */
export async function initializeNode(
  client: KubeClient,
  instance: InstanceRecord,
  settings: AwsSettings,
): Promise<void> {
  const name = instance.nodeName;
  const zoneId = settings.zones.find((zone) => zone.name === instance.zone)?.id;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const node = await findNode(client, name);
    if (node === undefined) return;
    const { resourceVersion } = node.metadata;
    const taints = (node.spec?.taints ?? []).filter(({ key }) => key !== UNINITIALIZED.key);
    const patch = {
      metadata: { resourceVersion, labels: cloudLabels(instance, settings.region, zoneId) },
      spec: { providerID: providerIdOf(instance), taints },
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

/** Sets its address. */
export async function describeNode(
  client: KubeClient,
  { nodeName, privateIp, id }: InstanceRecord,
): Promise<void> {
  const patch = {
    status: {
      addresses: [
        { type: 'InternalIP', address: privateIp },
        { type: 'InternalDNS', address: nodeName },
        { type: 'Hostname', address: nodeName },
      ],
      nodeInfo: { systemUUID: id, machineID: id.replace('i-', '') },
    },
  };
  await ignoreApiErrors(
    client.patchStatus(NODES, { name: nodeName }, { type: 'strategic', patch }),
    'notFound',
  );
}

// ---------------------------------------------------------------------------------------------------

const ATTEMPTS = 10;
