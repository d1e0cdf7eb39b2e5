import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { createArmClients } from './clients.ts';
import { AZURE_PUBLIC_CLOUD } from './environments.ts';

test.each([
  ['https://evil.example/operations/1'],
  ['http://management.azure.com/operations/1'],
  ['https://management.azure.com.evil.example/operations/1'],
  ['ftp://x'],
  ['not an address'],
])('no token is sent to %s, whatever an answer says: the resource is read instead', async (url) => {
  const asked: string[] = [];
  const clients = createArmClients({
    world: virtualWorld(),
    fetch: async (input) => {
      asked.push(String(input));
      return new Response('{"status":"Succeeded"}');
    },
    environment: AZURE_PUBLIC_CLOUD,
    credential: { getToken: async () => ({ token: 't', expiresOnTimestamp: Date.now() + 3600_000 }) },
    subscriptionId: 's',
    version: '0.0.0',
  });
  expect(await clients.poll({ kind: 'status', url })).toEqual({ state: 'unknown' });
  expect(asked).toEqual([]);
});
