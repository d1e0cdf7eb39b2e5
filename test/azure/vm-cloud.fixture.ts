/**
 * The Azure cloud over the playground's ARM server, for tests about the life of VMs: over HTTPS with a token
 * from the server's own sign-in, or in process. `restart` is a new process: nothing is kept but what Azure has.
 */

import type { TokenCredential } from '@azure/core-auth';
import {
  type ArmServer,
  type ArmServerOptions,
  type CatalogueOptions,
  type PlaygroundAzureOptions,
  playgroundAzure,
  startArmServer,
} from '@chandler/cloudsim/azure/testing';
import type { Fetch, Stored, World } from '@chandler/kube';
import { neverAborted, stored, virtualWorld } from '@chandler/kube/testing';
import { Agent, fetch as undiciFetch } from 'undici';
import type { AKSNodeClass, AKSNodeClassSpec, NodeClaim } from '../../packages/chandler/src/api/index.ts';
import {
  type AzureEnvironment,
  type CallRates,
  createArmClients,
  createCredential,
} from '../../packages/chandler/src/arm/index.ts';
import { type Bootstrapper, scriptlessBootstrapper } from '../../packages/chandler/src/bootstrap/index.ts';
import {
  AZURE_CONTROLLER_OPTIONS,
  type AzureCloud,
  type ClusterFacts,
  createAzureCloud,
  InstanceTypeProvider,
  LaunchEvidence,
  PriceList,
  QuotaUsage,
} from '../../packages/chandler/src/cloud/azure/index.ts';
import { type ClusterReader, GOOD_ENV, skuLister } from '../../packages/chandler/src/cloud/azure/testing.ts';
import { type LaunchStep, UnavailableOfferings } from '../../packages/chandler/src/cloud/index.ts';
import type { Stage } from '../../packages/chandler/src/journey/index.ts';
import { type Environment, hardcoded, resolveOptions } from '../../packages/chandler/src/settings/index.ts';

export interface VmCloudOptions {
  /** Over HTTPS. Default false: in process. */
  readonly https?: boolean;
  readonly mode?: Bootstrapper['mode'];
  /** The cloud has the billing extension of AKS. Default true. */
  readonly billing?: boolean;
  /** Of the environment that the controller talks to. Default AzurePublicCloud. */
  readonly cloudName?: string;
  readonly rates?: Partial<CallRates>;
  readonly env?: Environment;
  readonly world?: World;
  readonly server?: Partial<ArmServerOptions>;
  readonly catalogue?: CatalogueOptions;
  /** Of the simulated subscription. */
  readonly azure?: PlaygroundAzureOptions;
  /** Values about the cluster in place of those of the server; read at every use. */
  readonly cluster?: () => Partial<ClusterFacts>;
}

export interface CloudProcess {
  readonly cloud: AzureCloud;
  readonly unavailable: UnavailableOfferings;
}

export type VmCloud = Awaited<ReturnType<typeof vmCloud>>;

export async function vmCloud(options: VmCloudOptions = {}) {
  // The SDKs look at the real time to see whether a token is still good.
  const virtual = virtualWorld({ startMs: Date.now() });
  const world = options.world ?? virtual;
  const azure = playgroundAzure({
    rights: 'all',
    ...(options.catalogue === undefined ? {} : { catalogue: options.catalogue }),
    ...options.azure,
  });
  const server = await startArmServer({
    world,
    listen: options.https ?? false,
    // Time flies here, and the SDKs keep a token by the real clock.
    tokenLifetimeMs: 365 * 24 * 3600_000,
    ...options.server,
    providers: azure.providers,
  });
  const wire = options.https === true ? httpsTo(server) : { fetch: server.fetch, close: async () => {} };
  const startProcess = (fetch: Fetch = wire.fetch, credential?: TokenCredential): CloudProcess =>
    cloudOver(world, server, fetch, options, credential);
  const first = startProcess();
  return {
    ...first,
    world,
    clock: virtual.clock,
    lines: virtual.lines,
    values: virtual.values,
    azure,
    server,
    fetch: wire.fetch,
    startProcess,
    nodeClass: (spec: AKSNodeClassSpec = {}) => readyClass(server, spec),
    async close() {
      await wire.close();
      await server.close();
    },
  };
}

export function aClaim(
  name: string,
  changes: Partial<NodeClaim['metadata']> & { spec?: object } = {},
): Stored<NodeClaim> {
  const { spec, ...metadata } = changes;
  return stored({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, uid: `uid-${name}`, labels: { 'karpenter.sh/nodepool': 'general' }, ...metadata },
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
      requirements: [
        {
          key: 'node.kubernetes.io/instance-type',
          operator: 'In',
          values: ['Standard_D4s_v5', 'Standard_D8s_v5'],
        },
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
      ],
      ...spec,
    },
  });
}

export interface Driven {
  readonly steps: readonly LaunchStep[];
  readonly stages: readonly Stage[];
  readonly last: Extract<LaunchStep, { state: 'launched' }>;
}

/** Steps until the VM is settled; throws what a step throws. */
export async function settleMachine(
  { clock }: Pick<VmCloud, 'clock'>,
  cloud: AzureCloud,
  claim: Stored<NodeClaim>,
  nodeClass: Stored<AKSNodeClass>,
): Promise<Driven> {
  const steps: LaunchStep[] = [];
  while (steps.length < 200) {
    const step = await cloud.create({ claim, nodeClass: nodeClass }, neverAborted());
    steps.push(step);
    if (step.state === 'launched' && step.settled) {
      return { steps, stages: steps.flatMap((each) => each.stages), last: step };
    }
    await clock.advance(step.retryAfterMs ?? 1000);
  }
  throw new Error(`${claim.metadata.name} did not settle`);
}

export async function removeVm(
  { clock }: Pick<VmCloud, 'clock'>,
  cloud: AzureCloud,
  claim: Stored<NodeClaim>,
): Promise<number> {
  for (let steps = 1; steps < 200; steps++) {
    const step = await cloud.delete(claim, neverAborted());
    if (step.state === 'gone') return steps;
    await clock.advance(step.retryAfterMs);
  }
  throw new Error(`${claim.metadata.name} did not go`);
}

/** What there is in the account, by name. */
export function inventory({ server }: Pick<VmCloud, 'server'>) {
  const names = (resources: readonly { readonly name: string }[]) => resources.map(({ name }) => name).sort();
  const { resources } = server;
  return {
    vms: names(resources.vms()),
    nics: names(resources.nics()),
    disks: names(resources.disks()),
    extensions: names(resources.extensions()),
  };
}

/** Past our own code, as somebody else would. */
export async function setVmTags(
  { server, clock }: Pick<VmCloud, 'server' | 'clock'>,
  change: (tags: Readonly<Record<string, string>>) => Readonly<Record<string, string>>,
): Promise<void> {
  const [vm] = server.resources.vms();
  await server.fetch(`${server.url}${vm!.id}?api-version=2026-04-01`, {
    method: 'PATCH',
    body: JSON.stringify({ tags: change((vm!.tags ?? {}) as Readonly<Record<string, string>>) }),
    headers: { authorization: `Bearer ${server.token()}`, 'content-type': 'application/json' },
  });
  await clock.advance(1000);
}

export const NOTHING = { vms: [], nics: [], disks: [], extensions: [] };

// ---------------------------------------------------------------------------------------------------

const KUBERNETES_VERSION = '1.33.2';
const IMAGE_GALLERY = 'AKSUbuntu-38d80f77-467a-481f-a8d4-09b6d4220bd2';

function httpsTo(server: ArmServer): { fetch: Fetch; close: () => Promise<void> } {
  const dispatcher = new Agent({ connect: { ca: server.caPem! } });
  const fetch = (input: string | URL | Request, init?: RequestInit) =>
    undiciFetch(String(input), { ...(init as object), dispatcher }) as unknown as Promise<Response>;
  return { fetch, close: () => dispatcher.close() };
}

function cloudOver(
  world: World,
  server: ArmServer,
  fetch: Fetch,
  options: VmCloudOptions,
  given?: TokenCredential,
): CloudProcess {
  const { clock, log } = world;
  const { region } = server.settings;
  const environment = environmentOf(server, options);
  const { tenantId, clientId, clientSecret } = server.credentials;
  const credential =
    given ??
    (options.https === true
      ? createCredential({
          world,
          fetch,
          environment,
          choice: { kind: 'clientSecret', tenantId, clientId, clientSecret },
        })
      : { getToken: async () => ({ token: server.token(), expiresOnTimestamp: Date.now() + 3600_000 }) });
  const clients = createArmClients({
    world,
    fetch,
    environment,
    credential,
    subscriptionId: server.settings.subscriptionId,
    version: '0.0.0',
    ...(options.rates === undefined ? {} : { rates: options.rates }),
  });
  const values = controllerOptions(server, options.env ?? {});
  const unavailable = new UnavailableOfferings({ clock });
  const quota = new QuotaUsage({ clock, log, listUsages: async () => [] });
  const prices = new PriceList({ clock, log, fetch, region, published: false });
  const listSkus = skuLister(clients, region);
  const cloud = createAzureCloud({
    world,
    clients,
    options: () => values,
    cluster: clusterOf(server, values, options.cluster),
    quota,
    unavailable,
    bootstrapper: options.mode === 'bootstrappingclient' ? serverBootstrapper : scriptlessBootstrapper,
    launchEvidence: new LaunchEvidence(),
    instanceTypes: new InstanceTypeProvider({
      clock,
      log,
      region,
      prices,
      quota,
      unavailable,
      options: values,
      listSkus,
    }),
  });
  return { cloud, unavailable };
}

/** What a bootstrapping server would answer. */
const serverBootstrapper: Bootstrapper = {
  mode: 'bootstrappingclient',
  script: async () => ({
    customData: Buffer.from('#cloud-config').toString('base64'),
    script: '#cloud-config',
    bytes: 13,
    variables: [],
    cseCommand: '/opt/azure/containers/provision_start.sh',
  }),
};

function environmentOf(
  server: ArmServer,
  { billing: aksBilling = true, cloudName: name = 'AzurePublicCloud' }: VmCloudOptions,
): AzureEnvironment {
  return {
    name,
    resourceManagerUrl: server.url,
    authorityHost: server.url,
    tokenAudience: 'https://management.azure.com',
    keyVaultDnsSuffix: 'vault.azure.net',
    storageSuffix: 'core.windows.net',
    wellKnown: false,
    aksBilling,
  };
}

function subnetOf({ settings }: ArmServer): string {
  const { subscriptionId, nodeResourceGroup, clusterId } = settings;
  return `/subscriptions/${subscriptionId}/resourceGroups/${nodeResourceGroup}/providers/Microsoft.Network/virtualNetworks/aks-vnet-${clusterId}/subnets/aks-subnet`;
}

function controllerOptions(server: ArmServer, env: Environment) {
  const { settings } = server;
  const resolved = resolveOptions(AZURE_CONTROLLER_OPTIONS, {
    args: [],
    env: {
      ...GOOD_ENV,
      CLUSTER_NAME: settings.clusterName,
      VNET_SUBNET_ID: subnetOf(server),
      AZURE_NODE_RESOURCE_GROUP: settings.nodeResourceGroup,
      ARM_SUBSCRIPTION_ID: settings.subscriptionId,
      LOCATION: settings.region,
      ...env,
    },
    readFile: (path) => {
      throw new Error(`no file ${path}`);
    },
  });
  return resolved.values;
}

type Options = ReturnType<typeof controllerOptions>;

function clusterOf(
  server: ArmServer,
  values: Options,
  changes: () => Partial<ClusterFacts> = () => ({}),
): ClusterReader {
  const { subscriptionId, nodeResourceGroup, clusterId } = server.settings;
  const group = `aks-agentpool-${clusterId}-nsg`;
  const facts: ClusterFacts = {
    kubernetesVersion: hardcoded(KUBERNETES_VERSION),
    caBundle: hardcoded(Buffer.from('certificate').toString('base64')),
    clusterId: hardcoded(clusterId),
    networkSecurityGroup: hardcoded({
      id: `/subscriptions/${subscriptionId}/resourceGroups/${nodeResourceGroup}/providers/Microsoft.Network/networkSecurityGroups/${group}`,
      name: group,
    }),
    vnetGuid: hardcoded('5e0b1f4e-0000-4000-8000-000000000000'),
    dnsServiceIP: hardcoded('10.0.0.10'),
    network: {
      plugin: values.networkPlugin,
      pluginMode: values.networkPluginMode,
      dataplane: values.networkDataplane,
      policy: values.networkPolicy,
    },
    nodeResourceGroup: values.nodeResourceGroup,
  };
  const now = () => ({ ...facts, ...changes() });
  return { facts: now, current: () => ({ facts: now(), problems: [] }) };
}

/** A class whose status says that all is well. */
function readyClass(server: ArmServer, spec: AKSNodeClassSpec): Stored<AKSNodeClass> {
  const condition = (type: string) => ({
    type,
    status: 'True' as const,
    reason: type,
    message: '',
    observedGeneration: 1,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  });
  const version = server.context.services.images === undefined ? '' : newestImage(server);
  return stored({
    apiVersion: 'karpenter.azure.com/v1beta1',
    kind: 'AKSNodeClass',
    metadata: { name: 'default', generation: 1 },
    spec,
    status: {
      kubernetesVersion: KUBERNETES_VERSION,
      images: [
        {
          id: `/CommunityGalleries/${IMAGE_GALLERY}/images/2204gen2containerd/versions/${version}`,
          requirements: [
            { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
            { key: 'karpenter.azure.com/sku-hyperv-generation', operator: 'In', values: ['2'] },
          ],
        },
      ],
      conditions: ['Ready', 'KubernetesVersionReady', 'ImagesReady', 'SubnetsReady'].map(condition),
    },
  });
}

const VERSIONS = new WeakMap<ArmServer, string>();

function newestImage(server: ArmServer): string {
  const known = VERSIONS.get(server);
  if (known !== undefined) return known;
  const images = server.context.services.images as unknown as {
    communityVersions(gallery: string, image: string): readonly { version: string }[] | undefined;
  };
  const newest = images.communityVersions(IMAGE_GALLERY, '2204gen2containerd')?.at(-1)?.version ?? '';
  VERSIONS.set(server, newest);
  return newest;
}
