/** The way to Azure for verbs that a person runs: with the credentials of the environment or of the Azure CLI. */
import { readFileSync } from 'node:fs';
import type { World } from '@chandler/kube';
import type { ArmClients, AzureEnvironment } from '../../arm/index.ts';
import { StartError } from '../../cloud/index.ts';
import { BUILD, type Environment, readLayers } from '../../settings/index.ts';
import { UsageError } from '../verb.ts';

export interface AzureConnection {
  readonly clients: ArmClients;
  readonly environment: AzureEnvironment;
  close(): Promise<void>;
}

export interface AzureConnectionRequest {
  readonly world: World;
  readonly env: Environment;
  readonly subscriptionId: string;
  /** Of errors: `--live-azure`. */
  readonly where: string;
}

/** Nothing is asked of Azure yet. @throws {UsageError} */
export async function connectAzure({
  world,
  env,
  subscriptionId,
  where,
}: AzureConnectionRequest): Promise<AzureConnection> {
  const { AZURE_CONTROLLER_OPTIONS, azureAccess } = await import('../../cloud/azure/index.ts');
  const readFile = (path: string) => readFileSync(path, 'utf8');
  const { values, problems } = readLayers(AZURE_CONTROLLER_OPTIONS, {
    args: [],
    env: { ...env, AZURE_SUBSCRIPTION_ID: subscriptionId },
    readFile: (path) => readFile(path).trim(),
  });
  // Only the options about access to Azure matter here, and a wrong one must not become its default.
  const wrong = problems.filter(({ options: [name = ''] }) => /^(arm|azure)/.test(name));
  if (wrong.length > 0) throw new UsageError(wrong);
  const { cloudWire } = await import('../controller/cloud-wire.ts');
  const ca = { path: values.armCaFile.value, flag: AZURE_CONTROLLER_OPTIONS.armCaFile.flag };
  const wire = cloudWire(world.fetch, ca, env);
  try {
    const access = azureAccess({ world, values, fetch: wire.fetch, readFile, version: BUILD.version });
    return { clients: access.clients, environment: access.environment, close: () => wire.close() };
  } catch (error) {
    await wire.close();
    if (error instanceof StartError) throw new UsageError([{ where, message: error.message }]);
    throw error;
  }
}
