import { describe, expect, test, vi } from 'vitest';
import { fixturesForTests } from '../../../../../test/flexnode/standins/identity-fixture.ts';
import { ARM_AUDIENCE } from '../../../../../test/flexnode/standins/login.ts';
import { roleAssignmentId } from '../../arm/index.ts';
import { thrownBy as failure } from '../flex-error.fixture.ts';
import { createAzureClient } from './create-azure-client.ts';
import { DOCUMENT_ROLES } from './document-roles.table.ts';

const fixture = fixturesForTests();
const signal = new AbortController().signal;
const PRINCIPAL = 'dddddddd-0000-4000-8000-000000000001';

const MACHINE =
  '/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/rg-edge/providers/Microsoft.HybridCompute/machines/edge-01';

describe('the Arc machine', () => {
  test('is read with its principal, and is undefined before it is there', async () => {
    const { azure, arm } = fixture();
    expect(await azure.machine(signal)).toBeUndefined();
    arm.register(MACHINE, 'westus2');
    expect(await azure.machine(signal)).toMatchObject({
      id: MACHINE,
      principalId: PRINCIPAL,
      status: 'Connected',
    });
  });

  test('is deleted once; the second time there was none', async () => {
    const { azure, arm } = fixture();
    arm.register(MACHINE, 'westus2');
    expect(await azure.deleteMachine(signal)).toBe(true);
    expect(await azure.deleteMachine(signal)).toBe(false);
    expect(arm.machines.size).toBe(0);
  });

  test('a missing resource group is a mistake in the config, with the command that makes it', async () => {
    const { azure, arm } = fixture();
    arm.fail(/machines/, { kind: 'status', status: 404, code: 'ResourceGroupNotFound' });
    const { facts } = await failure(azure.machine(signal));
    expect(facts).toMatchObject({ class: 'config', where: 'azure.arc.resourceGroup' });
    expect(facts.remedy).toContain('az group create');
  });
});

describe('what passes by itself is waited out', () => {
  test.each([
    ['a throttled call', { kind: 'throttled', retryAfterSeconds: 40 }, 40_000],
    ['a server error', { kind: 'status', status: 503, code: 'ServerTimeout' }, 0],
    ['an answer that stops in the middle', { kind: 'cut-short' }, 0],
    ['no answer', { kind: 'no-answer' }, 0],
    ["a proxy's page", { kind: 'not-json' }, 0],
  ] as const)('%s', async (_, fault, leastMs) => {
    const { azure, arm, world } = fixture();
    arm.register(MACHINE, 'westus2');
    arm.fail(/machines/, fault);
    expect(await azure.machine(signal)).toMatchObject({ principalId: PRINCIPAL });
    expect(world.clock.monotonic()).toBeGreaterThanOrEqual(leastMs);
  });

  test('Retry-After beyond the budget ends the call at once instead of waiting for nothing', async () => {
    const { azure, arm, world } = fixture({ budgetMs: 60_000 });
    arm.fail(/machines/, { kind: 'throttled', retryAfterSeconds: 300 }, 99);
    const { facts } = await failure(azure.machine(signal));
    expect(facts).toMatchObject({ class: 'network', code: 'azure.throttled' });
    expect(world.clock.monotonic()).toBe(0);
  });

  test('and the budget is the end of it', async () => {
    const { azure, arm, world } = fixture({ budgetMs: 60_000 });
    arm.fail(/machines/, { kind: 'status', status: 500, code: 'InternalServerError' }, 999);
    expect((await failure(azure.machine(signal))).facts.class).toBe('network');
    expect(world.clock.monotonic()).toBeLessThanOrEqual(60_000);
    expect(arm.calls.length).toBeGreaterThan(2);
  });
});

describe('what Azure refuses', () => {
  test('403 is final, names the role that is missing and keeps the request id', async () => {
    const { azure, arm, config } = fixture();
    arm.fail(/PUT .*roleAssignments/, { kind: 'status', status: 403, code: 'AuthorizationFailed' }, 9);
    const request = {
      scope: config.azure.targetCluster.resourceId,
      principalId: PRINCIPAL,
      roleId: DOCUMENT_ROLES[0]!.id,
    };
    const { facts } = await failure(azure.assignRole(request, signal));
    expect(facts).toMatchObject({ class: 'auth', code: 'azure.forbidden' });
    expect(facts.message).toContain('403, AuthorizationFailed, x-ms-request-id request-1');
    expect(facts.remedy).toContain('User Access Administrator');
    expect(arm.calls).toHaveLength(1);
  });

  test('403 of a proxy says nothing about roles', async () => {
    const { azure, arm } = fixture();
    arm.fail(/machines/, { kind: 'not-json', status: 403 }, 9);
    const { facts } = await failure(azure.machine(signal));
    expect(facts).toMatchObject({ class: 'network', code: 'azure.bad-answer' });
    expect(facts.remedy).toContain('proxy');
    expect(arm.calls).toHaveLength(1);
  });

  test('a 403 inside an id is not taken for a refusal', async () => {
    const { azure, arm } = fixture();
    arm.fail(/machines/, { kind: 'status', status: 409, code: 'Conflict', message: 'id 403-Forbidden-403' });
    expect((await failure(azure.machine(signal))).facts.code).toBe('azure.refused');
  });

  test('a wrong client secret is an auth failure, and the secret is in no message', async () => {
    const { config, host, fetch, world, login } = fixture();
    const principal = config.azure.servicePrincipal!;
    const wrong = {
      ...principal,
      clientSecret: { from: 'file' as const, read: async () => 'wrong-secret-123' },
    };
    const azure = createAzureClient(world, {
      config: { ...config, azure: { ...config.azure, servicePrincipal: wrong } },
      host,
      fetch,
      interactive: false,
    });
    const { facts } = await failure(azure.machine(signal));
    expect(facts).toMatchObject({ class: 'auth', code: 'azure.no-token' });
    expect(facts.message).toContain('AADSTS7000215');
    expect(JSON.stringify(facts)).not.toContain('wrong-secret-123');
    expect(login.asked).not.toHaveLength(0);
  });
});

describe('role assignments', () => {
  const requestOn = (scope: string) => ({ scope, principalId: PRINCIPAL, roleId: DOCUMENT_ROLES[0]!.id });

  test('a repeated assignment is the same one', async () => {
    const { azure, arm, config } = fixture();
    const request = requestOn(config.azure.targetCluster.resourceId);
    const first = await azure.assignRole(request, signal);
    expect(await azure.assignRole(request, signal)).toEqual(first);
    expect(first.id).toBe(roleAssignmentId(request));
    expect(arm.assignments.map((each) => each.id)).toEqual([first.id]);
  });

  test('a race that somebody else won, under another name, is won all the same, and theirs is left', async () => {
    const { azure, arm, config } = fixture();
    const { resourceId } = config.azure.targetCluster;
    const theirs = `${resourceId}/providers/Microsoft.Authorization/roleAssignments/99999999-0000-4000-8000-000000000000`;
    const request = requestOn(resourceId);
    await azure.assignRole(request, signal);
    arm.assignments[0] = { ...arm.assignments[0]!, id: theirs };
    const made = await azure.assignRole(request, signal);
    expect(made).toMatchObject({ principalId: PRINCIPAL, roleId: request.roleId });
    expect(await azure.deleteRoleAssignment(made.id, signal)).toBe(false);
    expect(arm.assignments.map((each) => each.id)).toEqual([theirs]);
  });

  test('two runs that assign in the same moment make one assignment', async () => {
    const { azure, arm, config } = fixture();
    const request = requestOn(config.azure.targetCluster.resourceId);
    const [one, other] = await Promise.all([
      azure.assignRole(request, signal),
      azure.assignRole(request, signal),
    ]);
    expect(one).toEqual(other);
    expect(arm.assignments).toHaveLength(1);
  });

  test('PrincipalNotFound is waited out: Entra tells a new identity slowly', async () => {
    const { azure, arm, config, world } = fixture();
    arm.principalUnknownFor = 4;
    await azure.assignRole(requestOn(config.azure.targetCluster.resourceId), signal);
    expect(arm.assignments).toHaveLength(1);
    expect(world.clock.monotonic()).toBeGreaterThan(10_000);
  });

  test('the role is looked up in the subscription of the cluster, which need not be ours', async () => {
    const other = 'eeeeeeee-2222-3333-4444-555555555555';
    const scope = `/subscriptions/${other}/resourceGroups/r/providers/Microsoft.ContainerService/managedClusters/c`;
    const { azure, arm } = fixture();
    await azure.assignRole(requestOn(scope), signal);
    expect(arm.assignments[0]!.roleDefinitionId).toContain(`/subscriptions/${other}/providers/`);
    const found = await azure.roleAssignments(scope.toUpperCase(), PRINCIPAL.toUpperCase(), signal);
    expect(found).toMatchObject([{ roleId: DOCUMENT_ROLES[0]!.id }]);
  });

  test('[004-checklist] all pages are read, and what only works below the scope or for others is left out', async () => {
    const { azure, arm, config } = fixture();
    const scope = config.azure.targetCluster.resourceId;
    for (const role of DOCUMENT_ROLES)
      await azure.assignRole({ ...requestOn(scope), roleId: role.id }, signal);
    await azure.assignRole(requestOn(`${scope}/agentPools/a`), signal);
    await azure.assignRole({ ...requestOn(scope), principalId: 'somebody-else' }, signal);
    const above = `/subscriptions/${config.azure.subscriptionId}`;
    await azure.assignRole({ ...requestOn(above), roleId: 'ffffffff-0000-0000-0000-000000000000' }, signal);
    const found = await azure.roleAssignments(scope, PRINCIPAL, signal);
    expect(found.map((each) => each.roleId).sort()).toEqual(
      [...DOCUMENT_ROLES.map((role) => role.id), 'ffffffff-0000-0000-0000-000000000000'].sort(),
    );
    expect(arm.calls.filter((call) => call.startsWith('GET')).length).toBeGreaterThan(1);
  });

  test('deleting one that is not there says so', async () => {
    const { azure, config } = fixture();
    const { id } = await azure.assignRole(requestOn(config.azure.targetCluster.resourceId), signal);
    expect(await azure.deleteRoleAssignment(id, signal)).toBe(true);
    expect(await azure.deleteRoleAssignment(id, signal)).toBe(false);
  });
});

describe('[004-checklist] the operator’s credential', () => {
  test('a service principal is used when one is configured: client credentials for ARM', async () => {
    const { azure, login, tokens, commands } = fixture();
    const token = await azure.armToken(signal);
    expect(tokens.holder(token, ARM_AUDIENCE)).toBe(login.objectId);
    expect(login.asked[0]!.get('grant_type')).toBe('client_credentials');
    expect(login.asked[0]!.get('scope')).toContain('https://management.azure.com/.default');
    expect(commands).toEqual([]);
  });

  test('otherwise the Azure CLI: az account show, then its token', async () => {
    const { azure, cli } = fixture({ servicePrincipal: false });
    await azure.armToken(signal);
    expect(cli.commands.map((command) => command.argv.slice(0, 3).join(' '))).toEqual([
      'az account show',
      'az account get-access-token',
    ]);
  });

  test('not logged in and a terminal: az login with a device code, attached to it', async () => {
    const { azure, cli, config } = fixture({ servicePrincipal: false, interactive: true });
    cli.loggedIn = false;
    await azure.armToken(signal);
    const login = cli.commands.find((command) => command.argv[1] === 'login')!;
    expect(login.argv.slice(0, 5)).toEqual([
      'az',
      'login',
      '--tenant',
      config.azure.tenantId,
      '--use-device-code',
    ]);
    expect(login.interactive).toBe(true);
  });

  test('not logged in and no terminal: a clear failure with the command, and no login that would hang', async () => {
    const { azure, cli, config } = fixture({ servicePrincipal: false });
    cli.loggedIn = false;
    const { facts } = await failure(azure.machine(signal));
    expect(facts).toMatchObject({ class: 'auth', code: 'azure-cli.not-logged-in' });
    expect(facts.remedy).toContain(`az login --tenant ${config.azure.tenantId} --use-device-code`);
    expect(cli.commands.some((command) => command.argv[1] === 'login')).toBe(false);
  });

  test('neither a service principal nor az: both ways out are named', async () => {
    const { azure, cli } = fixture({ servicePrincipal: false });
    cli.installed = false;
    const { facts } = await failure(azure.machine(signal));
    expect(facts).toMatchObject({ class: 'auth', code: 'azure-cli.missing' });
    expect(facts.remedy).toContain('azure.servicePrincipal');
  });

  describe('a token that az cannot get', () => {
    const failed = (exitCode: number, stderr = '') => ({ exitCode, stdout: '', stderr });
    const NO_NETWORK = failed(
      1,
      "ERROR: HTTPSConnectionPool(host='login.microsoftonline.com', port=443): Max retries exceeded with url: /x (Caused by NameResolutionError: Temporary failure in name resolution)\n",
    );
    const TIMEOUT = failed(124);
    const EXPIRED = failed(
      1,
      'ERROR: AADSTS700082: The refresh token has expired due to inactivity. Connection reset.\n',
    );

    test.each([
      ['because of the network', NO_NETWORK],
      ['in time', TIMEOUT],
    ])('%s is tried again', async (_, fault) => {
      const { azure, cli } = fixture({ servicePrincipal: false });
      cli.failures.push(fault, fault);
      expect(await azure.armToken(signal)).not.toBe('');
      expect(cli.commands.filter(({ argv }) => argv[2] === 'get-access-token')).toHaveLength(3);
    });

    test.each([
      ['because of the network', NO_NETWORK],
      ['in time', TIMEOUT],
    ])('%s for minutes is no missing login', async (_, fault) => {
      const { azure, cli } = fixture({ servicePrincipal: false, interactive: true, budgetMs: 60_000 });
      for (let count = 0; count < 99; count++) cli.failures.push(fault);
      const { facts } = await failure(azure.machine(signal));
      expect(facts).toMatchObject({ class: 'network', code: 'azure.no-token-endpoint' });
      expect(cli.commands.some(({ argv }) => argv[1] === 'login')).toBe(false);
    });

    test('because the login has expired is final', async () => {
      const { azure, cli } = fixture({ servicePrincipal: false });
      cli.failures.push(EXPIRED);
      const { facts } = await failure(azure.machine(signal));
      expect(facts).toMatchObject({ class: 'auth', code: 'azure-cli.not-logged-in' });
      expect(facts.message).toContain('AADSTS700082');
    });

    test('is not waited for after an interruption, and az is ended', async () => {
      const { azure, cli } = fixture({ servicePrincipal: false });
      cli.hangs = true;
      const stop = new AbortController();
      const asked = azure.armToken(stop.signal);
      await vi.waitFor(() => expect(cli.commands).toHaveLength(2));
      stop.abort(new Error('interrupted'));
      await expect(asked).rejects.toThrow('interrupted');
      expect(cli.commands[1]!.signal?.aborted).toBe(true);
      cli.hangs = false;
      expect(await azure.armToken(signal)).not.toBe('');
    });
  });

  test('a login in another cloud is not used', async () => {
    const { azure, cli } = fixture({
      servicePrincipal: false,
      config: { azure: { cloud: 'AzureUSGovernment' } },
    });
    const { facts } = await failure(azure.machine(signal));
    expect(facts).toMatchObject({ code: 'azure-cli.other-cloud', where: 'azure.cloud' });
    expect(cli.commands[0]!.env).toMatchObject({ AZURE_CLOUD_NAME: 'AzureUSGovernment' });
  });
});

test('[004-checklist] [004-SEC-13] az runs with root’s own login and without extensions, never from a user’s home', async () => {
  const { azure, cli } = fixture({ servicePrincipal: false });
  await azure.armToken(signal);
  for (const { env } of cli.commands) {
    expect(env).toMatchObject({ AZURE_EXTENSION_USE_DYNAMIC_INSTALL: 'no' });
    expect(env!['AZURE_EXTENSION_DIR']).toMatch(/^\/var\/lib\/chandler-flexnode\//);
    expect(env).not.toHaveProperty('AZURE_CONFIG_DIR');
  }
});

test('az uses proxy.http for HTTPS, too, unless there is a proxy for it', async () => {
  const environments = async (proxy: { http?: string; https?: string }) => {
    const { azure, cli } = fixture({ servicePrincipal: false, config: { proxy } });
    await azure.armToken(signal);
    return new Set(cli.commands.map(({ env }) => env!['HTTPS_PROXY']));
  };
  expect(await environments({ http: 'http://a:3128' })).toEqual(new Set(['http://a:3128']));
  expect(await environments({ http: 'http://a:1', https: 'http://b:1' })).toEqual(new Set(['http://b:1']));
  expect(await environments({})).toEqual(new Set([undefined]));
});

test('[004-SEC-18] what az is given is an explicit environment, none of it a secret', async () => {
  const { azure, cli, login } = fixture({ servicePrincipal: false });
  process.env['AZURE_CLIENT_SECRET'] = 'from-the-callers-environment';
  try {
    await azure.armToken(signal);
  } finally {
    delete process.env['AZURE_CLIENT_SECRET'];
  }
  const all = JSON.stringify(cli.commands);
  expect(all).not.toContain('from-the-callers-environment');
  expect(all).not.toContain(login.clientSecret);
});

describe('the cluster', () => {
  test('gives its facts', async () => {
    const { azure } = fixture();
    expect(await azure.cluster(signal)).toEqual({
      location: 'westus2',
      kubernetesVersion: '1.32.7',
      fqdn: 'harbour.example.net',
      dnsServiceIp: '10.1.0.10',
      localAccountsDisabled: false,
      azureRbac: true,
    });
  });

  test('gives an admin and a user kubeconfig', async () => {
    const { azure, cluster } = fixture();
    cluster.adminKubeconfig = 'kind: Config # admin';
    cluster.userKubeconfig = 'kind: Config # user';
    expect(await azure.kubeconfig('admin', signal)).toBe('kind: Config # admin');
    expect(await azure.kubeconfig('user', signal)).toBe('kind: Config # user');
  });

  test('one that is not there is a mistake in the config', async () => {
    const { azure, arm } = fixture();
    arm.clusters.clear();
    expect((await failure(azure.cluster(signal))).facts).toMatchObject({
      class: 'config',
      code: 'azure.not-found',
    });
  });
});
