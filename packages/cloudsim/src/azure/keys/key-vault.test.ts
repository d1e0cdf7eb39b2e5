import { afterEach, describe, expect, it } from 'vitest';
import { anAzure, type ErrorBody, type TestAzure } from '../cluster/azure.fixture.ts';
import type { ByokOptions } from '../cluster/byok.ts';

let test: TestAzure;

afterEach(() => test.close());

async function aVault(byok: ByokOptions = {}): Promise<TestAzure> {
  test = await anAzure({ byok });
  return test;
}

async function refusal(url = test.byok.keyUrl): Promise<[number, string, string | undefined]> {
  const { status, body } = await test.callVault<ErrorBody>(url);
  return [status, body.error.code, body.error.innererror?.code];
}

describe('keys at the address of their vault', () => {
  it('answer without a token with where to get one', async () => {
    await aVault();
    const url = `${test.byok.keyUrl}?api-version=7.5`;
    const answer = await test.callWith<ErrorBody>(undefined, url);
    expect([answer.status, answer.body.error.code]).toEqual([401, 'Unauthorized']);
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer authorization="https://login.microsoftonline.com/${test.server.settings.tenantId}", resource="https://vault.azure.net"`,
    );
    const forManagement = await test.callWith<ErrorBody>(test.server.token(), url);
    expect(forManagement.status, 'a token for another audience is none').toBe(401);
  });

  it.each(['roles', 'policies'] as const)(
    'are refused to those without rights, by %s',
    async (permissions) => {
      await aVault({ permissions });
      expect((await test.callVault(test.byok.keyUrl)).status).toBe(200);
      test.byok.hideVault();
      const inner = permissions === 'roles' ? 'ForbiddenByRbac' : 'AccessDenied';
      expect(await refusal()).toEqual([403, 'Forbidden', inner]);
      test.byok.showVault();
      expect((await test.callVault(test.byok.keyUrl)).status).toBe(200);
    },
  );

  it('are behind a firewall that knows no roles', async () => {
    await aVault();
    test.byok.closeFirewall({ trusted: true });
    expect(await refusal()).toEqual([403, 'Forbidden', 'ForbiddenByFirewall']);
    test.byok.openFirewall();
    test.azure.keys.vaults.change(test.byok.vaultId, { publicNetworkAccess: 'Disabled' });
    expect(await refusal()).toEqual([403, 'Forbidden', 'ForbiddenByConnection']);
  });

  it('go with their vault', async () => {
    await aVault();
    test.byok.deleteVault();
    expect(await refusal('https://kv-playground.vault.azure.net/keys/disk-key')).toEqual([
      404,
      'VaultNotFound',
      undefined,
    ]);
    test.byok.recoverVault();
    expect((await test.callVault(test.byok.keyUrl)).status).toBe(200);
  });
});
