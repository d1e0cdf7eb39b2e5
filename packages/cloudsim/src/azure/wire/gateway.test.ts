import { describe, expect, test } from 'vitest';
import { COMPUTE, NETWORK, nicBody, testArm, vmBody } from '../arm-server.fixture.ts';

const VM = `${COMPUTE}/virtualMachines/aks-a`;

describe('a request that ARM rejects is rejected with its code', () => {
  test.each([
    ['no api-version', 'GET', VM, { version: '' }, 400, 'MissingApiVersionParameter'],
    [
      'an api-version that the type has not',
      'GET',
      VM,
      { version: '1999-01-01' },
      400,
      'InvalidApiVersionParameter',
    ],
    ['no token', 'GET', VM, { token: null }, 401, 'AuthenticationFailed'],
    ['a token that is none', 'GET', VM, { token: 'abc' }, 401, 'InvalidAuthenticationToken'],
    ['a forged token', 'GET', VM, { token: 'a.b.c' }, 401, 'InvalidAuthenticationToken'],
    ['a resource that is not there', 'GET', VM, {}, 404, 'ResourceNotFound'],
    ['an unknown type', 'GET', `${COMPUTE}/toasters/x`, {}, 404, 'InvalidResourceType'],
    ['an unknown provider', 'GET', 'Microsoft.Toast/toasters/x', {}, 404, 'InvalidResourceNamespace'],
    ['an unknown path', 'GET', '/nowhere', {}, 404, 'NotFound'],
    ['a method that the type has not', 'POST', VM, {}, 405, 'MethodNotAllowed'],
    [
      'a malformed subscription',
      'GET',
      '/subscriptions/x/resourceGroups',
      { version: '2021-04-01' },
      400,
      'InvalidSubscriptionId',
    ],
    [
      'another subscription',
      'GET',
      '/subscriptions/11111111-1111-1111-1111-111111111111/providers/Microsoft.Compute/virtualMachines',
      {},
      404,
      'SubscriptionNotFound',
    ],
    ['a broken escape in the path', 'GET', '/subscriptions/%E0%A4%A', {}, 400, 'InvalidRequestUri'],
  ])('%s', async (_name, method, path, more, status, code) => {
    const azure = await testArm();
    const called = await azure.call(method, path, undefined, more);
    expect([called.status, called.error.code]).toEqual([status, code]);
    expect(called.error.message).not.toBe('');
    expect(called.headers.get('x-ms-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a resource group that does not exist', async () => {
    const { call, server } = await testArm();
    const path = `/subscriptions/${server.settings.subscriptionId}/resourceGroups/none/providers/${VM}`;
    expect((await call('GET', path)).error.code).toBe('ResourceGroupNotFound');
    expect((await call('PUT', path, vmBody(server, 'aks-a'))).error.code).toBe('ResourceGroupNotFound');
  });

  test('a body that is not JSON, is of another type, is an array, is missing, or is too long', async () => {
    const { call } = await testArm();
    expect((await call('PUT', VM, '{"location":')).error.code).toBe('InvalidRequestContent');
    const xml = await call('PUT', VM, '<a/>', { headers: { 'content-type': 'text/xml' } });
    expect([xml.status, xml.error.code]).toEqual([415, 'UnsupportedMediaType']);
    expect((await call('PUT', VM, [])).error.code).toBe('InvalidRequestContent');
    expect((await call('PUT', VM)).error.code).toBe('InvalidRequestContent');
    const long = await call('PUT', VM, JSON.stringify({ tags: { a: 'x'.repeat(5_000_000) } }));
    expect([long.status, long.error.code]).toEqual([413, 'RequestContentTooLarge']);
  });

  test('an expired token is rejected with both times', async () => {
    const azure = await testArm();
    const token = azure.server.token();
    expect((await azure.call('GET', VM, undefined, { token })).status).toBe(404);
    await azure.advance(3_600_001);
    const called = await azure.call('GET', VM, undefined, { token });
    expect([called.status, called.error.code]).toEqual([401, 'ExpiredAuthenticationToken']);
    expect(called.headers.get('www-authenticate')).toContain('Bearer');
  });

  test('a token for another service is rejected', async () => {
    const { server, call } = await testArm();
    const identity = server.context.tokens.identity(server.credentials.clientId)!;
    const { token } = server.context.tokens.issue(identity, 'https://vault.azure.net');
    expect((await call('GET', VM, undefined, { token })).error.message).toContain('wrong audience');
  });
});

describe('rights', () => {
  test('a caller without the right gets the action and the scope', async () => {
    const { call, group, server, nic } = await testArm({ actions: ['*/read'] });
    expect((await call('GET', `${NETWORK}/networkInterfaces`)).status).toBe(200);
    const refused = await nic('aks-a');
    expect([refused.status, refused.error.code]).toEqual([403, 'AuthorizationFailed']);
    expect(refused.error.message).toContain("'Microsoft.Network/networkInterfaces/write'");
    expect(refused.error.message).toContain(`${group}/Microsoft.Network/networkInterfaces/aks-a`);
    expect(refused.error.message).toContain(server.credentials.objectId);
  });

  test('a right on a resource group applies to its resources, and a subnet needs a separate one', async () => {
    const { call, group, server } = await testArm({ actions: [] });
    const scope = group.replace(/\/providers$/, '');
    const { objectId: principalId } = server.credentials;
    server.context.access.grant({
      id: 'a',
      principalId,
      scope,
      actions: ['Microsoft.Network/networkInterfaces/*'],
    });
    const path = `${NETWORK}/networkInterfaces/aks-a`;
    const refused = await call('PUT', path, nicBody(server, 'aks-a'));
    expect(refused.error.code).toBe('LinkedAuthorizationFailed');
    expect(refused.error.message).toContain('Microsoft.Network/virtualNetworks/subnets/join/action');
    server.context.access.grant({
      id: 'b',
      principalId,
      scope,
      actions: ['Microsoft.Network/virtualNetworks/subnets/join/action'],
    });
    expect((await call('PUT', path, nicBody(server, 'aks-a'))).status).toBe(201);
    server.context.access.revoke('a');
    expect((await call('GET', path)).error.code).toBe('AuthorizationFailed');
  });
});

describe('the call log', () => {
  test('shows method, path, version, status and time, and keeps no more than its limit', async () => {
    const azure = await testArm({ callLogLimit: 3 });
    await azure.call('GET', VM);
    await azure.advance(1000);
    for (let count = 0; count < 3; count++) await azure.call('GET', `${COMPUTE}/virtualMachines`);
    const calls = azure.server.resources.calls();
    expect(calls).toHaveLength(3);
    expect(azure.server.resources.totalCalls).toBe(4);
    expect(calls[0]).toMatchObject({
      method: 'GET',
      path: `${azure.group}/${COMPUTE}/virtualMachines`,
      apiVersion: '2025-04-01',
      status: 200,
      atMs: azure.world.clock.now(),
    });
  });
});

describe('paths', () => {
  test('match in any case, and ids keep the spelling of their creator', async () => {
    const { call, nic, advance, server } = await testArm();
    await nic('aks-Mixed');
    await advance(100);
    const { subscriptionId, nodeResourceGroup } = server.settings;
    const upper = `/SUBSCRIPTIONS/${subscriptionId}/RESOURCEGROUPS/${nodeResourceGroup.toUpperCase()}/PROVIDERS/MICROSOFT.NETWORK/NETWORKINTERFACES/AKS-MIXED`;
    const found = await call('GET', upper, undefined, { version: '2022-01-01' });
    expect(found.json['name']).toBe('aks-Mixed');
    expect(found.json['id']).toContain(nodeResourceGroup);
  });
});
