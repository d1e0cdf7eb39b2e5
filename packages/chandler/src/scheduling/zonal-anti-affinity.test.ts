/**
 * Required anti-affinity by zone. A claim without an instance has no zone yet: a pod with such a rule decides the zone of its
 * claim, so that neither the pods of the same plan nor those of the next one come into its zone.
 */
import { describe, expect, test } from 'vitest';
import {
  affinityTo,
  aNode,
  anOffering,
  aPod,
  aPool,
  aType,
  awayFrom,
  bound,
  cluster,
  type PodShape,
  pods,
  ZONE,
  ZONES,
} from './cluster.fixture.ts';
import type { Plan } from './plan.ts';
import { solve } from './solve.ts';

const apart: PodShape = { cpu: '1', labels: { app: 'web' }, ...awayFrom(ZONE, 'web') };

function zonesOf(plan: Plan): (readonly string[] | undefined)[] {
  return plan.claims.map(({ requirements }) => requirements.find(({ key }) => key === ZONE)?.values);
}

describe('pods with required anti-affinity by zone', () => {
  test('are all placed in one plan, each in a zone of its own', () => {
    const plan = solve(cluster({ pods: pods(4, 'web', apart) }));
    expect(zonesOf(plan).flat().sort()).toEqual(ZONES);
    expect(plan.counts).toMatchObject({ claims: 3, refused: 1 });
  });

  test('take the cheapest zone that is left', () => {
    const offerings = [0.3, 0.1, 0.2].map((price, at) => anOffering(ZONES[at]!, 'on-demand', price));
    const pools = [aPool('p', { types: [aType('t', { offerings })] })];
    expect(zonesOf(solve({ pools, pods: pods(2, 'web', apart) }))).toEqual([['zone-b'], ['zone-c']]);
  });

  test('do not come to the zone of a claim of the plan before', () => {
    const [first] = solve(cluster({ pods: pods(1, 'web', apart) })).claims;
    const zone = first!.requirements.find(({ key }) => key === ZONE)!.values![0]!;
    const nodes = [aNode('claim', { zone, initialized: false })];
    const plan = solve(
      cluster({ nodes, boundPods: bound('claim', aPod('web-0', apart)), pods: pods(2, 'web', apart) }),
    );
    expect(zonesOf(plan).flat().sort()).toEqual(ZONES.filter((each) => each !== zone));
  });

  test('decide the zone of a claim that they join', () => {
    const plain = aPod('plain', { cpu: '2' });
    const plan = solve(cluster({ pods: [plain, ...pods(2, 'web', apart)] }));
    expect(plan.counts).toMatchObject({ claims: 2, refused: 0 });
    expect(zonesOf(plan).every((zones) => zones?.length === 1)).toBe(true);
  });

  test('leave the zone open where minValues need several', () => {
    const requirements = [{ key: ZONE, operator: 'Exists' as const, minValues: 2 }];
    const plan = solve({ pools: [aPool('p', { requirements })], pods: pods(1, 'web', apart) });
    expect(zonesOf(plan)).toEqual([ZONES]);
  });

  test('that is only preferred leave the zone open', () => {
    const affinity = {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: affinityTo(ZONE, 'web') },
        ],
      },
    };
    const plan = solve(cluster({ pods: pods(3, 'web', { cpu: '1', labels: { app: 'web' }, affinity }) }));
    expect(zonesOf(plan)).toEqual([ZONES]);
  });
});
