import { fetchTransport, KubeClient } from '@chandler/kube';
import { TinyServer, virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { CA_PEM } from '../../cloud/azure/testing.ts';
import { GOOD_ENV, resolveAzure } from '../../settings/testing.ts';
import { azureCloudParts } from './azure-cloud-parts.ts';
import type { AzureParts } from './azure-parts.ts';

const WHO = { AZURE_CLIENT_ID: 'c', AZURE_TENANT_ID: 't', AZURE_CLIENT_SECRET: 's' };

test('new nodes get the authority that the process trusts now, not the one of its start', async () => {
  const { values } = resolveAzure({ env: { ...GOOD_ENV, ...WHO } });
  const world = virtualWorld();
  let trusted = CA_PEM;
  const make = azureCloudParts(
    { values },
    {
      fetch: async () => Response.json({ error: { code: 'Forbidden', message: 'no' } }, { status: 403 }),
      readFile: () => '',
      version: '1',
      clusterCaPem: async () => trusted,
    },
  );
  const client = new KubeClient({ transport: fetchTransport(new TinyServer().fetch) });
  const { detector } = (await make({
    world,
    client,
    namespace: 'kube-system',
    observe: false,
  })) as AzureParts;
  const given = async () =>
    Buffer.from((await detector.refresh()).facts.caBundle?.value ?? '', 'base64').toString();
  expect(await given()).toBe(CA_PEM);
  trusted = `${CA_PEM}${CA_PEM}`;
  await world.clock.advance(15 * 60_000);
  expect(await given()).toBe(trusted);
});
