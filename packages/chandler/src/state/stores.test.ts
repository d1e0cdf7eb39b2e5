import { fetchTransport } from '@chandler/kube';
import { settle, TinyServer, virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { BY_CLASS, BY_POOL, Stores } from './stores.ts';

test('objects without a reference to a node class are kept, and belong to none', async () => {
  const server = new TinyServer();
  const metadata = { name: 'odd', labels: { 'karpenter.sh/nodepool': 'general' } };
  server.put('/apis/karpenter.sh/v1/nodeclaims/odd', { metadata, spec: { requirements: [] } });
  server.put('/apis/karpenter.sh/v1/nodepools/odd', { metadata, spec: { template: { spec: {} } } });
  const stores = new Stores({
    world: virtualWorld(),
    transport: fetchTransport(server.fetch),
    nodeClasses: [],
  });
  const synced: string[] = [];
  void stores.claims.synced.then(() => synced.push('claims'));
  void stores.pools.synced.then(() => synced.push('pools'));
  stores.claims.start();
  stores.pools.start();
  await settle();
  expect(synced.sort()).toEqual(['claims', 'pools']);
  expect(stores.claims.store.by(BY_POOL, 'general')).toHaveLength(1);
  expect(stores.claims.store.by(BY_CLASS, 'undefined/undefined/undefined')).toEqual([]);
  expect([...stores.pools.store.values()]).toHaveLength(1);
  await Promise.all([stores.claims.stop(), stores.pools.stop()]);
});
