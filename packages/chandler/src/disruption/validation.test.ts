import { describe, expect, test } from 'vitest';
import type { InstanceType } from '../scheduling/index.ts';
import { aType, pods } from '../scheduling/testing.ts';
import type { Command } from './command.ts';
import {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  aPdb,
  type ClusterShape,
  NOW,
  type NodeShape,
} from './disruption.fixture.ts';
import { planDisruption } from './disruption-plan.ts';
import type { DisruptionNode } from './model.ts';
import { type ValidatedCommand, validateCommands } from './validation.ts';

const LATER = NOW + 15_000;

function typesAt(price: number): InstanceType[] {
  return [
    aType('s', { cpu: 2, price, capacityTypes: ['on-demand'] }),
    aType('m', { cpu: 4, price: 0.2, capacityTypes: ['on-demand'] }),
  ];
}

function loaded(name: string, count: number, shape: NodeShape = {}): DisruptionNode {
  return aManagedNode(name, { pods: pods(count, name, { cpu: '1', labels: { app: name } }), ...shape });
}

const POOLS = [aDisruptedPool('default', { types: typesAt(0.1) })];

function planned(nodes: readonly DisruptionNode[], shape: ClusterShape = {}): readonly Command[] {
  return planDisruption(aCluster(nodes, { pools: POOLS, ...shape }), {}, NOW).commands;
}

function validated(
  commands: readonly Command[],
  nodes: readonly DisruptionNode[],
  shape: ClusterShape = {},
): readonly ValidatedCommand[] {
  return validateCommands(aCluster(nodes, { pools: POOLS, ...shape }), {}, LATER, commands);
}

const CHURN = { class: 'churn', message: '1 candidates are no longer valid' };

describe('an emptiness command', () => {
  const empty = [aManagedNode('a'), aManagedNode('b'), aManagedNode('c')];

  test('is valid while nothing changed, under its key', () => {
    const [command] = planned(empty);
    const [result] = validated([command!], empty);
    expect(result).toMatchObject({ failedNodes: 0, command: { key: command!.key, decision: 'delete' } });
    expect(result!.command!.candidates.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  test('goes on with the nodes that are still empty', () => {
    const [result] = validated(planned(empty), [empty[0]!, loaded('b', 1), empty[2]!]);
    expect(result!.command!.candidates.map(({ name }) => name)).toEqual(['a', 'c']);
    expect(result!.failedNodes).toBe(1);
  });

  test('goes on with as many nodes as the budget of now allows', () => {
    const budgets = [{ nodes: '1' }];
    const pools = [aDisruptedPool('default', { types: typesAt(0.1), budgets })];
    const [result] = validated(planned(empty), empty, { pools });
    expect(result!.command!.candidates).toHaveLength(1);
  });

  test('counts a node that another command disrupts in the meantime', () => {
    const pools = [aDisruptedPool('default', { types: typesAt(0.1), budgets: [{ nodes: '1' }] })];
    const other = aManagedNode('z', { more: { command: 'drifted-1' } });
    const [result] = validated(planned([empty[0]!]), [empty[0]!, other], { pools });
    expect(result!.failure).toEqual({
      class: 'budget',
      message: 'a candidate can no longer be disrupted without violating budgets',
    });
  });

  test('is rejected when pending pods are expected on its only node', () => {
    const nominated = aManagedNode('a', { more: { nominated: true } });
    const [result] = validated(planned([empty[0]!]), [nominated]);
    expect(result!.failure).toEqual({
      class: 'budget',
      message: 'a candidate was nominated during validation',
    });
  });
});

describe('a consolidation command', () => {
  const before = [loaded('a', 1)];

  test('is valid while nothing changed, with its replacement', () => {
    const commands = planned(before);
    expect(commands).toMatchObject([{ decision: 'replace', priceBefore: 0.2, priceAfter: 0.1 }]);
    const [result] = validated(commands, before);
    expect(result).toMatchObject({ failedNodes: 0, command: { key: commands[0]!.key, priceAfter: 0.1 } });
  });

  test('is rejected when its replacement is no longer cheaper', () => {
    const pools = [aDisruptedPool('default', { types: typesAt(0.2) })];
    const [result] = validated(planned(before), before, { pools });
    expect(result!.failure).toMatchObject({
      class: 'scheduling',
      message: expect.stringContaining('scheduling simulation produced new results: '),
    });
    expect(result!.command).toBeUndefined();
  });

  test('is rejected when its node got more pods than the replacement can hold', () => {
    const [result] = validated(planned(before), [loaded('a', 3)]);
    expect(result!.failure).toMatchObject({ class: 'scheduling' });
  });

  test('is rejected when the node that was to receive its pods is full', () => {
    const two = [loaded('a', 1), loaded('b', 2)];
    const commands = planned(two);
    expect(commands).toMatchObject([{ decision: 'delete', candidates: [{ name: 'a' }] }]);
    const [result] = validated(commands, [two[0]!, loaded('b', 4)]);
    expect(result!.failure).toMatchObject({ class: 'scheduling' });
  });

  test.each([
    ['its node is gone', []],
    ['its node has another claim', [aManagedNode('a', { more: { claim: aManagedNode('b').claim! } })]],
    ['its node is protected', [loaded('a', 1, { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })]],
    [
      'a pod of it is protected',
      [
        aManagedNode('a', {
          pods: pods(1, 'a', { cpu: '1' }).map((pod) => ({
            ...pod,
            metadata: { ...pod.metadata, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
          })),
        }),
      ],
    ],
    ['pods came or went', [loaded('a', 1, { conditions: { Consolidatable: undefined } })]],
  ])('is rejected when %s', (_, nodes) => {
    const [result] = validated(planned(before), nodes);
    expect(result!.failure).toEqual(CHURN);
  });

  test('is rejected when a PodDisruptionBudget allows no eviction', () => {
    const [result] = validated(planned(before), before, { budgets: [aPdb('p', 'a', 0)] });
    expect(result!.failure).toEqual(CHURN);
  });

  test('is rejected when a command before it moves pods to its node', () => {
    const [one] = planned([loaded('a', 1), loaded('b', 2)]);
    const [other] = planned([loaded('b', 1)]);
    const results = validated([one!, other!], [loaded('a', 1), loaded('b', 1)]);
    expect(results[0]!.command).toBeDefined();
    expect(results[1]!.failure).toEqual(CHURN);
  });
});
