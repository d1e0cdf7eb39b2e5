/**
 * The Azure cloud and everything that keeps it informed, made from options and a way into Azure. What the parts decide is
 * in `cloud/azure/`; here is only who knows whom.
 */
import type { Fetch, KubeClient, World } from '@chandler/kube';
import { armScope, checkCredential } from '../../../arm/index.ts';
import {
  type BootstrapMode,
  type Bootstrapper,
  bootstrapClient,
  isOverlay,
  scriptlessBootstrapper,
  unsupportedFields,
} from '../../../bootstrap/index.ts';
import {
  type BackgroundTask,
  type CloudParts,
  refreshTasks,
  StartError,
  settledWithin,
  UnavailableOfferings,
} from '../../index.ts';

import { type AzureCloud, createAzureCloud } from '../azure-cloud.ts';
import {
  armClusterReaders,
  BootstrapTokenWatch,
  ClusterDetector,
  type ClusterFacts,
} from '../cluster/index.ts';
import { azureControllers } from '../controllers/index.ts';
import { DiskEncryptionEvidence, diskEncryptionReaders, LaunchEvidence } from '../disk-encryption/index.ts';
import { imageCatalogue, imageFinder } from '../images/index.ts';
import { InstanceTypeProvider } from '../instance-types/index.ts';
import type { DecorateLaunch } from '../launch-steps.ts';
import { AzureNodeClassStatus, clusterSource } from '../node-class/index.ts';
import type { AzureControllerValues } from '../options/options.ts';
import { PriceList } from '../prices/index.ts';
import { QuotaUsage } from '../quota/index.ts';
import type { AzureAccess } from './access.ts';
import { imageReaders, skuLister, usageLister } from './azure-readers.ts';
import { type KubeReaders, kubeReaders } from './kube-readers.ts';

export interface AzurePartsOptions {
  readonly world: World;
  readonly access: AzureAccess;
  /** To Azure, and to the price list. */
  readonly fetch: Fetch;
  /** To the bootstrapping server, which wants a body with GET. */
  readonly bootstrapFetch: Fetch;
  /** Of this moment: options marked live change. */
  readonly values: () => AzureControllerValues;
  readonly client: KubeClient;
  readonly namespace: string;
  /** Base64 of PEM: what the credentials of the process trust. */
  readonly clientConfigCA: () => Promise<string | undefined>;
  /** Around the steps of a launch, for suites and the playground. Default none. */
  readonly decorateLaunch?: DecorateLaunch | undefined;
  /** Only reads; then what is due is read in the background, since no controller runs. Default false. */
  readonly observe?: boolean;
}

export interface AzureParts extends CloudParts {
  readonly cloud: AzureCloud;
  readonly detector: ClusterDetector;
  readonly instanceTypes: InstanceTypeProvider;
  readonly prices: PriceList;
  readonly quota: QuotaUsage;
  readonly unavailable: UnavailableOfferings;
  readonly nodeClassStatus: AzureNodeClassStatus;
  readonly tokenWatch: BootstrapTokenWatch;
}

export function azureParts(options: AzurePartsOptions): AzureParts {
  const { world, access, values } = options;
  const readers = kubeReaders(options);
  const detector = new ClusterDetector({
    world,
    options: values,
    readers: armClusterReaders({
      clients: access.clients,
      world,
      options: values,
      kubernetes: { ...readers, clientConfigCA: options.clientConfigCA },
    }),
  });
  const market = marketOf(options, () => detector.current().facts.network);
  const launches = new LaunchEvidence();
  const bootstrapper = bootstrapperOf(options);
  const cloud = createAzureCloud({
    world,
    clients: access.clients,
    options: values,
    cluster: detector,
    bootstrapper,
    launchEvidence: launches,
    fetch: options.fetch,
    decorateLaunch: options.decorateLaunch,
    ...market,
  });
  const nodeClassStatus = statusOf(options, { readers, detector, launches, mode: bootstrapper.mode });
  const tokenWatch = new BootstrapTokenWatch({
    world,
    token: () => values().kubeletBootstrapToken,
    getSecret: readers.getSecret,
  });
  const { instanceTypes, quota, prices } = market;
  const refreshables = { instancetype: instanceTypes, quota, pricing: prices };
  return {
    cloud,
    detector,
    nodeClassStatus,
    tokenWatch,
    ...market,
    prepare: () => prepare(options, { detector, instanceTypes, prices }),
    background: [
      { name: 'cluster values', run: (signal) => detector.run(signal) },
      { name: 'bootstrap token', run: (signal) => tokenWatch.run(signal) },
      // A replica that becomes leader decides by prices at once.
      ...refreshTasks(world, options.observe === true ? refreshables : { pricing: prices }),
    ] satisfies BackgroundTask[],
    controllers: (context) =>
      azureControllers(context, {
        cloud,
        nodeClassStatus,
        launchEvidence: launches,
        refreshables,
        denied: access.denied,
      }),
  };
}

// ---------------------------------------------------------------------------------------------------

function marketOf(
  { world, access, fetch, values }: AzurePartsOptions,
  network: () => ClusterFacts['network'] | undefined,
) {
  const { clock, log } = world;
  const region = values().location.value;
  const unavailable = new UnavailableOfferings({ clock });
  const quota = new QuotaUsage({ clock, log, listUsages: usageLister(access.clients, region) });
  const prices = new PriceList({
    clock,
    log,
    fetch,
    region,
    // Other clouds publish none, unless someone names a list.
    published: access.environment.name === 'AzurePublicCloud' || values().pricingUrl.source !== 'hardcoded',
    endpoint: values().pricingUrl.value,
  });
  const live = values;
  const instanceTypes = new InstanceTypeProvider({
    clock,
    log,
    region,
    prices,
    quota,
    unavailable,
    options: {
      get vmMemoryOverheadPercent() {
        return live().vmMemoryOverheadPercent;
      },
      get networkPlugin() {
        // What nodes are launched with: an option that is not set takes the cluster's value.
        return network()?.plugin ?? live().networkPlugin;
      },
      get networkPluginMode() {
        return network()?.pluginMode ?? live().networkPluginMode;
      },
      get nodeResourceGroup() {
        return live().nodeResourceGroup;
      },
    },
    listSkus: skuLister(access.clients, region),
  });
  return { unavailable, quota, prices, instanceTypes };
}

function bootstrapperOf({ world, access, bootstrapFetch, values }: AzurePartsOptions): Bootstrapper {
  const { provisionMode, nodebootstrappingServerUrl, armResourceGroup, clusterName, azureSubscriptionId } =
    values();
  if (provisionMode.value !== 'bootstrappingclient') return scriptlessBootstrapper;
  if (armResourceGroup.value === '') {
    const text =
      'arm-resource-group: is required when provision-mode is bootstrappingclient: set --arm-resource-group or ARM_RESOURCE_GROUP';
    throw new StartError('BadOption', text);
  }
  return bootstrapClient({
    clock: world.clock,
    fetch: bootstrapFetch,
    serverUrl: nodebootstrappingServerUrl.value,
    subscriptionId: azureSubscriptionId.value,
    clusterResourceGroup: armResourceGroup.value,
    clusterName: clusterName.value,
    token: async () => {
      const token = await access.credential.getToken(armScope(access.environment));
      if (token === null) throw new Error('Azure returned no token for the bootstrapping server');
      return token.token;
    },
  });
}

interface StatusParts {
  readonly readers: KubeReaders;
  readonly detector: ClusterDetector;
  readonly launches: LaunchEvidence;
  readonly mode: BootstrapMode;
}

function statusOf(
  { world, access, values }: AzurePartsOptions,
  { readers, detector, launches, mode }: StatusParts,
): AzureNodeClassStatus {
  const { clients } = access;
  const region = values().location.value;
  const { useSig, sigSubscriptionId } = values();
  const cluster = clusterSource(detector);
  const network = () => detector.current().facts.network;
  return new AzureNodeClassStatus({
    world,
    kubernetesVersion: cluster.kubernetesVersion,
    findImages: imageFinder({
      clock: world.clock,
      catalogue: imageCatalogue({
        clock: world.clock,
        readers: imageReaders({ clients, region }),
        useSig,
        sigSubscriptionId,
      }),
      useSig,
      getMaintenanceConfigMap: readers.maintenanceWindow,
    }),
    subnet: {
      clusterSubnetID: () => values().vnetSubnetId,
      nodeResourceGroup: () => values().nodeResourceGroup.value,
      hasOverlay: () => {
        const known = network();
        return (
          known !== undefined &&
          isOverlay({ networkPlugin: known.plugin, networkPluginMode: known.pluginMode })
        );
      },
      get: async ({ subscriptionId, resourceGroup, segments: [vnet, subnet] }, abortSignal) =>
        (await clients.network(subscriptionId)).subnets.get(resourceGroup, vnet![1], subnet![1], {
          abortSignal,
        }),
    },
    validation: {
      diskEncryptionSetOption: () => values().nodeOsdiskDiskencryptionsetId,
      clusterDiskEncryptionSet: cluster.clusterDiskEncryptionSet,
      evidence: new DiskEncryptionEvidence({
        readers: diskEncryptionReaders(clients),
        launches,
        location: region,
        subscriptionId: clients.subscriptionId,
        now: () => world.clock.now(),
      }),
      unsupportedFields: ({ spec }) => unsupportedFields(spec ?? {}, mode),
    },
    localDns: {
      // The images of the other mode take no settings for it.
      supported: () => mode === 'bootstrappingclient',
      networkPlugin: () => network()?.plugin.value ?? values().networkPlugin.value,
      networkPolicy: () => network()?.policy.value ?? values().networkPolicy.value,
      hasNetworkPolicies: readers.hasNetworkPolicies,
      hasNodeLocalDns: readers.hasNodeLocalDns,
    },
  });
}

/** How long the start waits for prices, without which there are only the built-in ones. */
const PRICES_WAIT_MS = 20_000;

/** A token, the values of the cluster, the sizes: without these no controller has anything to go by. Prices, if they come soon. */
async function prepare(
  { world, access }: AzurePartsOptions,
  { detector, instanceTypes, prices }: Pick<AzureParts, 'detector' | 'instanceTypes' | 'prices'>,
): Promise<void> {
  await checkCredential(access.credential, armScope(access.environment), world);
  // A failed read is logged, and reported by the background task that reads again.
  const priced = settledWithin(world, PRICES_WAIT_MS, prices.refreshIfDue());
  await detector.refresh();
  if (!instanceTypes.loaded) await instanceTypes.refreshIfDue();
  if (!instanceTypes.loaded) throw new Error('the VM sizes of the region have not been read yet');
  await priced;
}
