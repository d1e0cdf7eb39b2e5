/**
 * The playground: a Kubernetes API server with the Karpenter CRDs, stand-ins and a simulated cloud, in this process.
 * It wires the parts; each part is in its own folder.
 */
import type { ApiServer } from '@chandler/apiserver';
import { PLAYGROUND_DRIVER, type Standins, type StandinsOptions } from '@chandler/apiserver/standins';
import type { AwsOptions, RunningAws } from '@chandler/cloudsim/aws';
import type { AzureOptions, RunningAzure } from '@chandler/cloudsim/azure';
import { fetchTransport, KubeClient, type KubeObject, type World } from '@chandler/kube';
import { joinedSimulation } from './clouds/joined-clouds.ts';
import { type CloudChoice, type CloudHandles, loadSimulation } from './clouds/load.ts';
import type { PlaygroundCloud } from './clouds/playground-cloud.ts';
import { namespaceObjects } from './controller-account.ts';
import { standinNodeHost } from './node-host.ts';
import { ensureObject } from './scenarios/manifests.ts';

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
   * The simulated Azure; its VMs become nodes of this cluster. False: no cloud. Default: one is started where the API server
   * listens and stand-ins run its nodes.
   */
  readonly azure?: AzureOptions | false;
  /** A simulated AWS instead of Azure; next to it where `azure` is given, too. Default: none. */
  readonly aws?: AwsOptions;
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
  /** In the order Azure, AWS. */
  readonly clouds: readonly PlaygroundCloud[];
  /** The first one. */
  readonly cloud: PlaygroundCloud | undefined;
  /** The servers of each cloud, for tests; undefined: it does not run. */
  readonly azure: RunningAzure | undefined;
  readonly aws: RunningAws | undefined;
  /** `https://127.0.0.1:port`; undefined when it does not listen. */
  readonly url: string | undefined;
  /** Saves the snapshot, if configured, and stops everything. */
  stop(): Promise<void>;
}

export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { world, port = 0, host, snapshotFile, standins: withStandins = true } = options;
  const choices = cloudChoices(options);
  const handles: CloudHandles = {};
  const [{ startApiServer }, standinModule, simulations, { builtinCrds }] = await Promise.all([
    import('@chandler/apiserver'),
    withStandins ? import('@chandler/apiserver/standins') : undefined,
    Promise.all(choices.map((choice) => loadSimulation(choice, handles))),
    import('../api/kinds/index.ts'),
  ]);
  const simulation = joinedSimulation(simulations);
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
      ...(simulation?.storageClasses ?? [DEFAULT_STORAGE_CLASS]),
    ],
  });
  const transport = fetchTransport(server.fetchAs(STANDIN_USER));
  let standins: Standins | undefined;
  const clouds: PlaygroundCloud[] = [];
  const stop = async () => {
    await Promise.all(clouds.map((cloud) => cloud.stop()));
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
      ...(simulation === undefined
        ? {}
        : { csiDrivers: simulation.csiDrivers, sharedDrivers: simulation.sharedDrivers }),
      agentTaints: simulation?.agentTaints ?? [],
    });
    if (standins !== undefined) {
      const environment = {
        world,
        nodeHost: standinNodeHost(standins),
        kubernetesVersion: standinModule!.KUBELET_VERSION.replace(/^v/, ''),
        transport,
        apiServer: server.url === undefined ? undefined : { url: server.url, caPem: server.caPem },
        ...(host === undefined ? {} : { host }),
      };
      for (const each of simulations) clouds.push(await each.start(environment));
      const client = new KubeClient({ transport });
      for (const object of namespaceObjects(clouds)) await ensureObject(client, object);
      await addSystemNodes(standins, options, clouds[0]);
    }
    const { azure, aws } = handles;
    return { server, standins, clouds, cloud: clouds[0], azure, aws, url: server.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The storage class of a cluster without a cloud. */
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
const SYSTEM_TAINT = { key: 'CriticalAddonsOnly', value: 'true', effect: 'NoSchedule' };
const SYSTEM_ZONES = 3;

function cloudChoices({ azure, aws, port, standins = true }: PlaygroundOptions): readonly CloudChoice[] {
  const isDefault = azure === undefined && aws === undefined && port !== false && standins;
  const options = isDefault ? {} : azure;
  return [
    ...(options === undefined || options === false ? [] : [{ azure: options }]),
    ...(aws === undefined ? [] : [{ aws }]),
  ];
}

/** Small machines for what a cluster itself runs, one zone each. */
async function addSystemNodes(
  standins: Standins,
  { systemNodes = 3, systemTaint = false }: PlaygroundOptions,
  cloud: PlaygroundCloud | undefined,
): Promise<void> {
  const region = cloud?.region ?? 'playground';
  const numbers = Array.from({ length: systemNodes }, (_, at) => at + 1);
  await Promise.all(
    numbers.map((number) => {
      const node = cloud?.systemNode(number);
      return standins.addNode({
        name: `system-${number}`,
        cpu: 4,
        memory: '16Gi',
        labels: {
          'topology.kubernetes.io/region': region,
          'topology.kubernetes.io/zone': node?.zone ?? `${region}-${((number - 1) % SYSTEM_ZONES) + 1}`,
          'node.kubernetes.io/instance-type': node?.instanceType ?? 'system',
          ...node?.labels,
        },
        ...(node === undefined ? {} : { providerID: node.providerID }),
        ...(systemTaint ? { taints: [SYSTEM_TAINT] } : {}),
      });
    }),
  );
}
