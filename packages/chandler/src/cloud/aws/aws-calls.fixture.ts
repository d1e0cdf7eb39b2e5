/** `AwsCalls` of tests: the official SDK clients in virtual time, against an AWS in this process. */
import type { TestAws } from '@chandler/cloudsim/aws/testing';
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
