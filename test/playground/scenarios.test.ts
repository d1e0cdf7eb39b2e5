import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { SCENARIOS, type Scenario, scenariosOf } from '../../packages/chandler/src/playground/index.ts';
import { deployment } from '../../packages/chandler/src/playground/testing.ts';
import { everyNth } from '../part.ts';
import { type ScenarioHarness, SMALL_CATALOGUE, startScenarioHarness } from './scenario-harness.ts';

const TIMEOUT_MS = 240_000;
const RUN = everyNth('scenarios of Azure', scenariosOf('azure'), 9);
/** A spot VM is only replaced when 15 cheaper sizes fit. */
const NEEDS_MANY_SIZES = new Set(['spot-to-spot']);
let harness: ScenarioHarness | undefined;
afterEach(async () => {
  await harness?.stop();
  harness = undefined;
});

describe('scenarios complete', () => {
  test.each(RUN.map((scenario) => [scenario.name, scenario] as const))(
    '%s',
    async (_, scenario) => {
      harness = await startScenarioHarness(
        scenario.controllerArgs ?? [],
        NEEDS_MANY_SIZES.has(scenario.name) ? {} : SMALL_CATALOGUE,
      );
      const { result, steps } = await harness.run(scenario);
      expect(result).toEqual({ outcome: 'completed' });
      expect(steps.map(({ text }) => text)).toEqual(scenario.steps.map(({ description }) => description));
    },
    TIMEOUT_MS,
  );

  test('the documented scenarios exist', () => {
    expect(SCENARIOS.map(({ name }) => name)).toEqual([
      'burst',
      'consolidation',
      'drift-rollout',
      'budget-window',
      'spot-to-spot',
      'zone-outage',
      'slow-registration',
      'quota-cut',
      'cse-failure',
      'byok-misconfiguration',
      'spot-interruption',
      'ice-storm',
      'ami-rollout',
      'bad-user-data',
      'missing-access-entry',
    ]);
  });

  test('docs/playground.md lists all scenarios and where they run', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/playground.md'), 'utf8');
    const listed = [...page.matchAll(/^\| `([\w-]+)` \| ([\w ]+) \|/gm)].map(([, name, on]) => [name, on]);
    const titles = { azure: 'Azure', aws: 'AWS' };
    expect(listed).toEqual(
      SCENARIOS.map(({ name, clouds }) => [
        name,
        clouds?.map((cloud) => titles[cloud]).join(', ') ?? 'every cloud',
      ]),
    );
  });
});

describe('a scenario that fails', () => {
  test(
    'reports the failed step and what was observed',
    async () => {
      harness = await startScenarioHarness([], SMALL_CATALOGUE);
      const step = {
        description: 'six pods run',
        actions: [{ apply: deployment('app', 2, { cpu: '1', memory: '1Gi' }) }],
      };
      const scenario: Scenario = {
        name: 'failing',
        summary: '',
        speed: 1,
        steps: [
          { ...step, until: [{ pods: { app: 'app', running: 6 } }], withinMs: 60_000 },
          { description: 'never reached' },
        ],
      };
      const { result, steps } = await harness.run(scenario);
      expect(result).toEqual({
        outcome: 'failed',
        step: 'six pods run',
        why: 'app: 2 pods running, 0 pending',
      });
      expect(steps).toHaveLength(1);
    },
    TIMEOUT_MS,
  );
});
