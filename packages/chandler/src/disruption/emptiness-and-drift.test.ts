import { describe, expect, test } from 'vitest';
import { aPod, pods } from '../scheduling/testing.ts';
import { commandLogText, commandText, commandTextFor } from './command.ts';
import {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  aPdb,
  type ClusterShape,
  NOW,
} from './disruption.fixture.ts';
import { DisruptionPlanner, planDisruption } from './disruption-plan.ts';
import type { DisruptionNode } from './model.ts';

function plan(nodes: readonly DisruptionNode[], shape: ClusterShape = {}) {
  return planDisruption(aCluster(nodes, shape), {}, NOW);
}

const names = ({ commands }: ReturnType<typeof plan>) =>
  commands.map(({ candidates }) => candidates.map(({ name }) => name));
const keepOf = ({ nodes }: ReturnType<typeof plan>, node: string) =>
  nodes
    .find(({ name }) => name === node)!
    .keeps.map((keep) => ('block' in keep ? keep.block.code : keep.rejection.code));

describe('emptiness', () => {
  test('deletes all empty nodes in one command, the most expensive first', () => {
    const result = plan([
      aManagedNode('a', { type: 's' }),
      aManagedNode('b', { type: 'l' }),
      aManagedNode('busy', { type: 's', pods: [aPod('web', { cpu: '2' })] }),
    ]);
    expect(result.commands[0]).toMatchObject({ method: 'emptiness', reason: 'Empty', decision: 'delete' });
    expect(names(result)[0]).toEqual(['b', 'a']);
    expect(result.commands[0]!.savingPerHour).toBeCloseTo(0.9);
  });

  test('takes as many as the budget allows, and pools do not share budgets', () => {
    const pools = [
      aDisruptedPool('a', { budgets: [{ nodes: '1' }] }),
      aDisruptedPool('b', { budgets: [{ nodes: '0', reasons: ['Empty'] }] }),
      aDisruptedPool('c'),
    ];
    const result = plan(
      ['a1', 'a2', 'b1', 'c1', 'c2'].map((name) => aManagedNode(name, { pool: name[0]! })),
      { pools },
    );
    expect(names(result)).toEqual([['a1', 'c1', 'c2']]);
    expect(keepOf(result, 'a2')).toEqual(['Budget']);
    expect(keepOf(result, 'b1')).toEqual(['Budget']);
  });

  test('a node that goes for one reason counts for the budgets of all reasons', () => {
    const pools = [aDisruptedPool('default', { budgets: [{ nodes: '1' }] })];
    const result = plan(
      [
        aManagedNode('empty'),
        aManagedNode('drifted', { pods: [aPod('web', { cpu: '1' })], conditions: { Drifted: true } }),
      ],
      { pools },
    );
    expect(names(result)).toEqual([['empty']]);
    expect(keepOf(result, 'drifted')[0]).toBe('Budget');
  });

  test('pods that cost nothing do not keep a node', () => {
    const free = aPod('free', { cpu: '1', priority: -2_000_000_000 });
    expect(plan([aManagedNode('a', { pods: [free] })]).commands[0]).toMatchObject({ method: 'emptiness' });
  });
});

describe('drift', () => {
  const drifted = (name: string, at: string, cpu = '3') =>
    aManagedNode(name, { pods: [aPod(`p-${name}`, { cpu })], conditions: { Drifted: at } });

  test('replaces every drifted node, each with a command of its own, the oldest first, whatever the price', () => {
    const result = plan([drifted('new', '2026-06-02T10:00:00Z'), drifted('old', '2026-06-01T10:00:00Z')]);
    expect(names(result)).toEqual([['old'], ['new']]);
    for (const command of result.commands)
      expect(command).toMatchObject({ method: 'drift', reason: 'Drifted', decision: 'replace' });
    // On-demand or spot: drift does not narrow what the plan allows.
    expect(result.commands[0]!.replacements[0]!.instanceTypes).toEqual(['m', 'l']);
  });

  test('within the budget', () => {
    const pools = [aDisruptedPool('default', { budgets: [{ nodes: '2' }] })];
    const five = [1, 2, 3, 4, 5].map((day) => drifted(`n${day}`, `2026-05-0${day}T00:00:00Z`));
    const result = plan(five, { pools });
    expect(names(result)).toEqual([['n1'], ['n2']]);
    expect(keepOf(result, 'n3')[0]).toBe('Budget');
  });

  test('one that cannot be replaced does not hold up the others', () => {
    const stuck = aManagedNode('stuck', {
      pods: [aPod('p', { nodeSelector: { disk: 'nvme' } })],
      conditions: { Drifted: '2026-05-01T00:00:00Z' },
    });
    const result = plan([stuck, drifted('b', '2026-05-02T00:00:00Z')]);
    expect(names(result)).toEqual([['b']]);
    expect(keepOf(result, 'stuck')).toEqual(['PodsUnschedulable']);
  });

  test('nodes without pods go first, so that no pod moves to one of them', () => {
    const idle = aManagedNode('idle', {
      conditions: { Drifted: '2026-06-02T11:00:00Z', Consolidatable: undefined },
    });
    const result = plan([drifted('busy', '2026-06-01T10:00:00Z'), idle]);
    expect(names(result)).toEqual([['idle'], ['busy']]);
    expect(result.commands.flatMap(({ destinations }) => destinations)).toEqual([]);
  });

  test('a blocked pod of a claim with a terminationGracePeriod gets no place', () => {
    const pods = [aPod('held', { cpu: '1', labels: { app: 'held' } }), aPod('web', { cpu: '1' })];
    const node = aManagedNode('a', {
      pods,
      conditions: { Drifted: true },
      claimSpec: { terminationGracePeriod: '1h' },
    });
    const pdb = {
      ...aPdb('held', 'held', 0),
      spec: { selector: { matchLabels: { app: 'held' } }, maxUnavailable: 0 },
    };
    const result = plan([node], { budgets: [pdb] });
    expect(result.commands[0]!.replacements.map((each) => each.pods)).toEqual([['shop/web']]);
  });

  test('pods move to a node that must go as well only if there is no other way', () => {
    const nodes = [drifted('a', '2026-05-01T00:00:00Z', '1'), drifted('b', '2026-05-02T00:00:00Z', '1')];
    expect(plan(nodes).commands.map(({ decision }) => decision)).toEqual(['replace', 'replace']);
    const pools = [aDisruptedPool('default', { limits: { cpu: '4' } })];
    const limited = plan(nodes, { pools }).commands;
    expect(limited[0]).toMatchObject({
      decision: 'delete',
      destinations: [{ node: 'b', pods: ['shop/p-a'] }],
    });
  });

  test('later commands know where earlier ones put their pods', () => {
    const roomy = aManagedNode('roomy', {
      pods: [aPod('own', { cpu: '1' })],
      conditions: { Consolidatable: undefined },
    });
    const result = plan([
      drifted('a', '2026-05-01T00:00:00Z', '2'),
      drifted('b', '2026-05-02T00:00:00Z', '2'),
      roomy,
    ]);
    expect(result.commands.map(({ destinations }) => destinations.map(({ node }) => node))).toEqual([
      ['roomy'],
      [],
    ]);
  });
});

describe('static drift', () => {
  const statics = (count: number, limits?: Record<string, string>, replicas = count) => ({
    nodes: Array.from({ length: count }, (_, at) =>
      aManagedNode(`n${at}`, { conditions: { Drifted: `2026-05-0${at + 1}T00:00:00Z` } }),
    ),
    pools: [
      aDisruptedPool('default', {
        replicas,
        budgets: [{ nodes: '2' }],
        ...(limits === undefined ? {} : { limits }),
      }),
    ],
  });

  test('replaces one for one from the template, within the budget', () => {
    const { nodes, pools } = statics(3);
    const result = plan(nodes, { pools });
    expect(names(result)).toEqual([['n0'], ['n1']]);
    expect(result.commands[0]).toMatchObject({ method: 'static-drift', decision: 'replace' });
    expect(result.commands[0]!.replacements).toMatchObject([
      { nodePool: 'default', cheapest: { instanceType: 's' } },
    ]);
    expect(keepOf(result, 'n2')).toEqual(['StaticNodePool', 'Budget']);
  });

  test('as far as limits.nodes leaves room', () => {
    const { nodes, pools } = statics(3, { nodes: '4' });
    const result = plan(nodes, { pools });
    expect(names(result)).toEqual([['n0']]);
    expect(keepOf(result, 'n1')).toContain('StaticNodeLimit');
  });

  test.each([
    [
      'it is not Ready',
      { status: { conditions: [{ type: 'Ready', status: 'False', message: 'no subnet' }] } },
      {},
    ],
    ['it is being deleted', { metadata: { name: 'fixed', deletionTimestamp: '2026-06-02T12:00:00Z' } }, {}],
    [
      'launches wait after failures',
      {},
      { heldPools: new Map([['fixed', 'launches of nodepool fixed wait']]) },
    ],
  ])('not where nothing is launched, and takes no place of others: %s', (_, more, options) => {
    const fixed = aDisruptedPool('fixed', { replicas: 100, budgets: [{ nodes: '100%' }] });
    const pools = [aDisruptedPool(), { ...fixed, nodePool: { ...fixed.nodePool, ...more } }];
    const nodes = [
      ...Array.from({ length: 100 }, (_each, at) =>
        aManagedNode(`s${at}`, { pool: 'fixed', conditions: { Drifted: true } }),
      ),
      aManagedNode('a', { pods: pods(4, 'a', { cpu: '1' }), conditions: { Drifted: true } }),
    ];
    const result = planDisruption(aCluster(nodes, { pools }), options, NOW);
    expect(names(result)).toEqual([['a']]);
    expect(keepOf(result, 's0')).toContain('LaunchesHeld');
  });

  test('at most a hundred in a pass, in turns', () => {
    const nodes = Array.from({ length: 103 }, (_, at) =>
      aManagedNode(`n${String(at).padStart(3, '0')}`, { conditions: { Drifted: true } }),
    );
    const pools = [aDisruptedPool('default', { replicas: 103, budgets: [{ nodes: '100%' }] })];
    const steps = new DisruptionPlanner().steps(aCluster(nodes, { pools }), {}, NOW);
    let turns = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) turns++;
    expect(step.value.commands).toHaveLength(100);
    expect(keepOf(step.value, 'n100')).toContain('NextPass');
    expect(turns).toBeGreaterThan(100);
  });

  test('not with a limit that is no quantity, and other NodePools go on', () => {
    const fixed = aDisruptedPool('fixed', { replicas: 1, limits: { nodes: '1e1.5' } });
    const nodes = [
      aManagedNode('s', { pool: 'fixed', conditions: { Drifted: true } }),
      aManagedNode('a', { pods: pods(4, 'a', { cpu: '1' }), conditions: { Drifted: true } }),
    ];
    const result = plan(nodes, { pools: [aDisruptedPool(), fixed] });
    expect(names(result)).toEqual([['a']]);
    expect(keepOf(result, 's')).toContain('StaticNodeLimit');
  });

  test('not while there are more nodes than replicas', () => {
    const { nodes, pools } = statics(3, undefined, 2);
    const result = plan(nodes, { pools });
    expect(result.commands).toEqual([]);
    expect(keepOf(result, 'n0')).toContain('StaticScaling');
  });
});

describe('a command', () => {
  const result = plan([
    aManagedNode('a', { type: 's', conditions: { Drifted: true }, pods: pods(1, 'a', { cpu: '1' }) }),
    aManagedNode('e1', { type: 'm' }),
    aManagedNode('e2', { type: 'm' }),
  ]);
  const [empty, drift] = result.commands;

  test('has the texts of Karpenter', () => {
    expect(commandText(empty!)).toBe('delete: [e1, e2]');
    expect(commandTextFor(empty!, 'e1')).toBe('delete: [e1] (part of 2-node consolidation)');
    expect(commandText(drift!)).toBe('replace: [a] -> [1 replacement]');
    expect(commandTextFor(drift!, 'a')).toBe('replace: [a] -> [1 replacement]');
    expect(commandLogText(empty!)).toBe(
      `Empty/${empty!.key}: delete: nodepools=[default]: [e1, e2] (savings: $0.40)`,
    );
  });

  test('has a key of its own, the same for the same input', () => {
    expect(new Set(result.commands.map(({ key }) => key)).size).toBe(result.commands.length);
    expect(empty!.key).toMatch(/^empty-[0-9a-f]{10}$/);
    const again = plan([aManagedNode('e1', { type: 'm' }), aManagedNode('e2', { type: 'm' })]);
    expect(again.commands[0]!.key).toBe(empty!.key);
  });
});

test('a pass gives at most a hundred commands of drift, and the other nodes are for the next', () => {
  const drifted = Array.from({ length: 103 }, (_, index) => {
    const name = `n${String(index).padStart(3, '0')}`;
    return aManagedNode(name, {
      type: 's',
      pods: [aPod(`web-${name}`, { cpu: '1500m' })],
      conditions: { Drifted: true },
    });
  });
  const pools = [aDisruptedPool('default', { budgets: [{ nodes: '100%' }] })];
  const result = plan(drifted, { pools });
  expect(result.commands).toHaveLength(100);
  expect(keepOf(result, 'n100')).toContain('NextPass');
});
