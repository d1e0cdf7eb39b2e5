/** Inputs of files and of a simulated account: the production reader over the SDK clients, in virtual time. */
import type { AwsServer } from '@chandler/cloudsim/aws';
import { testAws } from '@chandler/cloudsim/aws/testing';
import { type AwsCalls, fixedCredentials } from '../../packages/chandler/src/cloud/aws/index.ts';
import { awsCallsOf } from '../../packages/chandler/src/cloud/aws/testing.ts';
import { type Inputs, loadAccountReader, withAccount } from '../../packages/chandler/src/readiness/index.ts';
import { inputsOf } from '../../packages/chandler/src/readiness/testing.ts';

export const ACCOUNT = '418295670013';
export const REGION = 'eu-west-1';

export interface ReadAs {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface ReadOptions {
  /** Whose credentials are used. Default: those of an administrator. */
  readonly as?: (aws: AwsServer) => ReadAs;
  /** Calls that behave otherwise. */
  readonly iam?: Partial<AwsCalls['iam']>;
}

/** @param prepare undefined: the account is not read. */
export async function inputsWith(
  files: Readonly<Record<string, string>>,
  prepare?: (aws: AwsServer) => void,
  { as = ({ credentials }) => credentials, iam = {} }: ReadOptions = {},
): Promise<Inputs> {
  const inputs = inputsOf(files);
  if (prepare === undefined) return inputs;
  const aws = await testAws({ clusterName: 'shop', accountId: ACCOUNT, region: REGION });
  try {
    prepare(aws.server);
    const real = awsCallsOf(aws, { credentials: fixedCredentials(as(aws.server)) });
    const calls = { ...real, iam: { ...real.iam, ...iam } };
    const { readAccount } = await loadAccountReader();
    const { signal } = new AbortController();
    const account = await aws.world.clock.during(
      readAccount(inputs, { calls, clusterName: 'shop', signal, nowMs: aws.world.clock.now() }),
    );
    return withAccount(inputs, account);
  } finally {
    await aws.close();
  }
}
