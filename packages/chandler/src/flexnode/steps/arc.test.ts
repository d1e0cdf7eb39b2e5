import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority } from '@chandler/kube/tls';
import { describe, expect, test } from 'vitest';
import {
  fixturesForTests,
  type IdentityFixture,
  type IdentityFixtureOptions,
  takeStep,
} from '../../../../../test/flexnode/standins/identity-fixture.ts';
import { CONNECT_CONFIG } from '../azure/azcmagent.ts';
import { DOCUMENT_ROLES } from '../azure/document-roles.table.ts';
import { failure } from '../flex-error.fixture.ts';
import { kubeletPaths } from '../kubelet/paths.ts';
import { arcStep } from './arc.ts';

const DOCUMENT: IdentityFixtureOptions = {
  config: { security: { documentMode: true }, azure: { arc: { autoRoleAssignment: true } } },
};

const fixture = fixturesForTests();
const bootstrap = (at: IdentityFixture) => takeStep(arcStep, at);
const connects = (at: IdentityFixture) => at.agent.calls.filter((call) => call.argv[0] === 'connect');

describe('[004-checklist] [004-S1] the machine gets an identity', () => {
  test('it is connected, and after ten seconds Azure returns its principal', async () => {
    const at = fixture();
    await bootstrap(at);
    expect(at.facts.get('arc.principalId')).toBe([...at.arm.machines.values()][0]!.principalId);
    expect(at.facts.get('arc.machineId')).toContain('/Microsoft.HybridCompute/machines/edge-01');
    expect(at.facts.get('arc.connectedByUs')).toBe('yes');
    expect(at.world.clock.monotonic()).toBe(10_000);
    expect(await arcStep.isCompleted(at.context)).toBe(true);
  });

  test('an identity that takes its time is waited for', async () => {
    const at = fixture();
    at.agent.identityAfter = 3;
    await bootstrap(at);
    expect(at.facts.get('arc.principalId')).toBeDefined();
    expect(at.world.clock.monotonic()).toBeGreaterThan(40_000);
  });

  test('a machine that is connected already is only verified', async () => {
    const at = fixture();
    await bootstrap(at);
    for (const fact of [...at.facts.keys()]) at.facts.delete(fact);
    await bootstrap(at);
    expect(connects(at)).toHaveLength(1);
    expect(at.facts.get('arc.connectedByUs')).toBeUndefined();
    expect(await arcStep.undo(at.context)).toEqual([]);
    expect(at.arm.machines.size).toBe(1);
    expect(at.agent.connected).toBeDefined();
  });

  test('one that is connected as something else is left alone', async () => {
    const at = fixture();
    at.agent.connected = { subscriptionId: 's', resourceGroup: 'other', resourceName: 'pump-7' };
    expect(await failure(bootstrap(at))).toMatchObject({ code: 'arc.connected-elsewhere', class: 'config' });
    expect(at.agent.connected).toBeDefined();
  });

  test('all settings of azcmagent are in its config file, including the cloud', async () => {
    const at = fixture();
    await bootstrap(at);
    const [call] = connects(at);
    expect(call!.argv).toEqual(['connect', '--config', CONNECT_CONFIG, '--no-color']);
    expect(JSON.parse(call!.config!)).toEqual({
      'subscription-id': at.config.azure.subscriptionId,
      'tenant-id': at.config.azure.tenantId,
      'resource-group': 'rg-edge',
      'resource-name': 'edge-01',
      location: 'westus2',
      cloud: 'AzureCloud',
      tags: 'site=a',
      'access-token': expect.any(String),
    });
  });

  test('all tags go as one list, sorted, with quotes where they are needed', async () => {
    const at = fixture({ config: { azure: { arc: { tags: { zone: 'b', site: 'plant 2' } } } } });
    await bootstrap(at);
    expect([...at.arm.machines.values()][0]!.tags).toBe("site='plant 2',zone=b");
  });

  test('a tag that the agent cannot take is a mistake in the config', async () => {
    const at = fixture({ config: { azure: { arc: { tags: { who: "o'neill" } } } } });
    expect(await failure(bootstrap(at))).toMatchObject({ class: 'config', where: 'azure.arc.tags' });
  });
});

describe('an agent that is registered and offline', () => {
  /** Bootstrapped, with a certificate of the node that is valid for a year, and then offline. */
  async function offline(options: IdentityFixtureOptions = {}) {
    const at = fixture(options);
    await bootstrap(at);
    const { certificatePem } = await createAuthority(() => at.world.clock.now());
    await at.host.writeFile(kubeletPaths(at.context.config).clientCertificate, certificatePem, {
      mode: 0o600,
    });
    at.agent.offline = true;
    return at;
  }

  test('does not need step 1 again while the node authenticates with its certificate, and is named', async () => {
    const at = await offline();
    expect(await arcStep.isCompleted(at.context)).toBe(true);
    expect(at.said.at(-1)).toContain('the Arc agent is not connected to Azure');
  });

  test.each<[string, IdentityFixtureOptions, (at: IdentityFixture) => void]>([
    ['the node authenticates with the agent', { config: { security: { tlsBootstrap: false } } }, () => {}],
    ['its connection was not completed', {}, (at) => at.facts.set('arc.connectedByUs', 'begun')],
    ['it is another machine', {}, (at) => (at.agent.connected!.resourceName = 'pump-7')],
  ])('needs step 1 again if %s', async (_, options, change) => {
    const at = await offline(options);
    change(at);
    expect(await arcStep.isCompleted(at.context)).toBe(false);
  });
});

describe('[004-checklist] the agent’s program', () => {
  test('absent, it is installed from a verified package, and removed again', async () => {
    const at = fixture();
    at.agent.installed = false;
    await bootstrap(at);
    expect(at.commands.map((command) => command.argv.join(' '))).toContain(
      'dpkg --install /downloads/azcmagent',
    );
    expect(at.facts.get('arc.installedByUs')).toBe(at.config.azure.arc.agentVersion);
    expect(at.claimed).toContain('/var/opt/azcmagent');
    expect(await arcStep.undo(at.context)).toEqual([]);
    expect(at.packages.azcmagent).toBe(false);
  });

  test('it is listed as a leftover if dpkg does not report its state', async () => {
    const at = fixture();
    at.agent.installed = false;
    await bootstrap(at);
    const run: typeof at.host.run = async (command) =>
      command.argv[0] === 'dpkg-query' ? { exitCode: 124, stdout: '', stderr: '' } : at.host.run(command);
    const left = await arcStep.undo({ ...at.context, host: { ...at.context.host, run } });
    expect(left).toMatchObject([{ what: 'package azcmagent', finish: ['sudo dpkg --purge azcmagent'] }]);
    expect(await arcStep.undo(at.context)).toEqual([]);
    expect(at.packages.azcmagent).toBe(false);
  });

  test('there already, it is neither installed nor removed', async () => {
    const at = fixture();
    await bootstrap(at);
    await arcStep.undo(at.context);
    expect(at.commands.some((command) => command.argv[0] === 'dpkg')).toBe(false);
  });

  test('absent and not to be installed is a failure that says so', async () => {
    const at = fixture({ config: { azure: { arc: { install: false } } } });
    at.agent.installed = false;
    expect(await failure(bootstrap(at))).toMatchObject({
      code: 'arc.agent-missing',
      where: 'azure.arc.install',
    });
  });
});

describe('[004-S1] [004-checklist] the three roles of the document, in its own mode', () => {
  test('are assigned to the principal on the cluster', async () => {
    const at = fixture(DOCUMENT);
    await bootstrap(at);
    expect(at.arm.assignments.map((each) => each.roleDefinitionId.split('/').at(-1)).sort()).toEqual(
      DOCUMENT_ROLES.map((role) => role.id).sort(),
    );
    for (const role of DOCUMENT_ROLES)
      expect(at.facts.get(`roles.${role.id}`)).toContain('/roleAssignments/');
  });

  test('are waited for, every thirty seconds, until Azure shows them', async () => {
    const at = fixture(DOCUMENT);
    at.arm.assignmentsHiddenFor = 3;
    await bootstrap(at);
    expect(at.world.clock.monotonic()).toBe(10_000 + 3 * 30_000);
  });

  test('and after thirty minutes it is a failure with the commands that finish it', async () => {
    const at = fixture(DOCUMENT);
    at.arm.assignmentsHiddenFor = 10_000;
    const facts = await failure(bootstrap(at));
    expect(facts).toMatchObject({ class: 'auth', code: 'arc.permissions-missing' });
    expect(facts.remedy).toContain('az role assignment create --assignee-object-id');
    expect(at.world.clock.monotonic()).toBe(10_000 + 30 * 60_000);
  });

  test('without autoRoleAssignment they are waited for and not made', async () => {
    const at = fixture({ config: { security: { documentMode: true } } });
    await failure(bootstrap(at));
    expect(at.arm.calls.some((call) => call.startsWith('PUT'))).toBe(false);
    expect(at.said.join('\n')).toContain('waiting for the role assignments');
  });

  test('one that was there before us is not ours to take away', async () => {
    const at = fixture(DOCUMENT);
    await bootstrap(at);
    const kept = at.arm.assignments[0]!.id;
    at.facts.delete(`roles.${DOCUMENT_ROLES[0]!.id}`);
    await arcStep.undo(at.context);
    expect(at.arm.assignments.map((each) => each.id)).toEqual([kept]);
  });
});

test('[004-SEC-2] by default the identity gets no role in Azure, even with autoRoleAssignment', async () => {
  const at = fixture({ config: { azure: { arc: { autoRoleAssignment: true } } } });
  await bootstrap(at);
  expect(at.arm.calls.some((call) => call.includes('roleAssignments'))).toBe(false);
  expect(at.arm.assignments).toEqual([]);
});

test('[004-SEC-2] roles of the document’s own mode go when it is left', async () => {
  const at = fixture(DOCUMENT);
  await bootstrap(at);
  const config = { ...at.config, security: { ...at.config.security, documentMode: false } };
  await arcStep.execute({ ...at.context, config });
  expect(at.arm.assignments).toEqual([]);
  expect([...at.facts.keys()].filter((key) => key.startsWith('roles.'))).toEqual([]);
});

describe('[004-SEC-7] the token of the operator', () => {
  test('goes through a file of mode 0600 that is gone afterwards, and through no argument', async () => {
    const at = fixture();
    await bootstrap(at);
    const [call] = connects(at);
    expect(call!.configMode).toBe(0o600);
    const token = JSON.parse(call!.config!)['access-token'] as string;
    expect(at.tokens.issued.map((each) => each.token)).toContain(token);
    const commands = JSON.stringify(at.commands);
    for (const { token: each } of at.tokens.issued) expect(commands).not.toContain(each);
    expect(commands).not.toContain(at.login.clientSecret);
    expect(existsSync(join(at.root, CONNECT_CONFIG))).toBe(false);
    expect(CONNECT_CONFIG.startsWith('/run/')).toBe(true);
  });

  test('the file is gone after a failure too', async () => {
    const at = fixture();
    at.agent.fail({ command: 'connect', code: 'AZCM0044' });
    await failure(bootstrap(at));
    expect(existsSync(join(at.root, CONNECT_CONFIG))).toBe(false);
  });

  test('after a kill in between, the next run removes it', async () => {
    const at = fixture();
    await at.host.makeDirectory('/run/chandler-flexnode', 0o700);
    await at.host.writeFile(CONNECT_CONFIG, '{"access-token":"old"}', { mode: 0o600 });
    at.agent.connected = undefined;
    at.agent.installed = false;
    at.packages.azcmagent = false;
    const refusing = {
      ...at.context,
      config: {
        ...at.config,
        azure: { ...at.config.azure, arc: { ...at.config.azure.arc, install: false } },
      },
    };
    await failure(arcStep.execute(refusing));
    expect(existsSync(join(at.root, CONNECT_CONFIG))).toBe(false);
  });
});

test('[004-SEC-16] neither what was said nor what is remembered holds a secret', async () => {
  const at = fixture(DOCUMENT);
  await bootstrap(at);
  const all = JSON.stringify([at.said, [...at.facts], at.world.lines]);
  for (const { token } of at.tokens.issued) expect(all).not.toContain(token);
  expect(all).not.toContain(at.login.clientSecret);
});

describe('what azcmagent says becomes advice', () => {
  test.each([
    ['AZCM0012', 'auth'],
    ['AZCM0018', 'usage'],
    ['AZCM0044', 'config'],
    ['AZCM0143', 'step'],
    ['AZCM9999', 'step'],
  ])('%s is of class %s and has a remedy', async (code, kind) => {
    const at = fixture();
    at.agent.fail({ command: 'connect', code, times: 9 });
    const facts = await failure(bootstrap(at));
    expect(facts).toMatchObject({ class: kind, code: `azcmagent.${code.toLowerCase()}` });
    expect(facts.remedy).toBeTruthy();
    expect(connects(at)).toHaveLength(1);
  });

  test.each(['AZCM0026', 'AZCM0042', 'AZCM0065'])('%s may pass: it is asked again', async (code) => {
    const at = fixture();
    at.agent.fail({ command: 'connect', code, times: 2 });
    await bootstrap(at);
    expect(connects(at)).toHaveLength(3);
  });

  test('AZCM0062 leaves half a machine: it is deleted before the next try', async () => {
    const at = fixture();
    at.agent.fail({ command: 'connect', code: 'AZCM0062', incomplete: true });
    await bootstrap(at);
    expect(at.arm.calls.some((call) => call.startsWith('DELETE'))).toBe(true);
    expect(at.arm.machines.size).toBe(1);
  });
});

describe('after a kill', () => {
  test('in the middle of connecting, what Azure made is taken for ours and made anew', async () => {
    const at = fixture();
    at.facts.set('arc.connectedByUs', 'begun');
    at.arm.register(
      `/subscriptions/${at.config.azure.subscriptionId}/resourceGroups/rg-edge/providers/Microsoft.HybridCompute/machines/edge-01`,
      'westus2',
    ).status = 'Disconnected';
    await bootstrap(at);
    expect(at.agent.connected).toBeDefined();
    expect(at.facts.get('arc.connectedByUs')).toBe('yes');
  });

  test('a machine that was deleted in Azure behind the agent is connected anew', async () => {
    const at = fixture();
    await bootstrap(at);
    at.arm.machines.clear();
    await bootstrap(at);
    expect(at.arm.machines.size).toBe(1);
    expect(at.agent.calls.map(({ argv }) => argv[0]).filter((word) => word !== 'show')).toContain(
      'disconnect',
    );
  });

  test('a machine of the same name that we never began is not deleted', async () => {
    const at = fixture();
    at.arm.register(
      `/subscriptions/${at.config.azure.subscriptionId}/resourceGroups/rg-edge/providers/Microsoft.HybridCompute/machines/edge-01`,
      'westus2',
    );
    expect(await failure(bootstrap(at))).toMatchObject({ code: 'azcmagent.azcm0044' });
    expect(at.arm.calls.some((call) => call.startsWith('DELETE'))).toBe(false);
  });
});

describe('[004-S1] undone', () => {
  test('role assignments, machine and connection are gone, and nothing is left', async () => {
    const at = fixture(DOCUMENT);
    await bootstrap(at);
    expect(await arcStep.undo(at.context)).toEqual([]);
    expect(at.arm.assignments).toEqual([]);
    expect(at.arm.machines.size).toBe(0);
    expect(at.agent.connected).toBeUndefined();
    expect(at.agent.calls.at(-1)!.argv).toEqual(['disconnect', '--force-local-only']);
    expect([...at.facts]).toEqual([]);
  });

  test('[004-SEC-19] what Azure does not let go is listed with the exact commands, and tried again next time', async () => {
    const at = fixture(DOCUMENT);
    await bootstrap(at);
    at.arm.fail(/DELETE/, { kind: 'status', status: 403, code: 'AuthorizationFailed' }, 4);
    const left = await arcStep.undo(at.context);
    expect(left.map((each) => each.finish![0])).toEqual([
      ...at.arm.assignments.map((each) => `az role assignment delete --ids ${each.id}`),
      expect.stringContaining('az resource delete --ids /subscriptions/'),
    ]);
    expect(at.agent.connected).toBeUndefined();
    expect(await arcStep.undo(at.context)).toEqual([]);
    expect(at.arm.assignments).toEqual([]);
    expect(at.arm.machines.size).toBe(0);
  });

  test('[004-SEC-19] without a credential everything in Azure is listed, and the machine is disconnected all the same', async () => {
    const at = fixture({ servicePrincipal: false, ...DOCUMENT });
    await bootstrap(at);
    at.cli.loggedIn = false;
    at.arm.fail(/DELETE/, { kind: 'status', status: 401, code: 'AuthenticationFailed' }, 9);
    const left = await arcStep.undo(at.context);
    expect(left).toHaveLength(4);
    expect(at.agent.connected).toBeUndefined();
  });
});
