/** A live cluster, and the cloud where there are credentials. Loaded only when a question goes there. */
import { KubeClient, shapedTransport } from '@chandler/kube';
import { liveReader } from '../../diagnose/index.ts';
import { openCluster } from '../controller/cluster.ts';
import { CLOUD } from './clouds.ts';
import type { LiveChoice, OpenRequest, OpenSource } from './source.ts';

/** @throws {Failure} */
export async function openLive(request: OpenRequest, source: LiveChoice): Promise<OpenSource> {
  const { env, interrupted } = request;
  const world = await request.world();
  const cluster = await openCluster({ ...source, env, world });
  const { host } = cluster;
  const transport = shapedTransport(cluster.transport, {
    world,
    host,
    userAgent: 'chandler-why',
    limited: false,
    timeoutMs: 20_000,
  });
  const client = new KubeClient({ transport });
  const connection =
    request.cloud === 'off'
      ? undefined
      : await CLOUD.connect({ world, env, required: request.cloud === 'on' });
  return {
    reader: () => liveReader({ client, clock: world.clock, signal: interrupted }),
    cloud: connection?.diagnosis ?? (await CLOUD.diagnosis()),
    namespace: cluster.credentials.namespace || undefined,
    close: async () => {
      await connection?.close();
      await cluster.close();
    },
  };
}
