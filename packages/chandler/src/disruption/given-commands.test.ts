import { describe, expect, test } from 'vitest';
import { aPod } from '../scheduling/testing.ts';
import type { Command } from './command.ts';
import { aCluster, aManagedNode, type ClusterShape, NOW, type NodeShape } from './disruption.fixture.ts';
import { planDisruption } from './disruption-plan.ts';
import type { DisruptionNode } from './model.ts';

const NOT_YET = { conditions: { Consolidatable: undefined } };

/** A plan while these commands wait for their validation. */
function plan(nodes: readonly DisruptionNode[], commands: readonly Command[] = [], shape: ClusterShape = {}) {
  const commandOf = new Map(
    commands.flatMap(({ key, candidates }) => candidates.map(({ name }) => [name, key])),
  );
  const marked = nodes.map((node) => {
    const command = commandOf.get(node.name);
    return command === undefined ? node : { ...node, command };
  });
  return planDisruption({ ...aCluster(marked, shape), commands }, {}, NOW);
}

const large = (name: string, shape: NodeShape = {}) =>
  aManagedNode(name, { type: 'l', pods: [aPod(`pod-${name}`, { cpu: '1' })], ...shape });

describe('commands that wait for their validation', () => {
  test('keep their replacements for their own pods: a further command launches what its own pods need', () => {
    const small = (name: string, shape: NodeShape = {}) =>
      aManagedNode(name, { type: 'm', pods: [aPod(`pod-${name}`, { cpu: '1.5' })], ...shape });
    // Neither fits on the other: both are full but for their pods.
    const apart = (name: string, shape: NodeShape = {}) => {
      const node = small(name, shape);
      const { status } = node.node!;
      const allocatable = { ...status!.allocatable, cpu: '2.5' };
      return { ...node, node: { ...node.node!, status: { ...status, allocatable } } };
    };
    const first = plan([apart('a'), apart('b', NOT_YET)]);
    expect(first.commands).toMatchObject([
      {
        candidates: [{ name: 'a' }],
        replacements: [{ pods: ['shop/pod-a'], cheapest: { instanceType: 's' } }],
      },
    ]);
    const second = plan([apart('a'), apart('b')], first.commands);
    expect(second.commands).toMatchObject([
      {
        candidates: [{ name: 'b' }],
        replacements: [{ pods: ['shop/pod-b'], cheapest: { instanceType: 's' } }],
      },
    ]);
    expect(second.commands[0]!.priceAfter).toBe(first.commands[0]!.priceAfter);
  });

  test('are not undone: no pod moves to a node that goes, and a node that gets their pods stays', () => {
    const first = plan([large('a'), large('b', NOT_YET), large('c', NOT_YET)]);
    expect(first.commands).toMatchObject([{ candidates: [{ name: 'a' }] }]);
    const [command] = first.commands;
    const [destination] = command!.destinations;
    const other = destination!.node === 'b' ? 'c' : 'b';
    const second = plan([large('a'), large('b'), large('c')], first.commands);
    expect(second.commands.flatMap(({ candidates }) => candidates.map(({ name }) => name))).toEqual([other]);
    expect(second.commands[0]!.destinations).toMatchObject([{ node: destination!.node }]);
    const kept = second.nodes.find(({ name }) => name === destination!.node)!;
    expect(kept.keeps).toMatchObject([{ rejection: { code: 'Destination', command: command!.key } }]);
  });
});
