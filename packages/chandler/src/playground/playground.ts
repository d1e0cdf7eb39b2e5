/**
 * The playground: a Kubernetes API server with the Karpenter CRDs, stand-ins and a simulated Azure, in this process.
 * It wires the parts; each part is in its own folder.
 */
import type { ApiServer } from '@chandler/apiserver';
import { PLAYGROUND_DRIVER, type Standins, type StandinsOptions } from '@chandler/apiserver/standins';
import type { AzureOptions, RunningAzure } from '@chandler/cloudsim/azure';
import { fetchTransport, type KubeObject, type World } from '@chandler/kube';
import { standinNodeHost } from './node-host.ts';

export interface PlaygroundOptions {
  readonly world: World;
  /** Where the API listens. Default 0: any free port. `false`: only in this process. */
  readonly port?: number | false;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Number of system nodes `system-1…` at the start. Default 3. */
  readonly systemNodes?: number;
  /** Read at the start when it exists, written at the end. */
  readonly snapshotFile?: string;
  /** False: only the API server. Default true. */
  readonly standins?: boolean;
  /**
   * The simulated Azure; its VMs become nodes of this cluster. False: none. Default: one is started where the API server
   * listens and stand-ins run its nodes.
   */
  readonly azure?: AzureOptions | false;
  /** Taints the system nodes, so that other pods need nodes from a controller. Default false. */
  readonly systemTaint?: boolean;
  /** Factor by which pods start and stop faster. Default 1. */
  readonly speed?: number;
  /** As `ApiServerOptions.certificateNow`. */
  readonly certificateNow?: () => number;
  /** As `ApiServerOptions.givesWay`, for a process with other clients. Default false. */
  readonly givesWay?: boolean;
  /** As `ApiServerOptions.managedFields`. Default true. */
  readonly managedFields?: boolean;
  /** Further settings of the stand-ins, for tests. */
  readonly standinOptions?: Partial<
    Pick<StandinsOptions, 'heartbeatMs' | 'nodeGraceMs' | 'orphanMs' | 'without'>
  >;
}

export interface Playground {
  readonly server: ApiServer;
  readonly standins: Standins | undefined;
  readonly azure: RunningAzure | undefined;
  /** `https://127.0.0.1:port`; undefined when it does not listen. */
  readonly url: string | undefined;
  /** Saves the snapshot, if configured, and stops everything. */
  stop(): Promise<void>;
}

export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { world, port = 0, host, snapshotFile, standins: withStandins = true } = options;
  const azureOptions = options.azure ?? (port === false || !withStandins ? false : {});
  const [{ startApiServer }, standinModule, azureModule, { builtinCrds }] = await Promise.all([
    import('@chandler/apiserver'),
    withStandins ? import('@chandler/apiserver/standins') : undefined,
    azureOptions === false ? undefined : import('@chandler/cloudsim/azure'),
    import('../api/kinds/index.ts'),
  ]);
  const server = await startApiServer({
    world,
    ...(port === false ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(snapshotFile === undefined ? {} : { snapshotFile }),
    ...(options.certificateNow === undefined ? {} : { certificateNow: options.certificateNow }),
    managedFields: options.managedFields ?? true,
    givesWay: options.givesWay ?? false,
    initialObjects: [
      ...(builtinCrds() as unknown as KubeObject[]),
      ...(azureModule?.AKS_STORAGE_CLASSES ?? [DEFAULT_STORAGE_CLASS]),
    ],
  });
  const transport = fetchTransport(server.fetchAs(STANDIN_USER));
  let standins: Standins | undefined;
  let azure: RunningAzure | undefined;
  const stop = async () => {
    await azure?.stop();
    await standins?.stop();
    await server.close();
  };
  try {
    standins = await standinModule?.startStandins({
      ...options.standinOptions,
      world,
      transport,
      ...(server.url === undefined ? {} : { caPem: server.caPem }),
      speed: options.speed ?? 1,
      ...(azureModule === undefined
        ? {}
        : {
            csiDrivers: { [azureModule.DISK_DRIVER]: 16, [azureModule.FILE_DRIVER]: undefined },
            sharedDrivers: [azureModule.FILE_DRIVER],
          }),
      agentTaints: azureModule?.AKS_AGENT_TAINTS.map(({ key }) => key) ?? [],
    });
    if (standins && azureModule)
      azure = await azureModule.startAzure(
        {
          world,
          nodeHost: standinNodeHost(standins),
          kubernetesVersion: standinModule!.KUBELET_VERSION.replace(/^v/, ''),
          transport,
          apiServer: server.url === undefined ? undefined : { url: server.url, caPem: server.caPem },
          ...(host === undefined ? {} : { host }),
        },
        azureOptions || {},
      );
    if (standins) await addSystemNodes(standins, options, azure);
    return { server, standins, azure, url: server.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The storage class of a cluster without Azure. */
const DEFAULT_STORAGE_CLASS: KubeObject = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: PLAYGROUND_DRIVER,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
};

// ---------------------------------------------------------------------------------------------------

const STANDIN_USER = { username: 'system:playground', groups: ['system:masters', 'system:authenticated'] };
const SYSTEM_ZONES = 3;

/** Small machines for what a cluster itself runs, one zone each. */
async function addSystemNodes(
  standins: Standins,
  { systemNodes = 3, systemTaint = false }: PlaygroundOptions,
  azure: RunningAzure | undefined,
): Promise<void> {
  const region = azure?.arm.settings.region ?? 'playground';
  const names = Array.from({ length: systemNodes }, (_, at) => at + 1);
  await Promise.all(
    names.map((number) =>
      standins.addNode({
        name: `system-${number}`,
        cpu: 4,
        memory: '16Gi',
        labels: {
          'topology.kubernetes.io/region': region,
          'topology.kubernetes.io/zone': `${region}-${((number - 1) % SYSTEM_ZONES) + 1}`,
          'node.kubernetes.io/instance-type': azure === undefined ? 'system' : 'Standard_D4s_v5',
          ...(azure === undefined ? {} : SYSTEM_LABELS),
        },
        ...(azure === undefined ? {} : { providerID: systemProviderId(azure, number) }),
        ...(systemTaint ? { taints: [SYSTEM_TAINT] } : {}),
      }),
    ),
  );
}

const SYSTEM_LABELS = { 'kubernetes.azure.com/mode': 'system', 'kubernetes.azure.com/agentpool': 'system' };
const SYSTEM_TAINT = { key: 'CriticalAddonsOnly', value: 'true', effect: 'NoSchedule' };

/** System nodes are of a scale set that the ARM server does not show. */
function systemProviderId({ arm: { settings } }: RunningAzure, number: number): string {
  const group = `/subscriptions/${settings.subscriptionId}/resourceGroups/${settings.nodeResourceGroup.toLowerCase()}`;
  const set = `aks-system-${settings.clusterId}-vmss`;
  return `azure://${group}/providers/Microsoft.Compute/virtualMachineScaleSets/${set}/virtualMachines/${number - 1}`;
}
