/**
 * AWS beside an API server: all services, and instances that become nodes of that cluster. What a controller needs to know of it
 * is in controller-files.ts.
 */
import type { Transport, World } from '@chandler/kube';
import type { NodeHost } from '../node-host.ts';
import { type AwsServer, type AwsServerOptions, startAwsServer } from './aws-server.ts';
import type { FaultSpec } from './faults/fault.ts';
import { type Machines, type MachinesOptions, startMachines } from './guest/machines.ts';

export interface AwsOptions extends Pick<MachinesOptions, 'bootTimeMs' | 'realistic' | 'nodeCleanupMs'> {
  /** `capacity@zone=us-west-2a,rate=0.1` or as data. */
  readonly faults?: readonly (FaultSpec | string)[];
  /** Default us-west-2. */
  readonly region?: string;
  /** Port of the server. Default 0: any free one. */
  readonly port?: number;
  /** Further settings of the server. */
  readonly server?: Partial<AwsServerOptions>;
}

export interface RunningAws {
  readonly server: AwsServer;
  readonly machines: Machines;
  stop(): Promise<void>;
}

export interface AwsEnvironment {
  readonly world: World;
  /** Runs the kubelets of instances that become nodes. */
  readonly nodeHost: NodeHost;
  /** Of the cluster: `1.36.3`. */
  readonly kubernetesVersion: string;
  /** Transport to the API server with administrator rights. */
  readonly transport: Transport;
  /** Undefined: it does not listen, and neither does the server of AWS. */
  readonly apiServer: { readonly url: string; readonly caPem: string } | undefined;
  readonly host?: string;
}

export async function startAws(environment: AwsEnvironment, options: AwsOptions = {}): Promise<RunningAws> {
  const { world, transport, apiServer, nodeHost, kubernetesVersion } = environment;
  const server = await startAwsServer({
    world,
    listen: apiServer === undefined ? false : (options.port ?? true),
    kubernetesMinor: kubernetesVersion.split('.').slice(0, 2).join('.'),
    ...(environment.host === undefined ? {} : { host: environment.host }),
    ...(options.region === undefined ? {} : { region: options.region }),
    ...(options.realistic === undefined ? {} : { realistic: options.realistic }),
    ...(options.faults === undefined ? {} : { faults: options.faults }),
    ...options.server,
  });
  if (apiServer !== undefined) {
    server.cluster.endpoint = apiServer.url;
    server.cluster.certificateAuthority = Buffer.from(apiServer.caPem).toString('base64');
  }
  const machines = startMachines({
    ...options,
    server,
    nodeHost,
    transport,
    kubernetesVersion,
    caPem: apiServer?.caPem,
    hosts: ['127.0.0.1', 'localhost'],
  });
  return {
    server,
    machines,
    async stop() {
      machines.stop();
      await server.close();
    },
  };
}
