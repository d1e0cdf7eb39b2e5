/** Doing what a story says, to the cluster as its administrator and to Azure as whoever owns it. */
import type { RunningAzure } from '@chandler/cloudsim/azure';
import { DEPLOYMENTS, type KubeClient, keyOfObject } from '@chandler/kube';
import { NODE_CLAIMS } from '../../api/index.ts';
import { applyObject } from './manifests.ts';
import type { Act } from './story.ts';

export interface Stagehands {
  readonly client: KubeClient;
  readonly azure: RunningAzure;
}

export async function perform(act: Act, { client, azure }: Stagehands): Promise<void> {
  if ('apply' in act) await applyObject(client, act.apply);
  else if ('scale' in act) await scale(client, act.scale.name, act.scale.replicas);
  else if ('deleteClaims' in act) await deleteClaims(client, act.deleteClaims.zone);
  else if ('fault' in act) azure.arm.faults.add(act.fault);
  else if ('mend' in act) azure.arm.faults.remove(act.mend);
  else if ('quota' in act)
    azure.azure.catalogue.quota.setLimit(azure.arm.settings.region, act.quota.name, act.quota.limit);
  else if ('powerOff' in act) powerOff(azure, act.powerOff.zone);
  else azure.azure.byok[act.byok]();
}

// ---------------------------------------------------------------------------------------------------

const ZONE_LABEL = 'topology.kubernetes.io/zone';

async function scale(client: KubeClient, name: string, replicas: number): Promise<void> {
  const patch = { type: 'merge', patch: { spec: { replicas } } } as const;
  await client.patch(DEPLOYMENTS, { namespace: 'default', name }, patch, { subresource: 'scale' });
}

async function deleteClaims(client: KubeClient, zone: string | undefined): Promise<void> {
  const { items } = await client.list(NODE_CLAIMS);
  const wanted = items.filter(
    ({ metadata }) => zone === undefined || metadata.labels?.[ZONE_LABEL]?.endsWith(`-${zone}`),
  );
  for (const claim of wanted) await client.delete(NODE_CLAIMS, keyOfObject(claim));
}

function powerOff({ arm }: RunningAzure, zone: string): void {
  for (const { id } of arm.resources.vms())
    if (arm.vms.vm(id)?.zone === zone) arm.vms.setInstanceView(id, { power: 'stopped' });
}
