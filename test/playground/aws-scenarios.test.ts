import { afterEach, describe, expect, test } from 'vitest';
import { scenariosOf } from '../../packages/chandler/src/playground/index.ts';
import { everyNth } from '../part.ts';
import { startAwsScenarioHarness } from './aws-scenario-harness.ts';
import type { ScenarioHarness } from './scenario-harness.ts';

const TIMEOUT_MS = 240_000;
let harness: ScenarioHarness | undefined;
afterEach(async () => {
  await harness?.stop();
  harness = undefined;
});

const RUN = everyNth('scenarios of AWS', scenariosOf('aws'), 9);

describe('scenarios of AWS complete', () => {
  test.each(RUN.map((scenario) => [scenario.name, scenario] as const))(
    '%s',
    async (_, scenario) => {
      harness = await startAwsScenarioHarness(scenario.controllerArgs ?? []);
      const { result, steps } = await harness.run(scenario);
      expect(result).toEqual({ outcome: 'completed' });
      expect(steps.map(({ text }) => text)).toEqual(scenario.steps.map(({ description }) => description));
    },
    TIMEOUT_MS,
  );
});
