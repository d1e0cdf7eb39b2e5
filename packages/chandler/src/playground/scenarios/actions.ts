/** Performs the actions of a scenario: on the cluster as its administrator, on the cloud as its owner. */
import { DEPLOYMENTS, isApiError, type KubeClient, keyOfObject } from '@chandler/kube';
import { NODE_CLAIMS } from '../../api/index.ts';
import { type PlaygroundCloud, zoneOf } from '../clouds/playground-cloud.ts';
import { applyObject, deleteObject } from './manifests.ts';
import type { ScenarioAction } from './scenario.ts';

export interface ScenarioTargets {
  readonly client: KubeClient;
  readonly cloud: PlaygroundCloud;
  readonly now: () => Date;
}

export async function performAction(
  action: ScenarioAction,
  { client, cloud, now }: ScenarioTargets,
): Promise<void> {
  if ('apply' in action) await applyObject(client, action.apply);
  else if ('applyWith' in action) await applyObject(client, action.applyWith({ now: now(), cloud }));
  else if ('remove' in action) await deleteObject(client, action.remove);
  else if ('scale' in action) await scale(client, action.scale.name, action.scale.replicas);
  else if ('deleteClaims' in action) await deleteClaims(client, cloud, action.deleteClaims.zone);
  else if ('fault' in action) cloud.addFault(action.fault);
  else if ('clearFault' in action) cloud.removeFaults(action.clearFault);
  else if ('powerOff' in action) cloud.stopZone(zoneOf(cloud, action.powerOff.zone));
  else if ('capacity' in action)
    cloud.setCapacity(zoneOf(cloud, action.capacity.zone), action.capacity.available);
  else cloud.perform(action);
}

// ---------------------------------------------------------------------------------------------------

const ZONE_LABEL = 'topology.kubernetes.io/zone';

async function scale(client: KubeClient, name: string, replicas: number): Promise<void> {
  const patch = { type: 'merge', patch: { spec: { replicas } } } as const;
  await client.patch(DEPLOYMENTS, { namespace: 'default', name }, patch, { subresource: 'scale' });
}

async function deleteClaims(
  client: KubeClient,
  cloud: PlaygroundCloud,
  zone: string | undefined,
): Promise<void> {
  const { items } = await client.list(NODE_CLAIMS);
  const wanted = items.filter(
    ({ metadata }) => zone === undefined || metadata.labels?.[ZONE_LABEL] === zoneOf(cloud, zone),
  );
  // One may have been deleted meanwhile.
  for (const claim of wanted)
    await client.delete(NODE_CLAIMS, keyOfObject(claim)).catch((error: unknown) => {
      if (!isApiError(error, 'notFound')) throw error;
    });
}
