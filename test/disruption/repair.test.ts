import { describe, expect, test } from 'vitest';
import type { DisruptionNode, RepairPolicy } from '../../packages/chandler/src/disruption/index.ts';
import { aDisruptedPool, NOW, type NodeShape } from '../../packages/chandler/src/disruption/testing.ts';
import { BUSY, broken, FALLBACK, policy, rebooted, repaired, repairPlan, well } from './repair.fixture.ts';
import { DO_NOT_DISRUPT, eventsOf, MINUTE, protectedPod, replicas } from './specs.fixture.ts';

const DO_NOT_REPAIR = 'karpenter.sh/do-not-repair';
const VETO = 'DisruptionBlocked: repair is blocked through the "karpenter.sh/do-not-repair" annotation';
const REBOOT = policy('BadNode', {
  reasonRegex: 'RebootMe',
  tolerationMs: 10 * MINUTE,
  action: 'RebootNode',
});
const REBOOT_ME = [{ reason: 'RebootMe', ago: 11 }];
/** Healthy nodes beside: one of ten is no crowd. */
const others = well(9);

describe('an unhealthy node', () => {
  test('is replaced, not deleted, if it has pods', () => {
    const { commands } = repairPlan([broken('a', [{}], { pods: replicas(1, 'a') }), ...others]);
    expect(commands).toMatchObject([{ method: 'repair', decision: 'replace', replacements: [{}] }]);
  });

  test('is deleted without pods', () => {
    expect(repairPlan([broken('a'), ...others]).commands).toMatchObject([
      { method: 'repair', decision: 'delete', replacements: [] },
    ]);
  });

  test('is left alone until its toleration is over', () => {
    expect(repaired(repairPlan([broken('a', [{ ago: 10 }]), ...others]))).toEqual([]);
  });

  test('is left alone if no policy names its condition', () => {
    expect(repaired(repairPlan([broken('a', [{ type: 'SomeOther' }]), ...others]))).toEqual([]);
  });

  test('is left alone without the gate', () => {
    expect(repaired(repairPlan([broken('a'), ...others], { options: { repair: { policies: [] } } }))).toEqual(
      [],
    );
  });

  test('without a NodePool is not repaired, and the event says so', () => {
    const alone = broken('a', [{}], { labels: { 'karpenter.sh/nodepool': undefined } });
    const result = repairPlan([alone, ...others]);
    expect(repaired(result)).toEqual([]);
    expect(eventsOf(result, 'a')[0]).toBe(
      'DisruptionBlocked: repair requires a NodePool to construct and budget a safe replacement',
    );
  });

  test('waits for a budget, and is repaired with the bound of its policy when it is open', () => {
    const policies = [policy('BadNode', { fallback: true, terminationGracePeriodMs: 5 * MINUTE })];
    const of = (nodes: string) =>
      repairPlan([broken('a'), ...others], {
        policies,
        pools: [aDisruptedPool('default', { budgets: [{ nodes }] })],
      });
    expect(repaired(of('0'))).toEqual([]);
    expect(of('100%').commands).toMatchObject([
      { drainBoundMs: 5 * MINUTE, repair: { action: 'ReplaceNode' } },
    ]);
  });
});

describe('the reason of a condition', () => {
  const of = (policies: readonly RepairPolicy[], reason: string, ago: number) =>
    repaired(repairPlan([broken('a', [{ reason, ago }]), ...others], { policies })).length;

  test('selects its policy before the fallback', () => {
    const fast = policy('BadNode', { reasonRegex: '^FastFailure$', tolerationMs: 10 * MINUTE });
    expect(of([fast, FALLBACK], 'FastFailure', 11)).toBe(1);
    expect(of([fast, FALLBACK], 'Other', 11)).toBe(0);
  });

  test('may change without a new age of the condition', () => {
    const policies = [
      policy('BadNode', { reasonRegex: '^ImmediateReason$' }),
      policy('BadNode', { fallback: true, tolerationMs: 120 * MINUTE }),
    ];
    expect(of(policies, 'UnknownReason', 60)).toBe(0);
    expect(of(policies, 'ImmediateReason', 60)).toBe(1);
  });

  test('that a waiting policy names keeps the fallback back', () => {
    const policies = [
      policy('BadNode', { reasonRegex: 'FastFailure' }),
      policy('BadNode', { fallback: true, tolerationMs: 0 }),
    ];
    expect(of(policies, 'PrefixFastFailureSuffix', 10)).toBe(0);
  });

  test('that no policy names is for the fallback', () => {
    const known = policy('BadNode', { reasonRegex: '^KnownFailure$', tolerationMs: 10 * MINUTE });
    expect(of([known, FALLBACK], 'UnknownFailure', 31)).toBe(1);
  });
});

describe('the annotation do-not-repair', () => {
  const vetoed = (value: string, ago = 31, shape: NodeShape = {}) =>
    repairPlan([broken('a', [{ ago }], { annotations: { [DO_NOT_REPAIR]: value }, ...shape }), ...others]);

  test('keeps the node, and the event says so in every pass', () => {
    for (const result of [vetoed('true'), vetoed('true', 32)]) {
      expect(repaired(result)).toEqual([]);
      expect(eventsOf(result, 'a')).toContain(VETO);
    }
  });

  test('keeps the node from a reboot', () => {
    const node = broken('a', REBOOT_ME, { annotations: { [DO_NOT_REPAIR]: 'true' } });
    const result = repairPlan([node, ...others], { policies: [REBOOT, FALLBACK] });
    expect(repaired(result)).toEqual([]);
    expect(eventsOf(result, 'a')).toContain(VETO);
  });

  test('is named before a drain without a bound', () => {
    const events = eventsOf(vetoed('true', 31, { pods: [protectedPod('held')] }), 'a');
    expect(events).toContain(VETO);
    expect(events.join()).not.toContain('termination grace period');
  });

  test('is not named before the toleration is over', () => {
    expect(eventsOf(vetoed('true', 0), 'a')).not.toContain(VETO);
  });

  test('counts only with the value true', () => {
    expect(repaired(vetoed('false'))).toEqual(['a']);
  });

  test('is another one than do-not-disrupt', () => {
    const node = broken('a', [{}], { annotations: { [DO_NOT_DISRUPT]: 'true' } });
    expect(repaired(repairPlan([node, ...others]))).toEqual(['a']);
  });
});

describe('more than a fifth of a NodePool', () => {
  test('that is unhealthy stops repair, also by conditions that are tolerated still, and says so', () => {
    const sick = [broken('a'), broken('b', [{ ago: 0 }]), broken('c', [{ ago: 0 }])];
    const result = repairPlan([...sick, ...well(7)]);
    expect(repaired(result)).toEqual([]);
    expect(eventsOf(result, 'a')).toContain(
      'NodeRepairBlocked: more than 20% of nodes in nodepool "default" are unhealthy',
    );
  });

  test('is rounded up in small NodePools', () => {
    expect(repaired(repairPlan([broken('a'), ...well(2)]))).toEqual(['a']);
  });
});

describe('of two unhealthy nodes', () => {
  const low = policy('Low', { priority: 10, fallback: true });
  const high = policy('High', { priority: 90, reasonRegex: '.*' });
  const order = (nodes: readonly DisruptionNode[], policies: readonly RepairPolicy[]) =>
    repaired(repairPlan([...nodes, ...well(8)], { policies }));

  test('that with the higher priority comes first', () => {
    expect(order([broken('a', [{ type: 'Low' }]), broken('b', [{ type: 'High' }])], [low, high])).toEqual([
      'b',
      'a',
    ]);
  });

  test('of equal score that whose name comes first comes first, whatever their order', () => {
    expect(order([broken('b'), broken('a')], [FALLBACK])).toEqual(['a', 'b']);
  });

  test('of equal age the cost is the same, so the name decides', () => {
    const lived: NodeShape = { claimSpec: { expireAfter: '720h' } };
    const node = (name: string) => broken(name, [{}], { ...lived, pods: replicas(1, name) });
    expect(order([node('b'), node('a')], [FALLBACK])).toEqual(['a', 'b']);
  });

  test('a policy that does not match the reason gives no priority', () => {
    const policies = [
      policy('Diagnostic', { reasonRegex: '^Critical$', priority: 90 }),
      policy('Diagnostic', { priority: 10, fallback: true }),
      policy('Medium', { reasonRegex: '.*', priority: 50 }),
    ];
    const nodes = [
      broken('a', [{ type: 'Diagnostic', reason: 'Unknown' }]),
      broken('b', [{ type: 'Medium' }]),
    ];
    expect(order(nodes, policies)).toEqual(['b', 'a']);
  });

  test('a policy whose toleration lasts gives no priority', () => {
    const policies = [
      policy('Diagnostic', { reasonRegex: '^failure$', tolerationMs: 60 * MINUTE, priority: 100 }),
      policy('Diagnostic', { reasonRegex: 'failure', tolerationMs: 0 }),
      policy('Diagnostic', { tolerationMs: 0, fallback: true }),
      policy('Medium', { reasonRegex: '.*', tolerationMs: 0, priority: 50 }),
    ];
    const nodes = [
      broken('a', [{ type: 'Diagnostic', reason: 'failure', ago: 0 }]),
      broken('b', [{ type: 'Medium', ago: 0 }]),
    ];
    expect(order(nodes, policies)).toEqual(['b', 'a']);
  });

  test('that whose most urgent condition is more urgent comes first', () => {
    const a = broken('a', [
      { type: 'Low', ago: 180 },
      { type: 'High', ago: 33 },
    ]);
    const b = broken('b', [{ type: 'High', ago: 120 }]);
    expect(order([a, b], [low, high])).toEqual(['a', 'b']);
  });
});

describe('the bound of the drain', () => {
  const bound = (node: DisruptionNode, policies: readonly RepairPolicy[]) =>
    repairPlan([node, ...others], { policies }).commands[0]!;

  test('is that of the condition that governs: only policies that match its reason count', () => {
    const policies = [
      policy('Diagnostic', { reasonRegex: '^Critical$', terminationGracePeriodMs: 0, priority: 90 }),
      policy('Diagnostic', { terminationGracePeriodMs: 10 * MINUTE, priority: 10, fallback: true }),
      policy('Medium', { reasonRegex: '.*', terminationGracePeriodMs: 5 * MINUTE, priority: 50 }),
    ];
    const node = broken('a', [{ type: 'Diagnostic', reason: 'Unknown' }, { type: 'Medium' }]);
    expect(bound(node, policies).drainBoundMs).toBe(5 * MINUTE);
  });

  test('is that of the condition with the highest priority, which is named', () => {
    const policies = [
      policy('Low', { priority: 10, terminationGracePeriodMs: 15 * MINUTE, fallback: true }),
      policy('High', { priority: 90, reasonRegex: '.*', terminationGracePeriodMs: 5 * MINUTE }),
    ];
    expect(bound(broken('a', [{ type: 'Low' }, { type: 'High' }]), policies)).toMatchObject({
      drainBoundMs: 5 * MINUTE,
      repair: { conditionType: 'High' },
    });
  });

  test('is the shorter one of policy and claim', () => {
    const policies = [policy('BadNode', { terminationGracePeriodMs: 20 * MINUTE, fallback: true })];
    const node = broken('a', [{}], { claimSpec: { terminationGracePeriod: '5m' } });
    expect(bound(node, policies).drainBoundMs).toBe(5 * MINUTE);
  });

  test('of a reboot is that of the policy, or of the claim, or there is none', () => {
    const bounded = { ...REBOOT, terminationGracePeriodMs: 5 * MINUTE };
    expect(bound(broken('a', REBOOT_ME), [bounded, FALLBACK]).drainBoundMs).toBe(5 * MINUTE);
    const node = broken('a', REBOOT_ME, { claimSpec: { terminationGracePeriod: '7m' } });
    expect(bound(node, [REBOOT, FALLBACK]).drainBoundMs).toBe(7 * MINUTE);
    expect(bound(broken('a', REBOOT_ME), [REBOOT, FALLBACK]).drainBoundMs).toBeUndefined();
  });
});

describe('a pod that may not be evicted', () => {
  test('keeps the node without a bound for the drain, and the event says so', () => {
    const result = repairPlan([broken('a', [{}], { pods: [protectedPod('held')] }), ...others]);
    expect(repaired(result)).toEqual([]);
    expect(eventsOf(result, 'a')).toContain(
      'DisruptionBlocked: repair requires a termination grace period to bypass blocking pods',
    );
  });

  test('gets its place on the replacement with a bound', () => {
    const policies = [policy('BadNode', { terminationGracePeriodMs: 5 * MINUTE, fallback: true })];
    const { commands } = repairPlan([broken('a', [{}], { pods: [protectedPod('held')] }), ...others], {
      policies,
    });
    expect(commands).toMatchObject([{ decision: 'replace', replacements: [{ pods: ['shop/held'] }] }]);
  });
});

describe('a reboot', () => {
  const policies = [REBOOT, policy('BadNode', { tolerationMs: 48 * 60 * MINUTE, fallback: true })];
  const node = () => broken('a', REBOOT_ME, { pods: replicas(1, 'a') });
  const afterReboots = (...hoursAgo: readonly number[]) =>
    repairPlan([rebooted(node(), ...hoursAgo), ...others], { policies }).commands[0]!;

  test('launches nothing and deletes nothing', () => {
    const { commands } = repairPlan([broken('a', REBOOT_ME), ...others], { policies: [REBOOT, FALLBACK] });
    expect(commands).toMatchObject([
      { method: 'repair', decision: 'reboot', replacements: [], destinations: [], savingPerHour: 0 },
    ]);
  });

  test('is tried twice, and then the node is replaced', () => {
    const given = [afterReboots(), afterReboots(1), afterReboots(2, 1)];
    expect(given.map(({ decision }) => decision)).toEqual(['reboot', 'reboot', 'replace']);
    expect(given[2]!.repair).toMatchObject({
      action: 'ReplaceNode',
      escalated: true,
      conditionType: 'BadNode',
    });
    expect(given[1]!.repair).toMatchObject({ escalated: false });
  });

  test('counts for a day, each for itself', () => {
    expect(afterReboots(25, 12).decision).toBe('reboot');
    expect(afterReboots(25, 12, 1).decision).toBe('replace');
    expect(afterReboots(26, 25).decision).toBe('reboot');
  });

  test('of a claim does not count for another one', () => {
    const successor = {
      ...node(),
      claim: { ...node().claim!, metadata: { ...node().claim!.metadata, uid: 'next' } },
    };
    expect(repairPlan([successor, ...others], { policies }).commands[0]!.decision).toBe('reboot');
  });

  test('does not count for a node that is replaced anyway, nor for one that is healthy', () => {
    const { commands } = repairPlan([rebooted(broken('a'), 2, 1), ...others]);
    expect(commands[0]!.repair).toMatchObject({ action: 'ReplaceNode', escalated: false });
    expect(repairPlan([rebooted(broken('a', []), 2, 1), ...others]).commands).toEqual([]);
  });

  test('is not counted by planning it', () => {
    for (let pass = 0; pass < 3; pass++) expect(afterReboots().decision).toBe('reboot');
  });
});

describe('a node that registered and never initialized', () => {
  const more = { initialized: false };
  const started = (shape: NodeShape = {}, ago = 31) =>
    broken('a', [{ ago }], { ...shape, more: { ...more, ...shape.more } });

  test('is deleted', () => {
    expect(repairPlan([started(), ...others]).commands).toMatchObject([
      { method: 'repair', decision: 'delete' },
    ]);
  });

  test('is left alone until its toleration is over', () => {
    expect(repaired(repairPlan([started({}, 29), ...others]))).toEqual([]);
  });

  test('is left alone if it never registered, and the event says so', () => {
    const result = repairPlan([started({ more: { registered: false } }), ...others]);
    expect(repaired(result)).toEqual([]);
    expect(eventsOf(result, 'a')).toContain("DisruptionBlocked: Node isn't initialized nor registered");
  });

  test('needs no budget', () => {
    const pools = [aDisruptedPool('default', { budgets: [{ nodes: '0' }] })];
    expect(repaired(repairPlan([started(), ...others], { pools }))).toEqual(['a']);
  });

  test('uses no budget of others', () => {
    const pools = [aDisruptedPool('default', { budgets: [{ nodes: '1' }] })];
    expect(repaired(repairPlan([started(), broken('b'), ...others], { pools }))).toHaveLength(2);
  });

  test('is left alone while it reboots', () => {
    expect(repaired(repairPlan([started({ conditions: { Rebooting: true } }), ...others]))).toEqual([]);
  });

  test('is repaired although pending pods are expected on it', () => {
    expect(repaired(repairPlan([started({ more: { nominated: true } }), ...others]))).toEqual(['a']);
  });

  test('is kept by do-not-repair', () => {
    expect(repaired(repairPlan([started({ annotations: { [DO_NOT_REPAIR]: 'true' } }), ...others]))).toEqual(
      [],
    );
  });

  test('counts for the fifth of its NodePool', () => {
    const second = broken('b', [{}], { more });
    const third = { ...broken('c', [], { more }), ...BUSY };
    expect(repaired(repairPlan([started(), second, third as DisruptionNode]))).toEqual([]);
  });

  test('waits for its toleration from the end of a reboot', () => {
    const node = started({}, 69);
    const ended = {
      type: 'Rebooting',
      status: 'False' as const,
      reason: 'RebootSucceeded',
      message: '',
      lastTransitionTime: new Date(NOW - 29 * MINUTE).toISOString(),
    };
    const conditions = [...node.claim!.status!.conditions!, ended];
    const claim = { ...node.claim!, status: { ...node.claim!.status, conditions } };
    const nodes = [{ ...node, claim }, ...others];
    expect(repaired(repairPlan(nodes))).toEqual([]);
    expect(repaired(repairPlan(nodes, { nowMs: NOW + 2 * MINUTE }))).toEqual(['a']);
  });
});
