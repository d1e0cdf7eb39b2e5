/** `AwsCalls` of tests: the official SDK clients in virtual time, against an AWS in this process. */
import type { TestAws } from '@chandler/cloudsim/aws/testing';
// Loaded here, because loading takes real time: a test would advance its clock before the first call is sent.
import './wire/lazy/ec2.ts';
import './wire/lazy/eks.ts';
import './wire/lazy/events.ts';
import './wire/lazy/iam.ts';
import './wire/lazy/kms.ts';
import './wire/lazy/pricing.ts';
import './wire/lazy/service-quotas.ts';
import './wire/lazy/sqs.ts';
import './wire/lazy/ssm.ts';
import './wire/lazy/sts.ts';
import './wire/lazy/zonal-shift.ts';
import { AwsError } from './errors/index.ts';
import { type AwsCalls, type AwsCallsOptions, createAwsCalls, fixedCredentials } from './wire/index.ts';

export function awsCallsOf(aws: TestAws, options: Partial<AwsCallsOptions> = {}): AwsCalls {
  return createAwsCalls({
    world: aws.world,
    fetch: aws.server.fetch,
    region: aws.server.settings.region,
    credentials: fixedCredentials(aws.server.credentials),
    version: '0.0.0-test',
    ...options,
  });
}

/** What the call was rejected with. @throws when it was not, or with something else. */
export async function refusalOf(call: Promise<unknown>): Promise<AwsError> {
  const error: unknown = await call.then(
    () => new Error('the call was not rejected'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof AwsError) return error;
  throw error;
}
