import { KubeClient, NODES, type Transport } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import type { ObjectReader } from '../../causes/index.ts';
import { liveReader } from '../../diagnose/index.ts';
import { sharedReader } from './shared-reader.ts';

const SIZE = 450;

/** A server with nodes, and the limits of the lists that it was asked for. */
function aServer() {
  const limits: number[] = [];
  const transport: Transport = async ({ query = {} }) => {
    const [limit, from] = [Number(query['limit']), Number(query['continue'] ?? 0)];
    limits.push(limit);
    const end = Math.min(SIZE, from + limit);
    const items = Array.from({ length: end - from }, (_, at) => ({
      metadata: { name: `n${from + at}`, uid: 'u', resourceVersion: '1', managedFields: [{}] },
      status: { images: [{ names: ['a'] }], phase: 'p' },
    }));
    const metadata = { resourceVersion: '1', ...(end < SIZE ? { continue: String(end) } : {}) };
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      text: async () => JSON.stringify({ kind: 'NodeList', apiVersion: 'v1', metadata, items }),
      async *chunks() {},
      cancel: () => undefined,
    };
  };
  const client = new KubeClient({ transport });
  return { limits, reader: sharedReader(liveReader({ client, clock: virtualWorld().clock, pageSize: 200 })) };
}

function foundIn(looked: Awaited<ReturnType<ObjectReader['list']>>) {
  if (!('found' in looked)) throw new Error(looked.message ?? looked.why);
  return looked.found;
}

test('the first objects of a long list are read in pieces, without what no explanation reads', async () => {
  const { limits, reader } = aServer();
  const looked = await reader.list(NODES, { labels: { pool: 'general' }, atMost: 400 });
  const nodes = foundIn(looked);
  expect(limits).toEqual([200, 200]);
  expect(nodes).toHaveLength(400);
  expect(nodes.at(-1)).toEqual({
    metadata: { name: 'n399', uid: 'u', resourceVersion: '1' },
    status: { phase: 'p' },
  });
});

test('of a list of which a few objects are needed no more are read', async () => {
  const { limits, reader } = aServer();
  const looked = await reader.list(NODES, { atMost: 5 });
  expect(foundIn(looked)).toHaveLength(5);
  expect(limits).toEqual([5]);
});

test('a list without a limit is read whole, and once for those who need all of it', async () => {
  const { limits, reader } = aServer();
  const [one, other] = await Promise.all([reader.list(NODES), reader.list(NODES)]);
  expect(foundIn(one)).toHaveLength(SIZE);
  expect(other).toBe(one);
  expect(limits).toEqual([200, 200, 200]);
});
