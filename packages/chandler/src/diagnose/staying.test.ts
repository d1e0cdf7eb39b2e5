import { expect, test } from 'vitest';
import type { NodeVerdict } from '../disruption/index.ts';
import { type PlanToExplain, stayingFrom } from './staying.ts';

const NODE = { nodePool: 'general', instanceType: 'm', price: 0.2, pods: 1 };
const PDB = {
  block: { code: 'PodDisruptionBudget', pod: 'shop/db-0', budget: 'shop/db' },
  text: 'the budget shop/db holds it',
} as const;
const WAITS = { block: { code: 'NotConsolidatable', consolidateAfter: '5m' }, text: 'it waits' } as const;
const PRICE = {
  rejection: { code: 'NotCheaper', price: 0.2 },
  method: 'single-node',
  text: 'nothing is cheaper',
} as const;

function node(name: string, keeps: NodeVerdict['keeps'], more: Partial<NodeVerdict> = {}): NodeVerdict {
  return { name, claim: `claim-${name}`, ...NODE, keeps, ...more };
}

function plan(nodes: readonly NodeVerdict[], more: Partial<PlanToExplain> = {}): PlanToExplain {
  return { nodes, problems: [], freezes: [], ...more };
}

const texts = (kind: 'node' | 'nodeclaim' | 'nodepool' | 'pod', name: string, given: PlanToExplain) =>
  stayingFrom({ kind, name }, given).map(({ text }) => text);

test('what to repair comes first, whatever the order of the plan', () => {
  const given = plan([node('a', [WAITS, PRICE, PDB])]);
  expect(texts('node', 'a', given)).toEqual([
    'the budget shop/db holds it',
    'it waits',
    'nothing is cheaper',
  ]);
  expect(texts('nodeclaim', 'claim-a', given)).toHaveLength(3);
});

test('a node that would go says so, and other objects say nothing', () => {
  const given = plan([node('a', [], { command: 'k', text: 'delete: [a]' })]);
  expect(texts('node', 'a', given)).toEqual(['it would be disrupted now: delete: [a]']);
  expect(texts('node', 'b', given)).toEqual([]);
  expect(texts('pod', 'a', given)).toEqual([]);
});

test('where freezes could not be read, nothing is said to be disrupted for sure', () => {
  const given = plan([node('a', [], { command: 'k', text: 'delete: [a]' }), node('b', [PDB])], {
    unreadFreezes: 'chandler-freeze',
  });
  const unknown = expect.stringContaining('whether disruption is frozen is not known');
  expect(texts('node', 'a', given)).toEqual([
    unknown,
    'if it is not frozen, it would be disrupted now: delete: [a]',
  ]);
  // What keeps a node keeps it with or without a freeze.
  expect(texts('node', 'b', given)).toEqual(['the budget shop/db holds it']);
  expect(texts('nodepool', 'general', given)).toEqual([
    'b: the budget shop/db holds it',
    unknown,
    'if it is not frozen, 1 of 2 nodes would be disrupted now; see chandler plan',
  ]);
});

test('a NodePool names its problems and freezes, then its nodes by what keeps them', () => {
  const given = plan(
    [
      node('a', [PRICE, PDB]),
      node('b', [PDB]),
      node('c', [PRICE]),
      node('d', [], { command: 'k', text: 'delete: [d]' }),
      node('x', [WAITS], { nodePool: 'other' }),
    ],
    {
      problems: [
        {
          nodePool: 'general',
          field: 'spec.disruption.budgets[0].nodes',
          value: 'x',
          message: 'is no number',
        },
        { nodePool: 'other', field: 'f', value: 'v', message: 'm' },
      ],
      freezes: [{ text: 'disruption is frozen' }, { nodePool: 'other', text: 'not here' }],
    },
  );
  expect(texts('nodepool', 'general', given)).toEqual([
    'spec.disruption.budgets[0].nodes: "x": is no number',
    'disruption is frozen',
    'a: the budget shop/db holds it, and 1 more node like it',
    'c: nothing is cheaper',
    '1 of 4 nodes would be disrupted now; see chandler plan',
  ]);
});
