import { describe, expect, test } from 'vitest';
import { type TestArm, testArm } from '../arm-server.fixture.ts';

const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

async function signIn({ server }: TestArm, form: Record<string, string>, tenant = server.settings.tenantId) {
  const response = await server.fetch(`${server.url}/${tenant}/oauth2/v2.0/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: server.credentials.clientId,
      scope: 'https://management.azure.com/.default',
      ...form,
    }).toString(),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

function jwt(claims: Record<string, unknown>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part(claims)}.c2lnbmF0dXJl`;
}

describe('sign-in', () => {
  test('a secret gives a token that management calls accept until it expires', async () => {
    const azure = await testArm();
    const { json } = await signIn(azure, { client_secret: azure.server.credentials.clientSecret });
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    const token = json['access_token'] as string;
    const listed = await azure.call('GET', 'Microsoft.Compute/virtualMachines', undefined, { token });
    expect(listed.status).toBe(200);
  });

  test.each([
    ['a wrong secret', { client_secret: 'no' }, 401, 7000215],
    ['no proof at all', {}, 401, 7000218],
    ['an unknown application', { client_id: 'x', client_secret: 'no' }, 400, 700016],
    ['an assertion that is no JWT', { client_assertion: 'x', client_assertion_type: ASSERTION }, 401, 50027],
    ['another grant', { grant_type: 'password' }, 400, 70003],
    ['no scope', { scope: '' }, 400, 900144],
  ])('%s is rejected with its number', async (_name, form, status, code) => {
    const refused = await signIn(await testArm(), form as Record<string, string>);
    expect(refused.status).toBe(status);
    expect(refused.json['error_codes']).toEqual([code]);
    expect(refused.json['error_description']).toContain(`AADSTS${code}`);
  });

  test.each([
    ['sign-in-fails', 401, 7000222],
    ['sign-in-500', 500, 90033],
  ])('the fault %s gives no token', async (fault, status, code) => {
    const azure = await testArm({ faults: [`${fault}@count=1`] });
    const secret = { client_secret: azure.server.credentials.clientSecret };
    const refused = await signIn(azure, secret);
    expect([refused.status, refused.json['error_codes']]).toEqual([status, [code]]);
    expect((await signIn(azure, secret)).status).toBe(200);
  });

  test('another tenant is rejected', async () => {
    const azure = await testArm();
    const refused = await signIn(azure, { client_secret: 'x' }, '99999999-0000-0000-0000-000000000000');
    expect(refused.json['error_codes']).toEqual([90002]);
  });

  test('a workload identity signs in with its federated assertion, and only with that', async () => {
    const subject = 'system:serviceaccount:kube-system:chandler';
    const azure = await testArm({
      identities: [
        {
          name: 'workload',
          clientId: '22222222-0000-0000-0000-000000000000',
          objectId: '33333333-0000-0000-0000-000000000000',
          tenantId: '00000000-0000-4000-8000-0000000000aa',
          federated: [{ issuer: 'https://issuer', subject }],
        },
      ],
    });
    const form = (claims: Record<string, unknown>) => ({
      client_id: '22222222-0000-0000-0000-000000000000',
      client_assertion_type: ASSERTION,
      client_assertion: jwt(claims),
    });
    const good = await signIn(azure, form({ iss: 'https://issuer', sub: subject }));
    expect(good.status).toBe(200);
    const other = await signIn(azure, form({ iss: 'https://issuer', sub: 'system:serviceaccount:a:b' }));
    expect(other.json['error_codes']).toEqual([700213]);
    const old = await signIn(azure, form({ iss: 'https://issuer', sub: subject, exp: 1 }));
    expect(old.json['error_codes']).toEqual([700024]);
  });

  test('an identity without federated credentials accepts no assertion', async () => {
    const azure = await testArm();
    const forged = await signIn(azure, {
      client_assertion_type: ASSERTION,
      client_assertion: jwt({ iss: 'https://issuer', sub: 'anybody' }),
    });
    expect([forged.status, forged.json['error_codes']]).toEqual([401, [70025]]);
  });

  test('the metadata endpoint does not exist unless it is enabled', async () => {
    const { server } = await testArm();
    const url = `${server.url}/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https://management.azure.com/`;
    expect((await server.fetch(url, { headers: { Metadata: 'true' } })).status).toBe(404);
  });

  test('the metadata endpoint gives tokens of the managed identity to callers with its header', async () => {
    const { server } = await testArm({ metadataEndpoint: true });
    const url = `${server.url}/metadata/identity/oauth2/token/?api-version=2018-02-01&resource=https://management.azure.com/`;
    expect((await server.fetch(url)).status).toBe(400);
    const token = (await (await server.fetch(url, { headers: { Metadata: 'true' } })).json()) as Record<
      string,
      string
    >;
    expect(token['client_id']).toBe(server.credentials.clientId);
    expect(Number(token['expires_in'])).toBe(3600);
  });
});
