import { describe, expect, test } from 'vitest';
import { KubeClient } from '../client/client.ts';
import { NODES } from '../client/resources.table.ts';
import { fetchTransport } from '../client/transport.ts';
import { TinyServer } from '../testing/tiny-server.ts';
import { settle, virtualWorld } from '../testing/virtual-world.ts';
import { WIDGETS } from '../testing/widgets.ts';
import { ReadYourWrites } from './read-your-writes.ts';
import { Reflector } from './reflector.ts';
import { Store } from './store.ts';

async function running() {
  const server = new TinyServer();
  const world = virtualWorld();
  const store = new Store({ resource: WIDGETS });
  const writes = new ReadYourWrites().add(store).add(new Store({ resource: WIDGETS }));
  const client = new KubeClient({ transport: fetchTransport(server.fetch), onWrite: writes.onWrite });
  const reflector = new Reflector({ client, store, world }).start();
  await reflector.synced;
  await settle();
  return { server, store, client, reflector };
}

describe('a store after our own writes', () => {
  test('shows create, patch, delete in progress and final delete before any watch event', async () => {
    const { server, store, client, reflector } = await running();
    await reflector.stop();
    const key = { name: 'c' };
    await client.create(WIDGETS, { kind: 'Widget', metadata: { name: 'c', finalizers: ['f'] } });
    expect(store.get(key)).toBeDefined();
    const patched = await client.patch(WIDGETS, key, { type: 'merge', patch: { spec: { a: 1 } } });
    expect(store.get(key)?.metadata.resourceVersion).toBe(patched.metadata.resourceVersion);
    await client.delete(WIDGETS, key);
    expect(store.get(key)?.metadata.deletionTimestamp).toBeDefined();
    server.put('/apis/example.com/v1/widgets/c', { metadata: { name: 'c' } });
    await client.delete(WIDGETS, key);
    expect(store.get(key)).toBeUndefined();
    await client.create(NODES, { metadata: { name: 'n' } });
    expect(store.size).toBe(0);
  });

  test('is notified of every version once although it arrives twice', async () => {
    const { store, client, reflector } = await running();
    const changes: (string | undefined)[] = [];
    store.subscribe(({ object }) => changes.push(object.metadata.resourceVersion));
    for (let index = 0; index < 20; index++) {
      await client.create(WIDGETS, { kind: 'Widget', metadata: { name: `c${index}` } });
    }
    await settle();
    expect(store.size).toBe(20);
    expect(new Set(changes).size).toBe(changes.length);
    await reflector.stop();
  });
});
