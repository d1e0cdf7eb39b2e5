/** Opens a live cluster, and its cloud if there are credentials. Loaded only for questions to a cluster. */

import { readFileSync } from 'node:fs';
import { KubeClient, shapedTransport } from '@chandler/kube';
import type { ObjectReader } from '../../causes/index.ts';
import { type CloudConnection, type DiagnosisRow, StartError } from '../../cloud/index.ts';
import { liveReader, type Subject } from '../../diagnose/index.ts';
import { BUILD } from '../../settings/index.ts';
import { cloudWire } from '../controller/cloud-wire.ts';
import { connectToCluster } from '../controller/cluster.ts';
import { Failure } from '../verb.ts';
import { asFailure } from './as-failure.ts';
import { chooseCloud } from './choose-cloud.ts';
import { regionOfCluster } from './region.ts';
import type { LiveChoice, OpenRequest, OpenSource } from './source.ts';

/** @throws {Failure} */
export async function openLive(
  request: OpenRequest,
  source: LiveChoice,
  subject: Subject | undefined,
): Promise<OpenSource> {
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
  const reader = () => liveReader({ client, clock: world.clock, signal: interrupted });
  const namespace = cluster.credentials.namespace || undefined;
  try {
    const row = await chooseCloud(request, reader(), subject && withNamespace(subject, namespace));
    const connection = await connected(request, row, reader());
    const close = async () => {
      await connection.close();
      await cluster.close();
    };
    return { reader, cloud: connection.diagnosis, namespace, close };
  } catch (error) {
    await cluster.close();
    throw await asFailure(error);
  }
}

// ---------------------------------------------------------------------------------------------------

function withNamespace(subject: Subject, namespace: string | undefined): Subject {
  return namespace === undefined ? subject : { namespace, ...subject };
}

/** @throws {Failure} */
async function connected(
  { cloud, env, world: openWorld }: OpenRequest,
  row: DiagnosisRow,
  reader: ObjectReader,
): Promise<CloudConnection> {
  const mode = cloud.query(row.name);
  if (mode === 'off') {
    const diagnosis = await row.diagnosis({ why: 'notAsked', message: `--${row.name} off` });
    return { diagnosis, close: async () => undefined };
  }
  const world = await openWorld();
  try {
    return await row.connect({
      world,
      env,
      readFile: (path) => readFileSync(path, 'utf8'),
      version: BUILD.version,
      required: mode === 'on',
      region: await regionOfCluster(reader, await row.diagnosis()),
      openWire: (ca) => cloudWire(world.fetch, ca, env),
    });
  } catch (error) {
    if (error instanceof StartError) throw new Failure(`--${row.name}: ${error.message}`);
    throw error;
  }
}
