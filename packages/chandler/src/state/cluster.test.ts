import { describe, expect, test } from 'vitest';
import { readPods, snapshotOf } from './snapshot.ts';
import { aClaim, aNode, aPod, condition, handmade } from './state.fixture.ts';

const PROVIDER = 'azure:///vm-1';
const launched = (...conditions: string[]) => ({
  status: {
    providerID: PROVIDER,
    capacity: { cpu: '4', 'nvidia.com/gpu': '1' },
    allocatable: { cpu: '3800m', 'nvidia.com/gpu': '1' },
    conditions: ['Launched', ...conditions].map((type) => condition(type)),
  },
});

describe('the cluster', () => {
  test('shows a claim and its Node as one, whichever is added first', () => {
    for (const order of ['claim first', 'node first']) {
      const { cluster, stores, put } = handmade();
      const steps = [
        () => put(stores.claims, aClaim('claim-1', launched())),
        () => put(stores.nodes, aNode('vm-1', { spec: { providerID: PROVIDER } })),
      ];
      for (const step of order === 'claim first' ? steps : steps.reverse()) {
        step();
        expect([...cluster.nodes()]).toHaveLength(1);
      }
      expect(cluster.nodeNamed('vm-1')).toBe(cluster.nodeOfClaim('claim-1'));
      expect(cluster.nodeNamed('vm-1')).toMatchObject({ nodePool: 'general', registered: false });
    }
  });

  test('gives the pods of its nodes in their order, also after they were read in turns and have changed', async () => {
    const { cluster, stores, put, remove } = handmade();
    put(stores.nodes, aNode('vm-1'));
    const bound = (name: string, phase = 'Running') =>
      put(stores.pods, aPod(name, { spec: { nodeName: 'vm-1', containers: [] }, status: { phase } }));
    const names = () => (snapshotOf(cluster).boundPods ?? []).map(({ metadata }) => metadata.name);
    bound('c');
    const first = bound('a');
    await readPods(cluster, { pass: () => undefined }, new AbortController().signal);
    expect(names()).toEqual(['a', 'c']);
    bound('b');
    bound('c', 'Succeeded');
    expect(names()).toEqual(['a', 'b']);
    remove(stores.pods, first);
    expect(names()).toEqual(['b']);
  });

  test('reads the pods of many nodes beside others in few turns, and ends when it is told to', async () => {
    const { cluster, stores, put } = handmade();
    for (let at = 0; at < 500; at++) put(stores.nodes, aNode(`vm-${at}`));
    const stopping = new AbortController();
    let passes = 0;
    const pass = async () => {
      passes += 1;
    };
    await readPods(cluster, { pass }, stopping.signal);
    expect(passes).toBeLessThanOrEqual(10);
    stopping.abort(new Error('the lease is lost'));
    await expect(readPods(cluster, { pass }, stopping.signal)).rejects.toThrow('the lease is lost');
  });

  test.each(['claim first', 'node first'])(
    'shows them as one while the Node has no providerID yet (%s)',
    (order) => {
      const { cluster, stores, put, remove } = handmade();
      const labels = { 'karpenter.sh/nodepool': 'general' };
      const registering = aNode('vm-claim-1', { metadata: { name: 'vm-claim-1', labels }, spec: {} });
      const claim = aClaim('claim-1', launched());
      if (order === 'claim first') put(stores.claims, claim);
      put(stores.nodes, registering);
      if (order === 'node first') {
        expect([...cluster.nodes()]).toHaveLength(1);
        put(stores.claims, claim);
      }
      expect([...cluster.nodes()]).toHaveLength(1);
      expect(snapshotOf(cluster).nodes).toMatchObject([{ name: 'vm-claim-1', managed: true }]);
      expect(cluster.nodeNamed('vm-claim-1')).toBe(cluster.nodeOfClaim('claim-1'));
      put(stores.nodes, { ...registering, spec: { providerID: PROVIDER } });
      expect([...cluster.nodes()]).toHaveLength(1);
      expect(cluster.nodeNamed('vm-claim-1')?.claim?.metadata.name).toBe('claim-1');
      remove(stores.claims, stores.claims.store.get({ name: 'claim-1' })!);
      expect([...cluster.nodes()]).toHaveLength(1);
      expect(cluster.nodeNamed('vm-claim-1')?.claim).toBeUndefined();
    },
  );

  test('shows them as one also after an earlier claim of the same node name is gone', () => {
    const { cluster, stores, put, remove } = handmade(() => 'ip-10');
    put(stores.claims, aClaim('old', launched()));
    put(stores.claims, aClaim('new', launched()));
    remove(stores.claims, stores.claims.store.get({ name: 'old' })!);
    const labels = { 'karpenter.sh/nodepool': 'general' };
    put(stores.nodes, aNode('ip-10', { metadata: { name: 'ip-10', labels }, spec: {} }));
    expect([...cluster.nodes()]).toHaveLength(1);
  });

  test('keeps a Node apart that has the name but belongs to another pool or instance', () => {
    const { cluster, stores, put } = handmade();
    put(stores.claims, aClaim('claim-1', launched()));
    const labels = { 'karpenter.sh/nodepool': 'other' };
    put(stores.nodes, aNode('vm-claim-1', { metadata: { name: 'vm-claim-1', labels }, spec: {} }));
    expect([...cluster.nodes()]).toHaveLength(2);
    put(stores.nodes, aNode('vm-claim-1', { spec: { providerID: 'azure:///another' } }));
    expect([...cluster.nodes()]).toHaveLength(2);
  });

  test('separates them when one is deleted', () => {
    const { cluster, stores, put, remove } = handmade();
    const claim = put(stores.claims, aClaim('claim-1', launched('Registered', 'Initialized')));
    const node = put(stores.nodes, aNode('vm-1', { spec: { providerID: PROVIDER } }));
    expect([...cluster.nodes()]).toHaveLength(1);
    remove(stores.nodes, node);
    expect([...cluster.nodes()]).toMatchObject([{ name: 'claim-1', registered: false }]);
    put(stores.nodes, aNode('vm-1', { spec: { providerID: PROVIDER } }));
    remove(stores.claims, claim);
    expect([...cluster.nodes()]).toMatchObject([{ name: 'vm-1' }]);
    expect(cluster.nodeOfClaim('claim-1')).toBeUndefined();
  });

  test('does not let a second Node with the same providerID hide the first', () => {
    const { cluster, stores, put } = handmade();
    put(stores.claims, aClaim('claim-1', launched()));
    for (const name of ['vm-1', 'vm-1-again'])
      put(stores.nodes, aNode(name, { spec: { providerID: PROVIDER } }));
    expect([...cluster.nodes()].map(({ name }) => name).sort()).toEqual(['vm-1', 'vm-1-again']);
  });

  test('uses labels and taints of the claim until the node is initialized, then those of the Node', () => {
    const { cluster, stores, put } = handmade();
    const node = {
      spec: { providerID: PROVIDER, taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }] },
    };
    put(stores.nodes, aNode('vm-1', node));
    put(stores.claims, aClaim('claim-1', launched()));
    expect(cluster.nodeNamed('vm-1')).toMatchObject({
      labels: {
        'kubernetes.io/arch': 'amd64',
        'karpenter.sh/nodepool': 'general',
        'kubernetes.io/hostname': 'vm-1',
      },
      taints: [{ key: 'cni', effect: 'NoSchedule' }],
      allocatable: { cpu: '3900m', 'nvidia.com/gpu': '1' },
    });
    expect(cluster.nodeNamed('vm-1')?.labels).not.toHaveProperty('topology.kubernetes.io/zone');
    put(stores.claims, aClaim('claim-1', launched('Registered', 'Initialized')));
    expect(cluster.nodeNamed('vm-1')).toMatchObject({
      initialized: true,
      taints: [{ key: 'karpenter.sh/unregistered' }],
      allocatable: { cpu: '3900m', pods: '110' },
    });
    expect(cluster.nodeNamed('vm-1')?.allocatable).not.toHaveProperty('nvidia.com/gpu');
  });

  test('has no labels of its own for a registered Node that says its host name', () => {
    const { cluster, stores, put } = handmade();
    put(stores.claims, aClaim('claim-1', launched('Registered')));
    const named = (name: string, labels: object) =>
      put(stores.nodes, aNode(name, { metadata: { name, labels } }));
    named('vm-1', { zone: '1', 'kubernetes.io/hostname': 'other' });
    const node = stores.nodes.store.get({ name: 'vm-1' });
    expect(cluster.nodeNamed('vm-1')).toMatchObject({ claim: {}, registered: true });
    expect(cluster.nodeNamed('vm-1')?.labels).toBe(node?.metadata.labels);
    named('vm-2', { zone: '1' });
    expect(cluster.nodeNamed('vm-2')?.labels).toEqual({ zone: '1', 'kubernetes.io/hostname': 'vm-2' });
  });

  test('gives a claim without an instance exactly the capacity that its pods request', () => {
    const { cluster, stores, put } = handmade();
    put(stores.claims, aClaim('claim-1'));
    expect(cluster.unlaunched()).toMatchObject([{ allocatable: { cpu: '1500m', pods: '3' } }]);
  });

  test('remembers reservations of pods until the node of the claim is ready, or has failed', () => {
    const { cluster, stores, put } = handmade();
    const conditions = (...all: [string, string][]) =>
      all.map(([type, status]) => ({
        type,
        status,
        reason: type,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      }));
    const become = (status: object) => {
      put(stores.claims, aClaim('claim-1'));
      cluster.reserve('claim-1', [put(stores.pods, aPod('a'))]);
      const { status: there } = launched() as { status: object };
      put(stores.claims, aClaim('claim-1', { status: { ...there, ...status } }));
      return cluster.reservedClaim('uid-a')?.metadata.name;
    };
    expect(become({})).toBe('claim-1');
    expect(become({ conditions: conditions(['CSEProvisioned', 'False']) })).toBeUndefined();
    // Its Node is not there.
    expect(become({ conditions: conditions(['Registered', 'True']) })).toBeUndefined();
    expect(
      become({ conditions: conditions(['Registered', 'True'], ['Initialized', 'True']) }),
    ).toBeUndefined();
  });

  test('releases the reservation of a pod that is bound elsewhere or deleted', () => {
    const { cluster, stores, put, remove } = handmade();
    put(stores.claims, aClaim('claim-1'));
    const pods = ['a', 'b', 'c'].map((name) => put(stores.pods, aPod(name)));
    cluster.reserve('claim-1', pods);
    const taken = () =>
      snapshotOf(cluster).boundPods?.map(({ metadata, spec }) => [metadata.name, spec.nodeName]);
    expect(taken()).toEqual([
      ['a', 'claim-1'],
      ['b', 'claim-1'],
      ['c', 'claim-1'],
    ]);
    put(stores.pods, aPod('a', { spec: { nodeName: 'elsewhere', containers: [] } }));
    remove(stores.pods, pods[1]!);
    expect(taken()).toEqual([['c', 'claim-1']]);
    expect(cluster.hasReservations('claim-1')).toBe(true);
    put(stores.pods, aPod('c', { status: { phase: 'Failed' } }));
    expect(cluster.hasReservations('claim-1')).toBe(false);
    expect(snapshotOf(cluster).nodes).toMatchObject([{ name: 'claim-1', allocatable: { cpu: '1500m' } }]);
  });

  test('keeps the reservation of a pod on a deleting node until the pod is gone', () => {
    const { cluster, stores, put } = handmade();
    put(stores.claims, aClaim('claim-1'));
    const moving = aPod('a', { spec: { nodeName: 'old', containers: [] } });
    cluster.reserve('claim-1', [put(stores.pods, moving)]);
    put(stores.pods, { ...moving, status: { phase: 'Running' } });
    expect(cluster.reservedClaim('uid-a')).toMatchObject({ metadata: { name: 'claim-1' } });
    put(stores.pods, {
      ...moving,
      metadata: { ...moving.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    });
    expect(cluster.reservedClaim('uid-a')).toBeUndefined();
  });

  test('keeps the reservation of a pod of a StatefulSet while it terminates: it returns after it is gone', () => {
    const { cluster, stores, put, remove } = handmade();
    put(stores.claims, aClaim('claim-1'));
    const moving = aPod('a', { spec: { nodeName: 'old', containers: [] } });
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'uid-db', controller: true };
    const owned = { ...moving, metadata: { ...moving.metadata, ownerReferences: [owner] } };
    cluster.reserve('claim-1', [put(stores.pods, owned)]);
    const leaving = put(stores.pods, {
      ...owned,
      metadata: { ...owned.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    });
    expect(cluster.reservedClaim('uid-a')).toMatchObject({ metadata: { name: 'claim-1' } });
    remove(stores.pods, leaving);
    expect(cluster.reservedClaim('uid-a')).toBeUndefined();
  });

  test('gives a claim whose node is gone no capacity', () => {
    const { cluster, stores, put } = handmade();
    put(stores.claims, aClaim('claim-1', launched()));
    expect(snapshotOf(cluster).nodes).toHaveLength(1);
    put(stores.claims, aClaim('claim-1', launched('Registered')));
    expect(snapshotOf(cluster).nodes).toEqual([]);
  });

  test('keeps a nomination for the given duration', async () => {
    const { cluster, stores, put, world } = handmade();
    put(stores.nodes, aNode('n'));
    cluster.nominate('n', 20_000);
    expect(cluster.isNominated(cluster.nodeNamed('n')!)).toBe(true);
    await world.clock.advance(20_000);
    expect(cluster.isNominated(cluster.nodeNamed('n')!)).toBe(false);
  });
});

describe('a reservation', () => {
  const claim = { spec: { nodeClassRef: {}, requirements: [] } };
  const pending = (name: string, nodeName?: string) =>
    aPod(name, {
      metadata: { name, namespace: 'default', uid: `uid-${name}` },
      spec: { containers: [], ...(nodeName === undefined ? {} : { nodeName }) },
    });

  test('is not made for a pod that was bound while its claim was created', () => {
    const { cluster, stores, put } = handmade();
    put(stores.nodes, aNode('other'));
    const planned = put(stores.pods, pending('web'));
    put(stores.claims, aClaim('claim-1', claim));
    put(stores.pods, pending('web', 'other'));
    cluster.reserve('claim-1', [planned]);
    expect(cluster.reservedPods('claim-1')).toEqual([]);
    expect(cluster.hasReservations('claim-1')).toBe(false);
  });

  test('is made for a pod that is still on its old node, which is being removed', () => {
    const { cluster, stores, put } = handmade();
    put(stores.nodes, aNode('old'));
    cluster.mark([cluster.nodeNamed('old')!.key]);
    const planned = put(stores.pods, pending('web', 'old'));
    put(stores.claims, aClaim('claim-1', claim));
    cluster.reserve('claim-1', [planned]);
    expect(cluster.reservedPods('claim-1')).toHaveLength(1);
  });
});

describe('a snapshot', () => {
  test('does not depend on the order of events', () => {
    const fill = (names: readonly string[]) => {
      const { cluster, stores, put } = handmade();
      for (const name of names) {
        put(stores.nodes, aNode(name));
        put(
          stores.pods,
          aPod(`p-${name}`, { spec: { nodeName: name, containers: [] }, status: { phase: 'Running' } }),
        );
      }
      const { nodes, boundPods } = snapshotOf(cluster);
      return { nodes, pods: boundPods?.map(({ metadata }) => metadata.name) };
    };
    expect(fill(['a', 'b', 'c'])).toEqual(fill(['c', 'a', 'b']));
    expect(fill(['b', 'a']).pods).toEqual(['p-a', 'p-b']);
  });

  test('excludes nodes that are marked or deleting, and pods that have ended', () => {
    const { cluster, stores, put } = handmade();
    put(stores.nodes, aNode('stays'));
    put(
      stores.nodes,
      aNode('goes', { metadata: { name: 'goes', deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    );
    put(stores.nodes, aNode('marked'));
    cluster.mark([cluster.nodeNamed('marked')!.key]);
    put(
      stores.pods,
      aPod('done', { spec: { nodeName: 'stays', containers: [] }, status: { phase: 'Succeeded' } }),
    );
    const { nodes, boundPods } = snapshotOf(cluster);
    expect(nodes?.map(({ name }) => name)).toEqual(['stays']);
    expect(boundPods).toEqual([]);
  });

  test('tells which pods still exist on nodes that are marked or deleting', () => {
    const { cluster, stores, put } = handmade();
    const on = (name: string, nodeName: string, phase = 'Running') =>
      put(stores.pods, aPod(name, { spec: { nodeName, containers: [] }, status: { phase } }));
    for (const name of ['stays', 'marked', 'empty']) put(stores.nodes, aNode(name));
    for (const name of ['marked', 'empty']) cluster.mark([cluster.nodeNamed(name)!.key]);
    on('here', 'stays');
    on('there', 'marked');
    on('ended', 'marked', 'Failed');
    on('over', 'empty', 'Succeeded');
    const { leavingNodes, leavingPods } = snapshotOf(cluster);
    expect(leavingNodes).toMatchObject([{ name: 'marked', labels: { 'kubernetes.io/os': 'linux' } }]);
    expect(leavingPods?.map(({ metadata }) => metadata.name)).toEqual(['there']);
  });

  test('takes the requests of a DaemonSet from its newest pod', () => {
    const { cluster, stores, put } = handmade();
    const spec = { template: { spec: { containers: [] } } };
    put(stores.daemonSets, { metadata: { name: 'd', namespace: 'default', uid: 'd-uid' }, spec });
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd-uid', controller: true },
    ];
    for (const [name, creationTimestamp] of [
      ['new', '2026-01-02T00:00:00Z'],
      ['old', '2026-01-01T00:00:00Z'],
    ]) {
      put(
        stores.pods,
        aPod(name!, { metadata: { name, namespace: 'default', creationTimestamp, ownerReferences } }),
      );
    }
    expect(snapshotOf(cluster).daemonSets?.[0]?.pod?.metadata.name).toBe('new');
  });
});
