/**
 * One missing action at a time, of the roles of `chandler configure aks` and of the lists that Azure shows to every identity: the simulated
 * Azure denies it, the controller works as far as it can, and `why` names the action and the scope. `npm test` runs a part.
 */
import { describe, expect, test } from 'vitest';
import {
  CONTROLLER_PERMISSIONS,
  SUBSCRIPTION_READS,
} from '../../packages/chandler/src/cloud/azure/permissions/index.ts';
import { explanationText } from '../../packages/chandler/src/diagnose/index.ts';
import { RUNS_ALL } from '../part.ts';
import { whyWithout } from './permissions.fixture.ts';
import { MISSING, NOT_ASKED_FOR } from './permissions.table.ts';

/** A run is a few seconds long, on a machine with nothing else to do. */
const TIMEOUT_MS = 120_000;

const chosen = MISSING.filter(({ quick }) => RUNS_ALL || quick === true);
if (!RUNS_ALL) console.log(`${chosen.length} of ${MISSING.length} permissions; CHANDLER_TESTS=all runs all`);

describe('one missing action', () => {
  test.each(chosen.map((row) => [row.action, row] as const))(
    '%s is named by why',
    async (action, { scenario, as, scope }) => {
      const { explanation } = await whyWithout(action, scenario);
      const text = explanationText(explanation);
      const found = [explanation.cause, ...explanation.also].find((each) => each?.summary.includes(action));
      expect(found, text).toBeDefined();
      expect(found!.summary, text).toContain(scope);
      expect(found === explanation.cause ? 'cause' : found!.weight, text).toBe(as);
      expect(text).toContain(action);
    },
    TIMEOUT_MS,
  );
});

test('every action that the controller uses has a row, or is not asked for', () => {
  const rows = [...MISSING.map(({ action }) => action), ...Object.keys(NOT_ASKED_FOR)];
  const used = [...CONTROLLER_PERMISSIONS, ...SUBSCRIPTION_READS].map(({ action }) => action);
  expect([...rows].sort()).toEqual([...used].sort());
});

const scenarios = [...new Set(MISSING.map(({ scenario }) => scenario))];

test.each(RUNS_ALL ? scenarios : [])(
  'with the roles of configure, Azure denies nothing: %s',
  async (scenario) => {
    const { denied } = await whyWithout(undefined, scenario);
    expect(denied).toEqual([]);
  },
  TIMEOUT_MS,
);
