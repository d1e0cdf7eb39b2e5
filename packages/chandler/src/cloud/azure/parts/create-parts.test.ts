import { fetchTransport, KubeClient } from '@chandler/kube';
import { TinyServer, virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { GOOD_ENV, resolveAzure } from '../options/options.fixture.ts';
import { CA_PEM } from '../testing.ts';

import { createAzureParts } from './create-parts.ts';

const WHO = { AZURE_CLIENT_ID: 'c', AZURE_TENANT_ID: 't', AZURE_CLIENT_SECRET: 's' };

test('new nodes get the authority that the process trusts now, not the one of its start', async () => {
  const { values } = resolveAzure({ env: { ...GOOD_ENV, ...WHO } });
  const world = virtualWorld();
  let trusted = CA_PEM;
  const wires = {
    fetch: async () => Response.json({ error: { code: 'Forbidden', message: 'no' } }, { status: 403 }),
    readFile: () => '',
    version: '1',
    clusterCaPem: async () => trusted,
  };
  const client = new KubeClient({ transport: fetchTransport(new TinyServer().fetch) });
  const { detector } = createAzureParts({
    world,
    values: () => values,
    wires,
    client,
    namespace: 'kube-system',
    observe: false,
  });
  const given = async () =>
    Buffer.from((await detector.refresh()).facts.caBundle?.value ?? '', 'base64').toString();
  expect(await given()).toBe(CA_PEM);
  trusted = `${CA_PEM}${CA_PEM}`;
  await world.clock.advance(15 * 60_000);
  expect(await given()).toBe(trusted);
});
