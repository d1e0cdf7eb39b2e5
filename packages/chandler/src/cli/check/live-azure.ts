/** `chandler check --live-azure` and `--arm-actions`: which cluster is meant, and the way to Azure. */
import type { World } from '@chandler/kube';
import { parseResourceId } from '../../arm/index.ts';
import type * as Readiness from '../../readiness/index.ts';
import type { Inputs } from '../../readiness/index.ts';
import type { Environment, OptionValues } from '../../settings/index.ts';
import { connectAzure } from '../configure/azure-connection.ts';
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
  const { subscriptionId } = parsed.id;
  const azure = await connectAzure({ world, env, subscriptionId, where: '--live-azure' });
  try {
    const { resourceManagerUrl } = azure.environment;
    const reader = { resourceManagerUrl, getJson: azure.clients.getJson };
    const subscription = await readSubscription(inputs, clusterId, reader, signal);
    // Calls that were interrupted look like calls that were refused.
    signal.throwIfAborted();
    const [problem] = subscription.resources.length > 0 ? [] : subscription.problems;
    return {
      add: (each) => withSubscription(each, subscription),
      ...(problem === undefined ? {} : { unread: `--live-azure: ${problem.message}` }),
    };
  } finally {
    await azure.close();
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
