import { afterEach, describe, expect, test } from 'vitest';
import { anAzure, type ErrorBody, type TestAzure } from '../cluster/azure.fixture.ts';
import type { ByokOptions } from '../cluster/byok.ts';

let simulation: TestAzure;

afterEach(() => simulation.close());

async function aVault(byok: ByokOptions = {}): Promise<TestAzure> {
  simulation = await anAzure({ byok });
  return simulation;
}

async function refusal(url = simulation.byok.keyUrl): Promise<[number, string, string | undefined]> {
  const { status, body } = await simulation.callVault<ErrorBody>(url);
  return [status, body.error.code, body.error.innererror?.code];
}

describe('keys at the address of their vault', () => {
  test('answer a request without a token with a challenge', async () => {
    await aVault();
    const url = `${simulation.byok.keyUrl}?api-version=7.5`;
    const answer = await simulation.callWith<ErrorBody>(undefined, url);
    expect([answer.status, answer.body.error.code]).toEqual([401, 'Unauthorized']);
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer authorization="https://login.microsoftonline.com/${simulation.server.settings.tenantId}", resource="https://vault.azure.net"`,
    );
    const forManagement = await simulation.callWith<ErrorBody>(simulation.server.token(), url);
    expect(forManagement.status, 'a token for another audience is none').toBe(401);
  });

  test.each(['roles', 'policies'] as const)(
    'are refused to those without rights, by %s',
    async (permissions) => {
      await aVault({ permissions });
      expect((await simulation.callVault(simulation.byok.keyUrl)).status).toBe(200);
      simulation.byok.hideVault();
      const inner = permissions === 'roles' ? 'ForbiddenByRbac' : 'AccessDenied';
      expect(await refusal()).toEqual([403, 'Forbidden', inner]);
      simulation.byok.showVault();
      expect((await simulation.callVault(simulation.byok.keyUrl)).status).toBe(200);
    },
  );

  test('are behind a firewall, whatever the roles', async () => {
    await aVault();
    simulation.byok.closeFirewall({ trusted: true });
    expect(await refusal()).toEqual([403, 'Forbidden', 'ForbiddenByFirewall']);
    simulation.byok.openFirewall();
    simulation.azure.keys.vaults.change(simulation.byok.vaultId, { publicNetworkAccess: 'Disabled' });
    expect(await refusal()).toEqual([403, 'Forbidden', 'ForbiddenByConnection']);
  });

  test('are deleted with their vault', async () => {
    await aVault();
    simulation.byok.deleteVault();
    expect(await refusal('https://kv-playground.vault.azure.net/keys/disk-key')).toEqual([
      404,
      'VaultNotFound',
      undefined,
    ]);
    simulation.byok.recoverVault();
    expect((await simulation.callVault(simulation.byok.keyUrl)).status).toBe(200);
  });
});
