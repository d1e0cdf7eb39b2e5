import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { createArmClients, resolveEnvironment } from '../../../arm/index.ts';
import { providerIdOf } from './names.ts';
import { createVmApi } from './vm-api.ts';

function environment() {
  const resolved = resolveEnvironment({ armCloud: 'AzurePublicCloud' });
  if ('problem' in resolved) throw new Error(resolved.problem.message);
  return resolved.environment;
}

test('a subscription that was typed in capitals makes the provider id that the node will have', () => {
  const clients = createArmClients({
    world: virtualWorld(),
    environment: environment(),
    credential: { getToken: async () => null },
    subscriptionId: 'ABCDEF00-0000-4000-8000-000000000001',
    version: '0.0.0',
  });
  const api = createVmApi(clients, 'MC_Shop');
  expect(providerIdOf(api.vmId('aks-a'))).toBe(
    'azure:///subscriptions/abcdef00-0000-4000-8000-000000000001/resourceGroups/mc_shop/providers/Microsoft.Compute/virtualMachines/aks-a',
  );
});

test('an orphan is not gone because a proxy says so, and the answer is kept', async () => {
  const answers = [
    Response.json(
      { error: { code: 'SubscriptionNotFound', message: 'no such subscription' } },
      { status: 404 },
    ),
    new Response('<html>', { status: 404 }),
    Response.json({ error: { code: 'ResourceNotFound', message: 'gone' } }, { status: 404 }),
  ];
  const clients = createArmClients({
    world: virtualWorld(),
    environment: environment(),
    credential: { getToken: async () => ({ token: 't', expiresOnTimestamp: Date.now() + 3600_000 }) },
    subscriptionId: 's',
    version: '0.0.0',
    fetch: async () => answers.shift()!,
  });
  const api = createVmApi(clients, 'rg');
  await expect(api.getVm('a')).rejects.toMatchObject({
    status: 404,
    code: 'BadAnswer',
    message: expect.stringContaining('SubscriptionNotFound: no such subscription'),
  });
  await expect(api.deleteNic('a')).rejects.toMatchObject({ status: 404, code: 'BadAnswer' });
  await api.deleteDisk('a');
});
