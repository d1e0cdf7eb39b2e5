import { describe, expect, test } from 'vitest';
import type { Pod } from '../scheduling/index.ts';
import { finish } from '../scheduling/index.ts';
import { aPod } from '../scheduling/testing.ts';
import { type Block, type BlockCode, blockEvent, blockText } from './block.ts';
import { isCandidate, judgeNodes } from './candidates.ts';
import {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  aPdb,
  type ClusterShape,
  NOW,
  type NodeShape,
  TYPES,
} from './disruption.fixture.ts';
import { METHODS, type MethodName } from './methods.table.ts';
import type { DisruptionNode } from './model.ts';
import { PriceBook } from './price-book.ts';

const web = aPod('web', { cpu: '1', labels: { app: 'web' } });

function judged(shape: NodeShape | DisruptionNode, cluster: ClusterShape = {}) {
  const node = 'registered' in shape ? shape : aManagedNode('n1', { pods: [web], ...shape });
  const input = aCluster([node], cluster);
  return finish(judgeNodes(input, new PriceBook(input.pools, input.scheduling), {}, NOW))[0]!;
}

function codes(shape: NodeShape | DisruptionNode, method: MethodName, cluster: ClusterShape = {}) {
  return judged(shape, cluster).blocks[method].map(({ code }) => code);
}

const withAnnotation = (pod: Pod, value: string, more: Partial<Pod> = {}): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, annotations: { 'karpenter.sh/do-not-disrupt': value } },
  ...more,
});

describe('a node with pods and nothing special', () => {
  test('is a candidate for consolidation and for no other method', () => {
    const node = judged({});
    expect(METHODS.filter(({ name }) => isCandidate(node, name)).map(({ name }) => name)).toEqual([
      'multi-node',
      'single-node',
    ]);
    expect(node).toMatchObject({ price: 0.2, cost: 2, nodePool: 'default', instanceType: 'm' });
    expect(node.pods).toHaveLength(1);
  });

  test('is a candidate for emptiness once its pods are gone, whatever the policy of its pool', () => {
    const pools = [aDisruptedPool('default', { policy: 'WhenEmpty' })];
    expect(codes({ pods: [] }, 'emptiness', { pools })).toEqual([]);
    expect(codes({ pods: [] }, 'single-node', { pools })).toEqual(['Empty']);
  });

  test('is a candidate for drift when its claim is Drifted', () => {
    expect(codes({ conditions: { Drifted: true } }, 'drift')).toEqual([]);
    expect(codes({}, 'drift')).toEqual(['NotDrifted']);
  });
});

describe('what blocks a node, with the event of Karpenter', () => {
  const unmanaged = { ...aManagedNode('n1', { pods: [web] }), claim: undefined } as unknown as DisruptionNode;
  const noNode = { ...aManagedNode('n1'), node: undefined, registered: false, initialized: false };
  const rows: [BlockCode, NodeShape | DisruptionNode, ClusterShape, string | undefined][] = [
    ['InCommand', { more: { command: 'c1' } }, {}, undefined],
    ['NotManaged', unmanaged, {}, undefined],
    [
      'NoNode',
      noNode as unknown as DisruptionNode,
      {},
      'DisruptionBlocked: Nodeclaim does not have an associated node',
    ],
    ['Rebooting', { conditions: { Rebooting: true } }, {}, 'DisruptionBlocked: Node is rebooting'],
    [
      'Deleting',
      { more: { deleting: true } },
      {},
      'DisruptionBlocked: Node is deleting or marked for deletion',
    ],
    ['NotInitialized', { more: { initialized: false } }, {}, "DisruptionBlocked: Node isn't initialized"],
    [
      'NotInitialized',
      { more: { initialized: false, registered: false } },
      {},
      "DisruptionBlocked: Node isn't initialized nor registered",
    ],
    [
      'Nominated',
      { more: { nominated: true } },
      {},
      'DisruptionBlocked: Node is nominated for a pending pod',
    ],
    [
      'NodeDoNotDisrupt',
      { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
      {},
      'DisruptionBlocked: Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation',
    ],
    [
      'NodePoolLabelMissing',
      { labels: { 'karpenter.sh/nodepool': undefined } },
      {},
      "DisruptionBlocked: Node doesn't have required label (label=karpenter.sh/nodepool)",
    ],
    ['NodePoolNotFound', { pool: 'x' }, {}, 'DisruptionBlocked: NodePool not found (NodePool=x)'],
    [
      'InstanceTypesUnknown',
      {},
      { pools: [aDisruptedPool('default', { types: [] })] },
      'DisruptionBlocked: NodePool not found (NodePool=default)',
    ],
    [
      'PodDoNotDisrupt',
      { pods: [withAnnotation(web, 'true')] },
      {},
      'DisruptionBlocked: Pod has "karpenter.sh/do-not-disrupt" annotation (Pod=shop/web)',
    ],
    [
      'PodDisruptionBudget',
      {},
      { budgets: [aPdb('web', 'web', 0)] },
      'DisruptionBlocked: Pdb prevents pod evictions (PodDisruptionBudget=[shop/web])',
    ],
    [
      'MultipleBudgets',
      {},
      { budgets: [aPdb('a', 'web', 1), aPdb('b', 'web', 1)] },
      'DisruptionBlocked: Eviction does not support multiple PDBs (PodDisruptionBudget(s)=[shop/a shop/b])',
    ],
    ['StaticNodePool', {}, { pools: [aDisruptedPool('default', { replicas: 1 })] }, undefined],
    ['InstanceTypeNotFound', { type: 'huge' }, {}, 'Unconsolidatable: Instance Type "huge" not found'],
    [
      'LabelMissing',
      { labels: { 'karpenter.sh/capacity-type': undefined } },
      {},
      'Unconsolidatable: Node does not have label "karpenter.sh/capacity-type"',
    ],
    [
      'LabelMissing',
      { labels: { 'topology.kubernetes.io/zone': undefined } },
      {},
      'Unconsolidatable: Node does not have label "topology.kubernetes.io/zone"',
    ],
    [
      'ConsolidationDisabled',
      {},
      { pools: [aDisruptedPool('default', { consolidateAfter: 'Never' })] },
      'Unconsolidatable: NodePool "default" has consolidation disabled',
    ],
    [
      'PolicyWhenEmpty',
      {},
      { pools: [aDisruptedPool('default', { policy: 'WhenEmpty' })] },
      'Unconsolidatable: NodePool "default" has consolidation policy WhenEmpty, but node is not empty',
    ],
    ['NotConsolidatable', { conditions: { Consolidatable: undefined } }, {}, undefined],
    ['Empty', { pods: [] }, {}, undefined],
  ];

  test.each(rows)('%s %#', (code, shape, cluster, event) => {
    const { blocks } = judged(shape, cluster);
    const found = blocks['single-node'].filter((block) => block.code === code);
    expect(found).toHaveLength(1);
    const { reason, message } = blockEvent(found[0]!) ?? {};
    expect(reason === undefined ? undefined : `${reason}: ${message}`).toBe(event);
    expect(blockText(found[0]!)).toMatch(/^[a-zA-Z].+/);
  });

  test('buffer pods keep a node from emptiness, also when it is not empty', () => {
    const more = { buffers: ['shop/spare'] };
    expect(codes({ pods: [], more }, 'emptiness')).toEqual(['BufferPods']);
    expect(codes({ more }, 'emptiness')).toEqual(['BufferPods', 'NotEmpty']);
    expect(codes({ more }, 'single-node')).toEqual([]);
    const block: Block = { code: 'BufferPods', node: 'n1', buffers: ['shop/spare'] };
    expect(blockEvent(block)).toEqual({ reason: 'Unconsolidatable', message: 'Node "n1" has buffer pods' });
  });

  test('all reasons are given, in the order in which Karpenter checks them', () => {
    const shape: NodeShape = {
      pods: [withAnnotation(web, 'true'), aPod('db', { labels: { app: 'db' } })],
      conditions: { Rebooting: true, Consolidatable: undefined },
      annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
      more: { initialized: false, nominated: true, deleting: true, command: 'c1' },
    };
    const cluster = {
      budgets: [aPdb('db', 'db', 0)],
      pools: [aDisruptedPool('default', { policy: 'WhenEmpty', consolidateAfter: 'Never' })],
    };
    expect(codes(shape, 'multi-node', cluster)).toEqual([
      'InCommand',
      'Rebooting',
      'Deleting',
      'NotInitialized',
      'Nominated',
      'NodeDoNotDisrupt',
      'PodDoNotDisrupt',
      'PodDisruptionBudget',
      'ConsolidationDisabled',
      'PolicyWhenEmpty',
      'NotConsolidatable',
    ]);
  });
});

describe('pods that block', () => {
  const running = (startTime: string) => ({ status: { phase: 'Running', startTime } });

  test('until their duration is over', () => {
    const pod = withAnnotation(web, '2h', running('2026-06-02T11:00:00Z'));
    expect(judged({ pods: [pod] }).blocks['single-node']).toEqual([
      { code: 'PodDoNotDisrupt', pod: 'shop/web', untilMs: Date.parse('2026-06-02T13:00:00Z') },
    ]);
    const older = withAnnotation(web, '2h', running('2026-06-02T09:00:00Z'));
    expect(codes({ pods: [older] }, 'single-node')).toEqual([]);
  });

  test('also when a DaemonSet or the kubelet runs them, but not when they are over', () => {
    const daemon = withAnnotation(aPod('agent', { owner: 'DaemonSet' }), 'true');
    const mirror = withAnnotation(aPod('proxy', { owner: 'Node' }), 'true');
    const done = withAnnotation(aPod('job'), 'true', { status: { phase: 'Succeeded' } });
    expect(codes({ pods: [daemon] }, 'emptiness')).toEqual(['PodDoNotDisrupt']);
    expect(codes({ pods: [mirror] }, 'emptiness')).toEqual(['PodDoNotDisrupt']);
    expect(codes({ pods: [done] }, 'emptiness')).toEqual([]);
  });

  test('do not block drift of a claim with a terminationGracePeriod, and do block consolidation of it', () => {
    const shape: NodeShape = {
      pods: [withAnnotation(web, 'true'), aPod('db', { labels: { app: 'db' } })],
      conditions: { Drifted: true },
      claimSpec: { terminationGracePeriod: '1h' },
    };
    const cluster = { budgets: [aPdb('db', 'db', 0)] };
    expect(codes(shape, 'drift', cluster)).toEqual([]);
    expect(codes(shape, 'single-node', cluster)).toEqual(['PodDoNotDisrupt', 'PodDisruptionBudget']);
    const { claimSpec: _, ...unbounded } = shape;
    expect(codes(unbounded, 'drift', cluster)).toEqual(['PodDoNotDisrupt', 'PodDisruptionBudget']);
  });

  test('a budget does not count for pods that a drain leaves alone', () => {
    const stays = aPod('agent', {
      labels: { app: 'web' },
      owner: 'DaemonSet',
      tolerations: [{ key: 'karpenter.sh/disrupted', operator: 'Exists' }],
    });
    expect(codes({ pods: [stays] }, 'emptiness', { budgets: [aPdb('web', 'web', 0)] })).toEqual([]);
  });

  test('a budget that spares unhealthy pods does not block one that is not ready', () => {
    const pdb = aPdb('web', 'web', 0);
    const sparing = { ...pdb, spec: { ...pdb.spec, unhealthyPodEvictionPolicy: 'AlwaysAllow' } };
    const unready = { ...web, status: { conditions: [{ type: 'Ready', status: 'False' }] } };
    expect(codes({ pods: [unready] }, 'single-node', { budgets: [sparing] })).toEqual([]);
    expect(codes({ pods: [unready] }, 'single-node', { budgets: [pdb] })).toEqual(['PodDisruptionBudget']);
  });
});

test('a node that waits for consolidateAfter says until when', () => {
  const pools = [aDisruptedPool('default', { consolidateAfter: '30m' })];
  const { blocks } = judged(
    { conditions: { Consolidatable: undefined }, lastPodEventTime: '2026-06-02T11:45:00Z' },
    { pools },
  );
  expect(blocks['single-node'].map(blockText)).toEqual([
    'pods were added or removed within consolidateAfter (30m), which ends at 2026-06-02T12:15:00Z',
  ]);
});

test('a node whose time is over, and whose condition is not written yet, names the condition', () => {
  const { blocks } = judged({ conditions: { Consolidatable: undefined } });
  expect(blocks['single-node'].map(blockText)).toEqual(['its condition Consolidatable is not True']);
});

test('a static node is a candidate for static drift only', () => {
  const pools = [aDisruptedPool('default', { replicas: 3 })];
  const node = judged({ conditions: { Drifted: true } }, { pools });
  expect(METHODS.filter(({ name }) => isCandidate(node, name)).map(({ name }) => name)).toEqual([
    'static-drift',
  ]);
  expect(codes({ conditions: { Drifted: true } }, 'static-drift')).toEqual(['DynamicNodePool']);
});

test('the price of a node comes from its zone and capacity type, also when nobody can launch it now', () => {
  const spot = judged({ capacityType: 'spot' });
  expect(spot.price).toBeCloseTo(0.08);
  expect(judged({ zone: 'zone-x' }).price).toBe(0);
  const soldOut = TYPES.map((type) => ({
    ...type,
    offerings: type.offerings.map((offering) => ({ ...offering, available: false })),
  }));
  const pools = [aDisruptedPool('default', { types: soldOut })];
  expect(judged({ type: 's' }, { pools }).price).toBe(0.1);
});
