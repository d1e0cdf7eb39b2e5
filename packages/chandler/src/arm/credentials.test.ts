import type { Fetch } from '@chandler/kube';
import { settle, virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { capTokenLife, checkCredential, createCredential, MAX_TOKEN_MS } from './credentials.ts';
import { parseEnvironmentFile } from './environments.ts';

const parsed = parseEnvironmentFile(
  JSON.stringify({
    resourceManagerEndpoint: 'https://arm.local',
    activeDirectoryEndpoint: 'https://login.local',
  }),
  '/f',
);
if ('problem' in parsed) throw new Error(parsed.problem.message);
const { environment } = parsed;

function secretCredential(answer: (url: string) => Response) {
  const world = virtualWorld();
  const urls: string[] = [];
  const fetch: Fetch = async (input) => {
    urls.push(String(input));
    return answer(String(input));
  };
  const credential = createCredential({
    world,
    fetch,
    environment,
    choice: { kind: 'clientSecret', tenantId: 'tenant', clientId: 'client', clientSecret: 'secret' },
  });
  return { credential, urls, world };
}

const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

const discovery = {
  issuer: 'https://login.local/tenant/v2.0',
  authorization_endpoint: 'https://login.local/tenant/oauth2/v2.0/authorize',
  token_endpoint: 'https://login.local/tenant/oauth2/v2.0/token',
  jwks_uri: 'https://login.local/keys',
};

describe('a token', () => {
  test('comes from the authority of the cloud, over the wire that was given', async () => {
    const { credential, urls } = secretCredential((url) =>
      url.includes('openid-configuration')
        ? json(discovery)
        : json({ token_type: 'Bearer', expires_in: 86_400, access_token: 'abc' }),
    );
    const token = await credential.getToken('https://arm.local/.default');
    expect(token?.token).toBe('abc');
    expect(urls.every((url) => url.startsWith('https://login.local/tenant/'))).toBe(true);
  });

  test('is trusted for two hours at most', async () => {
    const world = virtualWorld();
    const inner = {
      getToken: async () => ({ token: 't', expiresOnTimestamp: world.clock.now() + 86_400_000 }),
    };
    const token = await capTokenLife(inner, world).getToken('s');
    expect(token?.expiresOnTimestamp).toBe(world.clock.now() + MAX_TOKEN_MS);
  });

  test('that is refused is named as such, with what the authority said and no secret', async () => {
    const { credential } = secretCredential((url) =>
      url.includes('openid-configuration')
        ? json(discovery)
        : json({ error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret' }, 401),
    );
    const error = await credential.getToken('s').then(
      () => undefined,
      (thrown: { code: string; text: string }) => thrown,
    );
    expect(error?.code).toBe('NoToken');
    expect(error?.text).toContain('AADSTS7000215');
    expect(error?.text).not.toContain('"secret"');
  });

  test('that does not come within five seconds fails the start', async () => {
    const world = virtualWorld();
    const never = { getToken: () => new Promise<never>(() => {}) };
    const outcome = checkCredential(never, 'scope', world).catch((error: unknown) => error);
    await settle();
    await world.clock.advance(5_000);
    expect(await outcome).toMatchObject({ code: 'NoToken', message: 'no token for scope within 5 s' });
    expect(world.clock.pendingTimers).toBe(0);
  });
});
