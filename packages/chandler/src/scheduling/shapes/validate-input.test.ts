import { describe, expect, test } from 'vitest';
import { aNode, aPod, aPool, cluster } from '../cluster.fixture.ts';
import type { Pod, SchedulingInput } from '../model.ts';
import { prepare, solve } from '../solve.ts';

const fine = aPod('fine');

/** The invalid object is skipped with an error on this object and field; the valid pod is placed. */
const NAMED: readonly (readonly [why: string, input: object, object: string, field: string])[] = [
  ['a pod that is null', { pods: [null, fine] }, 'Pod/0', 'metadata'],
  ['a pod without metadata', { pods: [{}, fine] }, 'Pod/0', 'metadata'],
  ['a pod without a name', { pods: [{ metadata: {} }, fine] }, 'Pod/0', 'metadata.name'],
  ['a pod with an empty name', { pods: [{ metadata: { name: '' } }, fine] }, 'Pod/default/', 'metadata.name'],
  ['a second pod of one name', { pods: [fine, fine] }, 'Pod/shop/fine', 'metadata.name'],
  ['a namespace that is a number', withPod({ namespace: 7 }), 'Pod/7/odd', 'metadata.namespace'],
  ['a uid that is a number', withPod({ uid: 7 }), 'Pod/default/odd', 'metadata.uid'],
  [
    'an age that is a number',
    withPod({ creationTimestamp: 7 }),
    'Pod/default/odd',
    'metadata.creationTimestamp',
  ],
  [
    'an end that is a number',
    withPod({ deletionTimestamp: 7 }),
    'Pod/default/odd',
    'metadata.deletionTimestamp',
  ],
  ['a label that is a number', withPod({ labels: { app: 1 } }), 'Pod/default/odd', 'metadata.labels.app'],
  [
    'an owner that is null',
    withPod({ ownerReferences: [null] }),
    'Pod/default/odd',
    'metadata.ownerReferences[0]',
  ],
  ['a volume that is null', withPod({}, { volumes: [null] }), 'Pod/default/odd', 'spec.volumes[0]'],
  ['a priority that is a text', withPod({}, { priority: 'high' }), 'Pod/default/odd', 'spec.priority'],
  ['a node name that is a list', withPod({}, { nodeName: [] }), 'Pod/default/odd', 'spec.nodeName'],
  [
    'a claim without a name',
    withPod({}, { resourceClaims: [{}] }),
    'Pod/default/odd',
    'spec.resourceClaims[0].name',
  ],
  [
    'a status that is a text',
    { pods: [{ ...fine, metadata: { name: 'odd' }, status: 'up' }, fine] },
    'Pod/default/odd',
    'status',
  ],
  [
    'a phase that is a number',
    { pods: [{ ...fine, metadata: { name: 'odd' }, status: { phase: 1 } }, fine] },
    'Pod/default/odd',
    'status.phase',
  ],
  ['pods that are no list of those that are there', { boundPods: 'x' }, 'input', 'boundPods'],
  [
    'a bound pod that cannot be read',
    { boundPods: [{ metadata: { name: 'odd' }, spec: { nodeName: 'n', containers: 3 } }] },
    'Pod/default/odd',
    'spec.containers',
  ],
  ['a pool that is null', { pools: [aPool(), null] }, 'NodePool/1', ''],
  [
    'a pool without a template',
    { pools: [aPool(), { nodePool: { metadata: { name: 'bare' }, spec: {} } }] },
    'NodePool/bare',
    'spec.template',
  ],
  [
    'a pool of a class without a kind',
    withPool({ nodeClassRef: { group: 'g', name: 'n' } }),
    'NodePool/odd',
    'spec.template.spec.nodeClassRef.kind',
  ],
  [
    'a taint without an effect',
    withPool({ taints: [{ key: 'a' }] }),
    'NodePool/odd',
    'spec.template.spec.taints[0].effect',
  ],
  [
    'types that are no list',
    { pools: [aPool(), { ...aPool('odd'), instanceTypes: 7 }] },
    'input',
    'InstanceType',
  ],
  ['a type that is null', withType(null), 'InstanceType/0', ''],
  ['a type of no capacity', withType({ name: 't' }), 'InstanceType/t', 'capacity'],
  [
    'offerings that are a number',
    withType({ name: 't', capacity: {}, offerings: 3 }),
    'InstanceType/t',
    'offerings',
  ],
  [
    'a requirement without a key',
    withType({ name: 't', capacity: {}, requirements: [{ operator: 'In' }] }),
    'InstanceType/t',
    'requirements[0].key',
  ],
  [
    'a flag that is a text',
    withType({ name: 't', capacity: {}, offerings: [{ available: 'yes' }] }),
    'InstanceType/t',
    'offerings[0].available',
  ],
  ['a node that is null', { nodes: [null] }, 'Node/0', ''],
  ['a node without a name', { nodes: [{ labels: {} }] }, 'Node/0', 'name'],
  ['a node with labels that are a list', { nodes: [{ ...aNode('n'), labels: ['x'] }] }, 'Node/n', 'labels'],
  [
    'an amount that is true',
    { nodes: [{ ...aNode('n'), allocatable: { cpu: true } }] },
    'Node/n',
    'allocatable.cpu',
  ],
  [
    'a DaemonSet without a template',
    { daemonSets: [{ metadata: { name: 'd' }, spec: {} }] },
    'DaemonSet/d',
    'spec.template',
  ],
  ['a namespace without a name', { namespaces: [{ labels: {} }] }, 'Namespace/0', 'name'],
  [
    'an adjustment that is a number',
    { overlays: [{ metadata: { name: 'o' }, spec: { priceAdjustment: 5 } }] },
    'NodeOverlay/o',
    'spec.priceAdjustment',
  ],
  ['a well-known label that is none', { wellKnownLabels: ['a', 5] }, 'wellKnownLabels/1', ''],
  [
    'a claim without a spec',
    { volumes: { claims: [{ metadata: { name: 'c' } }] } },
    'PersistentVolumeClaim/c',
    'spec',
  ],
  [
    'a volume of no driver',
    { volumes: { volumes: [{ metadata: { name: 'v' }, spec: { csi: {} } }] } },
    'PersistentVolume/v',
    'spec.csi.driver',
  ],
  [
    'a class of no provisioner',
    { volumes: { classes: [{ metadata: { name: 's' } }] } },
    'StorageClass/s',
    'provisioner',
  ],
  [
    'a count that is a text',
    {
      volumes: {
        csiNodes: [
          { metadata: { name: 'n' }, spec: { drivers: [{ name: 'd', allocatable: { count: '3' } }] } },
        ],
      },
    },
    'CSINode/n',
    'spec.drivers[0].allocatable.count',
  ],
  [
    'limits of drivers that are texts',
    { volumes: { newNodeLimits: { d: { '*': 'many' } } } },
    'volumes/newNodeLimits',
    'd.*',
  ],
  [
    'a default spread without a skew',
    { defaultSpread: { constraints: [{ topologyKey: 'zone' }] } },
    'defaultSpread.constraints/0',
    'maxSkew',
  ],
  [
    'a default spread of an unknown word',
    { defaultSpread: { constraints: [{ topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'Maybe' }] } },
    'defaultSpread.constraints/0',
    'whenUnsatisfiable',
  ],
  [
    'a service without a selector',
    { defaultSpread: { constraints: [], services: [{ metadata: { name: 's' } }] } },
    'Service/s',
    'selector',
  ],
  ['a list of no types at all', { options: { maxInstanceTypes: 0 } }, 'options', 'maxInstanceTypes'],
  ['an effort below zero', { options: { improveEffort: -1 } }, 'options', 'improveEffort'],
  [
    'a policy that does not exist',
    { options: { preferencePolicy: 'Perhaps' } },
    'options',
    'preferencePolicy',
  ],
];

function withPod(metadata: object, spec: object = {}): object {
  return { pods: [{ metadata: { name: 'odd', ...metadata }, spec: { containers: [], ...spec } }, fine] };
}

function withPool(spec: object): object {
  const nodePool = { metadata: { name: 'odd' }, spec: { template: { spec } } };
  return { pools: [aPool(), { nodePool, instanceTypes: [] }] };
}

function withType(type: unknown): object {
  return { pools: [aPool(), { ...aPool('odd'), instanceTypes: [type] }] };
}

describe('input validation', () => {
  test.each(NAMED)('%s is reported and skipped', (_why, input, object, field) => {
    const plan = solve(cluster({ pods: [fine], ...input } as Partial<SchedulingInput>));
    expect(plan.inputErrors.map((error) => [error.object, error.field])).toContainEqual([object, field]);
    expect(plan.claims.flatMap(({ pods }) => pods)).toContain('shop/fine');
    expect(plan.counts.placed).toBe(1);
  });

  test.each([
    ['no spec', undefined, 'spec'],
    ['containers that are a number', { containers: 3 }, 'spec.containers'],
    ['containers that are a word', { containers: 'ab' }, 'spec.containers'],
    ['a container that is null', { containers: [null] }, 'spec.containers[0]'],
    [
      'a term that is null',
      { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [null] } } },
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]',
    ],
    ['a spread that is a word', { topologySpreadConstraints: 'x' }, 'spec.topologySpreadConstraints'],
    ['a toleration of a number', { tolerations: [{ key: 5 }] }, 'spec.tolerations[0].key'],
  ])('a pod with %s is refused with the field', (_why, spec, field) => {
    const odd = { metadata: { name: 'odd', namespace: 'shop' }, spec } as unknown as Pod;
    const plan = solve(cluster({ pods: [odd, aPod('fine'), aPod('two', { cpu: '1' })] }));
    expect(plan.refusals.map(({ pods, problem }) => [pods, problem])).toMatchObject([
      [['shop/odd'], { code: 'InvalidPod', field }],
    ]);
    expect(plan.counts.placed).toBe(2);
  });

  test('an invalid status is a problem of the pod', () => {
    const status = { containerStatuses: [{ name: 'main', allocatedResources: 'much' }] };
    const plan = solve(cluster({ pods: [{ ...fine, status } as unknown as Pod] }));
    expect(plan.refusals[0]!.problem).toMatchObject({
      code: 'InvalidPod',
      field: 'status.containerStatuses[0].allocatedResources',
    });
  });

  test('null is treated as missing', () => {
    const pod = {
      metadata: {
        name: 'p',
        labels: null,
        creationTimestamp: null,
        deletionTimestamp: null,
        ownerReferences: null,
      },
      spec: {
        containers: [{ resources: null, ports: null }],
        affinity: null,
        volumes: null,
        nodeSelector: null,
      },
      status: null,
    } as unknown as Pod;
    const pool = aPool();
    const { spec } = pool.nodePool;
    const nodePool = { ...pool.nodePool, spec: { ...spec, limits: null, weight: null } } as never;
    const plan = solve({ pods: [pod], pools: [{ ...pool, nodePool }], options: { explain: null } as never });
    expect(plan.inputErrors).toEqual([]);
    expect(plan.claims.map(({ pods }) => pods)).toEqual([['default/p']]);
  });

  test('pods with different specs are never treated as equal', () => {
    const odd = (name: string, containers: unknown) => ({ metadata: { name }, spec: { containers } }) as Pod;
    const pods = [
      odd('a', [{ resources: { requests: { cpu: null } } }]),
      odd('b', [{ resources: { requests: { cpu: 'null' } } }]),
      odd('c', 'x'),
      odd('d', [{}]),
    ];
    const plan = solve(cluster({ pods }));
    expect(plan.claims.flatMap((claim) => claim.pods).sort()).toEqual(['default/a', 'default/d']);
  });

  test('pools with the same list of types share one catalogue', () => {
    const types = [
      { name: 't', requirements: [], offerings: [], capacity: { cpu: '1', memory: 7 }, overhead: null },
    ];
    const pools = ['a', 'b'].map((name) => ({ ...aPool(name), instanceTypes: types as never }));
    const plan = solve({ pools, pods: [fine], catalogues: { odd: [null] as never } });
    expect(plan.inputErrors.map(({ object }) => object)).toEqual(['InstanceType/0']);
  });

  test('an overlay without requirements applies to types without requirements', () => {
    const overlays = [{ metadata: { name: 'o' }, spec: { priceAdjustment: '-10%' } as never }];
    const bare = { name: 'bare', capacity: { cpu: '1' } } as never;
    const plan = solve(
      cluster({ pods: [fine], pools: [aPool('odd', { types: [bare] }), aPool()], overlays }),
    );
    expect(plan.inputErrors).toEqual([]);
    expect(plan.counts.placed).toBe(1);
  });

  test('an empty input gives an empty plan', () => {
    expect(solve({} as never)).toMatchObject({ claims: [], refusals: [], inputErrors: [] });
  });

  test('a plan reports every bound pod that is invalid, however many there are', () => {
    const bad = {
      metadata: { name: 'bad', namespace: 'default' },
      spec: { containers: 'none', nodeName: 'n' },
    };
    const boundPods = Array.from({ length: 200_000 }, () => bad) as never;
    expect(solve({ pools: [], pods: [], boundPods }).inputErrors).toHaveLength(200_000);
  });

  test('extra pods of a request are validated like those of the snapshot', () => {
    const snapshot = prepare(cluster({ pods: [fine] }));
    const plan = snapshot.solveWithout({ nodes: [], extraPods: [fine, null as never, aPod('more')] });
    expect(plan.inputErrors.map(({ object, problem }) => [object, problem])).toEqual([
      ['Pod/shop/fine', 'duplicate name'],
      ['Pod/1', 'missing'],
    ]);
    expect(plan.counts).toMatchObject({ pods: 2, placed: 2 });
    expect(snapshot.solve().inputErrors).toEqual([]);
  });
});
