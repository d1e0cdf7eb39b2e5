/** `chandler check --live-azure` and `--arm-actions`: which cluster is meant, and the way to Azure. */
import { readFileSync } from 'node:fs';
import type { World } from '@chandler/kube';
import { parseResourceId } from '../../arm/index.ts';
import { StartError } from '../../cloud/index.ts';
import type * as Readiness from '../../readiness/index.ts';
import type { Inputs } from '../../readiness/index.ts';
import { BUILD, type Environment, type OptionValues, readLayers } from '../../settings/index.ts';
import { UsageError } from '../verb.ts';
import type { LIVE_AZURE_OPTIONS } from './live-azure-options.ts';
import { type LiveSource, NOT_ASKED } from './live-source.ts';

export interface LiveAzureRequest {
  readonly inputs: Inputs;
  readonly options: OptionValues<typeof LIVE_AZURE_OPTIONS>;
  readonly env: Environment;
  world(): Promise<World>;
  readonly signal: AbortSignal;
}

const CLUSTER_TYPE = 'Microsoft.ContainerService/managedClusters';

/** @returns the subscription; without `--live-azure`, nothing. @throws {UsageError} and the reason of the signal. */
export async function withLiveAzure(
  { aksClusterIds, readSubscription, withSubscription }: typeof Readiness,
  { inputs, options, env, world: openWorld, signal }: LiveAzureRequest,
): Promise<LiveSource> {
  if (!options.liveAzure.value) return NOT_ASKED;
  const clusterId = onlyOne(options.azureCluster.value, aksClusterIds(inputs));
  const parsed = parseResourceId(clusterId, CLUSTER_TYPE);
  if ('problem' in parsed)
    throw new UsageError([{ where: '--azure-cluster', message: `the ID ${parsed.problem}` }]);
  const world = await openWorld();
  const { AZURE_CONTROLLER_OPTIONS, azureAccess } = await import('../../cloud/azure/index.ts');
  const readFile = (path: string) => readFileSync(path, 'utf8');
  const { values, problems } = readLayers(AZURE_CONTROLLER_OPTIONS, {
    args: [],
    env: { ...env, AZURE_SUBSCRIPTION_ID: parsed.id.subscriptionId },
    readFile: (path) => readFile(path).trim(),
  });
  // Only the options about access to Azure matter here, and a wrong one must not become its default.
  const wrong = problems.filter(({ options: [name = ''] }) => /^(arm|azure)/.test(name));
  if (wrong.length > 0) throw new UsageError(wrong);
  const { cloudWire } = await import('../controller/cloud-wire.ts');
  const wire = cloudWire(
    world.fetch,
    { path: values.armCaFile.value, flag: AZURE_CONTROLLER_OPTIONS.armCaFile.flag },
    env,
  );
  try {
    const { clients, environment } = azureAccess({
      world,
      values,
      fetch: wire.fetch,
      readFile,
      version: BUILD.version,
    });
    const { resourceManagerUrl } = environment;
    const reader = { resourceManagerUrl, getJson: clients.getJson };
    const subscription = await readSubscription(inputs, clusterId, reader, signal);
    // Calls that were interrupted look like calls that were refused.
    signal.throwIfAborted();
    const [problem] = subscription.resources.length > 0 ? [] : subscription.problems;
    return {
      add: (each) => withSubscription(each, subscription),
      ...(problem === undefined ? {} : { unread: `--live-azure: ${problem.message}` }),
    };
  } catch (error) {
    if (error instanceof StartError)
      throw new UsageError([{ where: '--live-azure', message: error.message }]);
    throw error;
  } finally {
    await wire.close();
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** @throws {UsageError} where it is not known which cluster is meant. */
function onlyOne(given: string | undefined, ids: readonly string[]): string {
  const [first, ...others] = given === undefined ? ids : [given];
  if (first !== undefined && others.length === 0) return first;
  const message =
    first === undefined ? 'no file tells the ID of the cluster' : `the files name ${ids.join(', ')}`;
  throw new UsageError([{ where: '--live-azure', message: `${message}; give --azure-cluster` }]);
}
