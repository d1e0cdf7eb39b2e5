import { describe, expect, test } from 'vitest';
import {
  aNode,
  anOffering,
  aPod,
  aPool,
  aType,
  awayFrom,
  CAPACITY,
  cluster,
  HOST,
  near,
  oneOf,
  type PodShape,
  pods,
  spreadOver,
  TYPES,
  ZONE,
} from './cluster.fixture.ts';
import type { InstanceType, SchedulingInput } from './model.ts';
import { countedText, podRefusalText, problemText, refusalText } from './refusal-text.ts';
import { solve } from './solve.ts';

const refused = (input: Partial<SchedulingInput>) => solve(cluster(input)).refusals[0]!;
const textOf = (input: Partial<SchedulingInput>) => podRefusalText(refused(input));

describe('a refusal', () => {
  test('names the resource and the missing amount, including daemons; adding that amount helps', () => {
    const daemonSets = [
      {
        metadata: { name: 'd' },
        spec: {
          template: { spec: { containers: [{ name: 'agent', resources: { requests: { cpu: '1' } } }] } },
        },
      },
    ];
    const refusal = refused({ daemonSets, pods: [aPod('x', { cpu: '16' })] }).pools[0]!.refusal;
    expect(refusal).toEqual({
      code: 'ResourceInsufficient',
      resource: 'cpu',
      requested: '17',
      available: '16',
      missing: '1',
    });
    const types = [...TYPES, aType('larger', { cpu: 17 })];
    expect(
      solve(cluster({ pools: [aPool('p', { types })], daemonSets, pods: [aPod('x', { cpu: '16' })] })).counts
        .placed,
    ).toBe(1);
  });

  test('says that matching types have no available offering, also when a type lists only available zones', () => {
    const soldOut = (more: object) => ({
      ...aType('big', { cpu: 64 }),
      offerings: [anOffering('zone-a', 'on-demand', 3, { available: false })],
      ...more,
    });
    const silent = {
      requirements: [
        { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
        { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
        { key: ZONE, operator: 'DoesNotExist' },
        { key: CAPACITY, operator: 'DoesNotExist' },
      ],
    };
    const text = (big: InstanceType, shape: object) => {
      const pools = [aPool('p', { types: [...TYPES, big] })];
      return podRefusalText(refused({ pools, pods: [aPod('x', { cpu: '40', ...shape })] }));
    };
    const hint = '(instance types that would fit have no available offering)';
    expect(text(soldOut({}) as InstanceType, {})).toContain(hint);
    expect(text(soldOut(silent) as InstanceType, {})).toContain(hint);
    expect(text(soldOut(silent) as InstanceType, { nodeSelector: { [ZONE]: 'zone-b' } })).not.toContain(hint);
    expect(text(soldOut(silent) as InstanceType, { cpu: '99' })).not.toContain(hint);
    expect(text(aType('other', { cpu: 8 }), {})).not.toContain(hint);
    const only = refused({
      pools: [aPool('p', { types: [soldOut(silent) as InstanceType] })],
      pods: [aPod('x')],
    });
    expect(only.pools[0]!.refusal).toEqual({ code: 'PoolWithoutTypes', soldOut: true });
    expect(podRefusalText(only)).toContain('(instance types that it allows have no available offering)');
  });

  test('groups types by obstacle, pods by spec, nodes by reason', () => {
    const types = [aType('a', { cpu: 2 }), aType('b', { cpu: 4 }), aType('c', { cpu: 64, arch: 'arm64' })];
    const nodes = [
      aNode('n1'),
      aNode('n2'),
      aNode('n3', { taints: [{ key: 't', value: 'v', effect: 'NoSchedule' }] }),
    ];
    const shape = { cpu: '8', nodeSelector: { 'kubernetes.io/arch': 'amd64' } };
    const refusal = refused({ pools: [aPool('p', { types })], nodes, pods: pods(3, 'x', shape) });
    expect(refusal.pods).toHaveLength(3);
    expect(
      refusal.pools[0]!.types.map(({ refusal: { code }, count, examples }) => [code, count, examples]),
    ).toEqual([
      ['ResourceInsufficient', 2, ['b', 'a']],
      ['RequirementIncompatible', 1, ['c']],
    ]);
    expect(refusal.nodes.map(countedText)).toEqual([
      '2: not enough cpu: 8 requested, 4 available, 4 missing',
      '1: did not tolerate taint (taint=t=v:NoSchedule)',
    ]);
  });

  test.each<[string, Partial<SchedulingInput>, string]>([
    [
      'resources',
      { pods: [aPod('x', { cpu: '99' })] },
      'no instance type has enough resources, requirements=',
    ],
    ['typos of m and M', { pods: [aPod('x', { cpu: '2M' })] }, '(CPU request >= 1 Million, m vs M typo?)'],
    [
      'labels',
      { pods: [aPod('x', { nodeSelector: { 'kubernetes.io/arch': 's390x' } })] },
      'no instance type met all requirements',
    ],
    [
      'labels and size',
      { pods: [aPod('x', { cpu: '99', nodeSelector: { 'kubernetes.io/arch': 's390x' } })] },
      'no instance type met the scheduling requirements or had enough resources,',
    ],
    [
      'zones',
      { pods: [aPod('x', { nodeSelector: { [ZONE]: 'zone-x' } })] },
      'no instance type met the scheduling requirements or had enough resources or had a required offering',
    ],
    [
      'unknown labels',
      { pods: [aPod('x', { nodeSelector: { zone: 'a' } })] },
      'label "zone" does not have known values (typo of "topology.kubernetes.io/zone"?)',
    ],
    [
      'conflicts',
      {
        pools: [aPool('p', { requirements: [oneOf(ZONE, 'zone-a') as never] })],
        pods: [aPod('x', { nodeSelector: { [ZONE]: 'zone-b' } })],
      },
      'key topology.kubernetes.io/zone, topology.kubernetes.io/zone In [zone-b] not in topology.kubernetes.io/zone In [zone-a]',
    ],
    [
      'taints',
      { pools: [aPool('p', { taints: [{ key: 'gpu', effect: 'NoSchedule' }] })], pods: [aPod('x')] },
      'did not tolerate taint (taint=gpu:NoSchedule)',
    ],
    [
      'limits',
      { pools: [aPool('p', { limits: { cpu: '1' } })], pods: [aPod('x')] },
      'all available instance types exceed limits for nodepool',
    ],
    [
      'numbers of nodes',
      { pools: [aPool('p', { limits: { nodes: '0' } })], pods: [aPod('x')] },
      'node limits have been exhausted for nodepool',
    ],
    [
      'empty pools',
      { pools: [aPool('p', { types: [] })], pods: [aPod('x')] },
      'nodepool requirements filtered out all available instance types',
    ],
    ['no pools', { pools: [], pods: [aPod('x')] }, 'no dynamic nodepools found'],
    [
      'pod affinity',
      { pods: [aPod('x', near(ZONE, 'nobody'))] },
      'unsatisfiable topology constraint for pod affinity, key=topology.kubernetes.io/zone (counts = zone-a:0 zone-b:0 zone-c:0',
    ],
    ['devices', { pods: [aPod('x', { resourceClaims: [{ name: 'gpu' }] })] }, 'Dynamic Resource Allocation'],
    [
      'variety',
      {
        pools: [
          aPool('p', {
            requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 9 }],
          }),
        ],
        pods: [aPod('x')],
      },
      'minValues requirement is not met for label(s)',
    ],
  ])('about %s uses the words people know', (_, input, phrase) => {
    expect(textOf(input)).toContain(phrase);
  });

  test('lists several pools in their order', () => {
    const pools = [aPool('a'), aPool('b', { weight: 5, taints: [{ key: 't', effect: 'NoExecute' }] })];
    expect(textOf({ pools, pods: [aPod('x', { cpu: '99' })] })).toMatch(
      /^incompatible with nodepool "b".*; incompatible with nodepool "a"/,
    );
  });

  test('shows both sums when daemons differ between types', () => {
    const types = [aType('a'), aType('b', { arch: 'arm64' })];
    const daemonSets = [
      {
        metadata: { name: 'd' },
        spec: {
          template: {
            spec: {
              containers: [{ name: 'agent', resources: { requests: { cpu: '1' } } }],
              nodeSelector: { 'kubernetes.io/arch': 'arm64' },
            },
          },
        },
      },
    ];
    expect(textOf({ pools: [aPool('p', { types })], daemonSets, pods: [aPod('x', { cpu: '9' })] })).toContain(
      'resources=min={"cpu":"9","pods":"1"}, max={"cpu":"10","pods":"2"}',
    );
  });

  test('distinguishes pairs of conditions', () => {
    const types = [aType('big', { cpu: 64, arch: 'arm64' }), aType('small', { cpu: 2 })];
    const shape = { cpu: '8', nodeSelector: { 'kubernetes.io/arch': 'amd64' } };
    expect(textOf({ pools: [aPool('p', { types })], pods: [aPod('x', shape)] })).toContain(
      'which had enough resources and the required offering met the scheduling requirements',
    );
  });

  test('also explains why claims of the plan refused the pod', () => {
    const db = { labels: { app: 'db' }, ...awayFrom(HOST, 'db') };
    const list = [
      aPod('big', { cpu: '16', nodeSelector: { [ZONE]: 'zone-a' } }),
      ...pods(2, 'db', { cpu: '1', ...db }),
    ];
    const refusal = refused({ pools: [aPool('p', { limits: { nodes: '2' } })], pods: list });
    expect(refusal.claims.map(({ refusal: { code }, count }) => [code, count])).toEqual([
      ['ResourceInsufficient', 1],
      ['TopologyUnsatisfiable', 1],
    ]);
    const port = refused({
      pools: [aPool('p', { limits: { nodes: '1' } })],
      pods: pods(2, 'w', { hostPort: 80 }),
    });
    expect(port.claims[0]!.refusal.code).toBe('HostPortTaken');
    const zone = refused({
      pools: [aPool('p', { limits: { nodes: '1' } })],
      pods: [
        aPod('a', { cpu: '1', nodeSelector: { [ZONE]: 'zone-a' } }),
        aPod('b', { nodeSelector: { [ZONE]: 'zone-b' } }),
      ],
    });
    expect(zone.claims[0]!.refusal).toMatchObject({ code: 'RequirementIncompatible' });
    const arch = refused({
      pools: [
        aPool('p', {
          limits: { nodes: '1' },
          types: [aType('a'), aType('b', { arch: 'arm64', zones: ['zone-b'] })],
        }),
      ],
      pods: [
        aPod('a', { cpu: '1', nodeSelector: { [ZONE]: 'zone-a' } }),
        aPod('b', { nodeSelector: { 'kubernetes.io/arch': 'arm64' } }),
      ],
    });
    expect(arch.claims[0]!.refusal.code).toBe('NoTypeMeetsAll');
  });

  test('can be requested without details', () => {
    const plan = solve(cluster({ pods: [aPod('x', { cpu: '99' })], options: { explain: false } }));
    expect(plan.refusals).toEqual([{ pods: ['shop/x'], problem: null, pools: [], nodes: [], claims: [] }]);
  });

  test('has a text for every code', () => {
    expect(refusalText({ code: 'NoOffering' })).toContain('offering');
    expect(refusalText({ code: 'NoTypeMeetsAll', requirements: ['a', 'b'] })).toContain('a, b');
    expect(refusalText({ code: 'ReservedOnly', reservations: ['r'] })).toContain('could not be reserved (r)');
    expect(refusalText({ code: 'HostPortTaken', ip: '0.0.0.0', port: 80, protocol: 'TCP' })).toContain(
      'Port: 80',
    );
    expect(refusalText({ code: 'VolumeLimit', driver: 'd', limit: 3, used: 3, wanted: 1 })).toContain(
      '4 > 3',
    );
    expect(problemText({ code: 'VolumeClaimMissing', claim: 'a/b' })).toContain('"a/b"');
    expect(problemText({ code: 'StorageClassMissing', claim: 'a/b', storageClass: 's' })).toContain('"s"');
    expect(problemText({ code: 'VolumeMissing', claim: 'a/b', volume: 'v' })).toContain('"v"');
    expect(problemText({ code: 'InvalidPod', field: 'spec', problem: 'odd' })).toBe('spec: odd');
  });
});

describe('invalid input', () => {
  test.each<[string, Partial<SchedulingInput>, string, string]>([
    [
      'a price',
      { pools: [aPool('p', { types: [aType('t', { price: Number.NaN })] })] },
      'InstanceType/t',
      'offerings[0].price',
    ],
    [
      'a negative price',
      { pools: [aPool('p', { types: [aType('t', { price: -1 })] })] },
      'InstanceType/t',
      'offerings[0].price',
    ],
    [
      'an operator of a type',
      { pools: [aPool('p', { types: [aType('t', { requirements: [{ key: 'k', operator: 'Near' }] })] })] },
      'InstanceType/t',
      'requirements[4]',
    ],
    [
      'a capacity',
      { pools: [aPool('p', { types: [aType('t', { capacity: { cpu: 'much' } })] })] },
      'InstanceType/t',
      'capacity.cpu',
    ],
    ['a type twice', { pools: [aPool('p', { types: [aType('t'), aType('t')] })] }, 'InstanceType/t', 'name'],
    [
      'an operator of a pool',
      { pools: [aPool('p', { requirements: [{ key: 'k', operator: 'Near' as never }] })] },
      'NodePool/p',
      'spec.template.spec.requirements[0]',
    ],
    ['a limit', { pools: [aPool('p', { limits: { cpu: 'much' } })] }, 'NodePool/p', 'spec.limits.cpu'],
    ['a catalogue', { pools: [aPool('p', { types: 'nowhere' })] }, 'NodePool/p', 'instanceTypes'],
    ['a pool twice', { pools: [aPool('p'), aPool('p')] }, 'NodePool/p', 'metadata.name'],
    ['a node', { nodes: [aNode('n', { cpu: 'much' })] }, 'Node/n', 'allocatable.cpu'],
    ['a node twice', { nodes: [aNode('n'), aNode('n')] }, 'Node/n', 'name'],
    [
      'a daemon',
      {
        daemonSets: [
          {
            metadata: { name: 'd', namespace: 's' },
            spec: {
              template: {
                spec: { containers: [{ name: 'agent', resources: { requests: { cpu: 'much' } } }] },
              },
            },
          },
        ],
      },
      'DaemonSet/s/d',
      'spec.template.spec.containers.resources.requests.cpu',
    ],
  ])('%s is named and left out', (_, input, object, field) => {
    const { inputErrors } = solve(cluster({ ...input, pods: [aPod('x')] }));
    expect(inputErrors.map((error) => [error.object, error.field])).toContainEqual([object, field]);
  });

  test.each<[string, PodShape, string]>([
    ['requests', { cpu: 'much' }, 'spec.containers.resources.requests.cpu'],
    ['negative requests', { memory: '-1' }, 'spec.containers.resources.requests.memory'],
    [
      'operators',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'Near' }] }],
            },
          },
        },
      },
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]',
    ],
    ['skews', spreadOver(ZONE, 'web', { maxSkew: 0 }), 'spec.topologySpreadConstraints[0].maxSkew'],
    ['spread keys', spreadOver('', 'web'), 'spec.topologySpreadConstraints[0].topologyKey'],
    [
      'spread modes',
      spreadOver(ZONE, 'web', { whenUnsatisfiable: 'Perhaps' }),
      'spec.topologySpreadConstraints[0].whenUnsatisfiable',
    ],
    ['affinity keys', near('', 'web'), 'spec.affinity.podAffinity.topologyKey'],
    [
      'selectors',
      {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: ZONE, labelSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } },
            ],
          },
        },
      },
      'spec.affinity.podAffinity.labelSelector',
    ],
  ])('%s of a pod are its problem, with the field', (_, shape, field) => {
    const plan = solve(cluster({ pods: [aPod('x', shape), aPod('fine')] }));
    expect(plan.refusals[0]!.problem).toMatchObject({ code: 'InvalidPod', field });
    expect(plan.counts.placed).toBe(1);
  });

  test('a pod without a spec is a problem and does not affect other pods', () => {
    const plan = solve(cluster({ pods: [{ metadata: { name: 'x' } } as never, aPod('fine')] }));
    expect(plan.refusals[0]!.problem).toMatchObject({ field: 'spec' });
  });

  test('absurd requests are insufficient resources', () => {
    const huge = aPod('x', { cpu: '99999999999999999999', memory: '9999Ei' });
    expect(refused({ pods: [huge] }).pools[0]!.refusal.code).toBe('ResourceInsufficient');
  });
});
