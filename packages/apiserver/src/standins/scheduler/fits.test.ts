import type { CSINode, Node, Pod, Stored } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { aClusterSnapshot, aNode, aPod, type PodOptions, type Storage } from '../builders.fixture.ts';
import { feasibleNodes, refusalOf } from './fits.ts';
import { unschedulableMessage } from './unschedulable-message.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const inZone = (name: string, zone: string) => aNode(name, { labels: { [ZONE]: zone } });

function takers(
  pod: Stored<Pod>,
  nodes: readonly Stored<Node>[],
  pods: readonly Stored<Pod>[] = [],
  storage: Storage = {},
): string[] {
  return feasibleNodes(pod, aClusterSnapshot(nodes, pods, storage)).nodes.map(({ name }) => name);
}

function why(
  pod: Stored<Pod>,
  node: Stored<Node>,
  pods: readonly Stored<Pod>[] = [],
): readonly string[] | undefined {
  return refusalOf(pod, node.metadata.name, aClusterSnapshot([node], pods))?.reasons;
}

describe('resources of a node', () => {
  test('a pod needs the sum of the requests of its containers', () => {
    const pods = [aPod('there', { cpu: '3', node: 'n' })];
    expect(why(aPod('fits', { cpu: '1' }), aNode('n'), pods)).toBeUndefined();
    expect(why(aPod('not', { cpu: '1001m', memory: '17Gi' }), aNode('n'), pods)).toEqual([
      'Insufficient cpu',
      'Insufficient memory',
    ]);
  });

  test('a finished pod uses no resources', () => {
    const pods = [aPod('done', { cpu: '4', node: 'n', phase: 'Succeeded' })];
    expect(why(aPod('fits', { cpu: '4' }), aNode('n'), pods)).toBeUndefined();
  });

  test('the number of pods is limited', () => {
    expect(why(aPod('b'), aNode('n', { pods: 1 }), [aPod('a', { node: 'n' })])).toEqual(['Too many pods']);
  });

  test('a resource that the node does not have is insufficient', () => {
    const spec = { containers: [{ name: 'main', resources: { requests: { 'example.com/gpu': '1' } } }] };
    expect(why(aPod('p', { spec }), aNode('n'))).toEqual(['Insufficient example.com/gpu']);
    expect(why(aPod('p', { spec }), aNode('n', { resources: { 'example.com/gpu': '1' } }))).toBeUndefined();
  });

  test('a host port is used once for each address', () => {
    const withPort = (hostIP?: string) => ({
      spec: {
        containers: [
          { name: 'main', ports: [{ containerPort: 80, hostPort: 80, ...(hostIP ? { hostIP } : {}) }] },
        ],
      },
    });
    const there = [aPod('there', { node: 'n', ...withPort('10.0.0.1') })];
    expect(why(aPod('other', withPort('10.0.0.2')), aNode('n'), there)).toBeUndefined();
    expect(why(aPod('any', withPort()), aNode('n'), there)).toEqual([
      "node(s) didn't have free ports for the requested pod ports",
    ]);
  });
});

describe('node constraints of a pod', () => {
  const nodes = [inZone('n1', 'a'), inZone('n2', 'b'), aNode('n3', { labels: { size: '3' } })];
  const required = (...nodeSelectorTerms: object[]) => ({
    spec: {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
    },
  });
  const expression = (key: string, operator: string, ...values: string[]) => ({
    matchExpressions: [{ key, operator, ...(values.length > 0 ? { values } : {}) }],
  });

  test.each([
    ['In', expression(ZONE, 'In', 'a', 'c'), ['n1']],
    ['NotIn, which a node without the label satisfies', expression(ZONE, 'NotIn', 'a'), ['n2', 'n3']],
    ['Exists', expression(ZONE, 'Exists'), ['n1', 'n2']],
    ['DoesNotExist', expression(ZONE, 'DoesNotExist'), ['n3']],
    ['Gt', expression('size', 'Gt', '2'), ['n3']],
    ['Lt', expression('size', 'Lt', '3'), []],
    ['a name', { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] }, ['n2']],
    ['a term that asks nothing, which matches nothing', {}, []],
  ])('node affinity by %s', (_, term, expected) => {
    expect(takers(aPod('p', required(term) as PodOptions), nodes)).toEqual(expected);
  });

  test('one term of several is enough', () => {
    const options = required(expression(ZONE, 'In', 'a'), expression('size', 'Exists')) as PodOptions;
    expect(takers(aPod('p', options), nodes)).toEqual(['n1', 'n3']);
  });

  test('taints exclude a pod unless it tolerates all of them', () => {
    const tainted = aNode('n', {
      taints: [
        { key: 'a', value: '1', effect: 'NoSchedule' },
        { key: 'b', effect: 'NoExecute' },
        { key: 'c', effect: 'PreferNoSchedule' },
      ],
    });
    const one = [{ key: 'a', operator: 'Equal', value: '1', effect: 'NoSchedule' }];
    expect(why(aPod('p', { spec: { tolerations: one } }), tainted)).toEqual([
      'node(s) had untolerated taint(s)',
    ]);
    const both = [...one, { key: 'b', operator: 'Exists' }];
    expect(why(aPod('p', { spec: { tolerations: both } }), tainted)).toBeUndefined();
    expect(why(aPod('p', { spec: { tolerations: [{ operator: 'Exists' }] } }), tainted)).toBeUndefined();
  });

  test('a cordoned node accepts no pod', () => {
    expect(why(aPod('p'), aNode('n', { unschedulable: true }))).toEqual(['node(s) were unschedulable']);
  });
});

describe('constraints between pods', () => {
  const nodes = [inZone('a1', 'a'), inZone('a2', 'a'), inZone('b1', 'b')];
  const term = (topologyKey: string, app: string, more: object = {}) => ({
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey, labelSelector: { matchLabels: { app } }, ...more },
    ],
  });
  const web = (name: string, node: string, options: PodOptions = {}) =>
    aPod(name, { labels: { app: 'web' }, node, ...options });

  test('affinity requires the same domain, and the first pod of a group may run anywhere', () => {
    const pod = aPod('p', { labels: { app: 'web' }, spec: { affinity: { podAffinity: term(ZONE, 'web') } } });
    expect(takers(pod, nodes)).toEqual(['a1', 'a2', 'b1']);
    expect(takers(pod, nodes, [web('w', 'a1')])).toEqual(['a1', 'a2']);
    const stranger = aPod('s', { spec: { affinity: { podAffinity: term(ZONE, 'web') } } });
    expect(takers(stranger, nodes)).toEqual([]);
  });

  test('anti-affinity requires another domain, and applies to later pods too', () => {
    const repelling = aPod('repelling', { spec: { affinity: { podAntiAffinity: term(ZONE, 'web') } } });
    expect(takers(repelling, nodes, [web('w', 'a1')])).toEqual(['b1']);
    const there = aPod('there', { node: 'b1', spec: repelling.spec });
    const placed = { ...there, spec: { ...repelling.spec, nodeName: 'b1' } };
    const feasibility = feasibleNodes(web('late', ''), aClusterSnapshot(nodes, [placed]));
    expect(feasibility.nodes.map(({ name }) => name)).toEqual(['a1', 'a2']);
    expect(feasibility.refusals.get('b1')?.reasons).toEqual([
      "node(s) didn't satisfy existing pods anti-affinity rules",
    ]);
  });

  test('terms apply to their own namespace, to listed ones, or to those that a selector matches', () => {
    const there = [web('w', 'a1', { namespace: 'shop' })];
    const repelling = (more: object) =>
      aPod('p', { spec: { affinity: { podAntiAffinity: term(HOST, 'web', more) } } });
    const namespaces = { shop: { tier: 'front' } };
    expect(takers(repelling({}), nodes, there, { namespaces })).toEqual(['a1', 'a2', 'b1']);
    expect(takers(repelling({ namespaces: ['shop'] }), nodes, there, { namespaces })).toEqual(['a2', 'b1']);
    const selected = { namespaceSelector: { matchLabels: { tier: 'front' } } };
    expect(takers(repelling(selected), nodes, there, { namespaces })).toEqual(['a2', 'b1']);
  });

  const spread = (more: object = {}) => ({
    labels: { app: 'web' },
    spec: {
      topologySpreadConstraints: [
        {
          topologyKey: ZONE,
          maxSkew: 1,
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'web' } },
          ...more,
        },
      ],
    },
  });

  test('spread rejects a domain that is ahead by more than the skew', () => {
    expect(takers(aPod('p', spread()), nodes, [web('w', 'a1')])).toEqual(['b1']);
    expect(takers(aPod('p', spread({ maxSkew: 2 })), nodes, [web('w', 'a1')])).toEqual(['a1', 'a2', 'b1']);
    expect(takers(aPod('p', spread()), nodes, [web('w', 'a1', { terminating: true })])).toEqual([
      'a1',
      'a2',
      'b1',
    ]);
    expect(
      takers(aPod('p', spread({ whenUnsatisfiable: 'ScheduleAnyway' })), nodes, [web('w', 'a1')]),
    ).toHaveLength(3);
  });

  test('with fewer domains than wanted the minimum is zero', () => {
    const pods = [web('w1', 'a1'), web('w2', 'b1')];
    expect(takers(aPod('p', spread()), nodes, pods)).toEqual(['a1', 'a2', 'b1']);
    expect(takers(aPod('p', spread({ minDomains: 3 })), nodes, pods)).toEqual([]);
  });

  test('nodes that the pod cannot use count or not, as the policies say', () => {
    const closed = aNode('c1', { labels: { [ZONE]: 'c' }, taints: [{ key: 'x', effect: 'NoSchedule' }] });
    const pods = [web('w1', 'a1'), web('w2', 'b1')];
    expect(takers(aPod('p', spread()), [...nodes, closed], pods)).toEqual([]);
    expect(takers(aPod('p', spread({ nodeTaintsPolicy: 'Honor' })), [...nodes, closed], pods)).toEqual([
      'a1',
      'a2',
      'b1',
    ]);
  });

  test('a node without the topology label is rejected', () => {
    expect(why(aPod('p', spread()), aNode('bare'))).toEqual([
      "node(s) didn't match pod topology spread constraints (missing required label)",
    ]);
  });
});

describe('volumes', () => {
  const nodes = [inZone('a1', 'a'), inZone('b1', 'b')];
  const spec = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] };
  const claim = (more: object = {}, annotations = {}) => ({
    metadata: { name: 'data', namespace: 'default', uid: 'uid-data', resourceVersion: '1', annotations },
    spec: {
      storageClassName: 'std',
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...more,
    },
  });
  const std = {
    metadata: { name: 'std', uid: 'uid-std', resourceVersion: '1' },
    provisioner: 'disk',
    volumeBindingMode: 'WaitForFirstConsumer',
  };
  const volume = (zone: string) => ({
    metadata: { name: 'pv', uid: 'uid-pv', resourceVersion: '1' },
    spec: {
      storageClassName: 'std',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      csi: { driver: 'disk', volumeHandle: 'pv' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: [zone] }] }],
        },
      },
    },
  });
  const bound = claim({ volumeName: 'pv' }, { 'pv.kubernetes.io/bind-completed': 'yes' });

  test('a bound volume decides the zone', () => {
    expect(takers(aPod('p', { spec }), nodes, [], { claims: [bound], volumes: [volume('b')] })).toEqual([
      'b1',
    ]);
  });

  test('a claim with WaitForFirstConsumer needs a node where its class can provision a volume', () => {
    const allowedTopologies = [{ matchLabelExpressions: [{ key: ZONE, values: ['a'] }] }];
    expect(takers(aPod('p', { spec }), nodes, [], { claims: [claim()], classes: [std] })).toEqual([
      'a1',
      'b1',
    ]);
    expect(
      takers(aPod('p', { spec }), nodes, [], { claims: [claim()], classes: [{ ...std, allowedTopologies }] }),
    ).toEqual(['a1']);
  });

  test('a class without a provisioner needs an existing volume', () => {
    const classes = [{ ...std, provisioner: 'kubernetes.io/no-provisioner' }];
    expect(takers(aPod('p', { spec }), nodes, [], { claims: [claim()], classes })).toEqual([]);
    expect(
      takers(aPod('p', { spec }), nodes, [], { claims: [claim()], classes, volumes: [volume('b')] }),
    ).toEqual(['b1']);
  });

  test.each([
    ['not there', {}, 'persistentvolumeclaim "data" not found'],
    [
      'to be bound at once and is not',
      { claims: [claim()], classes: [{ ...std, volumeBindingMode: 'Immediate' }] },
      'pod has unbound immediate PersistentVolumeClaims',
    ],
  ])('a claim that is %s blocks the pod everywhere', (_, storage, message) => {
    const snapshot = aClusterSnapshot(nodes, [], storage);
    const pod = aPod('p', { spec });
    const feasibility = feasibleNodes(pod, snapshot);
    expect(feasibility.blocked).toBe(message);
    expect(unschedulableMessage(pod, feasibility, 2)).toBe(
      `0/2 nodes are available: ${message}. no new claims to deallocate, ` +
        'preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    );
  });

  test('a node attaches only so many volumes of a driver', () => {
    const csiNode: Stored<CSINode> = {
      metadata: { name: 'a1', uid: 'uid-a1', resourceVersion: '1' },
      spec: { drivers: [{ name: 'disk', nodeID: 'x', allocatable: { count: 1 } }] },
    };
    const other = {
      ...claim({ volumeName: 'pv' }, { 'pv.kubernetes.io/bind-completed': 'yes' }),
      metadata: { ...bound.metadata, name: 'other' },
    };
    const user = aPod('user', {
      node: 'a1',
      spec: { volumes: [{ name: 'x', persistentVolumeClaim: { claimName: 'other' } }] },
    });
    const placed = { ...user, spec: { ...user.spec, nodeName: 'a1' } };
    const storage = {
      claims: [claim(), other],
      classes: [std],
      volumes: [
        { ...volume('a'), spec: { ...volume('a').spec, claimRef: { name: 'other', namespace: 'default' } } },
      ],
      lookup: { csiNode: () => csiNode },
    };
    expect(takers(aPod('p', { spec }), nodes, [placed], storage)).toEqual(['b1']);
  });
});
