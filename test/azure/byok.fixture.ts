/**
 * A customer's key in an Azure behind HTTPS, and what the controller makes of it: options from an environment, the
 * cluster's values and the evidence over the official SDKs with a token from the server's own sign-in, the status of a
 * node class. Only the socket's address is bent: every host, the vault's too, leads to the one server.
 */

import {
  type ArmServer,
  type PlaygroundAzureOptions,
  playgroundAzure,
  startArmServer,
} from '@chandler/cloudsim/azure/testing';
import type { Fetch, Stored } from '@chandler/kube';
import { neverAborted, stored, virtualWorld } from '@chandler/kube/testing';
import { Agent, buildConnector, fetch as undiciFetch } from 'undici';
import type { AKSNodeClass, AKSNodeClassSpec } from '../../packages/chandler/src/api/index.ts';
import {
  type ArmClients,
  type AzureEnvironment,
  createArmClients,
  createCredential,
} from '../../packages/chandler/src/arm/index.ts';
import {
  AZURE_CONTROLLER_OPTIONS,
  AzureNodeClassStatus,
  armClusterReaders,
  ClusterDetector,
  type CommunityVersion,
  clusterSource,
  DiskEncryptionEvidence,
  diskEncryptionReaders,
  type ImageReaders,
  imageCatalogue,
  imageFinder,
  LaunchEvidence,
} from '../../packages/chandler/src/cloud/azure/index.ts';
import { GOOD_ENV } from '../../packages/chandler/src/cloud/azure/testing.ts';
import { type Environment, resolveOptions } from '../../packages/chandler/src/settings/index.ts';

export interface ByokAzureOptions extends PlaygroundAzureOptions {
  /** Beside what a controller needs to start. */
  readonly env?: Environment;
  readonly args?: readonly string[];
}

export type ByokAzure = Awaited<ReturnType<typeof byokAzure>>;

export async function byokAzure(options: ByokAzureOptions = {}) {
  // Certificates and tokens are checked by libraries that know only the real time.
  const world = virtualWorld({ startMs: Date.now() });
  const azure = playgroundAzure(options);
  const server = await startArmServer({ world, providers: azure.providers });
  const wire = wireTo(server);
  const values = controllerOptions(server, options);
  const environment = environmentOf(server);
  const { tenantId, clientId, clientSecret } = server.credentials;
  const outside = { ...world, fetch: wire.fetch };
  const clients = createArmClients({
    world: outside,
    environment,
    credential: createCredential({
      world: outside,
      environment,
      choice: { kind: 'clientSecret', tenantId, clientId, clientSecret },
    }),
    subscriptionId: server.settings.subscriptionId,
    version: '0.0.0',
  });
  const detector = new ClusterDetector({
    world,
    options: () => values,
    retryMs: 0,
    readers: armClusterReaders({
      clients,
      world,
      options: () => values,
      kubernetes: {
        serverVersion: async () => 'v1.34.2',
        kubeDnsServiceIP: async () => '10.0.0.10',
        clientConfigCA: async () => Buffer.from(server.caPem!).toString('base64'),
      },
    }),
  });
  const launches = new LaunchEvidence();
  const cluster = clusterSource(detector);
  const status = new AzureNodeClassStatus({
    world,
    kubernetesVersion: cluster.kubernetesVersion,
    findImages: imageFinder({
      clock: world.clock,
      catalogue: imageCatalogue({
        clock: world.clock,
        readers: imageReaders(clients, server.settings.region),
        useSig: values.useSig,
        sigSubscriptionId: values.sigSubscriptionId,
      }),
      useSig: values.useSig,
      getMaintenanceConfigMap: async () => undefined,
    }),
    subnet: {
      clusterSubnetID: () => values.vnetSubnetId,
      nodeResourceGroup: () => server.settings.nodeResourceGroup,
      hasOverlay: () => true,
      get: async ({ subscriptionId, resourceGroup, segments: [network, subnet] }) =>
        (await clients.network(subscriptionId)).subnets.get(resourceGroup, network![1], subnet![1]),
    },
    validation: {
      diskEncryptionSetOption: () => values.nodeOsdiskDiskencryptionsetId,
      clusterDiskEncryptionSet: cluster.clusterDiskEncryptionSet,
      evidence: new DiskEncryptionEvidence({
        readers: diskEncryptionReaders(clients),
        launches,
        location: server.settings.region,
        subscriptionId: clients.subscriptionId,
        now: () => world.clock.now(),
      }),
      unsupportedFields: () => [],
    },
    localDns: {
      supported: () => true,
      networkPlugin: () => values.networkPlugin.value,
      networkPolicy: () => values.networkPolicy.value,
      hasNetworkPolicies: async () => false,
      hasNodeLocalDns: async () => false,
    },
  });
  return {
    azure,
    server,
    world,
    clients,
    launches,
    detector,
    values,
    /** What a controller would write for such a class now. */
    async look(spec: AKSNodeClassSpec = {}, before: Partial<AKSNodeClass> = {}) {
      const result = await status.reconcile({ ...nodeClass(spec), ...before }, neverAborted());
      const condition = (type: string) => result.status.conditions?.find((each) => each.type === type);
      return {
        ...result,
        validation: condition('ValidationSucceeded'),
        verified: condition('DiskEncryptionVerified'),
        ready: condition('Ready'),
      };
    },
    /** Past the moment for which answers about a set are kept. */
    async later(ms = 60_000) {
      await world.clock.advance(ms);
    },
    async close() {
      await wire.close();
      await server.close();
    },
  };
}

export function nodeClass(spec: AKSNodeClassSpec = {}): Stored<AKSNodeClass> {
  return stored({
    apiVersion: 'karpenter.azure.com/v1beta1',
    kind: 'AKSNodeClass',
    metadata: { name: 'default', generation: 1, creationTimestamp: '2026-08-21T10:00:00Z' },
    spec,
  });
}

// ---------------------------------------------------------------------------------------------------

function wireTo(server: ArmServer): { fetch: Fetch; close: () => Promise<void> } {
  const connect = buildConnector({ ca: server.caPem! });
  const dispatcher = new Agent({
    connect: (options, callback) =>
      connect(
        {
          ...options,
          hostname: '127.0.0.1',
          host: '127.0.0.1',
          port: String(server.port),
          servername: 'localhost',
        },
        callback,
      ),
  });
  const fetch = (input: string | URL | Request, init?: RequestInit) =>
    undiciFetch(String(input), { ...(init as object), dispatcher }) as unknown as Promise<Response>;
  return { fetch, close: () => dispatcher.close() };
}

function imageReaders(clients: ArmClients, region: string): ImageReaders {
  return {
    async listCommunityVersions(gallery, definition) {
      const compute = await clients.compute();
      const found: CommunityVersion[] = [];
      for await (const each of compute.communityGalleryImageVersions.list(region, gallery, definition)) {
        found.push({ name: each.name ?? '', publishedDate: each.publishedDate?.toISOString() ?? '' });
      }
      return found;
    },
    listNodeImageVersions: () => Promise.reject(new Error('shared galleries are not used here')),
  };
}

function environmentOf(server: ArmServer): AzureEnvironment {
  return {
    name: 'AzurePublicCloud',
    resourceManagerUrl: server.url,
    authorityHost: server.url,
    tokenAudience: 'https://management.azure.com',
    keyVaultDnsSuffix: 'vault.azure.net',
    storageSuffix: 'core.windows.net',
    wellKnown: false,
    aksBilling: false,
  };
}

function controllerOptions(server: ArmServer, options: ByokAzureOptions) {
  const { settings } = server;
  const resolved = resolveOptions(AZURE_CONTROLLER_OPTIONS, {
    args: options.args ?? [],
    env: {
      ...GOOD_ENV,
      CLUSTER_NAME: settings.clusterName,
      VNET_SUBNET_ID: `/subscriptions/${settings.subscriptionId}/resourceGroups/${settings.nodeResourceGroup}/providers/Microsoft.Network/virtualNetworks/aks-vnet-${settings.clusterId}/subnets/aks-subnet`,
      AZURE_NODE_RESOURCE_GROUP: settings.nodeResourceGroup,
      ARM_RESOURCE_GROUP: settings.clusterResourceGroup,
      ARM_SUBSCRIPTION_ID: settings.subscriptionId,
      LOCATION: settings.region,
      ...options.env,
    },
    readFile: (path) => {
      throw new Error(`no file ${path}`);
    },
  });
  return resolved.values;
}
