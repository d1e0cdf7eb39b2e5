/** A store that is no longer updated, because a role was changed while the controller runs. */
import {
  CONFIG_MAPS,
  type KubeObject,
  NODES,
  PODS,
  type Transport,
  type TransportResponse,
} from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { DEFAULT_SETTINGS } from '../../packages/chandler/src/controllers/testing.ts';
import { type FullStage, fullStage, settledPod } from './all-controllers.ts';
import { hasTaint, nodeNames, removeWorkload, runningWorkloads } from './disruption.fixture.ts';
import { NODE_CLASS, pod, pool } from './stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const PATHS = {
  pods: '/api/v1/pods',
  nodes: '/api/v1/nodes',
  configmaps: '/api/v1/namespaces/kube-system/configmaps',
  nodepools: '/apis/karpenter.sh/v1/nodepools',
  nodeclaims: '/apis/karpenter.sh/v1/nodeclaims',
};

/** A wire on which a kind can no longer be listed or watched, or only not be watched; open watches end. */
function revocable(kind: keyof typeof PATHS, verbs: 'list and watch' | 'watch' = 'list and watch') {
  let revoked = false;
  const open = new Set<() => void>();
  const wire =
    (send: Transport): Transport =>
    async (request) => {
      const isOfKind = request.method === 'GET' && request.path === PATHS[kind];
      if (!isOfKind) return send(request);
      if (revoked && (request.stream === true || verbs !== 'watch')) return forbidden(kind);
      const response = await send(request);
      if (request.stream === true) open.add(() => response.cancel());
      return response;
    };
  return {
    wire,
    set(value: boolean): void {
      revoked = value;
      if (value) for (const cancel of open) cancel();
      open.clear();
    },
  };
}

function forbidden(kind: string): TransportResponse {
  const message = `${kind} is forbidden: User "chandler" cannot list resource "${kind}" in API group ""`;
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden' };
  const text = JSON.stringify({ ...status, message });
  return {
    status: 403,
    headers: { 'content-type': 'application/json' },
    text: async () => text,
    chunks: async function* () {
      yield Buffer.from(text);
    },
    cancel: () => undefined,
  };
}

test('a node is not drained while the pod store is not updated: pods may run that it does not show', async () => {
  const pods = revocable('pods');
  full = await fullStage({ wire: pods.wire });
  const { stage } = full;
  const name = await settledPod(full);
  const node = `aks-${name}`;
  await stage.admin.delete(PODS, { name: 'a', namespace: 'default' }, { gracePeriodSeconds: 0 });
  await stage.world.clock.advance(5_000);
  pods.set(true);
  await stage.until('the store is failing', () => stage.context.stores.pods.failingMs > 0);
  await stage.apply(PODS, pod('unseen', { nodeName: node }));
  await stage.admin.delete(NODE_CLAIMS, { name });
  await stage.world.clock.advance(60_000);
  expect(stage.cloud.machines.size).toBe(1);
  expect((await stage.list(NODES)).map(({ metadata }) => metadata.name)).toEqual([node]);
  expect((await stage.eventsOf(node)).map(({ message }) => message).join('\n')).toMatch(
    /Failed to drain node, the pods of the node are not known: /,
  );
  stage.world.scrape();
  expect(stage.world.values.get('chandler_store_age_seconds{resource="pods"}')).toBeGreaterThan(30);
  expect(stage.world.values.get('chandler_store_age_seconds{resource="nodes"}')).toBe(0);
  expect([...stage.world.values.keys()].filter((key) => key.startsWith('chandler_store_error'))).toEqual([
    'chandler_store_error{error="forbidden",resource="pods"}',
  ]);
  pods.set(false);
  await stage.until('the node is gone', async () => (await stage.list(NODES)).length === 0, 5 * 60_000);
  expect(await stage.get(PODS, 'unseen')).toBeUndefined();
});

test('no pod is evicted while the pod store is not updated: do-not-disrupt may have come since then', async () => {
  const pods = revocable('pods');
  full = await fullStage({ wire: pods.wire });
  const { stage } = full;
  const name = await settledPod(full);
  pods.set(true);
  await stage.until('the store is failing', () => stage.context.stores.pods.failingMs > 0);
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  const key = { name: 'a', namespace: 'default' };
  await stage.admin.patch(PODS, key, { type: 'merge', patch: { metadata: { annotations } } });
  await stage.admin.delete(NODE_CLAIMS, { name });
  await stage.world.clock.advance(60_000);
  expect((await stage.get(PODS, 'a'))?.metadata.deletionTimestamp).toBeUndefined();
  expect((await stage.eventsOf(`aks-${name}`)).map(({ message }) => message).join('\n')).toMatch(
    /Failed to drain node, the pods of the node are not known: /,
  );
  pods.set(false);
  await stage.world.clock.advance(5 * 60_000);
  expect((await stage.get(PODS, 'a'))?.metadata.deletionTimestamp).toBeUndefined();
});

const MINUTE_MS = 60_000;
const phaseOf = async (name: string) =>
  ((await full.stage.get(PODS, name))?.['status'] as { phase?: string } | undefined)?.phase;

/** A pool whose Nodes are not seen, and a pod. */
async function unseenNodes(): Promise<{ readonly set: (value: boolean) => void }> {
  const nodes = revocable('nodes');
  full = await fullStage({ wire: nodes.wire });
  const { stage } = full;
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await stage.apply(NODE_POOLS, pool('general'));
  await stage.world.clock.advance(5_000);
  nodes.set(true);
  await stage.until('the store is failing', () => stage.context.stores.nodes.failingMs > 0);
  await stage.apply(PODS, pod('a', { tolerations: [{ operator: 'Exists' }] }));
  return nodes;
}

test('a node that is healthy again is not repaired while the node store shows its old conditions', async () => {
  const nodes = revocable('nodes');
  const settings = { gates: { ...DEFAULT_SETTINGS.gates, NodeRepair: true } };
  full = await fullStage({ wire: nodes.wire, settings });
  const { stage } = full;
  const name = await settledPod(full, { pod: { terminationGracePeriodSeconds: 3600 } });
  const node = `aks-${name}`;
  stage.playground.standins!.stopNode(node);
  await stage.world.clock.advance(MINUTE_MS);
  nodes.set(true);
  await stage.world.clock.advance(2 * MINUTE_MS);
  await stage.playground.standins!.resumeNode(node);
  await stage.world.clock.advance(20 * MINUTE_MS);
  expect(stage.context.stores.nodes.failingMs).toBeGreaterThan(0);
  expect((await stage.get(NODE_CLAIMS, name))?.metadata.deletionTimestamp).toBeUndefined();
  expect(await phaseOf('a')).toBe('Running');
  expect(stage.cloud.machines.size).toBe(1);
});

test('an instance is not replaced while the node store cannot show that its Node registered', async () => {
  const nodes = await unseenNodes();
  const { stage } = full;
  await stage.until('the pod runs', async () => (await phaseOf('a')) === 'Running', 10 * MINUTE_MS);
  const names = async () => (await stage.list(NODE_CLAIMS)).map(({ metadata }) => metadata.name);
  const before = await names();
  await stage.world.clock.advance(40 * MINUTE_MS);
  expect(await names()).toEqual(before);
  nodes.set(false);
  await stage.until('the claim is registered', async () => {
    const claim = await stage.get(NODE_CLAIMS, before[0]!);
    const { conditions = [] } = (claim?.['status'] ?? {}) as {
      conditions?: { type: string; status: string }[];
    };
    return conditions.some(({ type, status }) => type === 'Registered' && status === 'True');
  });
});

test('an instance is not terminated while only the API server shows its Node, which must be drained', async () => {
  await unseenNodes();
  const { stage } = full;
  await stage.until('the pod runs', async () => (await phaseOf('a')) === 'Running', 10 * MINUTE_MS);
  const [claim] = await stage.list(NODE_CLAIMS);
  await stage.admin.delete(NODE_CLAIMS, { name: claim!.metadata.name! });
  await stage.world.clock.advance(MINUTE_MS);
  expect(stage.cloud.machines.size).toBe(1);
  expect(await phaseOf('a')).toBe('Running');
});

test('no node is disrupted while the pod store is not updated, and it is when the store is back', async () => {
  const pods = revocable('pods');
  full = await runningWorkloads(
    { a: '1500m' },
    { disruption: { consolidateAfter: '20s' }, stage: { wire: pods.wire } },
  );
  await full.stage.world.clock.advance(60_000);
  await removeWorkload(full, 'a');
  await full.stage.world.clock.advance(5_000);
  pods.set(true);
  await full.stage.until('the store is failing', () => full.stage.context.stores.pods.failingMs > 0);
  await full.stage.world.clock.advance(120_000);
  expect(await nodeNames(full)).toHaveLength(1);
  expect((await full.stage.list(NODES)).filter(hasTaint)).toEqual([]);
  pods.set(false);
  await full.stage.until('the empty node is gone', async () => (await nodeNames(full)).length === 0, 300_000);
}, 120_000);

test('no node is disrupted while the freeze can be listed and not watched: one may have been set since then', async () => {
  const freezes = revocable('configmaps', 'watch');
  full = await runningWorkloads(
    { a: '1500m' },
    { disruption: { consolidateAfter: '20s' }, stage: { wire: freezes.wire } },
  );
  const { stage } = full;
  await stage.world.clock.advance(MINUTE_MS);
  expect(stage.context.freezes.known).toBe(true);
  freezes.set(true);
  await stage.world.clock.advance(2 * MINUTE_MS);
  expect(stage.context.freezes.known).toBe(false);
  await stage.apply(CONFIG_MAPS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'chandler-freeze', namespace: 'kube-system' },
    data: { freeze: 'true' },
  });
  await removeWorkload(full, 'a');
  await stage.world.clock.advance(5 * MINUTE_MS);
  expect(await nodeNames(full)).toHaveLength(1);
  const warnings = stage.world.lines.filter(({ message }) => message.startsWith('freezes cannot be read'));
  expect(warnings.map(({ message }) => message)).toEqual([
    'freezes cannot be read; the role needs list and watch of the ConfigMap; nothing is disrupted until they can',
  ]);
  const key = { name: 'chandler-freeze', namespace: 'kube-system' };
  await stage.admin.delete(CONFIG_MAPS, key);
  freezes.set(false);
  await stage.until(
    'the empty node is gone',
    async () => (await nodeNames(full)).length === 0,
    5 * MINUTE_MS,
  );
}, 120_000);

test('an expired node is kept while the store of NodePools is not updated: its pool may have been frozen', async () => {
  const pools = revocable('nodepools');
  const template = {
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
      requirements: [],
      expireAfter: '10m',
    },
  };
  full = await runningWorkloads(
    { a: '1500m' },
    { disruption: { consolidateAfter: 'Never' }, pool: { template }, stage: { wire: pools.wire } },
  );
  const before = await nodeNames(full);
  pools.set(true);
  await full.stage.until('the store is failing', () => full.stage.context.stores.pools.failingMs > 0);
  const patch = { metadata: { annotations: { 'chandler.sh/freeze': 'true' } } };
  await full.stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
  await full.stage.world.clock.advance(20 * MINUTE_MS);
  expect(await nodeNames(full)).toEqual(before);
  pools.set(false);
  await full.stage.world.clock.advance(20 * MINUTE_MS);
  expect(await nodeNames(full)).toEqual(before);
}, 120_000);

test('a static pool is not scaled down by claims that are not up to date: some may be gone already', async () => {
  const claims = revocable('nodeclaims');
  const settings = { gates: { ...DEFAULT_SETTINGS.gates, StaticCapacity: true } };
  full = await fullStage({ wire: claims.wire, settings });
  const { stage } = full;
  const names = async () => (await stage.list(NODE_CLAIMS)).map(({ metadata }) => metadata.name!);
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await stage.apply(NODE_POOLS, pool('fixed', { replicas: 3 }));
  await stage.until('there are three', async () => (await stage.list(NODES)).length === 3, 5 * MINUTE_MS);
  claims.set(true);
  await stage.until('the store is failing', () => stage.context.stores.claims.failingMs > 0);
  const all = await names();
  const gone = all.at(-1);
  const rest = all.slice(0, -1);
  await stage.admin.delete(NODE_CLAIMS, { name: gone! });
  await stage.admin.patch(NODE_POOLS, { name: 'fixed' }, { type: 'merge', patch: { spec: { replicas: 2 } } });
  await stage.world.clock.advance(5 * MINUTE_MS);
  const marked = (await stage.list(NODE_CLAIMS)).filter(({ metadata }) => metadata.deletionTimestamp);
  expect(marked.map(({ metadata }) => metadata.name).filter((name) => name !== gone)).toEqual([]);
  claims.set(false);
  await stage.world.clock.advance(5 * MINUTE_MS);
  expect((await names()).toSorted()).toEqual(rest.toSorted());
}, 120_000);

test('the finalizer of a node class stays while only the API server shows its NodeClaim', async () => {
  const claims = revocable('nodeclaims', 'watch');
  full = await fullStage({ wire: claims.wire });
  const { stage } = full;
  const claim = await stage.get(NODE_CLAIMS, await settledPod(full));
  const spare = () => stage.get(AKS_NODE_CLASSES, 'spare');
  await stage.apply(AKS_NODE_CLASSES, { ...NODE_CLASS, metadata: { name: 'spare' } } as KubeObject);
  await stage.until('it has its finalizer', async () =>
    Boolean((await spare())?.metadata.finalizers?.length),
  );
  claims.set(true);
  await stage.until('the store is failing', () => stage.context.stores.claims.failingMs > 0);
  const spec = { ...(claim!['spec'] as Record<string, unknown>) };
  await stage.apply(NODE_CLAIMS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'unseen' },
    spec: { ...spec, nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'spare' } },
  } as KubeObject);
  await stage.admin.delete(AKS_NODE_CLASSES, { name: 'spare' });
  await stage.world.clock.advance(MINUTE_MS);
  expect((await spare())?.metadata.finalizers).toEqual(['karpenter.azure.com/termination']);
  claims.set(false);
  await stage.until('both are gone', async () => (await spare()) === undefined, 15 * MINUTE_MS);
}, 120_000);
