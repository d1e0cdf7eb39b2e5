/** Prices are read before the first decision, on every replica. Neither they nor sizes hold up anything for long. */
import { fetchTransport, KubeClient } from '@chandler/kube';
import { settle, TinyServer, virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { SIZES_REFRESH_MS } from '../instance-types/index.ts';
import { aNodeClass } from '../instance-types/world.fixture.ts';
import { GOOD_ENV, resolveAzure } from '../options/options.fixture.ts';
import { aSku } from '../sizes/skus.fixture.ts';

import { createAzureParts } from './create-parts.ts';

const WHO = { AZURE_CLIENT_ID: 'c', AZURE_TENANT_ID: 't', AZURE_CLIENT_SECRET: 's' };
/** Its CA is read from it, which must not leave the machine: nothing listens here. */
const NOWHERE = { CLUSTER_ENDPOINT: 'https://127.0.0.1:9' };
const PRICES = { Items: [{ armSkuName: 'Standard_D2s_v5', skuName: 'D2s v5', retailPrice: 0.5 }] };

type Answer = () => Promise<Response>;

/** A replica whose price list answers like this. */
function aReplica(priceList: Answer) {
  const { values } = resolveAzure({ env: { ...GOOD_ENV, ...WHO, ...NOWHERE } });
  const world = virtualWorld();
  const region = values.location.value;
  const wire = { sizesAnswer: true };
  const fetch = async (input: unknown): Promise<Response> => {
    const url = String(input instanceof Request ? input.url : input);
    if (url.includes('/api/retail/prices')) return priceList();
    if (url.includes('/oauth2/'))
      return Response.json({ access_token: 'x', expires_in: 3600, token_type: 'Bearer' });
    if (url.includes('/skus') && !wire.sizesAnswer) return new Promise(() => undefined);
    if (url.includes('/skus')) return Response.json({ value: [aSku('D2s_v5', { region })] });
    return Response.json({ error: { code: 'Forbidden', message: 'no' } }, { status: 403 });
  };
  const parts = createAzureParts({
    world,
    values: () => values,
    wires: {
      fetch: fetch as typeof globalThis.fetch,
      readFile: () => '',
      version: '1',
      clusterCaPem: undefined,
    },
    client: new KubeClient({ transport: fetchTransport(new TinyServer().fetch) }),
    namespace: 'kube-system',
    observe: false,
  });
  return { parts, world, wire, price: () => parts.prices.price('Standard_D2s_v5', 'on-demand') };
}

test('a start waits for the price list', async () => {
  const { parts, price } = aReplica(async () => {
    await settle();
    return Response.json(PRICES);
  });
  await parts.prepare!(new AbortController().signal);
  expect(price()).toBe(0.5);
});

test('a price list that does not answer holds up the start for 20 seconds', async () => {
  const { parts, world, price } = aReplica(() => new Promise(() => undefined));
  let ready = false;
  const prepared = parts.prepare!(new AbortController().signal).then(() => {
    ready = true;
  });
  await expect.poll(() => parts.instanceTypes.loaded).toBe(true);
  await settle();
  expect(ready).toBe(false);
  await world.clock.advance(20_000);
  await prepared;
  expect(price()).toBe(0.115);
});

test('instance types that are known are used while Azure does not answer about sizes', async () => {
  const { parts, world, wire } = aReplica(async () => Response.json(PRICES));
  await parts.prepare!(new AbortController().signal);
  wire.sizesAnswer = false;
  await world.clock.advance(SIZES_REFRESH_MS);
  const nodeClass = { ...aNodeClass(), metadata: { name: 'default', uid: 'u', resourceVersion: '1' } };
  const types = await parts.cloud.instanceTypes({ nodeClass } as never, new AbortController().signal);
  expect(types.map(({ name }) => name)).toEqual(['Standard_D2s_v5']);
});

test('a replica that is not the leader reads prices too, and again when they are due', async () => {
  let read = 0;
  const { parts, world, price } = aReplica(async () => {
    read += 1;
    return Response.json(PRICES);
  });
  const stop = new AbortController();
  const running = parts.background!.map((task) => task.run(stop.signal));
  await expect.poll(price).toBe(0.5);
  for (let hour = 0; hour < 13; hour++) {
    await settle();
    await world.clock.advance(60 * 60_000);
  }
  await expect.poll(() => read).toBe(2);
  stop.abort();
  await Promise.all(running);
});
