/** `chandler check --live-aws` and `--iam-policy`: which cluster is meant, the way to AWS, and the policy for it. */
import type { World } from '@chandler/kube';
import type * as Readiness from '../../readiness/index.ts';
import type { Account, Inputs } from '../../readiness/index.ts';
import type { Environment, OptionValues } from '../../settings/index.ts';
import { connectAws } from '../configure/aws-connection.ts';
import { UsageError } from '../verb.ts';
import type { LIVE_AWS_OPTIONS } from './live-aws-options.ts';
import { type LiveSource, NOT_ASKED } from './live-source.ts';

export interface LiveAwsRequest {
  readonly inputs: Inputs;
  readonly options: OptionValues<typeof LIVE_AWS_OPTIONS>;
  readonly env: Environment;
  world(): Promise<World>;
  readonly signal: AbortSignal;
}

/** @returns the account; without `--live-aws`, nothing. @throws {UsageError} */
export async function withLiveAws(
  { loadAccountReader, valuesOfFact, withAccount }: typeof Readiness,
  request: LiveAwsRequest,
): Promise<LiveSource> {
  if (!request.options.liveAws.value) return NOT_ASKED;
  const reader = await loadAccountReader();
  const account = await liveAws(reader, request, (fact) => valuesOfFact(request.inputs, fact));
  // Who calls is the first answer; without it no other call was made.
  const [why] = account.resources.length > 0 ? [] : account.live.unread.values();
  return {
    add: (inputs) => withAccount(inputs, account),
    ...(why === undefined ? {} : { unread: `--live-aws: ${why}` }),
  };
}

/** The policy as JSON. Without a name or a region it is for all of them. */
export async function iamPolicyText(clusterName = '*', region = '*'): Promise<string> {
  const { checkPolicy, partitionOf } = await import('../../cloud/aws/account.ts');
  const partition = region === '*' ? 'aws' : partitionOf(region);
  return `${JSON.stringify(checkPolicy({ partition, region, accountId: '*', clusterName }), null, 2)}\n`;
}

// ---------------------------------------------------------------------------------------------------------------

type AccountReader = Awaited<ReturnType<typeof Readiness.loadAccountReader>>;

/** @throws {UsageError} where it is not known which cluster is meant. */
async function liveAws(
  { noAccount, readAccount }: AccountReader,
  { inputs, options, env, world: openWorld, signal }: LiveAwsRequest,
  valuesOf: (fact: 'clusterName' | 'region') => readonly string[],
): Promise<Account> {
  const clusterName = onlyOne(options.clusterName.value, valuesOf('clusterName'), '--cluster-name');
  if (clusterName === undefined)
    throw new UsageError([
      { where: '--live-aws', message: 'the files do not tell the name of the cluster; give --cluster-name' },
    ]);
  const region = onlyOne(options.region.value, valuesOf('region'), '--region');
  const world = await openWorld();
  const connection = await connectAws({
    world,
    env,
    region,
    profile: options.profile.value,
    where: '--live-aws',
  });
  try {
    const { access, missing } = connection;
    const nowMs = world.clock.now();
    if (access === undefined) return noAccount(missing?.message ?? 'there is no way to AWS', nowMs);
    const account = await readAccount(inputs, { calls: access.calls, clusterName, signal, nowMs });
    // Calls that were interrupted look like calls that were not answered.
    signal.throwIfAborted();
    return account;
  } finally {
    await connection.close();
  }
}

/** @throws {UsageError} where the files name several. */
function onlyOne(given: string | undefined, values: readonly string[], flag: string): string | undefined {
  if (given !== undefined || values.length < 2) return given ?? values[0];
  throw new UsageError([
    { where: '--live-aws', message: `the files name ${values.join(', ')}; give ${flag}` },
  ]);
}
