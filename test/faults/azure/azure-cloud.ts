/** The servers of Azure: an ARM server with simulated VMs, in this process and on the clock of the run. */
import {
  type ArmServer,
  ensureToken,
  FAULTS,
  type PlaygroundAzure,
  playgroundAzure,
  SIZE_FAMILIES,
  type SizeFamily,
  startArmServer,
  startVmGuests,
} from '@chandler/cloudsim/azure/testing';
import { KubeClient } from '@chandler/kube';
import { BUILT_IN_PRICES, GOOD_ENV } from '../../../packages/chandler/src/cloud/azure/testing.ts';
import { standinNodeHost } from '../../../packages/chandler/src/playground/index.ts';
import type { Environment } from '../../../packages/chandler/src/settings/index.ts';
import type { Servers } from '../servers.ts';
import type { CloudStart, SimulatedCloud } from '../simulated-cloud.ts';
import { AzureState } from './azure-state.ts';
import { DISK_ENCRYPTION } from './azure-swarm.ts';

export interface SimulatedAzure extends SimulatedCloud {
  readonly arm: ArmServer;
}

/** Of a run on Azure. */
export function armOf({ cloud }: Servers): ArmServer {
  return (cloud as SimulatedAzure).arm;
}

export async function startAzureCloud(parts: CloudStart): Promise<SimulatedAzure> {
  const { world, playground, transport, times, features } = parts;
  const isEncrypted = features.includes(DISK_ENCRYPTION);
  const azure = playgroundAzure({ catalogue: { families: FAMILIES }, byok: isEncrypted ? {} : false });
  const { createMs: vmCreateMs, deleteMs: vmDeleteMs, listLagMs: graphLagMs } = times;
  const latencies = { vmCreateMs, vmDeleteMs, graphLagMs };
  const arm = await startArmServer({ world, listen: false, providers: azure.providers, latencies });
  const admin = new KubeClient({ transport });
  const bootstrapToken = await world.clock.during(ensureToken(admin, world.random));
  const machines = startVmGuests({
    world,
    arm,
    nodeHost: standinNodeHost(playground.standins!),
    transport,
    sizes: azure.catalogue.sizes,
    cluster: {
      hosts: [API_SERVER],
      get caPem() {
        return parts.ca();
      },
      version: KUBERNETES_VERSION,
    },
    bootTimeMs: times.bootMs,
  });
  return {
    arm,
    fetch: arm.fetch,
    secrets: {
      'the bootstrap token': bootstrapToken.split('.')[1]!,
      'the client secret': arm.credentials.clientSecret,
    },
    environment: () => ({
      ...environmentOf(arm, bootstrapToken, parts.ca()),
      ...(isEncrypted ? { NODE_OSDISK_DISKENCRYPTIONSET_ID: azure.byok.diskEncryptionSetId } : {}),
    }),
    readFile: () => environmentFile(arm.url),
    observe: (kube) => new AzureState(arm, kube),
    beginFault(fault) {
      if (FAULTS.some(({ name }) => name === fault.replace(/[=@].*$/, ''))) arm.faults.add(fault);
    },
    endFaults: () => arm.faults.clear(),
    faults: () => arm.faults.list(),
    takesCapacity: (fault) => UNAVAILABLE.test(fault),
    isUpkeep: () => false,
    async deleteInstance({ id }) {
      const headers = { authorization: `Bearer ${arm.token()}` };
      await arm
        .fetch(`${arm.url}${id}?api-version=2024-07-01`, { method: 'DELETE', headers })
        .catch(() => undefined);
    },
    publishImage() {
      const publishedDate = new Date(world.clock.now()).toISOString();
      azure.catalogue.images.publishImage({ gallery: 'AKSUbuntu', version: '202606.01.0', publishedDate });
      return publishedDate;
    },
    prices: pricesOf(azure),
    types: azure.catalogue.sizes.all.map(({ name, vCpusAvailable: cores }) => ({ name, cores })),
    coresOf: (size) => azure.catalogue.sizes.find(size, arm.settings.region)?.vCpusAvailable ?? 0,
    async stop() {
      machines.stop();
      await arm.close();
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const API_SERVER = 'faults-1234.hcp.eastus.azmk8s.io';
const KUBERNETES_VERSION = '1.36.3';
/** The available sizes: few and small, so that listing them is fast. */
const SERIES = ['standardDSv5Family', 'standardDASv5Family', 'standardESv5Family'];
const LARGEST_CPU = 16;
const FAMILIES: readonly SizeFamily[] = SIZE_FAMILIES.filter(({ quotaFamily }) =>
  SERIES.includes(quotaFamily),
).map((family) => ({ ...family, sizes: family.sizes.filter(([, cpu]) => cpu <= LARGEST_CPU) }));
/** Faults of the ARM server after which a size counts as unavailable. */
const UNAVAILABLE = /^(?:allocation|zonal-allocation|overconstrained|sku-not-available|quota|spot-evict)/;

const BUILT_IN: ReadonlyMap<string, number> = new Map(
  BUILT_IN_PRICES.flatMap(({ sizes, units, perUnit }) =>
    units.map((unit) => [`Standard_${sizes.replace('#', `${unit}`)}`, perUnit.eastus * unit] as const),
  ),
);

function pricesOf({ catalogue: { prices } }: PlaygroundAzure): SimulatedCloud['prices'] {
  return {
    get changes() {
      return prices.changes;
    },
    of(size, capacity) {
      const price = prices.priceOf(size, 'eastus', capacity === 'spot' ? 'Spot' : 'Regular');
      return [price, BUILT_IN.get(size)].filter((each) => each !== undefined);
    },
    set: (size, price) => void prices.set(size, 'eastus', 'Regular', price),
  };
}

function environmentFile(url: string): string {
  return JSON.stringify({
    name: 'AzureUSGovernmentCloud',
    resourceManagerEndpoint: url,
    activeDirectoryEndpoint: url,
    tokenAudience: 'https://management.azure.com',
  });
}

function environmentOf({ settings, credentials, url }: ArmServer, token: string, ca: string): Environment {
  const { subscriptionId, nodeResourceGroup, clusterId } = settings;
  return {
    ...GOOD_ENV,
    CLUSTER_NAME: settings.clusterName,
    CLUSTER_ENDPOINT: `https://${API_SERVER}:443`,
    KUBELET_BOOTSTRAP_TOKEN: token,
    KUBERNETES_VERSION,
    VNET_SUBNET_ID: `/subscriptions/${subscriptionId}/resourceGroups/${nodeResourceGroup}/providers/Microsoft.Network/virtualNetworks/aks-vnet-${clusterId}/subnets/aks-subnet`,
    AZURE_NODE_RESOURCE_GROUP: nodeResourceGroup,
    ARM_RESOURCE_GROUP: settings.clusterResourceGroup,
    ARM_SUBSCRIPTION_ID: subscriptionId,
    LOCATION: settings.region,
    AZURE_ENVIRONMENT_FILEPATH: '/playground.json',
    AZURE_TENANT_ID: credentials.tenantId,
    AZURE_CLIENT_ID: credentials.clientId,
    AZURE_CLIENT_SECRET: credentials.clientSecret,
    CLUSTER_CA_BUNDLE: Buffer.from(ca).toString('base64'),
    PRICING_URL: `${url}/api/retail/prices`,
  };
}
