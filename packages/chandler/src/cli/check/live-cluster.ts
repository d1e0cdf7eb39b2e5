/** `chandler check --live-cluster`: reads the cluster of the kubeconfig, and nothing but reads. */
import { isApiError, KubeClient, shapedTransport } from '@chandler/kube';
import { liveReader } from '../../diagnose/index.ts';
import { CLUSTER_READS, readCluster } from '../../readiness/index.ts';
import type { OptionValues } from '../../settings/index.ts';
import { connectToCluster } from '../controller/cluster.ts';
import { type Call, type CLUSTER_OPTIONS, Failure, namedKubeconfig } from '../verb.ts';

/** @throws {Failure} when the cluster cannot be reached. What may not be read is part of the result. */
export async function liveCluster(
  { env, interrupted, world: openWorld }: Pick<Call, 'env' | 'interrupted' | 'world'>,
  values: OptionValues<typeof CLUSTER_OPTIONS>,
) {
  const world = await openWorld();
  const { kubeconfig, context } = values;
  const cluster = await connectToCluster({
    kubeconfig: namedKubeconfig(kubeconfig),
    context: context.value,
    env,
    world,
  });
  const { host } = cluster;
  try {
    const transport = shapedTransport(cluster.transport, {
      world,
      host,
      userAgent: 'chandler-check',
      limited: false,
      timeoutMs: 20_000,
    });
    const client = new KubeClient({ transport });
    const read = await readCluster(liveReader({ client, clock: world.clock, signal: interrupted }));
    interrupted.throwIfAborted();
    const [first] = read.unread;
    if (
      first !== undefined &&
      read.unread.length >= CLUSTER_READS.length - 1 &&
      !read.unread.some(({ isForbidden }) => isForbidden)
    )
      throw new Failure(`the cluster ${host} cannot be read: ${first.reason}`);
    return read;
  } catch (error) {
    if (isApiError(error) && !interrupted.aborted) throw new Failure(`the cluster ${host}: ${error.message}`);
    interrupted.throwIfAborted();
    throw error;
  } finally {
    await cluster.close();
  }
}
