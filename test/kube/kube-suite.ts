/**
 * What `packages/kube/src` expects of an API server, any API server: run against the real one and the embedded one alike.
 * Behaviour of a server for its own sake is tested with the recorded cases; here it is the client that must work.
 */
import {
  bind,
  type ClosableTransport,
  CONFIG_MAPS,
  type ConfigMap,
  DEPLOYMENTS,
  EVENTS,
  EventRecorder,
  evict,
  getScale,
  KubeClient,
  type KubeObject,
  NAMESPACES,
  NODES,
  type ObjectKey,
  PODS,
  type Pod,
  ReadYourWrites,
  Reflector,
  type ResourceRef,
  Store,
  updateScale,
} from '@chandler/kube';
import { collect, realTimeWorld, stored } from '@chandler/kube/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

export interface KubeSuiteOptions {
  /** Connects to the server; with a port, through something that listens there on 127.0.0.1. */
  connect(port?: number): ClosableTransport;
  readonly namespace: string;
}

export function kubeSuite({ connect, namespace }: KubeSuiteOptions): void {
  const world = realTimeWorld();
  const wire = connect();
  const client = new KubeClient({ transport: wire.send });
  const key = (name: string): ObjectKey => ({ namespace, name });
  const configMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: { suite: 'kube' } },
    data,
  });

  beforeAll(async () => {
    await ensureNamespace(client, namespace);
    await removeAll(client, namespace);
  });
  afterAll(async () => {
    await removeAll(client, namespace);
    await client.delete(NODES, { name: 'kube-suite-node' }).catch(() => undefined);
    await wire.close();
  });

  describe('objects', () => {
    test('are created, read, replaced and deleted', async () => {
      const created = await client.create(CONFIG_MAPS, configMap('crud', { a: '1' }));
      expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
      const replaced = await client.update(CONFIG_MAPS, { ...created, data: { b: '2' } });
      expect((await client.get(CONFIG_MAPS, key('crud')))['data']).toEqual({ b: '2' });
      await expect(client.update(CONFIG_MAPS, { ...created, data: {} })).rejects.toMatchObject({
        kind: 'conflict',
      });
      await expect(client.create(CONFIG_MAPS, configMap('crud'))).rejects.toMatchObject({
        kind: 'alreadyExists',
      });
      const wrong = { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } };
      await expect(client.delete(CONFIG_MAPS, key('crud'), wrong)).rejects.toMatchObject({
        kind: 'conflict',
      });
      const right = {
        preconditions: {
          uid: created.metadata.uid,
          resourceVersion: replaced.metadata.resourceVersion,
        },
      };
      await client.delete(CONFIG_MAPS, key('crud'), right);
      expect(await client.find(CONFIG_MAPS, key('crud'))).toBeUndefined();
      await expect(client.get(CONFIG_MAPS, key('crud'))).rejects.toMatchObject({
        kind: 'notFound',
        code: 404,
      });
    });

    test('are rejected with the right kind of error', async () => {
      await expect(client.create(CONFIG_MAPS, configMap('Not A Name'))).rejects.toMatchObject({
        kind: 'invalid',
        code: 422,
      });
      await expect(client.list(CONFIG_MAPS, { namespace, labelSelector: '==' })).rejects.toMatchObject({
        kind: 'badRequest',
      });
      const unknown: ResourceRef = { ...CONFIG_MAPS, plural: 'nothings' };
      await expect(client.list(unknown, { namespace })).rejects.toMatchObject({ kind: 'notFound' });
      await client.create(CONFIG_MAPS, configMap('dry'), { dryRun: 'All' });
      expect(await client.find(CONFIG_MAPS, key('dry'))).toBeUndefined();
    });

    test('are patched with all four patch types', async () => {
      await client.create(CONFIG_MAPS, configMap('patched', { a: '1', b: '2' }));
      const merged = await client.patch(CONFIG_MAPS, key('patched'), {
        type: 'merge',
        patch: { data: { a: null, c: '3' } },
      });
      expect(merged['data']).toEqual({ b: '2', c: '3' });
      const json = [{ op: 'replace', path: '/data/b', value: '9' }] as const;
      expect(
        (await client.patch(CONFIG_MAPS, key('patched'), { type: 'json', patch: json }))['data'],
      ).toEqual({ b: '9', c: '3' });
      const strategic = { metadata: { labels: { more: 'yes' } } };
      const patched = await client.patch(CONFIG_MAPS, key('patched'), {
        type: 'strategic',
        patch: strategic,
      });
      expect(patched.metadata.labels).toEqual({ suite: 'kube', more: 'yes' });
      const apply = (value: string, fieldManager: string, force = false) =>
        client.patch(
          CONFIG_MAPS,
          key('applied'),
          {
            type: 'apply',
            patch: {
              apiVersion: 'v1',
              kind: 'ConfigMap',
              metadata: { name: 'applied' },
              data: { owned: value },
            },
          },
          { fieldManager, force },
        );
      await apply('1', 'one');
      await expect(apply('2', 'two')).rejects.toMatchObject({ kind: 'conflict' });
      expect((await apply('2', 'two', true))['data']).toEqual({ owned: '2' });
      const stale = { metadata: { resourceVersion: merged.metadata.resourceVersion }, data: {} };
      await expect(
        client.patch(CONFIG_MAPS, key('patched'), { type: 'merge', patch: stale }),
      ).rejects.toMatchObject({
        kind: 'conflict',
      });
    });

    test('with a finalizer exist until it is removed', async () => {
      const held = configMap('held');
      held.metadata.finalizers = ['chandler.sh/suite'];
      await client.create(CONFIG_MAPS, held);
      const going = (await client.delete(CONFIG_MAPS, key('held'))) as KubeObject;
      expect(going.metadata.deletionTimestamp).toBeDefined();
      await client.patch(CONFIG_MAPS, key('held'), {
        type: 'merge',
        patch: { metadata: { finalizers: null } },
      });
      expect(await client.find(CONFIG_MAPS, key('held'))).toBeUndefined();
    });

    test('are listed page by page', async () => {
      for (let index = 0; index < 12; index++) await client.create(CONFIG_MAPS, configMap(`page-${index}`));
      const pages = await collect(
        client.pages(CONFIG_MAPS, { namespace, labelSelector: 'suite=kube', limit: 5 }),
      );
      expect(pages.length).toBeGreaterThan(2);
      expect(new Set(pages.map(({ metadata }) => metadata.resourceVersion)).size).toBe(1);
      const names = pages.flatMap(({ items }) => items.map(({ metadata }) => metadata.name));
      expect(names.filter((name) => name?.startsWith('page-'))).toHaveLength(12);
      await client.deleteCollection(CONFIG_MAPS, { namespace, labelSelector: 'suite=kube' });
      expect((await client.listAll(CONFIG_MAPS, { namespace, labelSelector: 'suite=kube' })).items).toEqual(
        [],
      );
    });
  });

  describe('subresources', () => {
    const pod = (name: string): Pod => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec: { containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 0 },
    });

    test('evict and bind pods', async () => {
      await client.delete(NODES, { name: 'kube-suite-node' }).catch(() => undefined);
      await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'kube-suite-node' } });
      const created = await client.create(PODS, pod('bound'));
      await bind(client, { ...key('bound'), uid: created.metadata.uid }, 'kube-suite-node');
      expect((await client.get(PODS, key('bound')))['spec']).toMatchObject({ nodeName: 'kube-suite-node' });
      const evicted = await client.create(PODS, pod('evicted'));
      await evict(client, key('evicted'), { preconditions: { uid: evicted.metadata.uid } });
      expect(await client.find(PODS, key('evicted'))).toBeUndefined();
    });

    test('scale, and write a status apart from its spec', async () => {
      const labels = { app: 'x' };
      const spec = {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { ...pod('t').spec, terminationGracePeriodSeconds: 30 } },
      };
      await client.create(DEPLOYMENTS, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { ...key('scaled'), namespace },
        spec,
      });
      const scale = await getScale(client, DEPLOYMENTS, key('scaled'));
      await updateScale(client, DEPLOYMENTS, { ...scale, spec: { replicas: 4 } });
      expect((await client.get(DEPLOYMENTS, key('scaled')))['spec']).toMatchObject({ replicas: 4 });
      const patch = { spec: { replicas: 9 }, status: { observedGeneration: 1 } };
      const answer = await client.patchStatus(DEPLOYMENTS, key('scaled'), { type: 'merge', patch });
      expect(answer).toMatchObject({ spec: { replicas: 4 }, status: { observedGeneration: 1 } });
    });
  });

  describe('watching', () => {
    test('delivers every change since a version, and resumes where it ended', async () => {
      const start = (await client.list(CONFIG_MAPS, { namespace })).metadata.resourceVersion ?? '';
      for (const name of ['w1', 'w2', 'w3']) await client.create(CONFIG_MAPS, configMap(name));
      await client.delete(CONFIG_MAPS, key('w1'));
      const seen = await watchSome(client, namespace, start, 2);
      expect(seen.map(({ label }) => label)).toEqual(['ADDED w1', 'ADDED w2']);
      const rest = await watchSome(client, namespace, seen.at(-1)?.version ?? '', 2);
      expect(rest.map(({ label }) => label)).toEqual(['ADDED w3', 'DELETED w1']);
    });

    test('keeps a store in sync, which shows our own writes at once', async () => {
      const store = new Store({
        resource: CONFIG_MAPS,
        accepts: ({ metadata }) => metadata.namespace === namespace,
      });
      const writes = new ReadYourWrites().add(store);
      const writer = new KubeClient({ transport: wire.send, onWrite: writes.onWrite });
      const reflector = new Reflector({ client, store, world, namespace }).start();
      await reflector.synced;
      const changes: string[] = [];
      store.subscribe(({ type, object }) => changes.push(`${type} ${object.metadata.name}`));
      for (let index = 0; index < 20; index++) {
        const created = await writer.create(CONFIG_MAPS, configMap(`mine-${index}`));
        expect(store.get(key(`mine-${index}`))?.metadata.resourceVersion).toBe(
          created.metadata.resourceVersion,
        );
        await writer.delete(CONFIG_MAPS, key(`mine-${index}`));
        expect(store.get(key(`mine-${index}`))).toBeUndefined();
      }
      await client.create(CONFIG_MAPS, configMap('by-another'));
      await expect.poll(() => store.get(key('by-another')), { timeout: 10_000 }).toBeDefined();
      // Each was reported once, although both the answer and the watch delivered it.
      const mine = changes.filter((change) => change.includes('mine-'));
      expect(mine).toHaveLength(40);
      expect(new Set(mine).size).toBe(40);
      await reflector.stop();
    });
  });

  test('records events that the server accepts and counts up', async () => {
    const pod = stored({ metadata: { name: 'eventful', namespace } });
    const events = new EventRecorder({ component: 'karpenter', client, world });
    const event = {
      resource: PODS,
      object: pod,
      type: 'Warning',
      reason: 'FailedScheduling',
      message: 'no',
      dedupeMs: 0,
    } as const;
    events.publish(event);
    await events.flushed();
    events.publish(event);
    await events.flushed();
    const { items } = await client.listAll(EVENTS, {
      namespace,
      fieldSelector: 'involvedObject.name=eventful',
    });
    expect(items).toMatchObject([
      { reason: 'FailedScheduling', count: 2, source: { component: 'karpenter' } },
    ]);
  });
}

// ------------------------------------------------------------------------------------------------

export async function ensureNamespace(client: KubeClient, name: string): Promise<void> {
  await client
    .create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    .catch((error: Error) => {
      if (!error.message.includes('already exists')) throw error;
    });
}

/** Leaves an empty namespace behind. */
export async function removeAll(client: KubeClient, namespace: string): Promise<void> {
  for (const resource of [CONFIG_MAPS, PODS, DEPLOYMENTS, EVENTS]) {
    await client.deleteCollection(resource, { namespace, gracePeriodSeconds: 0 });
  }
}

async function watchSome(client: KubeClient, namespace: string, resourceVersion: string, count: number) {
  const stream = await client.watch(CONFIG_MAPS, { namespace, resourceVersion, timeoutSeconds: 20 });
  const seen: { label: string; version: string }[] = [];
  for await (const batch of stream.batches()) {
    for (const { type, object } of batch) {
      const { name = '', resourceVersion: version = '' } = object.metadata as KubeObject['metadata'];
      seen.push({ label: `${type} ${name}`, version });
    }
    if (seen.length >= count) stream.cancel();
  }
  return seen.slice(0, count);
}
