import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type DisruptionNode,
  type Keep,
  METHODS,
  type NodeVerdict,
  planDisruption,
} from '../disruption/index.ts';
import {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  aPdb,
  type ClusterShape,
  NOW,
} from '../disruption/testing.ts';
import { aPod } from '../scheduling/testing.ts';
import { type PlanToExplain, stayingFrom } from './staying.ts';

const NODE = { nodePool: 'general', instanceType: 'm', price: 0.2, pods: 1 };
const PDB = {
  block: { code: 'PodDisruptionBudget', pod: 'shop/db-0', budget: 'shop/db' },
  methods: ['single-node'],
  text: 'the budget shop/db holds it',
} as const;
const WAITS = {
  block: { code: 'NotConsolidatable', consolidateAfter: '5m' },
  methods: ['single-node'],
  text: 'it waits',
} as const;
const PRICE = {
  rejection: { code: 'NotCheaper', price: 0.2 },
  method: 'single-node',
  methods: ['single-node'],
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

describe('several reasons at once, of plans', () => {
  const web = aPod('web', { cpu: '2', labels: { app: 'web' } });
  const pdb = aPdb('web', 'web', 0);
  const held = { 'karpenter.sh/do-not-disrupt': 'true' };
  const staysFor = (shape: Parameters<typeof aManagedNode>[1], cluster: ClusterShape = {}) => {
    const node: DisruptionNode = aManagedNode('n1', { pods: [web], ...shape });
    return texts('node', 'n1', {
      ...plan([]),
      ...planDisruption(aCluster([node], cluster), {}, NOW),
      freezes: [],
    });
  };

  test('a drifted node that a budget of pods holds, in a NodePool that does not consolidate', () => {
    const pools = [aDisruptedPool('default', { consolidateAfter: 'Never' })];
    expect(staysFor({ conditions: { Drifted: true } }, { budgets: [pdb], pools })).toEqual([
      'it is drifted and is not replaced: PodDisruptionBudget shop/web allows no eviction of pod shop/web now',
      'it is not consolidated: NodePool default has consolidateAfter: Never',
    ]);
  });

  test('a drifted node with a grace period: its pods hold it only from a consolidation, the NodePool from a replacement', () => {
    const pools = [aDisruptedPool('default', { budgets: [{ nodes: '0', reasons: ['Drifted'] }] })];
    const claimSpec = { terminationGracePeriod: '1h' };
    const [first, second, ...others] = staysFor(
      { conditions: { Drifted: true }, claimSpec },
      { budgets: [pdb], pools },
    );
    expect(first).toMatch(/^it is drifted and is not replaced: .*budget/i);
    expect(second).toMatch(/^it is not consolidated: PodDisruptionBudget shop\/web/);
    expect(others).toEqual([]);
  });

  test('an annotated node with an annotated pod and a budget of pods, which is not drifted', () => {
    const annotated = { ...web, metadata: { ...web.metadata, annotations: held } };
    expect(staysFor({ annotations: held, pods: [annotated] }, { budgets: [pdb] })).toEqual([
      'its annotation karpenter.sh/do-not-disrupt is "true"',
      'pod shop/web has the annotation karpenter.sh/do-not-disrupt',
      'PodDisruptionBudget shop/web allows no eviction of pod shop/web now',
    ]);
  });

  test('a node that waits and would not be cheaper says what ends by itself before what is well', () => {
    const [first] = staysFor({ conditions: { Consolidatable: undefined } });
    expect(first).toBe('its condition Consolidatable is not True');
  });
});

test('every combination says each reason once, what is urgent first, and the method it is about', () => {
  const codes = [
    'PodDisruptionBudget',
    'NodeDoNotDisrupt',
    'Frozen',
    'NotConsolidatable',
    'Nominated',
    'Deleting',
  ];
  const urgent: readonly string[] = ['repair', 'drift', 'static-drift', 'expiration'];
  const aKeep = fc.record({
    code: fc.constantFrom(...codes),
    methods: fc.uniqueArray(fc.constantFrom(...METHODS.map(({ name }) => name)), { minLength: 1 }),
  });
  fc.assert(
    fc.property(fc.uniqueArray(aKeep, { selector: ({ code }) => code, minLength: 1 }), (drawn) => {
      const keeps = drawn.map(({ code, methods }) => ({
        block: { code },
        methods,
        text: `because of ${code}`,
      }));
      const said = texts('node', 'a', plan([node('a', keeps as unknown as readonly Keep[])]));
      expect(said.map((text) => text.replace(/^.*: /, '')).sort()).toEqual(
        keeps.map(({ text }) => text).sort(),
      );
      const isUrgent = said.map((text) => / and is not replaced: /.test(text));
      expect(isUrgent).toEqual([...isUrgent].sort((one, other) => Number(other) - Number(one)));
      const count = drawn.filter(({ methods }) => methods.some((method) => urgent.includes(method))).length;
      expect(isUrgent.filter(Boolean)).toHaveLength(count);
      if (count === 0) expect(said.every((text) => text.startsWith('because of '))).toBe(true);
    }),
  );
});
