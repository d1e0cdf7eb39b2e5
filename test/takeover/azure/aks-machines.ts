/**
 * Claims whose VMs AKS made through its machine API, as Karpenter leaves them: other names, another form of the image,
 * another hash of the in-place update, and a tag that keeps other controllers from the VM.
 */
import { NODES } from '@chandler/kube';
import { NODE_CLAIMS } from '../../../packages/chandler/src/api/index.ts';
import { create, setStatus } from '../writing.ts';
import type { AksWritable } from './cluster.ts';
import { claimOf, claimStatus, nodeOf, nodeStatus, type Owners } from './nodes.ts';
import { vmTags } from './objects.ts';

/** The second of them has a node that is not Ready. */
export async function addAksMachines(stage: AksWritable, owners: Owners, count: number): Promise<void> {
  for (let at = 0; at < count; at++) await addMachine(stage, owners, `general-aks${at}`, at !== 1);
}

// ---------------------------------------------------------------------------------------------------

async function addMachine(stage: AksWritable, owners: Owners, name: string, ready: boolean): Promise<void> {
  const { place } = owners;
  const { subscriptionId, clusterName, nodeResourceGroup, region } = place;
  const pool = `/subscriptions/${subscriptionId}/resourceGroups/${clusterName}/providers/Microsoft.ContainerService/managedClusters/${clusterName}/agentPools/aksmanagedap`;
  const vmName = `aks-aksmanagedap-${name}-12345678vm`;
  const vmId = `/subscriptions/${subscriptionId}/resourceGroups/${nodeResourceGroup}/providers/Microsoft.Compute/virtualMachines/${vmName}`;
  const providerID = `azure://${vmId.replace(nodeResourceGroup, nodeResourceGroup.toLowerCase())}`;
  const wanted = claimOf(owners, name, 1);
  Object.assign(wanted.metadata.annotations!, {
    'karpenter.azure.com/aks-machine-resource-id': `${pool}/machines/${name}`,
    'karpenter.azure.com/in-place-update-hash': '1234567890',
  });
  const claim = await create(stage, NODE_CLAIMS, wanted, {
    ...claimStatus(owners, name),
    providerID,
    nodeName: vmName,
    imageID: `AKSUbuntu-2204gen2containerd-${place.imageVersion}`,
  });
  const node = nodeOf(owners, claim);
  node.metadata.name = vmName;
  Object.assign(node['spec'] as object, { providerID });
  const registered = await create(stage, NODES, node, nodeStatus(place));
  if (!ready) await setStatus(stage, NODES, registered, notReady(place.time));
  stage.arm.context.store.put({
    id: vmId,
    name: vmName,
    type: 'Microsoft.Compute/virtualMachines',
    location: region,
    zones: ['1'],
    tags: { ...vmTags(place, 'general'), 'karpenter.azure.com_aksmachine_nodeclaim': name },
    properties: {
      provisioningState: 'Succeeded',
      timeCreated: place.time,
      hardwareProfile: { vmSize: 'Standard_D4s_v5' },
    },
  });
}

function notReady(time: string): object {
  const shared = { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' };
  return {
    conditions: [
      { type: 'Ready', status: 'Unknown', ...shared, lastTransitionTime: time, lastHeartbeatTime: time },
    ],
  };
}
