/**
 * Azure beside an API server: the ARM server with all its providers, and VMs that become nodes of that cluster. What a
 * controller needs to know of it is in controller-files.ts.
 */
import { KubeClient, type Transport, type World } from '@chandler/kube';
import type { NodeHost } from '../node-host.ts';
import { type ArmServer, type ArmServerOptions, startArmServer } from './arm-server.ts';
import { type PlaygroundAzure, type PlaygroundAzureOptions, playgroundAzure } from './cluster/index.ts';
import { KUBELET } from './cluster/managed-cluster.ts';
import type { FaultSpec } from './faults/fault.ts';
import { ensureToken } from './guest/bootstrap-tokens.ts';
import type { ClusterFacts } from './guest/cse.ts';
import { nodeBootstrappingRoutes } from './guest/node-bootstrapping.ts';
import { startVmGuests, type VmGuests, type VmGuestsOptions } from './guest/vm-guests.ts';

export interface AzureOptions extends Pick<VmGuestsOptions, 'bootTimeMs' | 'realistic' | 'nodeCleanupMs'> {
  /** `cse=211@zone=2,rate=0.1` or as data. */
  readonly faults?: readonly (FaultSpec | string)[];
  /** Default eastus. */
  readonly region?: string;
  /** Port of the ARM server. Default 0: any free one. */
  readonly port?: number;
  /** Sizes, quota, the managed cluster, keys, rights. */
  readonly azure?: PlaygroundAzureOptions;
  /** Further settings of the ARM server, for tests. */
  readonly server?: Partial<ArmServerOptions>;
}

export interface RunningAzure {
  readonly arm: ArmServer;
  readonly azure: PlaygroundAzure;
  readonly guests: VmGuests;
  /** With which new nodes ask for their certificate. */
  readonly bootstrapToken: string;
  stop(): Promise<void>;
}

export interface AzureEnvironment {
  readonly world: World;
  /** Runs the kubelets of VMs that become nodes. */
  readonly nodeHost: NodeHost;
  /** Of the cluster: `1.36.3`. */
  readonly kubernetesVersion: string;
  /** Transport to the API server with administrator rights. */
  readonly transport: Transport;
  /** Undefined: it does not listen, and neither does the ARM server. */
  readonly apiServer: { readonly url: string; readonly caPem: string } | undefined;
  readonly host?: string;
}

export const KUBELET_CLIENT_ID = KUBELET.clientId;

export async function startAzure(
  environment: AzureEnvironment,
  options: AzureOptions = {},
): Promise<RunningAzure> {
  const { world, transport, apiServer, nodeHost, kubernetesVersion } = environment;
  const client = new KubeClient({ transport });
  const bootstrapToken = await ensureToken(client, world.random);
  const azure = playgroundAzure({
    ...options.azure,
    cluster:
      options.azure?.cluster === false
        ? false
        : { kubernetesVersion, kubeletIdentity: KUBELET_IDENTITY, ...options.azure?.cluster },
  });
  const arm = await startArmServer({
    world,
    listen: apiServer === undefined ? false : (options.port ?? true),
    ...(environment.host === undefined ? {} : { host: environment.host }),
    ...(options.region === undefined ? {} : { region: options.region }),
    ...(options.realistic === undefined ? {} : { realistic: options.realistic }),
    ...(options.faults === undefined ? {} : { faults: options.faults }),
    ...options.server,
    providers: [...azure.providers, ...(options.server?.providers ?? [])],
  });
  const cluster = clusterFacts(environment, arm);
  arm.registerProvider(nodeBootstrappingRoutes(arm.context, cluster));
  const guests = startVmGuests({
    ...options,
    world,
    arm,
    nodeHost,
    transport,
    cluster,
    sizes: azure.catalogue.sizes,
  });
  return {
    arm,
    azure,
    guests,
    bootstrapToken,
    async stop() {
      guests.stop();
      await arm.close();
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const KUBELET_IDENTITY = {
  resourceId:
    '/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/MC_playground_playground_eastus/providers/Microsoft.ManagedIdentity/userAssignedIdentities/playground-agentpool',
  ...KUBELET,
};

/** Its own addresses, and the name that the managed cluster has for it. */
function clusterFacts({ apiServer, kubernetesVersion }: AzureEnvironment, arm: ArmServer): ClusterFacts {
  const own = apiServer === undefined ? [] : [new URL(apiServer.url).hostname.replace(/^\[|\]$/g, '')];
  const cluster = arm.resources.list('Microsoft.ContainerService/managedClusters')[0];
  const fqdn = cluster?.properties['fqdn'];
  const hosts = [...own, '127.0.0.1', 'localhost', ...(typeof fqdn === 'string' ? [fqdn.toLowerCase()] : [])];
  return { hosts: [...new Set(hosts)], caPem: apiServer?.caPem, version: kubernetesVersion };
}
