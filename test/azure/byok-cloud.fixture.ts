/** The whole cloud over `byokAzure`: sizes, prices, images and bootstrap data as in production, launched step by step. */

import type { Stored } from '@chandler/kube';
import { neverAborted, stored } from '@chandler/kube/testing';
import type { AKSNodeClass, AKSNodeClassSpec, NodeClaim } from '../../packages/chandler/src/api/index.ts';
import { scriptlessBootstrapper } from '../../packages/chandler/src/bootstrap/index.ts';
import {
  createAzureCloud,
  InstanceTypeProvider,
  PriceList,
  QuotaUsage,
} from '../../packages/chandler/src/cloud/azure/index.ts';
import { skuLister } from '../../packages/chandler/src/cloud/azure/testing.ts';
import { type Instance, UnavailableOfferings } from '../../packages/chandler/src/cloud/index.ts';
import type { Stage } from '../../packages/chandler/src/journey/index.ts';

import { type ByokAzure, type ByokAzureOptions, byokAzure, nodeClass } from './byok.fixture.ts';

export interface Launched {
  readonly instance: Instance;
  readonly stages: readonly Stage[];
}

export type ByokCloud = Awaited<ReturnType<typeof byokCloud>>;

export async function byokCloud(options: ByokAzureOptions = {}) {
  const azure = await byokAzure(options);
  const cloud = cloudOf(azure);
  await azure.detector.refresh();
  return {
    ...azure,
    cloud,
    /** A process with its own picture of the cluster. */
    cloudWith: (detector: ByokAzure['detector']) => cloudOf({ ...azure, detector }),
    /** The class as the API server would hold it, with the status of this moment. */
    async classNow(spec: AKSNodeClassSpec = {}): Promise<Stored<AKSNodeClass>> {
      return { ...nodeClass(spec), status: (await azure.look(spec)).status };
    },
    /** A class whose status was written while all was well: what happens since then, only ARM will say. */
    launch: (claim: Stored<NodeClaim>, ofClass: Stored<AKSNodeClass>) => launch(azure, cloud, claim, ofClass),
    /** The bodies of the VM requests that reached the server. */
    vmRequests: () => azure.server.resources.vms(),
  };
}

export function aClaim(
  name: string,
  annotations: Record<string, string> = {},
  size = 'Standard_D4s_v5',
): Stored<NodeClaim> {
  return stored({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, uid: `uid-${name}`, annotations, labels: { 'karpenter.sh/nodepool': 'general' } },
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
      requirements: [
        {
          key: 'node.kubernetes.io/instance-type',
          operator: 'In',
          values: [size],
        },
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
      ],
    },
  });
}

/** The disk encryption set on the OS disk of a VM, as it was sent. */
export function encryptionSetOf(vm: { readonly properties: object }): string | undefined {
  const properties = vm.properties as {
    storageProfile?: { osDisk?: { managedDisk?: { diskEncryptionSet?: { id?: string } } } };
  };
  return properties.storageProfile?.osDisk?.managedDisk?.diskEncryptionSet?.id;
}

// ---------------------------------------------------------------------------------------------------

function cloudOf({ world, clients, values, detector, launches, server }: ByokAzure) {
  const { clock, log } = world;
  const region = server.settings.region;
  const unavailable = new UnavailableOfferings({ clock });
  const quota = new QuotaUsage({ clock, log, listUsages: async () => [] });
  const prices = new PriceList({ clock, log, fetch: world.fetch, region, published: false });
  return createAzureCloud({
    world,
    clients,
    options: () => values,
    cluster: detector,
    quota,
    unavailable,
    bootstrapper: scriptlessBootstrapper,
    launchEvidence: launches,
    instanceTypes: new InstanceTypeProvider({
      clock,
      log,
      region,
      prices,
      quota,
      unavailable,
      options: values,
      listSkus: skuLister(clients, region),
    }),
  });
}

const MAX_STEPS = 100;

async function launch(
  { world }: ByokAzure,
  cloud: ReturnType<typeof cloudOf>,
  claim: Stored<NodeClaim>,
  ofClass: Stored<AKSNodeClass>,
): Promise<Launched> {
  const stages: Stage[] = [];
  for (let step = 0; step < MAX_STEPS; step++) {
    const outcome = await cloud.create({ claim, nodeClass: ofClass }, neverAborted());
    stages.push(...outcome.stages);
    if (outcome.state === 'launched' && outcome.settled) return { instance: outcome.instance, stages };
    await world.clock.advance(outcome.retryAfterMs ?? 1000);
  }
  throw new Error(`claim ${claim.metadata.name} did not settle in ${MAX_STEPS} steps`);
}
