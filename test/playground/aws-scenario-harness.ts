/** The playground on the simulated AWS with its controller, without sockets and in virtual time. */
// Loaded before any scenario starts: loading a module takes real time, during which hours of virtual time would pass.
import '../e2e/loaded-aws-modules.ts';
import { type ScenarioHarness, startOn } from './scenario-harness.ts';

export function startAwsScenarioHarness(args: readonly string[] = []): Promise<ScenarioHarness> {
  return startOn({ aws: {} }, args);
}
