/**
 * Upstream's documented behaviour as small scenarios: input and expected plan. Every plan is also checked by
 * the independent checker.
 */
import { describe, expect, test } from 'vitest';
import { solve } from '../../../packages/chandler/src/scheduling/index.ts';
import { checkPlan, violationLines } from '../check-plan.ts';
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
        expect(violationLines(checkPlan(input, plan))).toEqual([]);
      });
    }
  });
}

describe('the scenarios', () => {
  const all = files.flatMap(({ scenarios }) => scenarios);

  test('are numerous and have unique names', () => {
    expect(all.length).toBeGreaterThanOrEqual(250);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  test('name the section that they restate', () => {
    expect(all.filter(({ section }) => !/^3\.\d+$/.test(String(section)))).toEqual([]);
  });
});
