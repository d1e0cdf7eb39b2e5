/**
 * What must hold before anything is launched, in the order of upstream: the region, that EC2 accepts us, then the cluster. Each failure
 * names its cure.
 */
import { StartError } from '../../index.ts';
import { type AwsError, isDryRunSuccess, toAwsError } from '../errors/index.ts';
import type { AwsCalls } from '../wire/index.ts';
import type { AwsClusterDetector } from './detector.ts';
import { problemOf } from './problems.ts';
import type { AwsClusterReaders } from './readers.ts';

export interface ClusterStartOptions {
  readonly calls: Pick<AwsCalls, 'ec2' | 'sts'>;
  readonly readers: Pick<AwsClusterReaders, 'region'>;
  readonly detector: AwsClusterDetector;
}

/** @throws {StartError} or the reason of the signal. */
export async function prepareCluster(options: ClusterStartOptions, signal: AbortSignal): Promise<void> {
  const { calls, readers, detector } = options;
  try {
    await readers.region(signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw notReady(toAwsError(error).message, error);
  }
  await checkAccess(calls, signal);
  await detector.refresh(signal);
  const blocking = detector.problems().filter(({ blocks }) => blocks);
  if (blocking.length > 0)
    throw notReady(blocking.map(({ fact, message }) => `${fact}: ${message}`).join('; '), undefined);
}

/** That EC2 lets us in: a dry run, which changes nothing. @throws {StartError} or the reason of the signal. */
export async function checkAccess(calls: Pick<AwsCalls, 'ec2' | 'sts'>, signal: AbortSignal): Promise<void> {
  try {
    await calls.ec2.describeInstanceTypes({ DryRun: true }, { signal });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (isDryRunSuccess(error)) return;
    const reason = await sharper(calls, toAwsError(error), signal);
    throw notReady(
      `EC2 does not let the controller in (ec2:DescribeInstanceTypes): ${problemOf(reason, { grant: 'ec2:DescribeInstanceTypes' }).message}`,
      error,
    );
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** EC2 says of a clock that is wrong, of an unknown key and of a wrong secret the same; STS tells them apart. */
async function sharper(
  { sts }: Pick<AwsCalls, 'sts'>,
  error: AwsError,
  signal: AbortSignal,
): Promise<AwsError> {
  if (error.code !== 'AuthFailure') return error;
  try {
    await sts.getCallerIdentity({}, { signal });
    return error;
  } catch (told) {
    if (signal.aborted) throw signal.reason;
    return toAwsError(told);
  }
}

function notReady(message: string, cause: unknown): StartError {
  return new StartError('CloudNotReady', message, cause === undefined ? {} : { cause });
}
