import { describe, expect, test } from 'vitest';
import {
  type BlockCode,
  blockEvent,
  budgetVerdicts,
  type DisruptionNode,
  type DisruptionReason,
  evictionCost,
} from '../../packages/chandler/src/disruption/index.ts';
import {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  aPdb,
  type ClusterShape,
  NOW,
  type NodeShape,
} from '../../packages/chandler/src/disruption/testing.ts';
import type { Pod } from '../../packages/chandler/src/scheduling/index.ts';
import { aPod } from '../../packages/chandler/src/scheduling/testing.ts';
import { annotated, DO_NOT_DISRUPT, judged, protectedPod, terminating } from './specs.fixture.ts';

const HELD = { app: 'held' };
const held = (more: Partial<Pod> = {}, owner = 'ReplicaSet'): Pod => ({
  ...aPod('held', { cpu: '100m', labels: HELD, owner }),
  ...more,
});
const BLOCKING = [aPdb('pdb', 'held', 0)];
const OVER = (phase: string): Partial<Pod> => ({ status: { phase } });

/** What blocks the node: graceful methods and drift, with the first event. */
function blocks(shape: NodeShape | DisruptionNode, cluster: ClusterShape = {}) {
  const node =
    'registered' in shape
      ? shape
      : aManagedNode('n1', { ...shape, conditions: { Drifted: true, ...shape.conditions } });
  const { blocks: found } = judged(aCluster([node], cluster))[0]!;
  const own = new Set<BlockCode>(['NotDrifted', 'Empty', 'NotEmpty', 'StaticNodePool', 'NotConsolidatable']);
  const codes = (method: 'single-node' | 'drift') =>
    found[method].map(({ code }) => code).filter((code) => !own.has(code));
  const messages = found['single-node'].flatMap((block) => blockEvent(block)?.message ?? []);
  return { graceful: codes('single-node'), eventual: codes('drift'), messages };
}

const TGP = { claimSpec: { terminationGracePeriod: '5m' } };
const POD_TEXT = (name: string) => `Pod has "karpenter.sh/do-not-disrupt" annotation (Pod=shop/${name})`;
const PDB_TEXT = 'Pdb prevents pod evictions (PodDisruptionBudget=[shop/pdb])';

describe('a protected pod', () => {
  test('blocks its node, and the event names the pod', () => {
    const result = blocks({ pods: [protectedPod('p')] });
    expect(result.graceful).toEqual(['PodDoNotDisrupt']);
    expect(result.messages).toEqual([POD_TEXT('p')]);
  });

  test('blocks its node also if the kubelet runs it', () => {
    const mirror = annotated(aPod('mirror', { owner: 'Node' }), { [DO_NOT_DISRUPT]: 'true' });
    expect(blocks({ pods: [mirror] })).toMatchObject({
      graceful: ['PodDoNotDisrupt'],
      messages: [POD_TEXT('mirror')],
    });
  });

  test('blocks its node also if a DaemonSet runs it', () => {
    const daemon = annotated(aPod('agent', { owner: 'DaemonSet' }), { [DO_NOT_DISRUPT]: 'true' });
    expect(blocks({ pods: [daemon] })).toMatchObject({
      graceful: ['PodDoNotDisrupt'],
      messages: [POD_TEXT('agent')],
    });
  });

  test('does not block drift of a claim with a terminationGracePeriod, and blocks consolidation', () => {
    const result = blocks({ pods: [protectedPod('p')], ...TGP });
    expect([result.eventual, result.graceful]).toEqual([[], ['PodDoNotDisrupt']]);
  });

  test('blocks drift of a claim without a terminationGracePeriod', () => {
    expect(blocks({ pods: [protectedPod('p')] }).eventual).toEqual(['PodDoNotDisrupt']);
  });

  test('that is terminating does not block', () => {
    expect(blocks({ pods: [terminating(protectedPod('p'))] }).graceful).toEqual([]);
  });

  test('that is over does not block', () => {
    const over = [protectedPod('s', OVER('Succeeded')), protectedPod('f', OVER('Failed'))];
    expect(blocks({ pods: over }).graceful).toEqual([]);
  });
});

describe('a disruption budget that allows no eviction', () => {
  test('blocks the node of its pod, and the event names it', () => {
    expect(blocks({ pods: [held()] }, { budgets: BLOCKING })).toMatchObject({
      graceful: ['PodDisruptionBudget'],
      messages: [PDB_TEXT],
    });
  });

  test('does not block drift of a claim with a terminationGracePeriod, and blocks consolidation', () => {
    const result = blocks({ pods: [held()], ...TGP }, { budgets: BLOCKING });
    expect([result.eventual, result.graceful]).toEqual([[], ['PodDisruptionBudget']]);
  });

  test('blocks drift of a claim without a terminationGracePeriod', () => {
    expect(blocks({ pods: [held()] }, { budgets: BLOCKING }).eventual).toEqual(['PodDisruptionBudget']);
  });

  test('is not asked for a pod with two of them: it cannot be evicted at all', () => {
    const result = blocks({ pods: [held()] }, { budgets: [aPdb('one', 'held', 0), aPdb('two', 'held', 0)] });
    expect(result.graceful).toEqual(['MultipleBudgets']);
    expect(result.messages.join()).toMatch(/^Eviction does not support multiple PDBs .*shop\/one shop\/two/);
  });

  test('blocks the node of a DaemonSet pod', () => {
    expect(blocks({ pods: [held({}, 'DaemonSet')] }, { budgets: BLOCKING })).toMatchObject({
      graceful: ['PodDisruptionBudget'],
      messages: [PDB_TEXT],
    });
  });

  test('does not block the node of a pod that the kubelet runs', () => {
    expect(blocks({ pods: [held({}, 'Node')] }, { budgets: BLOCKING }).graceful).toEqual([]);
  });

  test('does not block the node of pods that are over', () => {
    const over = [held(OVER('Succeeded')), held(OVER('Failed'))];
    expect(blocks({ pods: over }, { budgets: BLOCKING }).graceful).toEqual([]);
  });

  test('does not block the node of a pod that is terminating', () => {
    expect(blocks({ pods: [terminating(held())] }, { budgets: BLOCKING }).graceful).toEqual([]);
  });
});

describe('a node is no candidate', () => {
  const plain = aManagedNode('n1');
  test.each<[string, NodeShape | DisruptionNode, BlockCode, string[]]>([
    [
      'with the annotation',
      { annotations: { [DO_NOT_DISRUPT]: 'true' } },
      'NodeDoNotDisrupt',
      ['Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation'],
    ],
    ['without a NodeClaim', { ...plain, claim: undefined } as unknown as DisruptionNode, 'NotManaged', []],
    [
      'without a Node',
      { ...plain, node: undefined, registered: false, initialized: false } as unknown as DisruptionNode,
      'NoNode',
      ['Nodeclaim does not have an associated node'],
    ],
    [
      'that pending pods are expected on',
      { more: { nominated: true } },
      'Nominated',
      ['Node is nominated for a pending pod'],
    ],
    [
      'that is being deleted',
      { more: { deleting: true } },
      'Deleting',
      ['Node is deleting or marked for deletion'],
    ],
    [
      'that is neither registered nor initialized',
      { more: { registered: false, initialized: false } },
      'NotInitialized',
      ["Node isn't initialized nor registered"],
    ],
    [
      'that is registered and not initialized',
      { more: { initialized: false } },
      'NotInitialized',
      ["Node isn't initialized"],
    ],
    [
      'without the label of its NodePool',
      { labels: { 'karpenter.sh/nodepool': undefined } },
      'NodePoolLabelMissing',
      ["Node doesn't have required label (label=karpenter.sh/nodepool)"],
    ],
    ['whose NodePool does not exist', { pool: 'x' }, 'NodePoolNotFound', ['NodePool not found (NodePool=x)']],
    ['of a command in progress', { more: { command: 'c1' } }, 'InCommand', []],
  ])('%s', (_, shape, code, messages) => {
    const result = blocks(shape);
    expect(result.graceful).toContain(code);
    expect(result.messages).toEqual(expect.arrayContaining(messages));
  });
});

describe('a node is a candidate for drift', () => {
  test.each<[string, NodeShape]>([
    ['without the label of its capacity type', { labels: { 'karpenter.sh/capacity-type': undefined } }],
    ['without the label of its zone', { labels: { 'topology.kubernetes.io/zone': undefined } }],
    ['without the label of its instance type', { labels: { 'node.kubernetes.io/instance-type': undefined } }],
    ['of an instance type that is not known', { type: 'unknown' }],
  ])('%s', (_, shape) => {
    expect(blocks(shape).eventual).toEqual([]);
  });
});

describe('of ten nodes and a budget', () => {
  const REASONS: readonly DisruptionReason[] = ['Empty', 'Drifted', 'Underutilized'];
  const ten = (shape: (at: number) => NodeShape = () => ({})) =>
    Array.from({ length: 10 }, (_, at) => aManagedNode(`n${at}`, shape(at)));
  const available = (
    nodes: readonly DisruptionNode[],
    budget: string,
    reasons: readonly DisruptionReason[] = REASONS,
  ) => {
    const { nodePool } = aDisruptedPool('default', { budgets: [{ nodes: budget }] });
    const verdicts = budgetVerdicts([nodePool], nodes, NOW);
    return [...new Set(reasons.map((reason) => verdicts.find((each) => each.reason === reason)!.available))];
  };

  test('of all, a node that is not managed does not count', () => {
    const foreign = { ...aManagedNode('x'), claim: undefined } as unknown as DisruptionNode;
    expect(available([...ten(), foreign], '100%')).toEqual([10]);
  });

  test('of all, a node that is not initialized does not count', () => {
    expect(available([...ten(), aManagedNode('x', { more: { initialized: false } })], '100%')).toEqual([10]);
  });

  test('of all, a node whose instance is terminating does not count', () => {
    const leaving = aManagedNode('x', { conditions: { InstanceTerminating: true } });
    expect(available([...ten(), leaving], '100%')).toEqual([10]);
  });

  test('of a tenth, never less than nothing is left', () => {
    expect(
      available(
        ten(() => ({ more: { deleting: true } })),
        '10%',
      ),
    ).toEqual([0]);
  });

  test('of all, nodes that are deleted or marked for it are taken off', () => {
    const nodes = ten((at) =>
      at === 0 ? { more: { deleting: true } } : at === 1 ? { more: { command: 'c' } } : {},
    );
    expect(available(nodes, '100%')).toEqual([8]);
  });

  test('of all, nodes that are not ready are taken off', () => {
    expect(
      available(
        ten((at) => ({ ready: at > 1 })),
        '100%',
      ),
    ).toEqual([8]);
  });

  test('of all, nodes that are not ready are not taken off for repair', () => {
    const nodes = ten((at) => ({ ready: at > 1 }));
    expect(available(nodes, '100%', ['Unhealthy'])).toEqual([10]);
    expect(available(nodes, '100%', ['Drifted'])).toEqual([8]);
  });

  test('of all, nodes that are deleted are taken off for repair, too', () => {
    expect(
      available(
        ten((at) => ({ more: { deleting: at < 2 } })),
        '100%',
        ['Unhealthy'],
      ),
    ).toEqual([8]);
  });

  test('of ten, nodes that reboot are taken off for all reasons, before and after the reboot is issued', () => {
    const nodes = ten((at) =>
      at === 0
        ? { conditions: { Rebooting: true } }
        : at === 1
          ? { conditions: { Rebooting: true }, ready: false, more: { initialized: false } }
          : {},
    );
    expect(available(nodes, '10', [...REASONS, 'Unhealthy'])).toEqual([8]);
  });
});

describe('the cost of a pod', () => {
  const DELETION = 'controller.kubernetes.io/pod-deletion-cost';
  const DISRUPTION = 'karpenter.sh/disruption-cost';
  const GATE = { podDeletionCostManagement: true };
  const cost = (annotations: Record<string, string>, options = {}, priority?: number) =>
    evictionCost(annotated(aPod('p', priority === undefined ? {} : { priority }), annotations), options);

  test('is 1 without anything', () => {
    expect(cost({})).toBe(1);
  });

  test('rises and falls with its deletion cost', () => {
    expect(cost({ [DELETION]: '100' })).toBeGreaterThan(1);
    expect(cost({ [DELETION]: '-100' })).toBeLessThan(1);
    expect(cost({ [DELETION]: '101' })).toBeGreaterThan(cost({ [DELETION]: '100' }));
    expect(cost({ [DELETION]: '100' })).toBeGreaterThan(cost({ [DELETION]: '99' }));
  });

  test('rises and falls with its priority', () => {
    expect(cost({}, {}, 1)).toBeGreaterThan(1);
    expect(cost({}, {}, -1)).toBeLessThan(1);
  });

  test('is that of disruption-cost before pod-deletion-cost, whatever the gate', () => {
    const both = { [DELETION]: '100', [DISRUPTION]: '2000000000' };
    expect(cost(both)).toBeGreaterThan(cost({ [DELETION]: '100' }));
    expect(cost(both, GATE)).toBeGreaterThan(1);
  });

  test('leaves out pod-deletion-cost with the gate', () => {
    expect(cost({ [DELETION]: '2000000000' }, GATE)).toBe(1);
  });
});
