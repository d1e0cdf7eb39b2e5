/** Opens a live cluster, and the cloud if there are credentials. Loaded only for questions to a cluster. */

import { readFileSync } from 'node:fs';
import { KubeClient, shapedTransport, type World } from '@chandler/kube';
import { type CloudConnection, StartError } from '../../cloud/index.ts';
import { diagnosisOf } from '../../cloud/registry.ts';
import { liveReader } from '../../diagnose/index.ts';
import { BUILD } from '../../settings/index.ts';
import { cloudWire } from '../controller/cloud-wire.ts';
import { connectToCluster } from '../controller/cluster.ts';
import { Failure } from '../verb.ts';
import type { LiveChoice, OpenRequest, OpenSource } from './source.ts';

/** @throws {Failure} */
export async function openLive(request: OpenRequest, source: LiveChoice): Promise<OpenSource> {
  const { env, interrupted } = request;
  const world = await request.world();
  const cluster = await connectToCluster({ ...source, env, world });
  const { host } = cluster;
  const transport = shapedTransport(cluster.transport, {
    world,
    host,
    userAgent: 'chandler-why',
    limited: false,
    timeoutMs: 20_000,
  });
  const client = new KubeClient({ transport });
  const connection = await connected(request, world);
  return {
    reader: () => liveReader({ client, clock: world.clock, signal: interrupted }),
    cloud: connection?.diagnosis ?? (await diagnosisOf().diagnosis()),
    namespace: cluster.credentials.namespace || undefined,
    close: async () => {
      await connection?.close();
      await cluster.close();
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** @throws {Failure} */
async function connected({ cloud, env }: OpenRequest, world: World): Promise<CloudConnection | undefined> {
  if (cloud === 'off') return undefined;
  const row = diagnosisOf();
  try {
    return await row.connect({
      world,
      env,
      readFile: (path) => readFileSync(path, 'utf8'),
      version: BUILD.version,
      required: cloud === 'on',
      openWire: (ca) => cloudWire(world.fetch, ca, env),
    });
  } catch (error) {
    if (error instanceof StartError) throw new Failure(`--${row.name}: ${error.message}`);
    throw error;
  }
}
