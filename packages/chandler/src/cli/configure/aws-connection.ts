/** The way to AWS for verbs that a person runs: with the credentials that the AWS SDKs find. */
import { readFileSync } from 'node:fs';
import type { World } from '@chandler/kube';
import type { CallsConnection } from '../../cloud/aws/account.ts';
import { StartError } from '../../cloud/index.ts';
import { BUILD, type Environment } from '../../settings/index.ts';
import { UsageError } from '../verb.ts';

export interface AwsConnectionRequest {
  readonly world: World;
  readonly env: Environment;
  /** Default: as the AWS SDKs find it. */
  readonly region: string | undefined;
  /** Of the AWS command line. Default: as the AWS SDKs find it. */
  readonly profile: string | undefined;
  /** Of errors: `--live-aws`. */
  readonly where: string;
}

/** @throws {UsageError} */
export async function connectAws({
  world,
  env,
  region,
  profile,
  where,
}: AwsConnectionRequest): Promise<CallsConnection> {
  const { connectCalls } = await import('../../cloud/aws/account.ts');
  const { cloudWire } = await import('../controller/cloud-wire.ts');
  const request = {
    world,
    env,
    readFile: (path: string) => readFileSync(path, 'utf8'),
    version: BUILD.version,
    openWire: (ca: Parameters<typeof cloudWire>[1]) => cloudWire(world.fetch, ca, env),
    required: true,
    region,
  };
  try {
    return await connectCalls(request, profile);
  } catch (error) {
    if (error instanceof StartError) throw new UsageError([{ where, message: error.message }]);
    throw error;
  }
}
