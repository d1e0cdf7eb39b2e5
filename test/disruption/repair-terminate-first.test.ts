import { describe, expect, test } from 'vitest';
import type { DisruptionNode } from '../../packages/chandler/src/disruption/index.ts';
import {
  aDisruptedPool,
  type NodeShape,
  type PoolShape,
} from '../../packages/chandler/src/disruption/testing.ts';
import type { Offering } from '../../packages/chandler/src/scheduling/index.ts';
import { anOffering, aType } from '../../packages/chandler/src/scheduling/testing.ts';
import { broken, policy, repaired, repairPlan, well } from './repair.fixture.ts';
import { eventsOf, keepsOf, MINUTE, protectedPod, replicas } from './specs.fixture.ts';

const LABEL = 'example.sh/reservation';
const POLICIES = [policy('BadNode', { terminationGracePeriodMs: 5 * MINUTE, fallback: true })];
const READY = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
const CAPACITY = 'karpenter.sh/capacity-type';
const FULL_EVENT =
  "DisruptionBlocked: static NodePool's capacity reservations are full and cannot stage a replacement";
const LIMIT_EVENT = 'DisruptionBlocked: static NodePool is at its node limit and cannot stage a replacement';

type Pool = ReturnType<typeof aDisruptedPool>;
const fixed = (replicasWanted: number, shape: PoolShape = {}, more: object = READY): Pool => {
  const pool = aDisruptedPool('default', {
    replicas: replicasWanted,
    budgets: [{ nodes: '100%' }],
    ...shape,
  });
  return { ...pool, nodePool: { ...pool.nodePool, ...more } };
};
const reserved = (capacity: number, more: Partial<Offering> = {}) =>
  anOffering('zone-a', 'reserved', 0.01, { reservation: { id: 'r-1', capacity }, ...more });
const typesWith = (...offerings: Offering[]) => [
  aType('m', { cpu: 4, offerings, capacityTypes: ['reserved', 'on-demand'] }),
];
const capacityTypes = (...values: string[]) => [{ key: CAPACITY, operator: 'In' as const, values }];

function of(
  nodes: readonly DisruptionNode[],
  pools: readonly Pool[],
  gates = { repair: true, drift: false },
) {
  return repairPlan(nodes, {
    pools,
    policies: POLICIES,
    options: { terminateFirst: gates },
    scheduling: { reservationLabel: LABEL },
  });
}
const decisions = ({ commands }: ReturnType<typeof of>) =>
  commands.map(({ decision, terminateFirst, replacements }) => [
    decision,
    terminateFirst,
    replacements.length,
  ]);
const OFF = { repair: false, drift: false };
const onReservation = (id = 'r-1', shape: NodeShape = {}) =>
  broken('a', [{}], { capacityType: 'reserved', labels: { [LABEL]: id }, ...shape });

describe('an unhealthy node of a static NodePool', () => {
  const atLimit = (count = 1): PoolShape => ({ limits: { nodes: `${count}` } });

  test('at the limit is deleted first, with the bound and the condition of its policy', () => {
    const result = of([broken('a')], [fixed(1, atLimit())]);
    expect(decisions(result)).toEqual([['terminate-first', 'static-at-limit', 0]]);
    expect(result.commands[0]).toMatchObject({
      drainBoundMs: 5 * MINUTE,
      repair: { conditionType: 'BadNode' },
    });
  });

  test.each([true, false])('below the limit is replaced first, gate %s', (repair) => {
    const result = of([broken('a')], [fixed(1, { limits: { nodes: '2' } })], { repair, drift: false });
    expect(decisions(result)).toEqual([['replace', undefined, 1]]);
  });

  test.each([true, false])('without a limit is replaced first, gate %s', (repair) => {
    expect(decisions(of([broken('a')], [fixed(1)], { repair, drift: false }))).toEqual([
      ['replace', undefined, 1],
    ]);
  });

  test('is deleted first where a replacement of another command takes the last place', () => {
    const launching = { ...broken('x', []), node: undefined, registered: false, initialized: false };
    const pool = fixed(2, { limits: { nodes: '2' } });
    expect(decisions(of([broken('a'), launching as unknown as DisruptionNode], [pool]))).toEqual([
      ['terminate-first', 'static-at-limit', 0],
    ]);
  });

  test.each([
    ['without the gate', OFF, READY],
    ['with the gate of drift alone', { repair: false, drift: true }, READY],
    ['of a NodePool that is not ready', { repair: true, drift: false }, {}],
  ])('at the limit stays %s, and the event says so', (_, gates, more) => {
    const result = of([broken('a')], [fixed(1, atLimit(), more)], gates);
    expect(repaired(result)).toEqual([]);
    expect(eventsOf(result, 'a')).toContain(LIMIT_EVENT);
  });

  test('at the limit stays while its NodePool is being deleted', () => {
    const pool = fixed(1, atLimit());
    const metadata = { ...pool.nodePool.metadata, deletionTimestamp: '2026-06-02T11:00:00Z' };
    const result = of([broken('a')], [{ ...pool, nodePool: { ...pool.nodePool, metadata } }]);
    expect(repaired(result)).toEqual([]);
    expect(eventsOf(result, 'a')).toContain(LIMIT_EVENT);
  });

  test('stays while the NodePool scales down', () => {
    const result = of([broken('a'), ...well(1)], [fixed(1, { limits: { nodes: '3' } })]);
    expect(repaired(result)).toEqual([]);
    expect(keepsOf(result, 'a')).toContain('StaticScaling');
    expect(eventsOf(result, 'a')).not.toContain(LIMIT_EVENT);
  });

  test('is replaced one for one from the template of its NodePool', () => {
    const { commands } = of([broken('a'), ...well(4)], [fixed(5)]);
    expect(commands).toMatchObject([
      { candidates: [{ nodePool: 'default' }], replacements: [{ nodePool: 'default' }] },
    ]);
    expect(commands[0]!.replacements[0]!.claim).toBeUndefined();
  });

  test('stays where limits.nodes leaves no room', () => {
    expect(repaired(of([broken('a'), ...well(4)], [fixed(5, atLimit(5))], OFF))).toEqual([]);
  });

  describe('whose only capacity is reserved', () => {
    const only = (offering: Offering, types = capacityTypes('reserved'), more: object = READY) =>
      fixed(1, { limits: { nodes: '2' }, types: typesWith(offering), requirements: types }, more);

    test('is deleted first where the reservation is full, also below the limit', () => {
      expect(decisions(of([onReservation()], [only(reserved(0))]))).toEqual([
        ['terminate-first', 'no-reserved-capacity', 0],
      ]);
    });

    test('is replaced first where on-demand is allowed and not available now', () => {
      const types = typesWith(reserved(0), anOffering('zone-a', 'on-demand', 0.2, { available: false }));
      const pool = fixed(1, {
        limits: { nodes: '2' },
        types,
        requirements: capacityTypes('reserved', 'on-demand'),
      });
      expect(decisions(of([onReservation()], [pool]))).toEqual([['replace', undefined, 1]]);
    });

    test('is replaced first where on-demand is allowed', () => {
      const types = typesWith(reserved(0), anOffering('zone-a', 'on-demand', 0.2));
      const pool = fixed(1, {
        limits: { nodes: '2' },
        types,
        requirements: capacityTypes('reserved', 'on-demand'),
      });
      expect(decisions(of([onReservation()], [pool]))).toEqual([['replace', undefined, 1]]);
    });

    test('is replaced first where the reservation has room', () => {
      expect(decisions(of([onReservation()], [only(reserved(1))]))).toEqual([['replace', undefined, 1]]);
    });

    test('is replaced first without the gate', () => {
      expect(decisions(of([onReservation()], [only(reserved(0))], OFF))).toEqual([['replace', undefined, 1]]);
    });

    test.each<[string, DisruptionNode, Pool]>([
      ['its NodePool is not ready', onReservation(), only(reserved(0), undefined, {})],
      ['its reservation is not offered any more', onReservation('r-canceled'), only(reserved(0))],
      ['its reservation is not available', onReservation(), only(reserved(0, { available: false }))],
      [
        'it is not on a reservation, whatever its label',
        broken('a', [{}], { labels: { [LABEL]: 'r-1' } }),
        only(reserved(0)),
      ],
    ])('stays where %s, and the event says so', (_, node, pool) => {
      const result = of([node], [pool]);
      expect(repaired(result)).toEqual([]);
      expect(eventsOf(result, 'a')).toContain(FULL_EVENT);
    });

    test('does not keep others from repair if its instance types are not known', () => {
      const unknown = { ...only(reserved(0)), instanceTypes: [] };
      const other = broken('b', [{}], { pool: 'other', pods: replicas(1, 'b') });
      const result = of([onReservation(), other], [unknown, aDisruptedPool('other')]);
      expect(repaired(result)).toEqual(['b']);
    });
  });
});

describe('an unhealthy node of a NodePool that is not static', () => {
  const pool = aDisruptedPool('default', {
    types: typesWith(reserved(0)),
    requirements: capacityTypes('reserved'),
  });

  test('is replaced first where capacity is to be had', () => {
    const node = broken('a', [{}], { pods: replicas(1, 'a') });
    expect(decisions(of([node], [aDisruptedPool()]))).toEqual([['replace', undefined, 1]]);
  });

  test('is deleted first where its reservation is full, with the bound and the condition of its policy', () => {
    const result = of([onReservation('r-1', { pods: replicas(1, 'a') })], [pool]);
    expect(decisions(result)).toEqual([['terminate-first', 'no-reserved-capacity', 0]]);
    expect(result.commands[0]).toMatchObject({
      drainBoundMs: 5 * MINUTE,
      repair: { conditionType: 'BadNode' },
    });
  });

  test('is deleted first also with a pod that may not be evicted', () => {
    expect(decisions(of([onReservation('r-1', { pods: [protectedPod('held')] })], [pool]))).toEqual([
      ['terminate-first', 'no-reserved-capacity', 0],
    ]);
  });

  test('stays without the gate where its reservation is full, and the event says so', () => {
    const result = of([onReservation('r-1', { pods: replicas(1, 'a') })], [pool], OFF);
    expect(repaired(result)).toEqual([]);
    expect(eventsOf(result, 'a').join()).toContain('DisruptionBlocked');
  });
});

describe('a drifted node of a static NodePool', () => {
  test('is deleted first where only a type outside the template has room', () => {
    const types = [
      ...typesWith(reserved(0)),
      aType('other', {
        cpu: 4,
        capacityTypes: ['reserved'],
        offerings: [anOffering('zone-a', 'reserved', 0.01, { reservation: { id: 'r-2', capacity: 1 } })],
      }),
    ];
    const requirements = [
      ...capacityTypes('reserved'),
      { key: 'node.kubernetes.io/instance-type', operator: 'In' as const, values: ['m'] },
    ];
    const pool = fixed(1, { limits: { nodes: '2' }, types, requirements });
    const node = broken('a', [], {
      capacityType: 'reserved',
      labels: { [LABEL]: 'r-1' },
      conditions: { Drifted: true },
    });
    expect(decisions(of([node], [pool], { repair: false, drift: true }))).toEqual([
      ['terminate-first', 'no-reserved-capacity', 0],
    ]);
  });
});
