import { describe, expect, test } from 'vitest';
import type { NodeClaim } from '../api/index.ts';
import type { Pod } from '../scheduling/index.ts';
import { aPod, aType, pods } from '../scheduling/testing.ts';
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
import type { DisruptionNode, DisruptionOptions } from './model.ts';
import type { RepairPolicy } from './repair-policies.ts';

const MINUTE = 60_000;
const REPLACE = { action: 'ReplaceNode' } as const;
const POLICIES: readonly RepairPolicy[] = [
  { conditionType: 'Bad', conditionStatus: 'True', tolerationMs: 10 * MINUTE, fallback: true, ...REPLACE },
  {
    conditionType: 'Disk',
    conditionStatus: 'True',
    tolerationMs: 0,
    priority: 50,
    ...REPLACE,
    reasonRegex: 'Full',
  },
];

interface Condition {
  readonly type: string;
  readonly reason?: string;
  /** Minutes before now. */
  readonly ago?: number;
}

/** A node with these conditions that are True. */
function ill(name: string, conditions: readonly Condition[], shape: NodeShape = {}): DisruptionNode {
  const node = aManagedNode(name, shape);
  const listed = conditions.map(({ type, reason = 'Broken', ago = 60 }) => ({
    type,
    status: 'True' as const,
    reason,
    lastTransitionTime: new Date(NOW - ago * MINUTE).toISOString(),
  }));
  const { status, metadata } = node.node!;
  const creationTimestamp = '2026-06-01T00:00:00Z';
  return {
    ...node,
    node: {
      ...node.node!,
      metadata: { ...metadata, creationTimestamp },
      status: { ...status, conditions: [...(status?.conditions ?? []), ...listed] },
    },
  };
}

const BAD: readonly Condition[] = [{ type: 'Bad' }];
const web = (name: string) => aPod(name, { cpu: '1', labels: { app: 'web' } });
/** Nodes that are well, so that one that is not is no crowd; nothing else happens to them. */
const WELL = ['w1', 'w2', 'w3', 'w4'].map((name) =>
  aManagedNode(name, { pods: pods(4, name, { cpu: '1' }), conditions: { Consolidatable: undefined } }),
);

function plan(
  nodes: readonly DisruptionNode[],
  shape: ClusterShape & { policies?: readonly RepairPolicy[]; options?: DisruptionOptions } = {},
) {
  const { policies = POLICIES, options = {}, ...cluster } = shape;
  return planDisruption(aCluster([...nodes, ...WELL], cluster), { repair: { policies }, ...options }, NOW);
}

const repaired = ({ commands }: ReturnType<typeof plan>) =>
  commands.flatMap(({ method, candidates }) =>
    method === 'repair' ? candidates.map(({ name }) => name) : [],
  );
function keepsOf({ nodes }: ReturnType<typeof plan>, name: string) {
  return nodes
    .find((node) => node.name === name)!
    .keeps.map((keep) => ('block' in keep ? keep.block.code : keep.rejection.code));
}

/** It would go as an empty node otherwise. */
const BUSY: NodeShape = { conditions: { Consolidatable: undefined } };

describe('repair', () => {
  test('replaces an unhealthy node, before all other methods', () => {
    const result = plan([
      ill('a', BAD, { pods: [aPod('big', { cpu: '3' })] }),
      aManagedNode('empty', { type: 's' }),
    ]);
    expect(result.commands[0]).toMatchObject({
      method: 'repair',
      reason: 'Unhealthy',
      decision: 'replace',
      candidates: [{ name: 'a' }],
      repair: { action: 'ReplaceNode', conditionType: 'Bad', conditionReason: 'Broken' },
    });
    expect(result.commands[0]!.replacements).toHaveLength(1);
  });

  test('deletes an unhealthy node without pods', () => {
    expect(plan([ill('a', BAD, BUSY)]).commands).toMatchObject([{ method: 'repair', decision: 'delete' }]);
  });

  test('is off without policies, and leaves conditions alone that no policy names', () => {
    const node = ill('a', BAD, BUSY);
    const off = planDisruption(aCluster([node, ...WELL]), {}, NOW);
    expect(off.commands).toEqual([]);
    expect(repaired(plan([ill('a', [{ type: 'Other' }], BUSY)]))).toEqual([]);
  });

  test('waits for the toleration, from the transition and not before the node was created', () => {
    expect(repaired(plan([ill('a', [{ type: 'Bad', ago: 9 }], BUSY)]))).toEqual([]);
    expect(repaired(plan([ill('a', [{ type: 'Bad', ago: 10 }], BUSY)]))).toEqual(['a']);
    const young = ill('a', [{ type: 'Bad', ago: 60 }], BUSY);
    const created = new Date(NOW - 5 * MINUTE).toISOString();
    const node = { ...young.node!, metadata: { ...young.node!.metadata, creationTimestamp: created } };
    expect(repaired(plan([{ ...young, node }]))).toEqual([]);
  });

  test('a policy for the reason comes before the fallback, which serves every listed condition', () => {
    const action = (reason: string, ago: number) =>
      plan([ill('a', [{ type: 'Disk', reason, ago }], BUSY)]).commands[0]?.repair;
    expect(action('DiskFull', 0)).toMatchObject({ conditionType: 'Disk' });
    expect(action('Slow', 9)).toBeUndefined();
    expect(action('Slow', 10)).toMatchObject({ conditionType: 'Disk', conditionReason: 'Slow' });
  });

  test('a policy for the reason that still waits holds the fallback back', () => {
    const patient = [POLICIES[0]!, { ...POLICIES[1]!, tolerationMs: 120 * MINUTE }];
    const node = ill('a', [{ type: 'Disk', reason: 'DiskFull', ago: 60 }], BUSY);
    expect(repaired(plan([node], { policies: patient }))).toEqual([]);
  });

  test('the toleration begins anew when a reboot has ended', () => {
    const node = ill('a', BAD, BUSY);
    const ended = (ago: number) => ({
      ...node,
      claim: {
        ...node.claim!,
        status: {
          ...node.claim!.status,
          conditions: [
            ...node.claim!.status!.conditions!,
            {
              type: 'Rebooting',
              status: 'False' as const,
              reason: 'RebootSucceeded',
              message: '',
              lastTransitionTime: new Date(NOW - ago * MINUTE).toISOString(),
            },
          ],
        },
      },
    });
    expect(repaired(plan([ended(9)]))).toEqual([]);
    expect(repaired(plan([ended(10)]))).toEqual(['a']);
  });

  test('goes by score: priority, and half an hour of waiting for each step of it', () => {
    const order = (first: Condition, second: Condition) =>
      repaired(plan([ill('a', [first], BUSY), ill('b', [second], BUSY)], { options: {} }));
    // Two of six are too many for the breaker, so more nodes are well.
    const well = ['w5', 'w6', 'w7', 'w8'].map((name) => aManagedNode(name, { pods: [web(name)], ...BUSY }));
    const ranked = (first: Condition, second: Condition) =>
      repaired(plan([ill('a', [first], BUSY), ill('b', [second], BUSY), ...well]));
    expect(order({ type: 'Bad' }, { type: 'Bad' })).toEqual(['a', 'b']);
    const full = { type: 'Disk', reason: 'DiskFull' };
    expect(ranked({ type: 'Bad', ago: 10 }, { ...full, ago: 0 })).toEqual(['b', 'a']);
    expect(ranked({ type: 'Bad', ago: 41 }, { ...full, ago: 0 })).toEqual(['a', 'b']);
    expect(ranked({ type: 'Bad', ago: 11 }, { type: 'Bad', ago: 12 })).toEqual(['b', 'a']);
  });

  test('a more disruptive action and the shortest drain of all matches win', () => {
    const policies: RepairPolicy[] = [
      { ...POLICIES[0]!, terminationGracePeriodMs: 20 * MINUTE },
      {
        conditionType: 'Hung',
        conditionStatus: 'True',
        tolerationMs: 0,
        priority: 90,
        action: 'RebootNode',
        reasonRegex: '.',
        terminationGracePeriodMs: MINUTE,
      },
    ];
    const node = ill('a', [{ type: 'Hung' }, { type: 'Bad' }], BUSY);
    expect(plan([node], { policies }).commands[0]).toMatchObject({
      decision: 'delete',
      drainBoundMs: MINUTE,
      repair: { action: 'ReplaceNode', conditionType: 'Bad' },
    });
  });

  test('stops in a NodePool of which more than a fifth is unhealthy, rounded up, also by conditions that wait', () => {
    const six = [ill('a', BAD, BUSY), ill('b', [{ type: 'Bad', ago: 0 }], BUSY)];
    expect(repaired(plan(six))).toEqual(['a']);
    const result = plan([...six, ill('c', [{ type: 'Bad', ago: 0 }], BUSY)]);
    expect(repaired(result)).toEqual([]);
    expect(
      result.nodes.find(({ name }) => name === 'a')!.keeps.find((keep) => 'rejection' in keep),
    ).toMatchObject({
      rejection: { code: 'RepairBreaker', nodes: 7, unhealthy: 3 },
      event: {
        reason: 'NodeRepairBlocked',
        message: 'more than 20% of nodes in nodepool "default" are unhealthy',
      },
    });
  });

  test('waits for the budget of the reason Unhealthy, for which nodes that are not ready do not count', () => {
    const pool = (nodes: string) => [
      aDisruptedPool('default', { budgets: [{ nodes, reasons: ['Unhealthy'] }] }),
    ];
    const nodes = [ill('a', BAD, { ...BUSY, ready: false })];
    expect(keepsOf(plan(nodes, { pools: pool('0') }), 'a')).toContain('Budget');
    expect(repaired(plan(nodes, { pools: pool('1') }))).toEqual(['a']);
  });

  test('needs no budget for a node that never initialized, and uses none', () => {
    const pools = [aDisruptedPool('default', { budgets: [{ nodes: '1' }] })];
    const started = ill('a', BAD, { more: { initialized: false, nominated: true } });
    expect(repaired(plan([started, ill('b', BAD, BUSY)], { pools }))).toEqual(['a', 'b']);
    const none = [aDisruptedPool('default', { budgets: [{ nodes: '0' }] })];
    expect(repaired(plan([started], { pools: none }))).toEqual(['a']);
    const unregistered = ill('a', BAD, { more: { initialized: false, registered: false } });
    expect(keepsOf(plan([unregistered]), 'a')).toContain('NotInitialized');
  });

  test('ignores do-not-disrupt of the node, not a nomination, a deletion or a reboot', () => {
    const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
    expect(repaired(plan([ill('a', BAD, { ...BUSY, annotations })]))).toEqual(['a']);
    expect(keepsOf(plan([ill('a', BAD, { ...BUSY, more: { nominated: true } })]), 'a')).toContain(
      'Nominated',
    );
    expect(repaired(plan([ill('a', BAD, { ...BUSY, more: { deleting: true } })]))).toEqual([]);
    expect(repaired(plan([ill('a', BAD, { conditions: { Rebooting: true } })]))).toEqual([]);
  });

  test('is vetoed by do-not-repair "true", which is reported once a policy is due', () => {
    const annotated = (value: string, ago: number) =>
      plan([
        ill('a', [{ type: 'Bad', ago }], { ...BUSY, annotations: { 'karpenter.sh/do-not-repair': value } }),
      ]);
    expect(repaired(annotated('yes', 60))).toEqual(['a']);
    expect(annotated('true', 60).nodes[0]!.keeps[0]).toMatchObject({
      block: { code: 'DoNotRepair' },
      event: { message: 'repair is blocked through the "karpenter.sh/do-not-repair" annotation' },
    });
    expect(keepsOf(annotated('true', 5), 'a')).not.toContain('DoNotRepair');
  });

  test('is not possible for a claim without a NodePool', () => {
    const labels = { 'karpenter.sh/nodepool': undefined };
    expect(keepsOf(plan([ill('a', BAD, { labels })]), 'a')).toContain('RepairNeedsNodePool');
  });
});

describe('repair of a node with pods that may not be evicted', () => {
  const held: NodeShape = { ...BUSY, pods: [web('a')] };
  const budgets = [aPdb('web', 'web', 0)];

  test('needs a bound for its drain, of the claim or of the policy', () => {
    const result = plan([ill('a', BAD, held)], { budgets });
    expect(result.nodes[0]!.keeps[0]).toMatchObject({
      block: { code: 'RepairNeedsGracePeriod', pods: ['shop/a'] },
      event: { message: 'repair requires a termination grace period to bypass blocking pods' },
    });
    const bounded = { ...held, claimSpec: { terminationGracePeriod: '1h' } };
    expect(repaired(plan([ill('a', BAD, bounded)], { budgets }))).toEqual(['a']);
    const policies = [{ ...POLICIES[0]!, terminationGracePeriodMs: 0 }];
    const forced = plan([ill('a', BAD, bounded)], { budgets, policies });
    expect(forced.commands[0]).toMatchObject({ drainBoundMs: 0 });
  });

  test('the veto is named before the missing bound', () => {
    const annotations = { 'karpenter.sh/do-not-repair': 'true' };
    expect(keepsOf(plan([ill('a', BAD, { ...held, annotations })], { budgets }), 'a')[0]).toBe('DoNotRepair');
  });

  test('the bound is the shorter one of the claim and the policy', () => {
    const policies = [{ ...POLICIES[0]!, terminationGracePeriodMs: 30 * MINUTE }];
    const bound = (terminationGracePeriod: string) =>
      plan([ill('a', BAD, { ...BUSY, claimSpec: { terminationGracePeriod } })], { policies }).commands[0]!
        .drainBoundMs;
    expect(bound('1h')).toBe(30 * MINUTE);
    expect(bound('5m')).toBe(5 * MINUTE);
    expect(plan([ill('a', BAD, BUSY)]).commands[0]!.drainBoundMs).toBeUndefined();
  });

  test('launches room for the pods that are blocked, too', () => {
    const blocked: Pod = {
      ...web('a'),
      metadata: { ...web('a').metadata, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
    };
    const shape = { ...BUSY, pods: [blocked], claimSpec: { terminationGracePeriod: '1h' } };
    const result = plan([ill('a', BAD, shape)]);
    expect(result.commands[0]!.replacements[0]!.pods).toEqual(['shop/a']);
  });

  test('pods that fit nowhere keep the node', () => {
    const huge = { ...BUSY, type: 'l', pods: [aPod('huge', { cpu: '15' })] };
    const pools = [aDisruptedPool('default', { types: [aType('s', { cpu: 2, price: 0.1 })] })];
    const result = plan([ill('a', BAD, huge)], { pools });
    expect(result.nodes[0]!.keeps.find((keep) => 'rejection' in keep)).toMatchObject({
      rejection: { code: 'PodsUnschedulable' },
      event: { reason: 'DisruptionBlocked' },
    });
  });
});

describe('reboot', () => {
  const policies: RepairPolicy[] = [
    POLICIES[0]!,
    {
      conditionType: 'Hung',
      conditionStatus: 'True',
      tolerationMs: 0,
      action: 'RebootNode',
      reasonRegex: '.',
    },
  ];
  const hung = ill('a', [{ type: 'Hung' }], { ...BUSY, pods: [web('a')] });

  test('launches nothing and moves nothing, and the price stays', () => {
    const result = plan([hung], { policies });
    expect(result.commands).toMatchObject([
      { method: 'repair', decision: 'reboot', replacements: [], destinations: [], savingPerHour: 0 },
    ]);
    expect(result.priceAfter).toBe(result.priceBefore);
  });

  test('becomes a replacement after two reboots in a day', () => {
    const after = (...hoursAgo: number[]) => {
      const times = hoursAgo.map((hours) => new Date(NOW - hours * 3_600_000).toISOString());
      const claim: NodeClaim = {
        ...hung.claim!,
        metadata: { ...hung.claim!.metadata, annotations: { 'chandler.sh/reboots': times.join(',') } },
      };
      return plan([{ ...hung, claim }], { policies }).commands[0]!;
    };
    expect(after(1).decision).toBe('reboot');
    expect(after(1, 23)).toMatchObject({ decision: 'replace', repair: { escalated: true } });
    expect(after(1, 25).decision).toBe('reboot');
  });

  test('waits until its condition is no longer tolerated, and the plan says until when', () => {
    const tolerant = policies.map((policy) => ({ ...policy, tolerationMs: 3_600_000 }));
    const result = plan([ill('a', [{ type: 'Hung', ago: 30 }], BUSY)], { policies: tolerant });
    expect(repaired(result)).toEqual([]);
    expect(result.nodes[0]!.keeps[0]).toMatchObject({
      block: { code: 'Tolerated', conditionType: 'Hung', untilMs: NOW + 1_800_000 },
    });
  });

  test('is vetoed by do-not-repair, too', () => {
    const annotations = { 'karpenter.sh/do-not-repair': 'true' };
    expect(repaired(plan([ill('a', [{ type: 'Hung' }], { ...BUSY, annotations })], { policies }))).toEqual(
      [],
    );
  });
});

test('a pod that repair moves although it may not be evicted keeps its place for the commands after it', () => {
  const held: Pod = aPod('held', { cpu: '3' });
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  const first = ill('a', BAD, {
    ...BUSY,
    pods: [{ ...held, metadata: { ...held.metadata, annotations } }],
    claimSpec: { terminationGracePeriod: '1h' },
  });
  const room = aManagedNode('room', BUSY);
  const drifted = aManagedNode('b', {
    pods: [aPod('web', { cpu: '3' })],
    conditions: { Drifted: true, Consolidatable: undefined },
  });
  const { commands } = plan([first, drifted, room]);
  const onRoom = commands.flatMap(({ destinations }) =>
    destinations.filter(({ node }) => node === 'room').flatMap(({ pods: names }) => names),
  );
  expect(commands).toHaveLength(2);
  expect(onRoom).toEqual(['shop/held']);
});
