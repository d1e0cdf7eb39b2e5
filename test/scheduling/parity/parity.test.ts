/**
 * Upstream's documented behaviours, restated as small scenarios: what is given, and what comes of it. Every plan is also
 * judged by the independent checker.
 */
import { describe, expect, test } from 'vitest';
import { solve } from '../../../packages/chandler/src/scheduling/index.ts';
import { checkPlan, tellViolations } from '../check-plan.ts';
import { compare } from './expectation.ts';
import { inputOf, readScenarios } from './scenario.ts';

const files = readScenarios();

for (const { topic, scenarios } of files) {
  describe(`scheduling: ${topic}`, () => {
    for (const scenario of scenarios) {
      test(scenario.name, () => {
        const input = inputOf(scenario);
        const plan = solve(input);
        const { wanted, got } = compare(scenario.expect, input, plan);
        expect(got).toEqual(wanted);
        expect(tellViolations(checkPlan(input, plan))).toEqual([]);
      });
    }
  });
}

describe('the scenarios', () => {
  const all = files.flatMap(({ scenarios }) => scenarios);

  test('there are enough of them, each with a name of its own', () => {
    expect(all.length).toBeGreaterThanOrEqual(250);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  test('each says which section it restates', () => {
    expect(all.filter(({ section }) => !/^3\.\d+$/.test(String(section)))).toEqual([]);
  });
});
