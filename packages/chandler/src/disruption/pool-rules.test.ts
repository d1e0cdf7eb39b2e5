import { describe, expect, test } from 'vitest';
import type { PoolInput } from '../scheduling/index.ts';
import { aPod, aType, pods } from '../scheduling/testing.ts';
import { blockText } from './block.ts';
import {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  NOW,
  type NodeShape,
  type PoolShape,
} from './disruption.fixture.ts';
import { planDisruption } from './disruption-plan.ts';
import type { DisruptionNode, DisruptionOptions } from './model.ts';
import { freezeText, type SavingRules } from './pool-rules.ts';
import { rejectionText } from './rejection.ts';

const HOUR = 3_600_000;
const ON_DEMAND = [
  aType('s', { cpu: 2, price: 0.1, capacityTypes: ['on-demand'] }),
  aType('m', { cpu: 4, price: 0.2, capacityTypes: ['on-demand'] }),
];

function pool(annotations: Record<string, string> = {}, name = 'default', shape: PoolShape = {}): PoolInput {
  const made = aDisruptedPool(name, { types: ON_DEMAND, ...shape });
  return { ...made, nodePool: { ...made.nodePool, metadata: { ...made.nodePool.metadata, annotations } } };
}

function plan(
  nodes: readonly DisruptionNode[],
  pools: readonly PoolInput[] = [pool()],
  options: DisruptionOptions = {},
  nowMs = NOW,
) {
  return planDisruption(aCluster(nodes, { pools }), options, nowMs);
}

const keepsOf = ({ nodes }: ReturnType<typeof plan>, name: string) =>
  nodes
    .find((node) => node.name === name)!
    .keeps.map((keep) => ('block' in keep ? keep.block.code : keep.rejection.code));

/** An m whose pods fit on an s: that saves $73 of $146 a month. */
const halfEmpty = (shape: NodeShape = {}) =>
  aManagedNode('a', { pods: pods(2, 'a', { cpu: '900m' }), ...shape });

describe('a threshold of savings', () => {
  test.each<[string, string, SavingRules]>([
    ['chandler.sh/min-saving-per-month', '73', { minSavingPerMonth: 73 }],
    ['chandler.sh/min-saving-percent', '50', { minSavingPercent: 50 }],
    ['chandler.sh/cost-per-evicted-pod', '36.5', { costPerEvictedPod: 36.5 }],
  ])('%s lets a command pass that saves as much, and not one that saves less', (key, enough, saving) => {
    const removes = (result: ReturnType<typeof plan>) => result.commands.length;
    expect(removes(plan([halfEmpty()], [pool({ [key]: enough })]))).toBe(1);
    expect(removes(plan([halfEmpty()], [pool({ [key]: `${Number(enough) + 1}` })]))).toBe(0);
    const more = Object.fromEntries(Object.entries(saving).map(([name, value]) => [name, value + 1]));
    expect(removes(plan([halfEmpty()], undefined, { saving }))).toBe(1);
    expect(removes(plan([halfEmpty()], undefined, { saving: more }))).toBe(0);
    // The annotation replaces the option.
    expect(removes(plan([halfEmpty()], [pool({ [key]: '0' })], { saving: more }))).toBe(1);
  });

  test('says what would be saved and what is asked for', () => {
    const { nodes } = plan([halfEmpty()], [pool({ 'chandler.sh/min-saving-per-month': '100' })]);
    const [keep] = nodes[0]!.keeps;
    expect('rejection' in keep! && rejectionText(keep.rejection)).toBe(
      'moving 2 pods would save $73.00 a month, and NodePool default asks for $100.00',
    );
  });

  test('does not hold empty nodes and drifted ones', () => {
    const strict = [pool({ 'chandler.sh/min-saving-per-month': '1000' })];
    expect(plan([aManagedNode('a')], strict).commands).toMatchObject([{ method: 'emptiness' }]);
    const drifted = halfEmpty({ conditions: { Drifted: true } });
    expect(plan([drifted], strict).commands).toMatchObject([{ method: 'drift' }]);
  });
});

test('nodes that are younger than the NodePool allows are neither consolidated nor deleted because they are empty', () => {
  const born = new Date(NOW - HOUR).toISOString();
  const young = (node: DisruptionNode): DisruptionNode => ({
    ...node,
    claim: { ...node.claim!, metadata: { ...node.claim!.metadata, creationTimestamp: born } },
  });
  const nodes = [young(halfEmpty()), young(aManagedNode('empty'))];
  const rules = [pool({ 'chandler.sh/min-node-age': '2h' })];
  const result = plan(nodes, rules);
  expect(result.commands).toEqual([]);
  expect(result.nodes.map(({ keeps }) => keeps.map(({ text }) => text))).toEqual(
    Array.from({ length: 2 }, () => [
      'it is younger than allowed in NodePool default (chandler.sh/min-node-age, or consolidation-min-node-age), until 2026-06-02T13:00:00Z',
    ]),
  );
  expect(plan(nodes, rules, {}, NOW + HOUR).commands).not.toEqual([]);
  expect(plan(nodes, undefined, { saving: { minNodeAgeMs: 2 * HOUR } }).commands).toEqual([]);
});

describe('a freeze', () => {
  const until = {
    'chandler.sh/freeze': '2026-06-02T18:00:00Z',
    'chandler.sh/freeze-by': 'ops',
    'chandler.sh/freeze-reason': 'launch day',
  };

  test('stops the disruption of a NodePool until its time, and says by whom and why', () => {
    const nodes = [aManagedNode('a'), aManagedNode('b', { pool: 'other', conditions: { Drifted: true } })];
    const pools = [pool(until), pool({}, 'other')];
    const result = plan(nodes, pools);
    expect(result.commands.flatMap(({ candidates }) => candidates.map(({ name }) => name))).toEqual(['b']);
    expect(result.nodes[0]!.keeps.map(({ text }) => text)).toEqual([
      'disruption of NodePool default is frozen until 2026-06-02T18:00:00Z by ops: launch day',
    ]);
    expect(result.freezes.map(freezeText)).toEqual([
      'disruption of NodePool default is frozen until 2026-06-02T18:00:00Z by ops: launch day',
    ]);
    const later = plan(nodes, pools, {}, Date.parse('2026-06-02T18:00:00Z'));
    expect(later.freezes).toEqual([]);
    expect(later.commands.flatMap(({ candidates }) => candidates)).toHaveLength(2);
  });

  test('of everything stops all NodePools, without an end until it is taken away', () => {
    const nodes = [
      aManagedNode('a', { conditions: { Drifted: true } }),
      aManagedNode('b', { pool: 'other' }),
    ];
    const result = plan(nodes, [pool(), pool({}, 'other')], { freezes: [{ why: 'incident' }] });
    expect(result.commands).toEqual([]);
    expect(result.freezes.map(freezeText)).toEqual(['disruption is frozen: incident']);
    expect(plan([aManagedNode('a')], [pool({ 'chandler.sh/freeze': 'true' })]).commands).toEqual([]);
    expect(plan([aManagedNode('a')], [pool({ 'chandler.sh/freeze': 'false' })]).commands).toHaveLength(1);
  });

  test('does not stop repair', () => {
    const policies = [
      {
        conditionType: 'Ready',
        conditionStatus: 'False',
        tolerationMs: 0,
        action: 'ReplaceNode',
        fallback: true,
      },
    ] as const;
    const result = plan([aManagedNode('a', { ready: false })], [pool(until)], { repair: { policies } });
    expect(result.commands).toMatchObject([{ method: 'repair' }]);
  });
});

describe('soft expiration', () => {
  const rules = { 'chandler.sh/soft-expiration': '24h' };
  const expiring = { expireAfter: '36h' };
  const soft = (more: Record<string, string> = {}, budgets: PoolShape['budgets'] = []) => {
    const made = pool({ ...rules, ...more }, 'default', { budgets });
    const { template } = made.nodePool.spec;
    const spec = {
      ...made.nodePool.spec,
      template: { ...template, spec: { ...template.spec, ...expiring } },
    };
    return [{ ...made, nodePool: { ...made.nodePool, spec } }];
  };
  const node = (name: string) =>
    aManagedNode(name, { type: 's', claimSpec: expiring, pods: [aPod(`web-${name}`, { cpu: '1500m' })] });

  test('replaces expired nodes first, within budgets, and counts as Drifted', () => {
    const result = plan([node('a'), node('b')], soft({}, [{ nodes: '1' }]));
    expect(result.commands).toMatchObject([
      { method: 'expiration', reason: 'Drifted', decision: 'replace', candidates: [{ name: 'a' }] },
    ]);
    expect(keepsOf(result, 'b')).toContain('Budget');
  });

  test('moves no pods to other expired nodes', () => {
    const half = (name: string) =>
      aManagedNode(name, { claimSpec: expiring, pods: [aPod(`web-${name}`, { cpu: '500m' })] });
    const result = plan([half('a'), half('b'), half('c')], soft());
    expect(result.commands.map(({ method, candidates }) => [method, candidates[0]!.name])).toEqual([
      ['expiration', 'a'],
      ['expiration', 'b'],
      ['expiration', 'c'],
    ]);
    expect(result.commands.flatMap(({ destinations }) => destinations)).toEqual([]);
  });

  test('leaves nodes alone before their time, and where the NodePool does not ask for it', () => {
    expect(plan([node('a')], soft(), {}, NOW - HOUR).commands).toEqual([]);
    expect(plan([node('a')]).commands).toEqual([]);
  });
});

test('a NodePool whose replacements fail waits, and the others go on', () => {
  const drifted = (name: string, of: string) => halfEmptyOf(name, of);
  const driftBackoff = new Map([['default', { untilMs: NOW + 60_000, failures: 3 }]]);
  const nodes = [drifted('a', 'default'), drifted('b', 'other')];
  const strict = { 'chandler.sh/min-saving-per-month': '1000' };
  const pools = [pool(strict), pool(strict, 'other')];
  const result = plan(nodes, pools, { driftBackoff });
  expect(result.commands.map(({ candidates }) => candidates[0]!.name)).toEqual(['b']);
  const [keep] = result.nodes[0]!.keeps;
  expect('block' in keep! && blockText(keep.block)).toBe(
    'the last 3 replacements of NodePool default failed; the next is tried at 2026-06-02T12:01:00Z',
  );
  expect(plan(nodes, pools, { driftBackoff }, NOW + 60_000).commands).toHaveLength(2);
});

test('a static NodePool whose replacements fail waits, too', () => {
  const driftBackoff = new Map([['default', { untilMs: NOW + 60_000, failures: 3 }]]);
  const nodes = [halfEmptyOf('a', 'default')];
  const pools = [aDisruptedPool('default', { replicas: 1 })];
  expect(plan(nodes, pools, { driftBackoff }).commands).toEqual([]);
  expect(plan(nodes, pools, { driftBackoff }, NOW + 60_000).commands).toHaveLength(1);
});

test('a NodePool whose consolidations do not hold waits, and its drifted nodes do not', () => {
  const consolidationBackoff = new Map([['default', { untilMs: NOW + 60_000, failures: 1 }]]);
  const nodes = [halfEmpty()];
  const result = plan(nodes, [pool()], { consolidationBackoff });
  expect(result.commands).toEqual([]);
  const texts = result.nodes[0]!.keeps.map((keep) => ('block' in keep ? blockText(keep.block) : ''));
  expect(texts).toContain(
    'pods that the last consolidation of NodePool default moved needed a new node; the next is tried at 2026-06-02T12:01:00Z',
  );
  expect(plan(nodes, [pool()], { consolidationBackoff }, NOW + 60_000).commands).toHaveLength(1);
  const drifted = [halfEmptyOf('a', 'default')];
  expect(plan(drifted, [pool()], { consolidationBackoff }).commands).toHaveLength(1);
});

test('a node whose replacement would be in a NodePool whose replacements fail waits, and takes no place of others', () => {
  const driftBackoff = new Map([['other', { untilMs: NOW + 60_000, failures: 3 }]]);
  const nodes = [halfEmptyOf('a', 'default')];
  // Only `other` has room.
  const pools = [aDisruptedPool('default', { limits: { cpu: '0' } }), aDisruptedPool('other')];
  const result = plan(nodes, pools, { driftBackoff });
  expect(result.commands).toEqual([]);
  const texts = result.nodes[0]!.keeps.map((keep) => ('block' in keep ? '' : rejectionText(keep.rejection)));
  expect(texts).toContain(
    'its replacement cannot be launched now: the last replacements of NodePool other failed; the next is tried at 2026-06-02T12:01:00Z',
  );
  expect(plan(nodes, pools, { driftBackoff }, NOW + 60_000).commands).toHaveLength(1);
});

function halfEmptyOf(name: string, of: string): DisruptionNode {
  return aManagedNode(name, { pool: of, pods: pods(4, name, { cpu: '1' }), conditions: { Drifted: true } });
}

test.each([{}, { 'chandler.sh/freeze': 'false' }])(
  'what is left of a lifted freeze holds nothing up: %j',
  (left) => {
    const lifted = { ...left, 'chandler.sh/freeze-by': 'ops', 'chandler.sh/freeze-reason': 'release' };
    const result = plan([aManagedNode('a')], [pool(lifted)]);
    expect(result.problems).toEqual([]);
    expect(result.commands).toHaveLength(1);
  },
);

describe('an annotation that cannot be read', () => {
  test.each([
    ['chandler.sh/min-saving-per-month', 'lots', 'must be a number, not negative'],
    ['chandler.sh/min-saving-percent', '101', 'must be a number, not negative and at most 100'],
    ['chandler.sh/cost-per-evicted-pod', '-1', 'must be a number, not negative'],
    ['chandler.sh/min-node-age', 'old', undefined],
    ['chandler.sh/freeze', 'tomorrow', 'must be "true" or a time such as 2026-06-02T12:00:00Z'],
    ['chandler.sh/soft-expiration', '24h', 'contradicts spec.template.spec.expireAfter: Never'],
    ['chandler.sh/soft-expiration', 'later', undefined],
  ])('%s: "%s" leaves its NodePool alone and names the field; the others go on', (key, value, message) => {
    const nodes = [
      aManagedNode('a', { conditions: { Drifted: true } }),
      aManagedNode('b', { pool: 'other' }),
    ];
    const result = plan(nodes, [pool({ [key]: value }), pool({}, 'other')]);
    expect(result.commands.flatMap(({ candidates }) => candidates.map(({ name }) => name))).toEqual(['b']);
    expect(result.problems).toHaveLength(1);
    expect(result.problems[0]).toMatchObject({
      nodePool: 'default',
      field: `metadata.annotations[${key}]`,
      value,
      ...(message === undefined ? {} : { message }),
    });
    expect(result.nodes[0]!.keeps[0]!.text).toContain(
      `NodePool default: metadata.annotations[${key}]: "${value}": `,
    );
  });

  test('a budget that cannot be read is a problem of its NodePool, once', () => {
    const result = plan(
      [aManagedNode('a')],
      [pool({}, 'default', { budgets: [{ nodes: '1', schedule: '* *', duration: '1h' }] })],
    );
    expect(result.problems).toMatchObject([
      { nodePool: 'default', field: 'spec.disruption.budgets[0].schedule', value: '* *' },
    ]);
  });
});

test('durations that are too long to be read stop neither the pass nor the other NodePools', () => {
  const long = '9999999999999h';
  const claimSpec = { expireAfter: long, terminationGracePeriod: long };
  const policies = [
    {
      conditionType: 'Ready',
      conditionStatus: 'False',
      tolerationMs: 0,
      action: 'ReplaceNode',
      fallback: true,
    },
  ] as const;
  const nodes = [
    aManagedNode('a', { claimSpec, ready: false }),
    aManagedNode('b', { pool: 'endless', claimSpec }),
    aManagedNode('c'),
  ];
  const pools = [pool(), pool({}, 'endless', { consolidateAfter: long })];
  const result = plan(nodes, pools, { repair: { policies } });
  expect(
    result.commands.map(({ method, candidates }) => [method, candidates.map(({ name }) => name)]),
  ).toEqual([
    ['repair', ['a']],
    ['emptiness', ['c']],
  ]);
  expect(keepsOf(result, 'b')).toContain('ConsolidationDisabled');
});
