/** A live cluster, and Azure where credentials are at hand. Loaded only when a question goes there. */
import { readFileSync } from 'node:fs';
import { KubeClient, shapedTransport, type World } from '@chandler/kube';
import manifest from '../../../package.json' with { type: 'json' };
import { AZURE_CONTROLLER_OPTIONS, azureAccess } from '../../cloud/azure/index.ts';
import { StartError } from '../../cloud/index.ts';
import { type AzureEye, azureEye, liveReader } from '../../diagnose/index.ts';
import { resolveOptions } from '../../settings/index.ts';

import { cloudWire } from '../controller/cloud-wire.ts';
import { openCluster } from '../controller/cluster.ts';
import { Failure } from '../verb.ts';
import type { LiveChoice, OpenRequest, OpenSource } from './source.ts';

/** @throws {Failure} */
export async function openLive(request: OpenRequest, source: LiveChoice): Promise<OpenSource> {
  const { env, interrupted } = request;
  const world = await request.world();
  const door = await openCluster({ ...source, env, world });
  const { host } = door;
  const transport = shapedTransport(door.transport, {
    world,
    host,
    userAgent: 'chandler-why',
    limited: false,
    timeoutMs: 20_000,
  });
  const client = new KubeClient({ transport });
  const azure = azureOf(request, world);
  return {
    reader: () => liveReader({ client, clock: world.clock, signal: interrupted }),
    azure: azure?.eye,
    namespace: door.credentials.namespace || undefined,
    close: async () => {
      await azure?.close();
      await door.close();
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** Variables that say who we are to Azure. */
const CREDENTIALS = [
  'AZURE_CLIENT_ID',
  'AZURE_CLIENT_SECRET',
  'AZURE_FEDERATED_TOKEN_FILE',
  'AZURE_TENANT_ID',
];

function azureOf(
  { azure, env }: OpenRequest,
  world: World,
): { eye: AzureEye; close(): Promise<void> } | undefined {
  const atHand = CREDENTIALS.some((name) => (env[name] ?? '') !== '');
  if (azure === 'off' || (azure === 'auto' && !atHand)) return undefined;
  // Only what leads to Azure is asked for here; that other options of the controller are not set is no matter.
  const { values } = resolveOptions(AZURE_CONTROLLER_OPTIONS, {
    args: [],
    env,
    readFile: (path) => readFileSync(path, 'utf8').trim(),
  });
  try {
    const wire = cloudWire(world.fetch, { path: values.armCaFile.value, flag: 'arm-ca-file' }, env);
    const { clients } = azureAccess({
      world,
      values,
      fetch: wire.fetch,
      readFile: (path) => readFileSync(path, 'utf8'),
      version: manifest.version,
    });
    return { eye: azureEye({ clients, world, fetch: wire.fetch }), close: () => wire.close() };
  } catch (error) {
    if (error instanceof StartError) throw new Failure(`--azure: ${error.message}`);
    throw error;
  }
}
