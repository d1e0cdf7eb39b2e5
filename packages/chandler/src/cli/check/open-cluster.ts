/** Connects a command to the cluster of the kubeconfig, or of the pod in which it runs, for one piece of work. */
import { KubeClient, shapedTransport, type World } from '@chandler/kube';
import { isAccessError } from '../../readiness/index.ts';
import type { OptionValues } from '../../settings/index.ts';
import { connectToCluster } from '../controller/cluster.ts';
import { type Call, type CLUSTER_OPTIONS, Failure, namedKubeconfig } from '../verb.ts';

export type ClusterCall = Pick<Call, 'env' | 'interrupted' | 'world'>;
export type ClusterValues = OptionValues<typeof CLUSTER_OPTIONS>;

export interface OpenCluster {
  readonly client: KubeClient;
  readonly host: string;
  readonly world: World;
  /** PEM of the CAs that the credentials trust as the API server. */
  trusted(): Promise<string | undefined>;
}

/** @throws {Failure} when the cluster cannot be reached or refuses the work, and the reason of an interrupt. */
export async function inCluster<T>(
  call: ClusterCall,
  { kubeconfig, context }: ClusterValues,
  work: (cluster: OpenCluster) => Promise<T>,
  userAgent = 'chandler-check',
): Promise<T> {
  const { env, interrupted } = call;
  const world = await call.world();
  const named = { kubeconfig: namedKubeconfig(kubeconfig), context: context.value };
  const { transport, host, credentials, close } = await connectToCluster({ ...named, env, world });
  const traffic = { world, host, userAgent, limited: false, timeoutMs: 20_000 };
  try {
    return await work({
      client: new KubeClient({ transport: shapedTransport(transport, traffic) }),
      host,
      world,
      trusted: () => credentials.trusted(),
    });
  } catch (error) {
    interrupted.throwIfAborted();
    throw isAccessError(error) ? new Failure(`the cluster ${host}: ${error.message}`) : error;
  } finally {
    await close();
  }
}
