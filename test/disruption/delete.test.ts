import { describe, expect, test } from 'vitest';
import { CapacityType } from '../../packages/chandler/src/api/index.ts';
import { type DisruptionNode, DisruptionPlanner } from '../../packages/chandler/src/disruption/index.ts';
import {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  aPdb,
  NOW,
} from '../../packages/chandler/src/disruption/testing.ts';
import type { Pod } from '../../packages/chandler/src/scheduling/index.ts';
import { anOffering, aPod, aType } from '../../packages/chandler/src/scheduling/testing.ts';
import {
  annotated,
  assorted,
  big,
  CHEAPEST,
  cheap,
  DO_NOT_DISRUPT,
  eventsOf,
  gone,
  keepsOf,
  MINUTE,
  onDemandOnly,
  plan,
  protectedPod,
  removed,
  replicas,
} from './specs.fixture.ts';

/** Only one type, so that a node is deleted or stays. */
const POOLS = [aDisruptedPool('default', { types: [onDemandOnly(CHEAPEST, 32, 0.1)] })];
const two = () => [cheap('a', replicas(2, 'a')), cheap('b', replicas(1, 'b'))];
const started = (pod: Pod, value: string): Pod =>
  annotated(
    pod,
    { [DO_NOT_DISRUPT]: value },
    {
      status: { phase: 'Running', startTime: new Date(NOW).toISOString() },
    },
  );

describe('of two nodes whose pods fit on one', () => {
  test('that with fewer pods is deleted', () => {
    const result = plan(two(), { pools: POOLS });
    expect(result.commands).toMatchObject([{ decision: 'delete', replacements: [] }]);
    expect(gone(result)).toEqual(['b']);
  });

  test('one is deleted although another NodePool has no node class and no instance types', () => {
    const broken = aDisruptedPool('broken', { types: [] });
    expect(gone(plan(two(), { pools: [...POOLS, broken] }))).toEqual(['b']);
  });

  test('one is deleted although another NodePool is invalid', () => {
    const types = [onDemandOnly(CHEAPEST, 32, 0.1)];
    const invalid = aDisruptedPool('invalid', { types, budgets: [{ nodes: 'many' }] });
    expect(gone(plan(two(), { pools: [...POOLS, invalid] }))).toEqual(['b']);
  });

  test('the other is deleted where a budget blocks the pod of the first', () => {
    const held = replicas(1, 'b', '100m', { app: 'held' });
    const result = plan([cheap('a', replicas(2, 'a')), cheap('b', held)], {
      pools: POOLS,
      budgets: [aPdb('pdb', 'held', 0)],
    });
    expect(gone(result)).toEqual(['a']);
  });

  test('the other is deleted where the first has the annotation', () => {
    const kept = cheap('b', replicas(1, 'b'), { annotations: { [DO_NOT_DISRUPT]: 'true' } });
    expect(gone(plan([cheap('a', replicas(2, 'a')), kept], { pools: POOLS }))).toEqual(['a']);
  });

  test('the other is deleted where a pod of the first has the annotation', () => {
    const result = plan([cheap('a', replicas(2, 'a')), cheap('b', [protectedPod('held')])], { pools: POOLS });
    expect(gone(result)).toEqual(['a']);
  });

  test('none is deleted where all pods have the annotation, also with a terminationGracePeriod', () => {
    const claimSpec = { terminationGracePeriod: '5m' };
    const nodes = [
      cheap('a', [protectedPod('p1'), protectedPod('p2')], { claimSpec }),
      cheap('b', [protectedPod('p3')], { claimSpec }),
    ];
    expect(gone(plan(nodes, { pools: POOLS }))).toEqual([]);
  });

  test('none is deleted where a budget blocks all pods, also with a terminationGracePeriod', () => {
    const claimSpec = { terminationGracePeriod: '5m' };
    const labels = { app: 'held' };
    const nodes = [
      cheap('a', replicas(2, 'a', '100m', labels), { claimSpec }),
      cheap('b', replicas(1, 'b', '100m', labels), { claimSpec }),
    ];
    expect(gone(plan(nodes, { pools: POOLS, budgets: [aPdb('pdb', 'held', 0)] }))).toEqual([]);
  });

  test('the other is deleted while the time of the annotation of a pod of the first lasts', () => {
    const pod = started(replicas(1, 'b')[0]!, '2m');
    expect(gone(plan([cheap('a', replicas(2, 'a')), cheap('b', [pod])], { pools: POOLS }))).toEqual(['a']);
  });

  test('one is deleted when the time of the annotations of all pods is over', () => {
    const nodes = [
      cheap(
        'a',
        replicas(2, 'a').map((pod) => started(pod, '2m')),
      ),
      cheap(
        'b',
        replicas(1, 'b').map((pod) => started(pod, '2m')),
      ),
    ];
    expect(gone(plan(nodes, { pools: POOLS }))).toEqual([]);
    expect(gone(plan(nodes, { pools: POOLS }, {}, NOW + 3 * MINUTE))).toEqual(['b']);
  });

  test('one is deleted where the annotation of its pod cannot be read', () => {
    const pod = annotated(replicas(1, 'b')[0]!, { [DO_NOT_DISRUPT]: 'invalid-format' });
    expect(gone(plan([cheap('a', replicas(2, 'a')), cheap('b', [pod])], { pools: POOLS }))).toEqual(['b']);
  });

  test('that with a pod without an owner is deleted as well', () => {
    const bare = aPod('bare', { cpu: '100m' });
    expect(gone(plan([cheap('a', replicas(2, 'a')), cheap('b', [bare])], { pools: POOLS }))).toEqual(['b']);
  });

  test('none is deleted where the other is not initialized', () => {
    const starting = cheap('b', replicas(1, 'b'), { more: { initialized: false } });
    const result = plan([cheap('a', replicas(2, 'a')), starting], { pools: POOLS });
    expect(gone(result)).toEqual([]);
    expect(keepsOf(result, 'b')).toContain('NotInitialized');
  });

  test('none is deleted where a pod would be pending then', () => {
    const on = (name: string, value: string, count: number) =>
      cheap(
        name,
        replicas(count, name).map((pod) => ({ ...pod, spec: { ...pod.spec, nodeSelector: { foo: value } } })),
        { labels: { foo: value } },
      );
    const result = plan([on('a', '1', 2), on('b', '2', 1)], { pools: POOLS });
    expect(gone(result)).toEqual([]);
    expect(keepsOf(result, 'b')).toContain('PodsUnschedulable');
  });

  test('one is deleted although a pod is pending for good', () => {
    const pending = [aPod('lost', { nodeSelector: { 'non-existent': 'label' } })];
    expect(gone(plan(two(), { pools: POOLS, pending }))).toEqual(['b']);
  });
});

describe('a node whose pods fit elsewhere', () => {
  test('is deleted, also where that is a node of someone else', () => {
    const foreign = { ...aManagedNode('foreign', { cpu: 32 }), claim: undefined, nodePool: undefined };
    const result = plan([cheap('a', replicas(3, 'a')), foreign as unknown as DisruptionNode], {
      pools: POOLS,
    });
    expect(result.commands).toMatchObject([
      { decision: 'delete', candidates: [{ name: 'a' }], destinations: [{ node: 'foreign' }] },
    ]);
  });

  test('stays while the other is within consolidateAfter, and is deleted after it', () => {
    const pools = [
      aDisruptedPool('default', { types: [onDemandOnly(CHEAPEST, 32, 0.1)], consolidateAfter: '1m' }),
    ];
    const fresh = { lastPodEventTime: new Date(NOW).toISOString() };
    const nodes = [cheap('a', replicas(2, 'a'), fresh), cheap('b', replicas(1, 'b'), fresh)];
    expect(gone(plan(nodes, { pools }))).toEqual([]);
    expect(gone(plan(nodes, { pools }, {}, NOW + 2 * MINUTE))).toEqual(['b']);
  });

  test('is deleted where the other has consolidateAfter Never', () => {
    const never = aDisruptedPool('never', {
      types: [onDemandOnly(CHEAPEST, 32, 0.1)],
      consolidateAfter: 'Never',
    });
    const other = cheap('never-1', replicas(1, 'n'), {
      pool: 'never',
      lastPodEventTime: new Date(NOW).toISOString(),
    });
    expect(gone(plan([cheap('a', replicas(1, 'a')), other], { pools: [...POOLS, never] }))).toEqual(['a']);
  });

  test('is replaced by a cheaper one once its own consolidateAfter is over', () => {
    const pools = [assorted({ consolidateAfter: '1m' })];
    const node = big('a', replicas(1, 'a'), { lastPodEventTime: new Date(NOW - 2 * MINUTE).toISOString() });
    expect(plan([node], { pools }).commands).toMatchObject([{ decision: 'replace' }]);
  });

  test('moves to the initialized one of a hundred nodes', () => {
    const types = [onDemandOnly('default', 3, 0.3), onDemandOnly('small', 1, 0.1)];
    const pools = [aDisruptedPool('default', { types })];
    const hundred = Array.from({ length: 100 }, (_, at) =>
      aManagedNode(`n${String(at).padStart(2, '0')}`, {
        type: 'default',
        cpu: 3,
        pods: replicas(1, `n${at}`, '2'),
        more: { initialized: at === 57 },
      }),
    );
    const small = aManagedNode('small', { type: 'small', cpu: 1, pods: replicas(1, 'small', '1') });
    const result = plan([...hundred, small], { pools });
    expect(result.commands).toMatchObject([
      { decision: 'delete', candidates: [{ name: 'small' }], destinations: [{ node: 'n57' }] },
    ]);
  });

  test('is the one that saves most for its disruption', () => {
    const claimSpec = { expireAfter: '720h' };
    const nodes = [cheap('a', replicas(2, 'a'), { claimSpec }), cheap('b', replicas(1, 'b'), { claimSpec })];
    expect(gone(plan(nodes, { pools: POOLS }))).toEqual(['b']);
  });

  test('stays while pods of a node that is being deleted are expected on it', () => {
    const leaving = cheap('old', replicas(5, 'old', '1'), { more: { deleting: true } });
    const result = plan([leaving, cheap('new', replicas(2, 'x', '1'))], {
      pools: POOLS,
      pending: replicas(3, 'p', '1'),
    });
    expect(gone(result)).toEqual([]);
    expect(keepsOf(result, 'new')).toContain('Nominated');
  });
});

describe('the topology of pods', () => {
  const labels = { app: 'web' };
  const typeIn = (name: string, price: number) =>
    aType(name, {
      cpu: 4,
      price,
      offerings: ['zone-a', 'zone-b', 'zone-c'].map((zone) => anOffering(zone, 'on-demand', price)),
      capacityTypes: [CapacityType.onDemand],
    });
  const pools = [aDisruptedPool('default', { types: [typeIn('cheap', 0.1), typeIn('dear', 0.9)] })];

  test('of zones holds: a node is replaced in its zone', () => {
    const spread = {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule' as const,
      labelSelector: { matchLabels: labels },
    };
    const nodes = ['zone-a', 'zone-b', 'zone-c'].map((zone, at) =>
      aManagedNode(`n${at}`, {
        zone,
        type: at === 1 ? 'dear' : 'cheap',
        cpu: 4,
        pods: [aPod(`p${at}`, { cpu: '3', labels, topologySpreadConstraints: [spread] })],
      }),
    );
    expect(plan(nodes, { pools }).commands).toMatchObject([
      {
        candidates: [{ name: 'n1' }],
        replacements: [{ cheapest: { instanceType: 'cheap', zone: 'zone-b' } }],
      },
    ]);
  });

  test('of hosts holds: nodes whose pods must not share one stay', () => {
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } };
    const nodes = ['zone-a', 'zone-b', 'zone-c'].map((zone, at) =>
      aManagedNode(`n${at}`, {
        zone,
        type: 'cheap',
        cpu: 4,
        pods: [
          aPod(`p${at}`, {
            cpu: '100m',
            labels,
            affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
          }),
        ],
      }),
    );
    expect(gone(plan(nodes, { pools }))).toEqual([]);
  });
});

describe('buffer pods', () => {
  const more = { buffers: ['shop/spare'] };

  test('keep a node without other pods', () => {
    const result = plan([cheap('a', [], { more })], { pools: POOLS });
    expect(gone(result)).toEqual([]);
    expect(eventsOf(result, 'a')).toEqual(['Unconsolidatable: Node "a" has buffer pods']);
  });

  test('do not keep a node with pods from a cheaper replacement', () => {
    const pools = [assorted()];
    expect(plan([big('a', replicas(1, 'a', '1'), { more })], { pools }).commands).toMatchObject([
      { decision: 'replace' },
    ]);
  });

  test('keep their node, and it is in no command of another', () => {
    const nodes = [big('spare', [], { more }), big('busy', replicas(1, 'b', '1'), { more })];
    expect(gone(plan(nodes, { pools: [assorted()] }))).not.toContain('spare');
  });

  test('that are gone let their node go', () => {
    const planner = new DisruptionPlanner();
    const pass = (buffers: readonly string[]) =>
      gone(planner.plan(aCluster([cheap('a', [], { more: { buffers } })], { pools: POOLS }), {}, NOW));
    expect([pass(['shop/spare']), pass([])]).toEqual([[], ['a']]);
  });

  test('keep their node and no other', () => {
    expect(gone(plan([cheap('a', [], { more }), cheap('b', [])], { pools: POOLS }))).toEqual(['b']);
  });

  test('keep each of several nodes', () => {
    expect(gone(plan([cheap('a', [], { more }), cheap('b', [], { more })], { pools: POOLS }))).toEqual([]);
  });

  test('do not make a node with pods empty', () => {
    const result = plan([cheap('a', replicas(1, 'a'), { more })], { pools: POOLS });
    expect(gone(result)).toEqual([]);
  });
});

test('nodes of a static NodePool are not consolidated, also if their condition says so', () => {
  const pools = [aDisruptedPool('default', { replicas: 2 })];
  const result = plan([aManagedNode('a'), aManagedNode('b')], { pools });
  expect(removed(result)).toEqual([]);
  expect(keepsOf(result, 'a')).toContain('StaticNodePool');
});
