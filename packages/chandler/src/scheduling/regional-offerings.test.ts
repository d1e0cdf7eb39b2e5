/** Instances without a zone (their zone label is `0`) are no fourth zone of a spread. */
import { describe, expect, test } from 'vitest';
import {
  aNode,
  anOffering,
  aPod,
  aPool,
  aType,
  awayFrom,
  near,
  pods,
  spreadOver,
  ZONE,
  ZONES,
} from './cluster.fixture.ts';
import type { InstanceType } from './model.ts';
import type { Plan } from './plan.ts';
import { solve } from './solve.ts';

const REGIONAL = '0';

/** As a cloud offers it: in every zone, and without a zone for the same price. */
function aRegionalType(name: string, zones: readonly string[] = ZONES, cpu = 4): InstanceType {
  const type = aType(name, { cpu, zones: [...zones, REGIONAL] });
  return {
    ...type,
    offerings: [
      ...zones.map((zone) => anOffering(zone, 'on-demand', cpu * 0.05)),
      anOffering(REGIONAL, 'on-demand', cpu * 0.05, { regional: true }),
    ],
  };
}

const POOLS = [aPool('p', { types: [aRegionalType('small'), aRegionalType('large', ZONES, 16)] })];

/** The number of pods by the zones that their claim leaves open. */
function byZone(plan: Plan): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const claim of plan.claims) {
    const zones = claim.requirements.find(({ key }) => key === ZONE)?.values ?? ['any'];
    counts[zones.join('+')] = (counts[zones.join('+')] ?? 0) + claim.pods.length;
  }
  return counts;
}

const EVEN = { 'zone-a': 3, 'zone-b': 3, 'zone-c': 3 };

describe('a spread over zones', () => {
  test('nine pods over three zones are three in each, and none without a zone', () => {
    const plan = solve({ pools: POOLS, pods: pods(9, 'web', { cpu: '1', ...spreadOver(ZONE, 'web') }) });
    expect(byZone(plan)).toEqual(EVEN);
    expect(plan.refusals).toEqual([]);
  });

  test('a pod whose disk is in no zone gets a node without a zone', () => {
    const diskIn = (zone: string) => ({
      claims: [
        {
          metadata: { name: 'disk', namespace: 'shop' },
          spec: { volumeName: 'volume' },
          status: { phase: 'Bound' },
        },
      ],
      volumes: [
        {
          metadata: { name: 'volume' },
          spec: {
            csi: { driver: 'disk.csi.azure.com' },
            nodeAffinity: {
              required: {
                nodeSelectorTerms: [
                  {
                    matchExpressions: [
                      { key: 'topology.disk.csi.azure.com/zone', operator: 'In', values: [zone] },
                    ],
                  },
                ],
              },
            },
          },
        },
      ],
    });
    const volume = { name: 'disk', persistentVolumeClaim: { claimName: 'disk' } };
    const pod = aPod('db', { cpu: '1', ...spreadOver(ZONE, 'db'), volumes: [volume] });
    expect(byZone(solve({ pools: POOLS, pods: [pod], volumes: diskIn('') }))).toEqual({ [REGIONAL]: 1 });
    expect(byZone(solve({ pools: POOLS, pods: [pod], volumes: diskIn('zone-b') }))).toEqual({ 'zone-b': 1 });
  });

  test('also when the spread is only preferred', () => {
    const soft = spreadOver(ZONE, 'web', { whenUnsatisfiable: 'ScheduleAnyway' });
    const plan = solve({ pools: POOLS, pods: pods(9, 'web', { cpu: '1', ...soft }) });
    expect(byZone(plan)).toEqual(EVEN);
  });

  test('in a region without zones the pods are scheduled', () => {
    const pools = [aPool('p', { types: [aRegionalType('small', [])] })];
    const plan = solve({ pools, pods: pods(9, 'web', { cpu: '1', ...spreadOver(ZONE, 'web') }) });
    expect(byZone(plan)).toEqual({ [REGIONAL]: 9 });
  });

  test('a zone that only a pool at its limits offers hides no instances without a zone', () => {
    const full = aPool('full', { types: [aRegionalType('small')], limits: { cpu: '1' } });
    const regional = aPool('regional', { types: [aRegionalType('other', [])] });
    const plan = solve({
      pools: [full, regional],
      pods: pods(1, 'web', { cpu: '1', ...spreadOver(ZONE, 'web') }),
    });
    expect(byZone(plan)).toEqual({ [REGIONAL]: 1 });
  });

  test('a zone whose instances are too small with their daemons hides no instances without a zone', () => {
    const types = [aType('small', { cpu: 4 }), aRegionalType('huge', [], 64)];
    const plan = solve({
      pools: [aPool('p', { types })],
      daemonSets: [
        { metadata: { name: 'agent' }, spec: { template: { spec: aPod('agent', { cpu: '1' }).spec } } },
      ],
      pods: pods(1, 'web', { cpu: '3500m', ...spreadOver(ZONE, 'web') }),
    });
    expect(byZone(plan)).toEqual({ [REGIONAL]: 1 });
  });

  /** The zones count as empty domains, as upstream. */
  test('a pod that fits only instances without a zone is scheduled there', () => {
    const types = [aRegionalType('small'), aRegionalType('huge', [], 64)];
    const plan = solve({
      pools: [aPool('p', { types })],
      pods: pods(1, 'web', { cpu: '32', ...spreadOver(ZONE, 'web') }),
    });
    expect(byZone(plan)).toEqual({ [REGIONAL]: 1 });
  });

  test('pods that select instances without a zone are scheduled there', () => {
    const shape = { cpu: '1', nodeSelector: { [ZONE]: REGIONAL }, ...spreadOver(ZONE, 'web') };
    const plan = solve({ pools: POOLS, pods: pods(3, 'web', shape) });
    expect(byZone(plan)).toEqual({ [REGIONAL]: 3 });
  });

  test('a NodePool without zones gets the pod when the taints of the others are not tolerated', () => {
    const pools = [
      aPool('zonal', {
        types: [aRegionalType('small')],
        taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
      }),
      aPool('regional', {
        types: [aRegionalType('small')],
        requirements: [{ key: ZONE, operator: 'In', values: [REGIONAL] }],
      }),
    ];
    const plan = solve({ pools, pods: pods(1, 'web', { cpu: '1', ...spreadOver(ZONE, 'web') }) });
    expect(byZone(plan)).toEqual({ [REGIONAL]: 1 });
  });

  test('an existing node without a zone is a domain, as for kube-scheduler', () => {
    const nodes = [aNode('n', { zone: REGIONAL, cpu: '8' })];
    const plan = solve({
      pools: POOLS,
      nodes,
      pods: pods(4, 'web', { cpu: '1', ...spreadOver(ZONE, 'web') }),
    });
    expect(byZone(plan)).toEqual({ 'zone-a': 1, 'zone-b': 1, 'zone-c': 1 });
    expect(plan.counts.placedOnExisting).toBe(1);
  });
});

test('pods without a spread may still run without a zone', () => {
  const plan = solve({ pools: POOLS, pods: [aPod('a', { cpu: '1' })] });
  const [claim] = plan.claims;
  const zones = claim!.requirements.find(({ key }) => key === ZONE)?.values;
  expect(zones === undefined || zones.includes(REGIONAL)).toBe(true);
});

describe('volumes', () => {
  const claims = ['bound', 'allowed'].map((name) => ({
    metadata: { name, namespace: 'shop' },
    spec: name === 'bound' ? { volumeName: 'pv' } : { storageClassName: 'zonal' },
  }));
  const inZone = { matchExpressions: [{ key: ZONE, operator: 'In', values: ['zone-b'] }] };
  const volumes = {
    claims,
    volumes: [
      {
        metadata: { name: 'pv' },
        spec: { csi: { driver: 'disk' }, nodeAffinity: { required: { nodeSelectorTerms: [inZone] } } },
      },
    ],
    classes: [
      {
        metadata: { name: 'zonal' },
        provisioner: 'disk',
        allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: ['zone-c'] }] }],
      },
    ],
  };

  test.each([
    ['a volume that is bound in a zone', 'bound', 'zone-b'],
    ['a storage class that allows zones', 'allowed', 'zone-c'],
  ])('%s brings the pod to an instance in a zone', (_, claimName, zone) => {
    const pod = aPod('db', {
      cpu: '1',
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    });
    expect(byZone(solve({ pools: POOLS, pods: [pod], volumes }))).toEqual({ [zone]: 1 });
  });
});

describe('a pod that decides the zone of its node', () => {
  const zonesOf = (plan: Plan) => Object.keys(byZone(plan)).sort();

  test('by required anti-affinity is in a zone, and only the last ones are outside', () => {
    const apart = { cpu: '1', labels: { app: 'web' }, ...awayFrom(ZONE, 'web') };
    expect(zonesOf(solve({ pools: POOLS, pods: pods(1, 'web', apart) }))).toEqual(['zone-a']);
    expect(zonesOf(solve({ pools: POOLS, pods: pods(3, 'web', apart) }))).toEqual(ZONES);
  });

  test('by required anti-affinity to pods that do not exist is in a zone', () => {
    const apart = { cpu: '1', labels: { app: 'web' }, ...awayFrom(ZONE, 'other') };
    expect(zonesOf(solve({ pools: POOLS, pods: pods(4, 'web', apart) }))).not.toContain(REGIONAL);
  });

  test('by required affinity to its own group, as the first of it, is in a zone', () => {
    const together = { cpu: '1', labels: { app: 'web' }, ...near(ZONE, 'web') };
    expect(zonesOf(solve({ pools: POOLS, pods: pods(3, 'web', together) }))).toEqual(['zone-a']);
  });
});
