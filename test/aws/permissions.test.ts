/**
 * One missing action at a time, of every statement of Karpenter's policies: the simulated AWS denies it, the controller works as
 * far as it can, and `why` names the action, the resource and the statement. `npm test` runs a part, one of each kind.
 */
import { describe, expect, test } from 'vitest';
import { KARPENTER_STATEMENTS } from '../../packages/chandler/src/cloud/aws/index.ts';
import { ownPolicy } from '../../packages/chandler/src/cloud/aws/testing.ts';
import { explanationText } from '../../packages/chandler/src/diagnose/index.ts';
import { RUNS_ALL } from '../part.ts';
import { actionsOf, PLACE, POLICY, withoutActionIn } from './controller-policy.ts';
import { whyUnder } from './permissions.fixture.ts';
import { MISSING, NOT_ASKED_FOR } from './permissions.table.ts';

/** A run is a few seconds long, on a machine with nothing else to do. */
const TIMEOUT_MS = 120_000;

const chosen = MISSING.filter(({ quick }) => RUNS_ALL || quick === true);
if (!RUNS_ALL) console.log(`${chosen.length} of ${MISSING.length} permissions; CHANDLER_TESTS=all runs all`);

describe('one missing action', () => {
  test.each(chosen.map((row) => [row.action, row.sid, row] as const))(
    '%s of %s is named by why',
    async (action, sid, { scenario, as, resource }) => {
      const explanation = await whyUnder(withoutActionIn(POLICY, sid, action), scenario);
      const text = explanationText(explanation);
      const findings = [explanation.cause, ...explanation.also];
      const found = findings.find((each) => each?.facts['action'] === action);
      expect(found, text).toBeDefined();
      expect(`${found!.summary} ${found!.fix}`, text).toContain(sid);
      if (resource !== undefined) expect(found!.facts['resource'], text).toContain(resource);
      expect(found === explanation.cause ? 'cause' : found!.weight, text).toBe(as);
      expect(text).toContain(action);
      expect(text).toContain(sid);
    },
    TIMEOUT_MS,
  );
});

test('every action of every statement has a row, or is not asked for', () => {
  const rows = [...MISSING.map(({ sid, action }) => `${sid} ${action}`), ...Object.keys(NOT_ASKED_FOR)];
  expect([...rows].sort()).toEqual(
    actionsOf(POLICY)
      .map(([sid, action]) => `${sid} ${action}`)
      .sort(),
  );
});

test('the table of statements is the policy that the simulated AWS enforces', () => {
  const documented = KARPENTER_STATEMENTS.flatMap(({ sid, actions }) =>
    actions.map((each) => `${sid} ${each}`),
  );
  expect([...documented].sort()).toEqual(
    actionsOf(POLICY)
      .map((pair) => pair.join(' '))
      .sort(),
  );
});

test(
  'what Chandler needs beyond the policies of Karpenter is named as such, and docs/iam.md has it',
  async () => {
    const denied = await whyUnder(POLICY, 'reboot');
    const found = denied.also.find(({ facts }) => facts['action'] === 'ec2:RebootInstances');
    expect(found?.fix, explanationText(denied)).toContain('the statement AllowScopedReboot of docs/iam.md');
    expect(found?.facts['resource']).toContain(':instance/');
    const allowed = await whyUnder([POLICY, ownPolicy(PLACE)], 'reboot');
    expect(allowed.also.flatMap(({ facts }) => facts['action'] ?? [])).toEqual([]);
  },
  TIMEOUT_MS,
);

const complete = ['nothing', POLICY] as const;
const unasked = Object.keys(NOT_ASKED_FOR).map((row) => {
  const [sid = '', action = ''] = row.split(' ');
  return [row, withoutActionIn(POLICY, sid, action)] as const;
});

test.each(RUNS_ALL ? [complete, ...unasked] : [complete])(
  'without %s, why names no action',
  async (_, policy) => {
    const explanation = await whyUnder(policy, 'running');
    expect(explanation.verdict).toBe('healthy');
    const findings = [explanation.cause, ...explanation.also];
    expect(findings.flatMap((each) => each?.facts['action'] ?? [])).toEqual([]);
  },
  TIMEOUT_MS,
);
