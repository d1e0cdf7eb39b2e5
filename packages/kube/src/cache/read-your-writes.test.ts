import { describe, expect, it } from 'vitest';
import { KubeClient } from '../client/client.ts';
import { NODE_CLAIMS, NODES } from '../client/resources.table.ts';
import { fetchTransport } from '../client/transport.ts';
import { TinyServer } from '../testing/tiny-server.ts';
import { settle, virtualWorld } from '../testing/virtual-world.ts';
import { ReadYourWrites } from './read-your-writes.ts';
import { Reflector } from './reflector.ts';
import { Store } from './store.ts';

async function running() {
  const server = new TinyServer();
  const world = virtualWorld();
  const store = new Store({ resource: NODE_CLAIMS });
  const writes = new ReadYourWrites().add(store).add(new Store({ resource: NODE_CLAIMS }));
  const client = new KubeClient({ transport: fetchTransport(server.fetch), onWrite: writes.onWrite });
  const reflector = new Reflector({ client, store, world }).start();
  await reflector.synced;
  await settle();
  return { server, store, client, reflector };
}

describe('a store after our own writes', () => {
  it('shows create, patch, delete in progress and final delete before any watch event', async () => {
    const { server, store, client, reflector } = await running();
    await reflector.stop();
    const key = { name: 'c' };
    await client.create(NODE_CLAIMS, { kind: 'NodeClaim', metadata: { name: 'c', finalizers: ['f'] } });
    expect(store.get(key)).toBeDefined();
    const patched = await client.patch(NODE_CLAIMS, key, { type: 'merge', patch: { spec: { a: 1 } } });
    expect(store.get(key)?.metadata.resourceVersion).toBe(patched.metadata.resourceVersion);
    await client.delete(NODE_CLAIMS, key);
    expect(store.get(key)?.metadata.deletionTimestamp).toBeDefined();
    server.put('/apis/karpenter.sh/v1/nodeclaims/c', { metadata: { name: 'c' } });
    await client.delete(NODE_CLAIMS, key);
    expect(store.get(key)).toBeUndefined();
    await client.create(NODES, { metadata: { name: 'n' } });
    expect(store.size).toBe(0);
  });

  it('hears of every version once although it comes twice', async () => {
    const { store, client, reflector } = await running();
    const heard: (string | undefined)[] = [];
    store.subscribe(({ object }) => heard.push(object.metadata.resourceVersion));
    for (let index = 0; index < 20; index++) {
      await client.create(NODE_CLAIMS, { kind: 'NodeClaim', metadata: { name: `c${index}` } });
    }
    await settle();
    expect(store.size).toBe(20);
    expect(new Set(heard).size).toBe(heard.length);
    await reflector.stop();
  });
});
