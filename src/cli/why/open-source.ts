/** Where answers come from: a cluster and perhaps Azure, or a file. Opened once for a question, closed after it. */
import { readFileSync, statSync } from 'node:fs';
import manifest from '../../../package.json' with { type: 'json' };
import {
  type AzureEye,
  azureEye,
  DumpError,
  dumpReader,
  LARGEST_DUMP_BYTES,
  liveReader,
  type ObjectReader,
  parseDump,
} from '../../diagnose/index.ts';
import { KubeClient, shapedTransport } from '../../kube/index.ts';
import { azureAccess, StartError } from '../../operator/index.ts';
import { AZURE_CONTROLLER_OPTIONS } from '../../settings/azure-options.ts';
import type { Environment } from '../../settings/option-table.ts';
import { resolveOptions } from '../../settings/resolve-options.ts';
import type { World } from '../../world.ts';
import { azureWire } from '../controller/azure-wire.ts';
import { openCluster } from '../controller/cluster.ts';
import { Failure } from '../verb.ts';

export type SourceChoice =
  | { readonly kubeconfig: string | undefined; readonly context: string | undefined }
  | { readonly dump: string };

export interface OpenRequest {
  readonly source: SourceChoice;
  readonly azure: 'auto' | 'on' | 'off';
  readonly env: Environment;
  readonly world: World;
  readonly interrupted: AbortSignal;
}

export interface OpenSource {
  /** A fresh look: the same objects may have changed. */
  reader(): ObjectReader;
  readonly azure: AzureEye | undefined;
  /** Of the context; for pods whose namespace nobody named. */
  readonly namespace: string | undefined;
  close(): Promise<void>;
}

/** @throws {Failure} */
export async function openSource(request: OpenRequest): Promise<OpenSource> {
  const { source } = request;
  if ('dump' in source) return fromDump(source.dump);
  const { world, env, interrupted } = request;
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
  const azure = azureOf(request);
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

function fromDump(file: string): OpenSource {
  let bytes: Uint8Array;
  try {
    const { size } = statSync(file);
    if (size > LARGEST_DUMP_BYTES)
      throw new Failure(`--dump: ${file} is larger than ${LARGEST_DUMP_BYTES / 1024 / 1024} MiB`);
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(`--dump: ${file} cannot be read (${code})`);
  }
  try {
    const reader = dumpReader(parseDump(bytes));
    return { reader: () => reader, azure: undefined, namespace: undefined, close: async () => undefined };
  } catch (error) {
    if (error instanceof DumpError) throw new Failure(`--dump: ${file}: ${error.message}`);
    throw error;
  }
}

/** Variables that say who we are to Azure. */
const CREDENTIALS = [
  'AZURE_CLIENT_ID',
  'AZURE_CLIENT_SECRET',
  'AZURE_FEDERATED_TOKEN_FILE',
  'AZURE_TENANT_ID',
];

function azureOf({ azure, env, world }: OpenRequest): { eye: AzureEye; close(): Promise<void> } | undefined {
  const atHand = CREDENTIALS.some((name) => (env[name] ?? '') !== '');
  if (azure === 'off' || (azure === 'auto' && !atHand)) return undefined;
  // Only what leads to Azure is asked for here; that other options of the controller are not set is no matter.
  const { values } = resolveOptions(AZURE_CONTROLLER_OPTIONS, {
    args: [],
    env,
    readFile: (path) => readFileSync(path, 'utf8').trim(),
  });
  try {
    const wire = azureWire(world.fetch, values.armCaFile.value);
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
