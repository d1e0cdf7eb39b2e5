/**
 * The playground: a Kubernetes API with our kinds installed and stand-ins behind it, in this process. It puts the parts
 * together; what each does is in its own folder.
 */
import type { KubeObject } from '../api/object.ts';
import { fetchTransport } from '../kube/transport.ts';
import type { World } from '../world.ts';
import type { ApiServer } from './apiserver/server.ts';
import { PLAYGROUND_DRIVER } from './standins/kubelet/node-object.ts';
import type { Standins, StandinsOptions } from './standins/standins.ts';

export interface PlaygroundOptions {
  readonly world: World;
  /** Where the API listens. Default 0: any free port. `false`: only in this process. */
  readonly port?: number | false;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** How many nodes `system-1…` there are at the start. Default 3. */
  readonly systemNodes?: number;
  /** Read at the start when it exists, written at the end. */
  readonly snapshotFile?: string;
  /** False: an API server and nothing else. Default true. */
  readonly standins?: boolean;
  /** How much faster than the tables say pods start and stop. Default 1. */
  readonly speed?: number;
  /** Further settings of the stand-ins, for tests. */
  readonly standinOptions?: Partial<
    Pick<StandinsOptions, 'heartbeatMs' | 'nodeGraceMs' | 'orphanMs' | 'without'>
  >;
}

export interface Playground {
  readonly server: ApiServer;
  readonly standins: Standins | undefined;
  /** `https://127.0.0.1:port`; undefined when it does not listen. */
  readonly url: string | undefined;
  /** Saves the snapshot, if there is one, and ends everything. */
  stop(): Promise<void>;
}

export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { world, port = 0, host, snapshotFile, standins: withStandins = true } = options;
  const [{ startApiServer }, standinModule, { builtinCrds }] = await Promise.all([
    import('./apiserver/server.ts'),
    withStandins ? import('./standins/standins.ts') : undefined,
    import('../api/kinds/index.ts'),
  ]);
  const server = await startApiServer({
    world,
    ...(port === false ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(snapshotFile === undefined ? {} : { snapshotFile }),
    initialObjects: [...(builtinCrds() as unknown as KubeObject[]), DEFAULT_STORAGE_CLASS],
  });
  try {
    const standins = await standinModule?.startStandins({
      ...options.standinOptions,
      world,
      transport: fetchTransport(server.fetchAs(STANDIN_USER)),
      ...(server.url === undefined ? {} : { caPem: server.caPem }),
      speed: options.speed ?? 1,
    });
    if (standins) await addSystemNodes(standins, options.systemNodes ?? 3);
    return {
      server,
      standins,
      url: server.url,
      async stop() {
        await standins?.stop();
        await server.close();
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** The class of claims that name none. */
export const DEFAULT_STORAGE_CLASS: KubeObject = {
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
async function addSystemNodes(standins: Standins, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, at) => at + 1);
  await Promise.all(
    names.map((number) =>
      standins.addNode({
        name: `system-${number}`,
        cpu: 4,
        memory: '16Gi',
        labels: {
          'topology.kubernetes.io/region': 'playground',
          'topology.kubernetes.io/zone': `playground-${((number - 1) % SYSTEM_ZONES) + 1}`,
          'node.kubernetes.io/instance-type': 'system',
        },
      }),
    ),
  );
}
