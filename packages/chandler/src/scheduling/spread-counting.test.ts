import { describe, expect, test } from 'vitest';
import { KarpenterLabel, KubernetesLabel } from '../api/index.ts';
import {
  aNode,
  anOffering,
  aPod,
  aPool,
  aType,
  bound,
  CAPACITY,
  cluster,
  HOST,
  near,
  oneOf,
  type PodShape,
  pods,
  spreadOver,
  ZONE,
} from './cluster.fixture.ts';
import type { Plan } from './plan.ts';
import { prepare, solve } from './solve.ts';

const RACKS = [{ key: 'rack', operator: 'In' as const, values: ['r1', 'r2'] }];
const ARCH = KubernetesLabel.arch;

/** A spread over zones and a loose one over racks. */
const ZONE_AND_RACK: PodShape = {
  labels: { app: 'web' },
  topologySpreadConstraints: [
    ...spreadOver(ZONE, 'web').topologySpreadConstraints!,
    ...spreadOver('rack', 'web', { maxSkew: 9 }).topologySpreadConstraints!,
  ],
};

function valuesOf(plan: Plan, pod: string, key: string): readonly string[] | undefined {
  const claim = plan.claims.find(({ pods: list }) => list.some((name) => name.startsWith(`shop/${pod}`)))!;
  return claim.requirements.find((requirement) => requirement.key === key)?.values;
}

function countsBy(plan: Plan, key: string, name: string): number[] {
  const counts = new Map<string, number>();
  for (const claim of plan.claims) {
    const value = claim.requirements.find((requirement) => requirement.key === key)?.values?.join() ?? '';
    const count = claim.pods.filter((pod) => pod.includes(name)).length;
    if (count > 0) counts.set(value, (counts.get(value) ?? 0) + count);
  }
  return [...counts.values()].sort();
}

describe('a node that lacks one of the labels that a pod is spread over', () => {
  test('is not counted for any spread of the pod', () => {
    const nodes = [aNode('bare', { zone: 'zone-c', cpu: '0' })];
    const boundPods = bound('bare', ...pods(2, 'old', { labels: { app: 'web' } }));
    const plan = solve({
      pools: [aPool('p', { requirements: RACKS })],
      nodes,
      boundPods,
      pods: pods(3, 'web', ZONE_AND_RACK),
    });
    expect(countsBy(plan, ZONE, 'web')).toEqual([1, 1, 1]);
  });

  test('is no domain of any spread of the pod', () => {
    const nodes = [aNode('bare', { zone: 'zone-d', cpu: '0' })];
    const plan = solve({
      pools: [aPool('p', { requirements: RACKS })],
      nodes,
      pods: pods(4, 'web', ZONE_AND_RACK),
    });
    expect(plan.counts.refused).toBe(0);
  });

  test('is not counted when it is new', () => {
    const pools = [
      aPool('bare', { weight: 10, requirements: [oneOf(ZONE, 'zone-c')] as never }),
      aPool('racked', { requirements: RACKS }),
    ];
    const plain = pods(2, 'plain', {
      cpu: '1',
      labels: { app: 'web' },
      nodeSelector: { [KarpenterLabel.nodePool]: 'bare' },
    });
    const plan = solve({ pools, pods: [...plain, ...pods(3, 'web', ZONE_AND_RACK)] });
    expect(countsBy(plan, ZONE, 'web')).toEqual([1, 1, 1]);
  });

  test('is counted by a spread over labels that it has', () => {
    const nodes = [aNode('bare', { zone: 'zone-c', cpu: '0' })];
    const boundPods = bound('bare', ...pods(2, 'old', { labels: { app: 'web' } }));
    const web = pods(4, 'web', spreadOver(ZONE, 'web'));
    const plan = solve({ pools: [aPool('p', { requirements: RACKS })], nodes, boundPods, pods: web });
    expect(countsBy(plan, ZONE, 'web')).toEqual([2, 2]);
  });

  test('is counted by a hard spread when only a soft spread has the label', () => {
    const soft = spreadOver('rack', 'web', { whenUnsatisfiable: 'ScheduleAnyway' });
    const shape = {
      labels: { app: 'web' },
      topologySpreadConstraints: [
        ...spreadOver(ZONE, 'web').topologySpreadConstraints!,
        ...soft.topologySpreadConstraints!,
      ],
    };
    const nodes = [aNode('bare', { zone: 'zone-c', cpu: '0' })];
    const boundPods = bound('bare', ...pods(2, 'old', { labels: { app: 'web' } }));
    const pools = [aPool('p', { requirements: RACKS })];
    const plan = solve({ pools, nodes, boundPods, pods: pods(4, 'web', shape) });
    expect(countsBy(plan, ZONE, 'web')).toEqual([2, 2]);
  });
});

describe('a claim whose architecture is open', () => {
  const types = [
    aType('arm', { cpu: 2, arch: 'arm64', price: 0.1, zones: ['zone-a'] }),
    aType('amd', { cpu: 2, arch: 'amd64', price: 0.2, zones: ['zone-a'] }),
  ];
  const spread = spreadOver(ZONE, 'job', { minDomains: 2 });
  const both = spread.topologySpreadConstraints!;
  const alone = [...both, ...spreadOver(HOST, 'job').topologySpreadConstraints!];

  test('is settled when a spread that counts its pod considers one architecture only', () => {
    const old = aPod('old', { cpu: '600m', ...spread });
    const fresh = aPod('fresh', {
      cpu: '100m',
      labels: { app: 'job' },
      nodeSelector: { [ARCH]: 'arm64' },
      topologySpreadConstraints: alone,
    });
    const plan = solve({ pools: [aPool('p', { types })], pods: [old, fresh] });
    // The first is where the other does not count it.
    expect(plan.counts.refused).toBe(0);
    expect(plan.claims.find(({ pods: [name] }) => name === 'shop/old')!.instanceTypes).toEqual(['amd']);
  });

  test('stays open when every spread that counts its pod has the same view', () => {
    const list = pods(2, 'job', { cpu: '600m', ...spreadOver(ZONE, 'job') });
    const plan = solve({ pools: [aPool('p', { types })], pods: list });
    expect(plan.claims[0]!.instanceTypes).toEqual(['arm', 'amd']);
  });

  test('stays open when its pod is not spread: it may be bound after the others', () => {
    const old = aPod('old', { cpu: '600m', labels: { app: 'job' } });
    const fresh = aPod('fresh', {
      cpu: '100m',
      labels: { app: 'job' },
      nodeSelector: { [ARCH]: 'arm64' },
      topologySpreadConstraints: alone,
    });
    const plan = solve({ pools: [aPool('p', { types })], pods: [old, fresh] });
    expect(plan.counts.refused).toBe(0);
  });
});

describe('a custom label with an open value', () => {
  const notOne = {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator: 'NotIn', values: ['r1'] }] }],
        },
      },
    },
  };
  const exists = {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator: 'Exists' }] }],
        },
      },
    },
  };
  const rackNodes = ['r1', 'r2'].map((rack) => aNode(rack, { labels: { rack }, cpu: '4' }));

  test('is not set when the pods only exclude values', () => {
    const plan = solve(cluster({ pods: [aPod('web', notOne)] }));
    expect(plan.claims[0]!.labels).not.toHaveProperty('rack');
  });

  test('is set when a pod or the NodePool requires it', () => {
    const pools = [aPool('p', { requirements: [{ key: 'rack', operator: 'Exists' }] })];
    expect(solve({ pools, pods: [aPod('web', notOne)] }).claims[0]!.labels['rack']).toBe('0');
    const excluding = [aPool('p', { requirements: [{ key: 'rack', operator: 'NotIn', values: ['r9'] }] })];
    expect(solve({ pools: excluding, pods: [aPod('web')] }).claims[0]!.labels).not.toHaveProperty('rack');
    expect(solve({ pools: excluding, pods: [aPod('web', exists)] }).claims[0]!.labels['rack']).toBe('0');
  });

  test('is no new domain for the spread of other pods', () => {
    const boundPods = ['r1', 'r2'].flatMap((node) =>
      bound(node, ...pods(2, `old-${node}`, { cpu: '500m', labels: { app: 'web' } })),
    );
    const pools = [aPool('p', { requirements: [{ key: 'rack', operator: 'Exists' }] })];
    const other = aPod('other', { cpu: '3500m', ...notOne });
    const web = aPod('web', { cpu: '500m', ...spreadOver('rack', 'web') });
    const plan = solve({ pools, nodes: rackNodes, boundPods, pods: [other, web] });
    expect(plan.counts.refused).toBe(0);
    expect(plan.claims[0]!.labels['rack']).toBe('r2');
  });
});

test('a value that a pod names where the NodePool leaves the label open is a domain for the spread of others', () => {
  const pools = [
    aPool('open', { requirements: [{ key: 'rack', operator: 'Exists' }] }),
    aPool('full', {
      limits: { nodes: '0' },
      requirements: [{ key: 'rack', operator: 'In', values: ['r3'] }],
    }),
  ];
  const named = aPod('named', { cpu: '3', nodeSelector: { rack: 'r4' } });
  const plan = solve({ pools, pods: [named, ...pods(2, 'web', { cpu: '1', ...spreadOver('rack', 'web') })] });
  expect(countsBy(plan, 'rack', 'web')).toEqual([1, 1]);
});

describe('a claim is settled in the cheapest domain', () => {
  const spot = aType('t', {
    offerings: [anOffering('zone-a', 'on-demand', 1.2), anOffering('zone-b', 'spot', 0.58)],
  });

  test('by a spread', () => {
    const plan = solve(
      cluster({ pools: [aPool('p', { types: [spot] })], pods: pods(1, 'web', spreadOver(CAPACITY, 'web')) }),
    );
    expect(plan.pricePerHour).toBe(0.58);
  });

  test('by the affinity of pods to their own group', () => {
    const shape = { labels: { app: 'web' }, ...near(ZONE, 'web') };
    const plan = solve(cluster({ pools: [aPool('p', { types: [spot] })], pods: pods(2, 'web', shape) }));
    expect(plan.pricePerHour).toBe(0.58);
  });

  test('among domains with room for the pod', () => {
    const small = aType('small', { cpu: 1, offerings: [anOffering('zone-c', 'spot', 0.01)] });
    const types = [spot, small];
    const web = pods(1, 'web', { cpu: '2', ...spreadOver(ZONE, 'web') });
    expect(solve(cluster({ pools: [aPool('p', { types })], pods: web })).pricePerHour).toBe(0.58);
  });

  test('when another pod needs the domain of the claim', () => {
    const first = aPod('first', { cpu: '3', labels: { app: 'db' } });
    const follower = aPod('follower', { cpu: '2', ...near(ZONE, 'db') });
    const types = [
      aType('t', {
        offerings: ['a', 'b'].map((z) => anOffering(`zone-${z}`, 'on-demand', z === 'a' ? 1.2 : 0.58)),
      }),
    ];
    const plan = solve(cluster({ pools: [aPool('p', { types })], pods: [first, follower] }));
    expect(plan.counts.refused).toBe(0);
    expect(plan.pricePerHour).toBeCloseTo(1.16);
  });
});

describe('pods that no spread binds', () => {
  test('do not use up the skew of the others where a limit leaves no other place', () => {
    const pools = [aPool('p', { types: [aType('large', { cpu: 16, price: 1 })], limits: { nodes: '1' } })];
    const free = pods(4, 'free', { cpu: '2', labels: { app: 'web' } });
    const web = pods(4, 'web', { cpu: '1', ...spreadOver(ZONE, 'web', { maxSkew: 4 }) });
    const plan = solve({ pools, pods: [...free, ...web] });
    expect(plan.counts.refused).toBe(0);
  });

  test('are counted where there is another place', () => {
    const pools = [aPool('p', { types: [aType('large', { cpu: 16, price: 1 })] })];
    const free = pods(4, 'free', { cpu: '2', labels: { app: 'web' } });
    const web = pods(4, 'web', { cpu: '1', ...spreadOver(ZONE, 'web', { maxSkew: 4 }) });
    const plan = solve({ pools, pods: [...free, ...web], options: { improveEffort: 0 } });
    expect(plan.claims).toHaveLength(2);
  });
});

describe('a domain in which no node can be', () => {
  const family = (zone: string) =>
    aType(`t-${zone}`, { zones: [zone], requirements: [oneOf('family', zone === 'zone-a' ? 'm' : 'c')] });
  const types = ['zone-a', 'zone-b'].map(family);
  const eitherWay: PodShape = {
    cpu: '1',
    ...spreadOver(ZONE, 'web'),
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [oneOf(ZONE, 'zone-a')] },
            { matchExpressions: [oneOf('family', 'm')] },
          ],
        },
      },
    },
  };
  const wellKnownLabels = ['family'];

  test('does not limit a spread whose node affinity no type meets there', () => {
    const plan = solve({ wellKnownLabels, pools: [aPool('p', { types })], pods: pods(3, 'web', eitherWay) });
    expect(plan.counts).toMatchObject({ placed: 3, refused: 0 });
  });

  test('does not limit a spread when the limits of its pools are reached', () => {
    const pools = [
      aPool('a', { requirements: [oneOf(ZONE, 'zone-a')] as never }),
      aPool('b', { requirements: [oneOf(ZONE, 'zone-b')] as never, limits: { nodes: '1' } }),
    ];
    const web = pods(3, 'web', { cpu: '1', ...spreadOver(ZONE, 'web') });
    expect(countsBy(solve({ pools, pods: web }), ZONE, 'web')).toEqual([1, 2]);
    const nodes = [aNode('full', { pool: 'b', zone: 'zone-c', labels: { [KubernetesLabel.os]: 'linux' } })];
    const onNew = { nodeSelector: { [CAPACITY]: 'spot' } };
    const plan = solve({
      pools,
      nodes,
      pods: web.map((pod) => ({ ...pod, spec: { ...pod.spec, ...onNew } })),
    });
    expect(countsBy(plan, ZONE, 'web')).toEqual([3]);
  });

  test('does not limit a spread when the pods exclude it and no claim may be there', () => {
    const noC: PodShape = {
      cpu: '3',
      ...spreadOver(ZONE, 'web', { nodeAffinityPolicy: 'Ignore' }),
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'NotIn', values: ['zone-c'] }] }],
          },
        },
      },
    };
    const other = aPod('other', { cpu: '4' });
    const plan = solve({ pools: [aPool('p')], pods: [...pods(4, 'web', noC), other] });
    expect(countsBy(plan, ZONE, 'web')).toEqual([2, 2]);
    const otherClaim = plan.claims.find((claim) => claim.pods.includes('shop/other'))!;
    expect(otherClaim.requirements).toContainEqual({ key: ZONE, operator: 'NotIn', values: ['zone-c'] });
    const inC = aPod('in-c', { cpu: '4', nodeSelector: { [ZONE]: 'zone-c' } });
    expect(
      countsBy(solve({ pools: [aPool('p')], pods: [...pods(4, 'web', noC), inC] }), ZONE, 'web'),
    ).toEqual([1, 1]);
  });

  test('is a domain again for a request that removes a node of the pool', () => {
    const pools = [
      aPool('a', { requirements: [oneOf(ZONE, 'zone-a')] as never }),
      aPool('b', { requirements: [oneOf(ZONE, 'zone-b')] as never, limits: { nodes: '1' } }),
    ];
    const nodes = [aNode('full', { pool: 'b', zone: 'zone-c' })];
    const shape = { cpu: '1', ...spreadOver(ZONE, 'web'), nodeSelector: { [CAPACITY]: 'spot' } };
    const snapshot = prepare({ pools, nodes, pods: pods(3, 'web', shape) });
    expect(countsBy(snapshot.solve(), ZONE, 'web')).toEqual([3]);
    expect(countsBy(snapshot.solveWithout({ nodes: ['full'] }), ZONE, 'web')).toEqual([1, 2]);
  });
});

describe('a domain that is decided for the spread of others', () => {
  test('is that of a pod that others follow, which must be bound before them', () => {
    const types = [aType('one-pod', { cpu: 2 })];
    const pools = [aPool('default', { types, requirements: RACKS as never })];
    const leader = aPod('leader', { cpu: '1500m', labels: { app: 'web' } });
    const spread = aPod('spread', { cpu: '1500m', ...spreadOver('rack', 'web') });
    const follower = aPod('follower', { ...near(ZONE, 'web'), cpu: '1500m', labels: { app: 'other' } });
    expect(valuesOf(solve({ pools, pods: [leader, spread] }), 'leader', 'rack')).toEqual(['r1', 'r2']);
    expect(valuesOf(solve({ pools, pods: [leader, spread, follower] }), 'leader', 'rack')).toHaveLength(1);
  });

  test('is the cheapest, not the one with the fewest pods', () => {
    const types = [
      aType('cheap', { zones: ['zone-a'], price: 0.1 }),
      aType('dear', { zones: ['zone-b'], price: 0.5 }),
    ];
    const nodes = [aNode('a', { zone: 'zone-a', cpu: '0' }), aNode('b', { zone: 'zone-b', cpu: '0' })];
    const boundPods = [
      ...bound('a', ...pods(2, 'old', { labels: { app: 'web' } })),
      ...bound('b', aPod('old-b', { labels: { app: 'web' } })),
    ];
    const follower = aPod('follower', { cpu: '1', labels: { app: 'web' }, ...near(ZONE, 'web') });
    const spread = aPod('spread', { cpu: '100m', ...spreadOver(ZONE, 'web', { maxSkew: 9 }) });
    const plan = solve({ pools: [aPool('p', { types })], nodes, boundPods, pods: [follower, spread] });
    expect(valuesOf(plan, 'follower', ZONE)).toEqual(['zone-a']);
  });
});
