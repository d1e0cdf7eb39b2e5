import { describe, expect, test } from 'vitest';
import { aCluster, aManagedNode, NOW } from './disruption.fixture.ts';
import { blockedNodes, DisruptionPlanner, planDisruption } from './disruption-plan.ts';
import { METHODS } from './methods.table.ts';

test('a caller learns when each method begins, so that it can measure them; repair only where it is on', () => {
  const began: string[] = [];
  const steps = new DisruptionPlanner().steps(aCluster([aManagedNode('a')]), {}, NOW, (name) =>
    began.push(name),
  );
  while (steps.next().done !== true);
  expect(began).toEqual(METHODS.map(({ name }) => name).filter((name) => name !== 'repair'));
});

describe('nodes that something blocks', () => {
  test('are known without a simulation, with the texts of the plan', () => {
    const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
    const input = aCluster([aManagedNode('a', { annotations }), aManagedNode('b')]);
    const [verdict, ...others] = blockedNodes(input, {}, NOW);
    expect(others).toEqual([]);
    expect(verdict).toEqual(planDisruption(input, {}, NOW).nodes.find(({ name }) => name === 'a'));
    expect(verdict!.keeps).toMatchObject([{ block: { code: 'NodeDoNotDisrupt' } }]);
  });
});
