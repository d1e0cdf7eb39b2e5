import { expect, test } from 'vitest';
import { virtualWorld } from '../../../../test/world/virtual-world.ts';
import { createArmClients, resolveEnvironment } from '../../../arm/index.ts';
import { createMachineApi } from './machine-api.ts';
import { providerIdOf } from './names.ts';

test('a subscription that was typed in capitals makes the provider id that the node will have', () => {
  const resolved = resolveEnvironment({ armCloud: 'AzurePublicCloud' });
  if ('problem' in resolved) throw new Error(resolved.problem.message);
  const clients = createArmClients({
    world: virtualWorld(),
    environment: resolved.environment,
    credential: { getToken: async () => null },
    subscriptionId: 'ABCDEF00-0000-4000-8000-000000000001',
    version: '0.0.0',
  });
  const api = createMachineApi(clients, 'MC_Shop');
  expect(providerIdOf(api.vmId('aks-a'))).toBe(
    'azure:///subscriptions/abcdef00-0000-4000-8000-000000000001/resourceGroups/mc_shop/providers/Microsoft.Compute/virtualMachines/aks-a',
  );
});
