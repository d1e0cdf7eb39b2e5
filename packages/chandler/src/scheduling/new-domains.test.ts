/** Labels whose value a NodePool leaves open: which value a new node gets may make a domain that breaks the spread of others. */
import { describe, expect, test } from 'vitest';
import { KarpenterLabel, KubernetesLabel } from '../api/index.ts';
import {
  aNode,
  anOffering,
  aPod,
  aPool,
  aType,
  oneOf,
  type PodShape,
  pods,
  spreadOver,
} from './cluster.fixture.ts';
import type { Plan } from './plan.ts';
import { solve } from './solve.ts';

const DEDICATED = [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' as const }];
const TOLERATED = [{ key: 'dedicated', operator: 'Exists' as const }];
const types = [aType('t', { cpu: 2 })];
const ZONE = KubernetesLabel.zone;

/** Racks r1 and r3 are listed by a NodePool with a taint; the other NodePool allows any rack. */
const POOLS = [
  aPool('listed', { types, taints: DEDICATED, requirements: [oneOf('rack', 'r1', 'r3')] as never }),
  aPool('open', { types, weight: 10, requirements: [{ key: 'rack', operator: 'Exists' }] }),
];

/** The value that a spread knows because a pod names it. */
const named = aPod('named', { cpu: '100m', nodeSelector: { rack: 'r4' } });

/** Two pods in one rack: another rack without pods would break their spread. */
const WEB: PodShape = { cpu: '900m', ...spreadOver('rack', 'web', { nodeTaintsPolicy: 'Honor' }) };
const DB: PodShape = { cpu: '300m', ...spreadOver('rack', 'db') };

function preferring(...racks: string[]): PodShape {
  const preference = { matchExpressions: [oneOf('rack', ...racks) as never] };
  return {
    affinity: {
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] },
    },
  };
}

function racksOf(plan: Plan, name: string): (string | undefined)[] {
  return plan.claims
    .filter((claim) => claim.pods.some((pod) => pod.startsWith(`shop/${name}`)))
    .map(({ labels }) => labels['rack']);
}

describe('a rack that the spread of others did not count', () => {
  test('is not opened by a spread that knows it from another NodePool', () => {
    const plan = solve({ pools: POOLS, pods: [named, ...pods(2, 'web', WEB), aPod('db', DB)] });
    expect(plan.counts.refused).toBe(0);
    expect(racksOf(plan, 'web')).toEqual(['r4']);
    expect(racksOf(plan, 'db')).toEqual(['r4']);
  });

  test('counts once a node is launched that can only be in such a rack', () => {
    const open = [
      aPool('open', { types, taints: DEDICATED, requirements: [{ key: 'rack', operator: 'Exists' }] }),
      aPool('listed', { types, requirements: [oneOf('rack', 'r1')] as never }),
    ];
    const elsewhere: PodShape = {
      cpu: '1500m',
      tolerations: TOLERATED,
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator: 'NotIn', values: ['r1'] }] }],
          },
        },
      },
    };
    const other = aPod('elsewhere', elsewhere);
    const web = pods(2, 'web', { cpu: '900m', ...spreadOver('rack', 'web') });
    const plan = solve({ pools: open, pods: [other, ...web] });
    expect(racksOf(plan, 'elsewhere')).toEqual(['0']);
    expect(racksOf(plan, 'web')).toEqual(['r1']);
    expect(plan.refusals.flatMap((each) => each.pods)).toEqual(['shop/web-002']);
    // A node that can be in no other rack cannot be kept out of it.
    const ignoring = { cpu: '900m', ...spreadOver('rack', 'web', { nodeAffinityPolicy: 'Ignore' }) };
    const bound = pods(2, 'web', { ...ignoring, nodeSelector: { rack: 'r1' } });
    const { refusals } = solve({ pools: open, pods: [other, ...bound] });
    expect(refusals.flatMap((each) => each.pods)).toEqual(['shop/web-002']);
  });

  test('is opened beside a spread that may be broken, and one of a pod that has no place', () => {
    const soft = spreadOver('rack', 'web', {
      nodeTaintsPolicy: 'Honor',
      whenUnsatisfiable: 'ScheduleAnyway',
    });
    const three = pods(3, 'db', DB);
    const beside = [named, ...pods(100, 'web', { cpu: '900m', ...soft }), ...three];
    expect(solve({ pools: POOLS, pods: beside }).counts.refused).toBe(0);
    const inRack = pods(120, 'web', { cpu: '900m', labels: { app: 'web' }, nodeSelector: { rack: 'r4' } });
    const tooLarge = aPod('large', { ...WEB, cpu: '50' });
    const { refusals } = solve({ pools: POOLS, pods: [...inRack, tooLarge, ...three] });
    expect(refusals.flatMap((each) => each.pods)).toEqual(['shop/large']);
  });

  test('is opened while the spread allows a rack without pods', () => {
    const web = { ...WEB, ...spreadOver('rack', 'web', { nodeTaintsPolicy: 'Honor', maxSkew: 2 }) };
    const plan = solve({ pools: POOLS, pods: [named, ...pods(2, 'web', web), aPod('db', DB)] });
    expect(racksOf(plan, 'web')).toEqual(['r4']);
    expect(racksOf(plan, 'db')).toEqual(['r1']);
  });

  test.each([[['r9']], [['r8', 'r9']]])('is not opened for a preference, which is given up: %j', (racks) => {
    const other = aPod('other', { cpu: '300m', ...preferring(...racks) });
    const plan = solve({ pools: POOLS, pods: [named, ...pods(2, 'web', WEB), other] });
    expect(plan.counts.refused).toBe(0);
    expect(racksOf(plan, 'other')).toEqual(['r4']);
  });

  test('is not the label of a node that may also be in a rack that is counted', () => {
    const other = aPod('other', { cpu: '2', ...preferring('r1', 'r4') });
    const plan = solve({ pools: POOLS, pods: [named, ...pods(2, 'web', WEB), other] });
    expect(plan.counts.refused).toBe(0);
    expect(racksOf(plan, 'other')).toEqual(['r4']);
  });

  test('is not opened by pods that bring the label to a NodePool without it', () => {
    const pools = [
      aPool('listed', { types, requirements: [oneOf('rack', 'r1')] as never }),
      aPool('plain', { types, taints: DEDICATED }),
    ];
    const requiring = (expression: object): PodShape => ({
      cpu: '300m',
      tolerations: TOLERATED,
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [expression as never] }],
          },
        },
      },
    });
    const avoiding = aPod('avoiding', requiring({ key: 'rack', operator: 'NotIn', values: ['r7'] }));
    const web = pods(2, 'web', { cpu: '900m', ...spreadOver('rack', 'web') });
    const plan = solve({
      pools,
      pods: [...web, avoiding, aPod('other', requiring(oneOf('rack', 'r8', 'r9')))],
    });
    expect(racksOf(plan, 'web')).toEqual(['r1']);
    expect(plan.refusals.flatMap((each) => each.pods)).toEqual(['shop/other']);
  });

  test('is opened where no node of its NodePool can be one of the spread, whatever is launched', () => {
    const offerings = [anOffering('zone-a', 'on-demand', 0.2), anOffering('zone-b', 'spot', 0.1)];
    const pools = [
      aPool('here', { types, requirements: [oneOf('rack', 'r3')] as never }),
      aPool('elsewhere', {
        types: [aType('e', { cpu: 4, offerings })],
        taints: DEDICATED,
        requirements: [oneOf('rack', 'r1', 'r2')] as never,
      }),
    ];
    const nodeSelector = { [ZONE]: 'zone-a', [KarpenterLabel.capacityType]: 'spot' };
    const web = pods(2, 'web', { cpu: '900m', nodeSelector, ...spreadOver('rack', 'web') });
    const other = aPod('other', { cpu: '3', tolerations: TOLERATED });
    const plan = solve({ pools, pods: [...web, other] });
    expect(plan.counts.refused).toBe(0);
    expect(plan.claims.map(({ nodePool }) => nodePool).toSorted()).toEqual(['elsewhere', 'here']);
  });

  test('is not the label of a node whose rack is left open', () => {
    const other = aPod('other', { cpu: '2' });
    const nodeSelector = { [KarpenterLabel.nodePool]: 'listed' };
    const dedicated = aPod('dedicated', { ...DB, tolerations: TOLERATED, nodeSelector });
    const plan = solve({ pools: POOLS, pods: [named, ...pods(2, 'web', WEB), dedicated, other] });
    expect(plan.counts.refused).toBe(0);
    expect(racksOf(plan, 'other')).toEqual(['r4']);
  });

  test('is not opened where the claims are filled anew for a lower price', () => {
    const sizes = [2, 4, 8, 16, 32].map((cpu) => aType(`t${cpu}`, { cpu }));
    const dedicated = [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' as const }];
    const listed = [{ key: 'rack', operator: 'In' as const, values: ['r1', 'r3'] }];
    const pools = [
      aPool('listed', { types: sizes, taints: dedicated, requirements: listed }),
      aPool('open', { types: sizes, weight: 10, requirements: [{ key: 'rack', operator: 'Exists' }] }),
    ];
    const input = {
      pools,
      pods: [
        aPod('named', { cpu: '100m', nodeSelector: { rack: 'r4' } }),
        ...pods(20, 'web', { cpu: '900m', ...spreadOver('rack', 'web', { nodeTaintsPolicy: 'Honor' }) }),
        ...pods(20, 'memory', { cpu: '700m', memory: '3Gi' }),
        ...pods(20, 'cpu', { cpu: '1300m', memory: '1Gi' }),
        aPod('db', { cpu: '300m', ...spreadOver('rack', 'db') }),
      ],
    };
    const first = solve({ ...input, options: { improveEffort: 0 } });
    const plan = solve(input);
    expect(plan.pricePerHour).toBeLessThan(first.pricePerHour);
    expect(new Set(plan.claims.map(({ labels }) => labels['rack']))).toEqual(new Set(['r4']));
  });

  test('is not opened by a node whose rack can only be another one', () => {
    const pools = [
      aPool('open', { types, requirements: [{ key: 'rack', operator: 'NotIn', values: ['r1'] }] }),
    ];
    const nodes = [aNode('old', { cpu: '2', labels: { rack: 'r1' } })];
    const exists = {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator: 'Exists' as const }] }],
      },
    };
    const racked = aPod('racked', { cpu: '800m', affinity: { nodeAffinity: exists } });
    const web = pods(2, 'web', { cpu: '900m', ...spreadOver('rack', 'web') });
    expect(solve({ pools, nodes, pods: web }).counts.refused).toBe(0);
    const plan = solve({ pools, nodes, pods: [...web, racked] });
    expect(plan.claims.flatMap((claim) => claim.pods)).not.toContain('shop/racked');
  });

  test('is the reason why a pod is refused that can be nowhere else', () => {
    const input = { pools: POOLS, pods: [named, ...pods(2, 'web', WEB), ...pods(2, 'db', DB)] };
    const plan = solve({ ...input, options: { improveEffort: 0 } });
    expect(racksOf(plan, 'db')).toEqual(['r4']);
    expect(plan.refusals.map((refusal) => refusal.pods)).toEqual([['shop/db-002']]);
    const open = plan.refusals[0]!.pools.find(({ nodePool }) => nodePool === 'open')!;
    expect(open.refusal).toMatchObject({
      code: 'TopologyUnsatisfiable',
      key: 'rack',
      selector: '{app in (web)}',
      counts: { r4: 2 },
    });
    expect(solve(input).counts.refused).toBe(0);
  });
});

describe('a zone whose nodes get the label of another spread from a pod', () => {
  const POOLS = [
    aPool('racked', {
      types: [aType('large', { cpu: 4 })],
      requirements: [oneOf('rack', 'r3'), oneOf(ZONE, 'zone-b')] as never,
    }),
    aPool('plain', { types: [aType('small', { cpu: 2 })] }),
  ];
  const spreads = (app: string, ...keys: string[]): PodShape => ({
    labels: { app },
    topologySpreadConstraints: keys.flatMap((key) => spreadOver(key, app).topologySpreadConstraints ?? []),
  });
  /** Only nodes with a rack count; three cores have room in one zone alone. */
  const web = pods(2, 'web', { cpu: '3', ...spreads('web', ZONE, 'rack') });

  test('counts as a domain: its nodes may come before the pods', () => {
    const avoiding = aPod('db', {
      cpu: '1500m',
      ...spreads('db', 'rack'),
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator: 'NotIn', values: ['r1'] }] }],
          },
        },
      },
    });
    expect(solve({ pools: POOLS, pods: web }).counts.refused).toBe(0);
    const plan = solve({ pools: POOLS, pods: [...web, avoiding] });
    expect(plan.refusals.map((refusal) => refusal.pods)).toEqual([['shop/web-002']]);
  });
});

test('a pod that others count, and others want to be near, is placed where their label does not exist', () => {
  const pools = [
    aPool('plain', { types }),
    aPool('racks', { types, taints: DEDICATED, requirements: [oneOf('rack', 'r3')] as never }),
  ];
  const near = {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: KubernetesLabel.hostname, labelSelector: { matchLabels: { app: 'job' } } },
      ],
    },
  };
  const plan = solve({
    pools,
    pods: [
      aPod('spread', { cpu: '600m', ...spreadOver('rack', 'job'), labels: { app: 'web' } }),
      aPod('near', { cpu: '400m', labels: { app: 'db' }, affinity: near }),
      aPod('job', { cpu: '300m', labels: { app: 'job' } }),
    ],
  });
  expect(plan.claims.map((claim) => [claim.nodePool, claim.pods])).toEqual([
    ['plain', ['shop/job', 'shop/near']],
  ]);
  expect(plan.refusals.map((refusal) => refusal.pods)).toEqual([['shop/spread']]);
});

test('a pod that is too large for a NodePool without the label that others want to know is refused for its size', () => {
  const pools = [
    aPool('plain', { types }),
    aPool('racks', { types, taints: DEDICATED, requirements: [oneOf('rack', 'r3')] as never }),
  ];
  const near = {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: KubernetesLabel.hostname, labelSelector: { matchLabels: { app: 'job' } } },
      ],
    },
  };
  const plan = solve({
    pools,
    pods: [
      aPod('spread', { cpu: '600m', ...spreadOver('rack', 'job'), labels: { app: 'web' } }),
      aPod('near', { cpu: '400m', labels: { app: 'db' }, affinity: near }),
      aPod('job', { cpu: '30', labels: { app: 'job' } }),
    ],
  });
  const refusal = plan.refusals.find(({ pods: names }) => names.includes('shop/job'))!;
  expect(refusal.pools.find(({ nodePool }) => nodePool === 'plain')!.refusal.code).toBe(
    'ResourceInsufficient',
  );
});
