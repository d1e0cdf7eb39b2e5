import { describe, expect, test } from 'vitest';
import type { InstanceType, Offering } from '../scheduling/index.ts';
import { anOffering, aPod, aType, pods } from '../scheduling/testing.ts';
import {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  type ClusterShape,
  NOW,
  type NodeShape,
  type PoolShape,
} from './disruption.fixture.ts';
import { planDisruption } from './disruption-plan.ts';
import type { DisruptionNode, DisruptionOptions } from './model.ts';

const LABEL = 'example.sh/reservation';
const ON: DisruptionOptions = { terminateFirst: { drift: true } };

function plan(
  nodes: readonly DisruptionNode[],
  pools: ReturnType<typeof aDisruptedPool>[],
  options: DisruptionOptions = ON,
  shape: ClusterShape = {},
) {
  const scheduling = { reservationLabel: LABEL };
  return planDisruption(aCluster(nodes, { ...shape, pools, scheduling }), options, NOW);
}

function reserved(capacity: number, more: Partial<Offering> = {}): Offering {
  return anOffering('zone-a', 'reserved', 0.01, { reservation: { id: 'r-1', capacity }, ...more });
}

function typesWith(...offerings: Offering[]): InstanceType[] {
  return [aType('m', { cpu: 4, offerings, capacityTypes: ['reserved', 'on-demand'] })];
}

function drifted(name: string, shape: NodeShape = {}): DisruptionNode {
  return aManagedNode(name, {
    pods: pods(1, name, { cpu: '1' }),
    ...shape,
    conditions: { Drifted: true, ...shape.conditions },
  });
}

const onReservation = (name: string, shape: NodeShape = {}) =>
  drifted(name, { capacityType: 'reserved', ...shape, labels: { [LABEL]: 'r-1', ...shape.labels } });

const decisions = ({ commands }: ReturnType<typeof plan>) =>
  commands.map(({ candidates, decision, terminateFirst }) => [candidates[0]!.name, decision, terminateFirst]);
const keepsOf = ({ nodes }: ReturnType<typeof plan>, name: string) =>
  nodes
    .find((node) => node.name === name)!
    .keeps.map((keep) => ('block' in keep ? keep.block.code : keep.rejection.code));

describe('a drifted node on a full reservation', () => {
  const pool = (shape: PoolShape = {}) =>
    aDisruptedPool('default', {
      types: typesWith(reserved(0)),
      requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['reserved'] }],
      ...shape,
    });

  test('is deleted first when its pods fit in the place that it frees', () => {
    const result = plan([onReservation('a')], [pool()]);
    expect(result.commands).toMatchObject([
      {
        method: 'drift',
        decision: 'terminate-first',
        terminateFirst: 'no-reserved-capacity',
        replacements: [],
      },
    ]);
    expect(result.priceAfter).toBe(result.priceBefore);
  });

  test('stays without the gate, and with the gate of repair alone', () => {
    expect(keepsOf(plan([onReservation('a')], [pool()], {}), 'a')).toContain('PodsUnschedulable');
    expect(plan([onReservation('a')], [pool()], { terminateFirst: { repair: true } }).commands).toEqual([]);
  });

  test('stays when its pods need more than the place that it frees', () => {
    const crowded = onReservation('a', { cpu: 8, pods: pods(2, 'a', { cpu: '3' }) });
    expect(plan([crowded], [pool()]).commands).toEqual([]);
  });

  test('stays when the reservation is not offered any more', () => {
    expect(
      plan([onReservation('a')], [pool({ types: typesWith(reserved(0, { available: false })) })]).commands,
    ).toEqual([]);
  });

  test('is replaced first when the reservation has room, or other capacity is allowed', () => {
    expect(decisions(plan([onReservation('a')], [pool({ types: typesWith(reserved(1)) })]))).toEqual([
      ['a', 'replace', undefined],
    ]);
    const types = typesWith(reserved(0), anOffering('zone-a', 'on-demand', 0.2));
    expect(decisions(plan([onReservation('a')], [pool({ types, requirements: [] })]))).toEqual([
      ['a', 'replace', undefined],
    ]);
  });

  test('is replaced first by a node of another NodePool', () => {
    const other = aDisruptedPool('other', { types: [aType('s', { cpu: 2, capacityTypes: ['on-demand'] })] });
    expect(decisions(plan([onReservation('a')], [pool(), other]))).toEqual([['a', 'replace', undefined]]);
  });
});

describe('a drifted node of a static NodePool', () => {
  const READY = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
  const fixed = (shape: PoolShape = {}, status: object = READY) => {
    const pool = aDisruptedPool('default', {
      replicas: 2,
      types: typesWith(anOffering('zone-a', 'on-demand', 0.2)),
      ...shape,
    });
    return { ...pool, nodePool: { ...pool.nodePool, ...status } };
  };
  const two = [drifted('a'), drifted('b')];
  const limits = { nodes: '2' };

  test('at the limit of nodes is deleted first, within budgets', () => {
    expect(decisions(plan(two, [fixed({ limits, budgets: [{ nodes: '1' }] })]))).toEqual([
      ['a', 'terminate-first', 'static-at-limit'],
    ]);
  });

  test('at the limit stays without the gate, and when its pool is not ready or is being deleted', () => {
    const kept = ['StaticNodeLimit'];
    expect(keepsOf(plan(two, [fixed({ limits })], {}), 'a')).toEqual(expect.arrayContaining(kept));
    expect(keepsOf(plan(two, [fixed({ limits }, {})]), 'a')).toEqual(expect.arrayContaining(kept));
    const pool = fixed({ limits });
    const deleted = {
      ...pool.nodePool,
      metadata: { ...pool.nodePool.metadata, deletionTimestamp: '2026-06-02T11:00:00Z' },
    };
    expect(keepsOf(plan(two, [{ ...pool, nodePool: deleted }]), 'a')).toEqual(expect.arrayContaining(kept));
  });

  test('stays while the pool launches nothing', () => {
    const held: DisruptionOptions = { ...ON, heldPools: new Map([['default', 'its image is on hold']]) };
    const atLimit = plan(two, [fixed({ limits })], held);
    expect(atLimit.commands).toEqual([]);
    expect(keepsOf(atLimit, 'a')).toContain('LaunchesHeld');
    const requirements = [
      { key: 'karpenter.sh/capacity-type', operator: 'In' as const, values: ['reserved'] },
    ];
    const full = fixed({ types: typesWith(reserved(0)), requirements });
    const nodes = [onReservation('a'), onReservation('b')];
    expect(decisions(plan(nodes, [full]))).toHaveLength(2);
    expect(plan(nodes, [full], held).commands).toEqual([]);
  });

  test('below the limit is replaced first, and those without room wait', () => {
    const result = plan(two, [fixed({ limits: { nodes: '3' } })]);
    expect(decisions(result)).toEqual([['a', 'replace', undefined]]);
    expect(keepsOf(result, 'b')).toContain('StaticNodeLimit');
    expect(decisions(plan(two, [fixed()]))).toEqual([
      ['a', 'replace', undefined],
      ['b', 'replace', undefined],
    ]);
  });

  test('waits while the pool scales down', () => {
    expect(keepsOf(plan([...two, drifted('c')], [fixed({ limits })]), 'a')).toContain('StaticScaling');
  });

  describe('whose reservations are full', () => {
    const onlyReserved = [
      { key: 'karpenter.sh/capacity-type', operator: 'In' as const, values: ['reserved'] },
    ];
    const full = (offering = reserved(0), shape: PoolShape = {}) =>
      fixed({ types: typesWith(offering), requirements: onlyReserved, ...shape });

    test('is deleted first if it holds a place in one, before nodes that hold none', () => {
      const result = plan(
        [drifted('a'), onReservation('b')],
        [full(reserved(0), { budgets: [{ nodes: '1' }] })],
      );
      expect(decisions(result)).toEqual([['b', 'terminate-first', 'no-reserved-capacity']]);
    });

    test('stays if it holds none, if its label is stale, or if its reservation is not offered', () => {
      expect(keepsOf(plan([drifted('a')], [full()]), 'a')).toContain('StaticReservationsFull');
      const stale = drifted('a', { labels: { [LABEL]: 'r-1' } });
      expect(keepsOf(plan([stale], [full()]), 'a')).toContain('StaticReservationsFull');
      const gone = full(reserved(0, { available: false }));
      expect(keepsOf(plan([onReservation('a')], [gone]), 'a')).toContain('StaticReservationsFull');
    });

    test('is replaced first if one has room, other capacity is allowed, or the gate is off', () => {
      const replaced = [['a', 'replace', undefined]];
      expect(decisions(plan([onReservation('a')], [full(reserved(1))]))).toEqual(replaced);
      const types = typesWith(reserved(0), anOffering('zone-a', 'on-demand', 0.2, { available: false }));
      expect(decisions(plan([onReservation('a')], [fixed({ types })]))).toEqual(replaced);
      expect(decisions(plan([onReservation('a')], [full()], {}))).toEqual(replaced);
    });

    test('is rejected with that reason when its pool is not ready', () => {
      const pool = full();
      const { status: _, ...nodePool } = pool.nodePool as { status?: object } & typeof pool.nodePool;
      const result = plan([onReservation('a')], [{ ...pool, nodePool }]);
      expect(result.nodes[0]!.keeps.find((keep) => 'rejection' in keep)).toMatchObject({
        rejection: { code: 'StaticReservationsFull' },
        event: { message: "static NodePool's capacity reservations are full and cannot stage a replacement" },
      });
    });
  });

  test('a pool whose instance types are not known does not stop the others', () => {
    const broken = { ...fixed({ limits }), instanceTypes: [] };
    const other = aDisruptedPool('other', {
      replicas: 1,
      types: typesWith(anOffering('zone-a', 'on-demand', 0.2)),
    });
    const result = plan([drifted('a'), drifted('z', { pool: 'other' })], [broken, other]);
    expect(decisions(result)).toEqual([['z', 'replace', undefined]]);
  });
});

describe('repair', () => {
  const policies = [
    {
      conditionType: 'Ready',
      conditionStatus: 'False',
      tolerationMs: 0,
      action: 'ReplaceNode',
      fallback: true,
    },
  ] as const;
  const unready = (name: string, shape: NodeShape = {}) =>
    onReservation(name, { ready: false, conditions: { Drifted: undefined }, ...shape });

  test('deletes first with its own gate, also for pods that may not be evicted', () => {
    const pool = aDisruptedPool('default', {
      types: typesWith(reserved(0)),
      requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['reserved'] }],
    });
    const pod = aPod('web', { cpu: '1' });
    const held = {
      ...pod,
      metadata: { ...pod.metadata, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
    };
    const node = unready('a', { pods: [held], claimSpec: { terminationGracePeriod: '1h' } });
    const options = (repair: boolean): DisruptionOptions => ({
      repair: { policies },
      terminateFirst: { drift: true, repair },
    });
    expect(plan([node], [pool], options(true)).commands).toMatchObject([
      { method: 'repair', decision: 'terminate-first', drainBoundMs: 3_600_000 },
    ]);
    expect(plan([node], [pool], options(false)).commands).toEqual([]);
  });

  test('replaces nodes of static NodePools one for one, within limits.nodes', () => {
    const ready = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    const pool = (nodes: string) => {
      const base = aDisruptedPool('default', {
        replicas: 1,
        limits: { nodes },
        types: typesWith(anOffering('zone-a', 'on-demand', 0.2)),
      });
      return { ...base, nodePool: { ...base.nodePool, ...ready } };
    };
    const result = (nodes: string, repair: boolean) =>
      decisions(plan([unready('a')], [pool(nodes)], { repair: { policies }, terminateFirst: { repair } }));
    expect(result('2', false)).toEqual([['a', 'replace', undefined]]);
    expect(result('1', false)).toEqual([]);
    expect(result('1', true)).toEqual([['a', 'terminate-first', 'static-at-limit']]);
  });
});

describe('a free place in a reservation', () => {
  test('is given to one command of a pass', () => {
    const types = typesWith(reserved(1), anOffering('zone-a', 'on-demand', 0.2));
    const pool = aDisruptedPool('default', {
      types,
      requirements: [
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['reserved', 'on-demand'] },
      ],
      budgets: [{ nodes: '100%' }],
    });
    const big = (name: string) => drifted(name, { pods: pods(1, name, { cpu: '3' }) });
    const { commands } = plan([big('a'), big('b'), big('c')], [pool], {});
    const held = commands.flatMap(({ replacements }) => replacements.map(({ claim }) => claim?.reservations));
    expect(held).toHaveLength(3);
    expect(held.flat()).toEqual(['r-1']);
  });

  test('is left where a command uses a place of another reservation that suits it, too', () => {
    const second = anOffering('zone-a', 'reserved', 0.01, { reservation: { id: 'r-2', capacity: 1 } });
    const pool = aDisruptedPool('default', {
      types: typesWith(reserved(1), second, anOffering('zone-a', 'on-demand', 0.2)),
      requirements: [
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['reserved', 'on-demand'] },
      ],
      budgets: [{ nodes: '100%' }],
    });
    const big = (name: string) => drifted(name, { pods: pods(1, name, { cpu: '3' }) });
    const { commands } = plan([big('a'), big('b'), big('c')], [pool], {});
    const held = commands.flatMap(({ replacements }) => replacements.map(({ claim }) => claim?.reservations));
    expect(held).toEqual([['r-1', 'r-2'], ['r-2'], []]);
  });
});
