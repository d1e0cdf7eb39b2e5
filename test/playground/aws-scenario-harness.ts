/** The playground on the simulated AWS with its controller, without sockets and in virtual time. */
// Loaded before any scenario starts: loading a module takes real time, during which hours of virtual time would pass.
import '@aws-sdk/client-ec2';
import '@aws-sdk/client-eks';
import '@aws-sdk/client-iam';
import '@aws-sdk/client-pricing';
import '@aws-sdk/client-sqs';
import '@aws-sdk/client-ssm';
import '@aws-sdk/client-sts';
import { type ScenarioHarness, startOn } from './scenario-harness.ts';

export function startAwsScenarioHarness(args: readonly string[] = []): Promise<ScenarioHarness> {
  return startOn({ aws: {} }, args);
}
