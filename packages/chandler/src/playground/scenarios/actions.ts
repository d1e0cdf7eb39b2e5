/** Performs the actions of a scenario: on the cluster as its administrator, on Azure as the subscription's owner. */
import type { RunningAzure } from '@chandler/cloudsim/azure';
import { DEPLOYMENTS, type KubeClient, keyOfObject } from '@chandler/kube';
import { NODE_CLAIMS } from '../../api/index.ts';
import { applyObject } from './manifests.ts';
import type { ScenarioAction } from './scenario.ts';

export interface ScenarioTargets {
  readonly client: KubeClient;
  readonly azure: RunningAzure;
  readonly now: () => Date;
}

export async function performAction(
  action: ScenarioAction,
  { client, azure, now }: ScenarioTargets,
): Promise<void> {
  if ('apply' in action) await applyObject(client, action.apply);
  else if ('applyAt' in action) await applyObject(client, action.applyAt(now()));
  else if ('scale' in action) await scale(client, action.scale.name, action.scale.replicas);
  else if ('deleteClaims' in action) await deleteClaims(client, action.deleteClaims.zone);
  else if ('fault' in action) azure.arm.faults.add(action.fault);
  else if ('clearFault' in action) azure.arm.faults.remove(action.clearFault);
  else if ('quota' in action)
    azure.azure.catalogue.quota.setLimit(azure.arm.settings.region, action.quota.name, action.quota.limit);
  else if ('powerOff' in action) powerOff(azure, action.powerOff.zone);
  else azure.azure.byok[action.byok]();
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
