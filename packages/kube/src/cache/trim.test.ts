import { describe, expect, test } from 'vitest';
import { DAEMON_SETS, NODES, PODS, resourceRef } from '../client/resources.table.ts';
import type { DaemonSet, Pod } from '../kinds/index.ts';
import type { Stored } from '../object.ts';
import { stored } from '../testing/stored.ts';
import { WIDGETS } from '../testing/widgets.ts';
import { Interner } from './interner.ts';
import { trimSharing, trims } from './trim.ts';

const trimFor = trims({
  keepPodAnnotation: (name) => name.startsWith('example.com/'),
  kinds: { 'gadgets.example.com': trimSharing({ spec: ['requirements'], status: ['capacity'] }) },
});
const GADGETS = resourceRef('example.com', 'v1', 'gadgets', 'Gadget', false);

const aPod = (name: string, spec: object = {}, status: object = {}): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'a',
    uid: name,
    resourceVersion: '1',
    generation: 1,
    generateName: 'x-',
    labels: { app: 'x', 'pod-template-hash': 'abc' },
    annotations: { 'example.com/keep': 'true', 'prometheus.io/scrape': 'true' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: 'rs', controller: true }],
    managedFields: [{ manager: 'm' }],
    finalizers: ['f'],
    deletionTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: {
    nodeName: 'n1',
    preemptionPolicy: 'PreemptLowerPriority',
    priority: 7,
    tolerations: [{ operator: 'Exists' }],
    nodeSelector: { zone: '1' },
    containers: [
      {
        name: 'main',
        image: 'secret/image',
        env: [{ name: 'PASSWORD', value: 'hunter2' }],
        resources: { requests: { cpu: '1' } },
        ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 8081 }],
      },
      { name: 'sidecar' },
    ],
    initContainers: [{ name: 'init', restartPolicy: 'Always', image: 'i' }],
    volumes: [
      { name: `token-${name}`, projected: {} },
      { name: 'data', persistentVolumeClaim: { claimName: 'c' } },
    ],
    ...spec,
  },
  status: {
    phase: 'Running',
    podIP: '10.0.0.1',
    startTime: '2026-01-01T00:00:00Z',
    conditions: [
      { type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: '2026-01-01T00:00:01Z' },
      { type: 'Initialized', status: 'True' },
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node' },
    ],
    ...status,
  },
});

describe('trimming a pod', () => {
  test('keeps only the fields that are read', () => {
    expect(trimFor(PODS)(aPod('p'), new Interner())).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'p',
        namespace: 'a',
        uid: 'p',
        resourceVersion: '1',
        labels: { app: 'x', 'pod-template-hash': 'abc' },
        annotations: { 'example.com/keep': 'true' },
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: 'rs', controller: true },
        ],
        finalizers: ['f'],
        deletionTimestamp: '2026-01-01T00:00:00Z',
      },
      spec: {
        nodeName: 'n1',
        priority: 7,
        tolerations: [{ operator: 'Exists' }],
        nodeSelector: { zone: '1' },
        containers: [
          {
            name: 'main',
            resources: { requests: { cpu: '1' } },
            ports: [{ containerPort: 81, hostPort: 8081 }],
          },
          { name: 'sidecar', resources: {} },
        ],
        initContainers: [{ name: 'init', resources: {}, restartPolicy: 'Always' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'c' } }],
      },
      status: {
        phase: 'Running',
        startTime: '2026-01-01T00:00:00Z',
        conditions: [
          { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:01Z' },
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node' },
        ],
      },
    });
  });

  test('keeps what the kubelet has given to a container only where it is not what the pod requests', () => {
    const status = (requests: object) => ({
      containerStatuses: [
        {
          name: 'main',
          containerID: 'x',
          resources: { requests, limits: {} },
          allocatedResources: { cpu: '1' },
        },
        { name: 'sidecar', containerID: 'y', resources: {} },
      ],
    });
    const trimmed = (requests: object) =>
      trimFor(PODS)(aPod('p', {}, status(requests)), new Interner()).status;
    expect(trimmed({ cpu: '1' })).not.toHaveProperty('containerStatuses');
    expect(trimmed({ cpu: '4' })?.containerStatuses).toEqual([
      { name: 'main', allocatedResources: { cpu: '1' }, resources: { requests: { cpu: '4' } } },
    ]);
    const odd = aPod('p', { containers: 'none' }, { containerStatuses: [null, { name: 'x', resources: 7 }] });
    expect(() => trimFor(PODS)(odd, new Interner())).not.toThrow();
  });

  test('shares one copy between the pods of a workload, although their token volumes differ', () => {
    const interner = new Interner();
    const [one, two] = [aPod('one'), aPod('two', { nodeName: 'n2' })].map((pod) =>
      trimFor(PODS)(pod, interner),
    ) as [Stored<Pod>, Stored<Pod>];
    expect(one.metadata.labels).toBe(two.metadata.labels);
    expect(one.metadata.ownerReferences).toBe(two.metadata.ownerReferences);
    const specs = [one, two].map(({ spec }) => spec);
    for (const field of ['containers', 'initContainers', 'tolerations', 'volumes', 'nodeSelector']) {
      expect(specs[0]?.[field]).toBe(specs[1]?.[field]);
    }
    expect(specs.map((spec) => spec.nodeName)).toEqual(['n1', 'n2']);
    expect(Object.isFrozen(one.metadata.labels)).toBe(true);
  });

  test('accepts a minimal pod, and keeps the generation of a resize', () => {
    const metadata = { name: 'p', namespace: 'a', uid: 'u', resourceVersion: '1', generation: 2 };
    const bare = trimFor(PODS)({ metadata } as Stored<Pod>, new Interner());
    expect(bare).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: { containers: [] },
      status: {},
    });
  });

  test('keeps the nominated node and claims of devices', () => {
    const status = {
      nominatedNodeName: 'n9',
      conditions: undefined,
      resourceClaimStatuses: [{ name: 'gpu' }],
    };
    const pod = trimFor(PODS)(aPod('p', { preemptionPolicy: 'Never' }, status), new Interner());
    expect(pod['status']).toMatchObject({
      nominatedNodeName: 'n9',
      resourceClaimStatuses: [{ name: 'gpu' }],
    });
    expect(pod['spec']).toMatchObject({ preemptionPolicy: 'Never' });
  });
});

describe('trimming other kinds', () => {
  test('drops the images of a node and keeps its annotations', () => {
    const metadata = { name: 'n', uid: 'u', resourceVersion: '1', annotations: { a: 'b' } };
    const node = {
      metadata: { ...metadata, managedFields: [] },
      spec: { providerID: 'azure:///x' },
      status: { images: [{ names: ['x'] }], capacity: { cpu: '4' }, nodeInfo: { architecture: 'amd64' } },
    };
    expect(trimFor(NODES)(node, new Interner())).toEqual({
      metadata,
      spec: { providerID: 'azure:///x' },
      status: { capacity: { cpu: '4' }, nodeInfo: { architecture: 'amd64' } },
    });
  });

  test('keeps the same fields of a pod template as of a pod', () => {
    const { spec } = aPod('p');
    const applied = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', keep: 'me' };
    const metadata = { name: 'd', namespace: 'a', uid: 'u', resourceVersion: '1' };
    const daemons: Stored<DaemonSet> = {
      metadata: { ...metadata, annotations: applied },
      spec: { selector: {}, template: { spec } },
    };
    const trimmed = trimFor(DAEMON_SETS)(daemons, new Interner());
    expect(trimmed.metadata.annotations).toEqual({ keep: 'me' });
    expect(JSON.stringify(trimmed)).not.toContain('hunter2');
    expect(trimmed['spec']).toMatchObject({ selector: {}, template: { spec: { nodeName: 'n1' } } });
    expect(trimFor(DAEMON_SETS)({ metadata } as Stored<DaemonSet>, new Interner())).toEqual({ metadata });
  });

  test('removes only managedFields from an unknown kind', () => {
    const plain = stored({ metadata: { name: 'c' } });
    const pool = { metadata: { ...plain.metadata, managedFields: [{}] }, spec: { any: ['thing'] } };
    expect(trimFor(WIDGETS)(pool, new Interner())).toEqual({
      metadata: plain.metadata,
      spec: { any: ['thing'] },
    });
    expect(trimFor(WIDGETS)(plain, new Interner())).toBe(plain);
  });

  test('shares the named fields of a custom resource', () => {
    const interner = new Interner();
    const metadata = (name: string) => ({ name, uid: name, resourceVersion: '1' });
    const claim = (name: string) => ({
      metadata: { ...metadata(name), managedFields: [{}] },
      spec: { requirements: [{ key: 'a', operator: 'In', values: ['b'] }], expireAfter: '1h' },
      status: { capacity: { cpu: '4' }, nodeName: name },
    });
    const trim = trimFor(GADGETS);
    const [one, two] = [trim(claim('a'), interner), trim(claim('b'), interner)] as unknown as ReturnType<
      typeof claim
    >[];
    expect(one).toEqual({ ...claim('a'), metadata: metadata('a') });
    expect(two!.spec.requirements).toBe(one!.spec.requirements);
    expect(two!.status.capacity).toBe(one!.status.capacity);
  });
});

describe('an interner', () => {
  test('returns the first of equal values, and never a value that differs', () => {
    const interner = new Interner();
    const first = interner.value({ a: ['1', { b: null }] });
    expect(interner.value({ a: ['1', { b: null }] })).toBe(first);
    expect(interner.value({ a: ['1', { b: 2 }] })).not.toBe(first);
    expect(interner.value(5)).toBe(5);
    expect(interner.value(undefined)).toBeUndefined();
  });

  test('does not grow without bound', () => {
    const interner = new Interner({ stringLimit: 10 });
    for (let index = 0; index < 5000; index++) {
      interner.value({ index });
      interner.string(`s${index}`);
    }
    expect(interner.size).toBeLessThanOrEqual(10_000);
    expect(interner.value('s4999')).toBe('s4999');
  });
});
