import { expect, test } from 'vitest';
import { TinyServer } from '../testing/tiny-server.ts';
import { KubeClient } from './client.ts';
import { CONFIG_MAPS } from './resources.table.ts';
import { StaleWrites } from './stale-writes.ts';
import { fetchTransport } from './transport.ts';

const KEY = { namespace: 'a', name: 'x' };

async function changedMeanwhile() {
  const server = new TinyServer();
  const clock = { nowMs: 0, monotonic: () => clock.nowMs };
  const client = new KubeClient({
    transport: fetchTransport(server.fetch),
    staleWrites: new StaleWrites(clock),
  });
  const own = client.withSignal(new AbortController().signal);
  const metadata = { name: 'x', namespace: 'a' };
  const old = await client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const changed = await client.update(CONFIG_MAPS, { ...old, data: { a: '1' } });
  const write = (version: string | undefined) =>
    own.patch(CONFIG_MAPS, KEY, {
      type: 'merge',
      patch: { metadata: { resourceVersion: version }, data: { b: '2' } },
    });
  const sent = () => server.requests.filter((request) => request.startsWith('PATCH')).length;
  return { clock, old, changed, write, sent };
}

test('a write on a version that has conflicted is sent again after pauses that grow', async () => {
  const { clock, old, write, sent } = await changedMeanwhile();
  const { resourceVersion } = old.metadata;
  for (let at = 0; at < 60_000; at += 10) {
    clock.nowMs = at;
    await expect(write(resourceVersion)).rejects.toMatchObject({ kind: 'conflict' });
  }
  // 0, 0.25, 0.75, 1.75, 3.75, 7.75 s, and then every 8 s.
  expect(sent()).toBe(12);
});

test('a write on another version is sent at once', async () => {
  const { old, changed, write, sent } = await changedMeanwhile();
  await expect(write(old.metadata.resourceVersion)).rejects.toMatchObject({ kind: 'conflict' });
  await expect(write(old.metadata.resourceVersion)).rejects.toThrow('which is too old');
  const written = await write(changed.metadata.resourceVersion);
  expect(written.data).toEqual({ a: '1', b: '2' });
  await write(undefined);
  expect(sent()).toBe(3);
});
