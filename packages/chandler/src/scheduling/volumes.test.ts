import type { PersistentVolumeClaimSpec, PersistentVolumeSpec } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { aNode, aPod, aPool, aType, bound, cluster, HOST, pods, TYPE, ZONE } from './cluster.fixture.ts';
import type { Pod, VolumeFacts } from './model.ts';
import { solve } from './solve.ts';

const mounting = (name: string, ...claims: string[]): Pod =>
  aPod(name, {
    cpu: '100m',
    volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
  });
const claim = (name: string, spec: PersistentVolumeClaimSpec) => ({
  metadata: { name, namespace: 'shop' },
  spec,
});
const inZones = (...zones: string[]) => ({
  required: {
    nodeSelectorTerms: zones.map((zone) => ({
      matchExpressions: [{ key: 'topology.ebs.csi.aws.com/zone', operator: 'In', values: [zone] }],
    })),
  },
});
const volume = (name: string, spec: PersistentVolumeSpec) => ({
  metadata: { name },
  spec: { csi: { driver: 'disk' }, ...spec },
});

const facts: VolumeFacts = {
  claims: [
    claim('bound', { volumeName: 'pv' }),
    claim('either', { volumeName: 'pv-bc' }),
    claim('local', { volumeName: 'pv-local' }),
    claim('new', { storageClassName: 'zonal' }),
    claim('gone', { volumeName: 'no-such' }),
    claim('odd', { storageClassName: 'no-such' }),
    claim('plain', {}),
    ...Array.from({ length: 9 }, (_, index) => claim(`own-${index}`, { storageClassName: 'any' })),
    claim('common', { storageClassName: 'any' }),
  ],
  volumes: [
    volume('pv', { nodeAffinity: inZones('zone-b') }),
    volume('pv-bc', { nodeAffinity: inZones('zone-b', 'zone-c') }),
    {
      metadata: { name: 'pv-local' },
      spec: {
        local: {},
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: HOST, operator: 'In', values: ['old'] }] }],
          },
        },
      },
    },
  ],
  classes: [
    {
      metadata: { name: 'zonal' },
      provisioner: 'disk',
      allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: ['zone-c'] }] }],
    },
    { metadata: { name: 'any' }, provisioner: 'disk' },
  ],
};

const zoneOf = (pod: Pod, more = {}) =>
  solve(cluster({ pods: [pod], volumes: facts, ...more })).claims[0]?.requirements.find(
    ({ key }) => key === ZONE,
  )?.values;

describe('volumes', () => {
  test('require a node in their zone, or in the zones of their storage class', () => {
    expect(zoneOf(mounting('x', 'bound'))).toEqual(['zone-b']);
    expect(zoneOf(mounting('x', 'new'))).toEqual(['zone-c']);
    expect(zoneOf(mounting('x', 'either', 'new'))).toEqual(['zone-c']);
    expect(zoneOf(mounting('x', 'local'))).toBeUndefined();
    expect(zoneOf(mounting('x', 'plain'))).toBeUndefined();
  });

  test('with several alternatives use the first that works', () => {
    const types = [aType('t', { zones: ['zone-c'] })];
    expect(zoneOf(mounting('x', 'either'), { pools: [aPool('p', { types })] })).toEqual(['zone-c']);
    const nodes = [aNode('n', { zone: 'zone-c' })];
    expect(
      solve(cluster({ nodes, volumes: facts, pods: [mounting('x', 'either')] })).placements,
    ).toHaveLength(1);
  });

  test('that contradict each other are refused by name', () => {
    const plan = solve(
      cluster({ volumes: facts, nodes: [aNode('n')], pods: [mounting('x', 'bound', 'new')] }),
    );
    expect(plan.refusals[0]!.nodes[0]!.refusal).toMatchObject({
      code: 'RequirementIncompatible',
      source: 'volume',
      key: ZONE,
    });
    expect(plan.counts.refused).toBe(1);
  });

  test('that contradict each other fit no node, also none without a zone', () => {
    const nodes = [{ ...aNode('n'), labels: {} }];
    const plan = solve(cluster({ volumes: facts, nodes, pods: [mounting('x', 'bound', 'new')] }));
    expect(plan.counts.refused).toBe(1);
  });

  test.each([
    ['gone', { code: 'VolumeMissing', claim: 'shop/gone', volume: 'no-such' }],
    ['odd', { code: 'StorageClassMissing', claim: 'shop/odd', storageClass: 'no-such' }],
    ['never', { code: 'VolumeClaimMissing', claim: 'shop/never' }],
  ])('that are not there (%s) are the problem of the pod', (name, problem) => {
    expect(solve(cluster({ volumes: facts, pods: [mounting('x', name)] })).refusals[0]!.problem).toEqual(
      problem,
    );
  });

  test.each([
    ['binds at once', { storageClassName: 'any' }, {}, {}],
    ['deleting', { storageClassName: 'late' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }, {}],
    ['lost', { volumeName: 'pv' }, {}, { phase: 'Lost' }],
    ['not yet bound', { volumeName: 'pv' }, {}, {}],
    ['no storage class', {}, {}, {}],
  ])(
    'that are not ready (%s) keep a pod from new nodes where claims are checked',
    (problem, spec, metadata, status) => {
      const claims = [{ metadata: { name: 'c', namespace: 'shop', ...metadata }, spec, status }];
      const late = {
        metadata: { name: 'late' },
        provisioner: 'disk',
        volumeBindingMode: 'WaitForFirstConsumer',
      };
      const volumes = { ...facts, claims, classes: [...facts.classes!, late] };
      const refusalsWith = (checkClaims: boolean) =>
        solve(cluster({ volumes: { ...volumes, checkClaims }, pods: [mounting('x', 'c')] })).refusals;
      expect(refusalsWith(false)).toEqual([]);
      expect(refusalsWith(true)[0]!.problem).toMatchObject({
        code: 'VolumeUnbound',
        claim: 'shop/c',
        problem,
      });
    },
  );

  test('that are ephemeral use claims named after the pod', () => {
    const spec = { storageClassName: 'zonal' };
    const pod = aPod('x', {
      volumes: [{ name: 'tmp', ephemeral: { volumeClaimTemplate: { spec } } }, { name: 'empty' }],
    });
    expect(zoneOf(pod)).toEqual(['zone-c']);
  });

  test('that are ephemeral and name no class have the default one, of several the newest', () => {
    const isDefault = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    const aClass = (name: string, zone: string, creationTimestamp: string) => ({
      metadata: { name, creationTimestamp, annotations: isDefault },
      provisioner: 'disk',
      allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: [zone] }] }],
    });
    const classes = [
      aClass('a', 'zone-a', '2026-01-01T00:00:00Z'),
      aClass('b', 'zone-b', '2026-01-02T00:00:00Z'),
      aClass('c', 'zone-c', '2026-01-01T00:00:00Z'),
    ];
    const zones = (spec: PersistentVolumeClaimSpec, checkClaims: boolean) => {
      const pod = aPod('x', { volumes: [{ name: 'tmp', ephemeral: { volumeClaimTemplate: { spec } } }] });
      return zoneOf(pod, { volumes: { ...facts, classes, checkClaims } });
    };
    for (const checks of [true, false]) expect(zones({}, checks)).toEqual(['zone-b']);
    // Empty means none.
    expect(zones({ storageClassName: '' }, false)).not.toEqual(['zone-b']);
  });
});

describe('attachments', () => {
  const csiNodes = [
    {
      metadata: { name: 'n' },
      spec: { drivers: [{ name: 'disk', allocatable: { count: 3 } }, { name: 'other' }] },
    },
  ];
  const list = Array.from({ length: 4 }, (_, index) => mounting(`x-${index}`, `own-${index}`));

  test('are limited per driver on a node, including bound pods', () => {
    const volumes = { ...facts, csiNodes };
    const boundPods = bound('n', mounting('old', 'own-8'));
    const plan = solve(cluster({ pools: [], nodes: [aNode('n')], boundPods, volumes, pods: list }));
    expect(plan.counts).toMatchObject({ placed: 2, refused: 2 });
    expect(plan.refusals[0]!.nodes[0]!.refusal).toEqual({
      code: 'VolumeLimit',
      driver: 'disk',
      limit: 3,
      used: 3,
      wanted: 1,
    });
  });

  test('of bound pods count also where claims are checked', () => {
    const volumes = { ...facts, csiNodes, checkClaims: true };
    const late = {
      metadata: { name: 'any' },
      provisioner: 'disk',
      volumeBindingMode: 'WaitForFirstConsumer',
    };
    const boundPods = bound('n', mounting('old', 'bound'), mounting('older', 'either'));
    const nodes = [aNode('n', { zone: 'zone-b' })];
    const plan = solve(
      cluster({ pools: [], nodes, boundPods, volumes: { ...volumes, classes: [late] }, pods: list }),
    );
    expect(plan.counts).toMatchObject({ placed: 1, refused: 3 });
  });

  test('are limited on new nodes by their type', () => {
    const newNodeLimits = { disk: { '*': 2, large: 4 } };
    const options = { improveEffort: 0 };
    const plan = solve(cluster({ volumes: { ...facts, newNodeLimits }, pods: list.slice(0, 3), options }));
    expect(plan.claims).toHaveLength(1);
    expect(plan.claims[0]!.instanceTypes).toEqual(['large']);
    expect(Object.keys(plan.claims[0]!.requests)).toEqual(['cpu', 'pods']);
    const many = mounting('many', 'own-0', 'own-1', 'own-2', 'own-3', 'own-4');
    const refused = solve(cluster({ volumes: { ...facts, newNodeLimits }, pods: [many] }));
    expect(refused.refusals[0]!.pools[0]!.refusal).toMatchObject({
      code: 'VolumeLimit',
      limit: 4,
      wanted: 5,
    });
  });

  test('are limited on new nodes by what the instance type can attach', () => {
    const types = [
      { ...aType('cheap', { cpu: 4 }), volumeAttachmentLimits: { disk: 2, other: 1 } },
      { ...aType('dear', { cpu: 16 }), volumeAttachmentLimits: { disk: 16 } },
    ];
    const pools = [aPool('p', { types })];
    const plan = solve({ pools, volumes: facts, pods: list.slice(0, 3), options: { improveEffort: 0 } });
    expect(plan.claims.map(({ instanceTypes }) => instanceTypes)).toEqual([['dear']]);
    const improved = solve({ pools, volumes: facts, pods: list });
    expect(improved.claims.map((claim) => [claim.instanceTypes, claim.pods.length])).toEqual([
      [['cheap', 'dear'], 2],
      [['cheap', 'dear'], 2],
    ]);
    const small = [aPool('p', { types: types.slice(0, 1) })];
    const many = mounting('many', 'own-0', 'own-1', 'own-2');
    const refused = solve({ pools: small, volumes: facts, pods: [many] });
    expect(refused.refusals[0]!.pools[0]!.refusal).toMatchObject({
      code: 'VolumeLimit',
      driver: 'disk',
      limit: 2,
    });
  });

  test('on a node whose CSI driver is not registered yet are limited by its instance type', () => {
    const types = [{ ...aType('t', { cpu: 4 }), volumeAttachmentLimits: { disk: 1 } }];
    const pools = [aPool('p', { types, limits: { nodes: '0' } })];
    const nodes = [aNode('n', { pool: 'p', labels: { [TYPE]: 't' } })];
    const placed = (csi: VolumeFacts['csiNodes']) =>
      solve({ pools, nodes, volumes: { ...facts, csiNodes: csi ?? [] }, pods: list }).counts.placed;
    expect(placed([])).toBe(1);
    expect(placed([{ metadata: { name: 'n' }, spec: { drivers: [{ name: 'other' }] } }])).toBe(1);
    expect(placed([{ metadata: { name: 'n' }, spec: { drivers: [{ name: 'disk' }] } }])).toBe(4);
    expect(placed(csiNodes)).toBe(3);
  });

  test('of a claim that several pods mount count once per node', () => {
    const sharing = pods(5, 's').map((pod) => ({ ...mounting(pod.metadata.name!, 'common') }));
    const newNodeLimits = { disk: { '*': 1 } };
    expect(solve(cluster({ volumes: { ...facts, newNodeLimits }, pods: sharing })).claims).toHaveLength(1);
    const onNode = solve(
      cluster({
        pools: [],
        nodes: [aNode('n')],
        volumes: {
          ...facts,
          csiNodes: [
            { metadata: { name: 'n' }, spec: { drivers: [{ name: 'disk', allocatable: { count: 1 } }] } },
          ],
        },
        pods: [...sharing, mounting('z', 'own-1', 'common')],
      }),
    );
    expect(onNode.counts).toMatchObject({ placed: 5, refused: 1 });
  });
});
