/** What the original document asks of identity, credentials, APIs and network, one test a line. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority } from '@chandler/kube/tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { execCredential } from '../../packages/chandler/src/flexnode/azure/exec-credential.ts';
import { createAzureClient } from '../../packages/chandler/src/flexnode/index.ts';
import {
  AKS_SERVER_APP_ID,
  arcStep,
  challengeFilesOf,
  credentialsStep,
} from '../../packages/chandler/src/flexnode/testing.ts';

import { HimdsStandin } from './standins/himds.ts';
import { fixturesForTests, type IdentityFixture, inProcess } from './standins/identity-fixture.ts';
import { ARM_AUDIENCE } from './standins/login.ts';

const SECRET_OF_ADMIN = 'token-of-the-cluster-admin';
let kubeconfig = '';

beforeAll(async () => {
  const { certificatePem } = await createAuthority(Date.now, 'harbour');
  const caData = Buffer.from(certificatePem).toString('base64');
  kubeconfig = `current-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: "https://harbour:443", certificate-authority-data: ${caData}}}]\nusers: [{name: u, user: {token: ${SECRET_OF_ADMIN}}}]\n`;
});

const fixture = fixturesForTests((made) => {
  made.cluster.adminKubeconfig = kubeconfig;
});

async function setUp(at: IdentityFixture): Promise<void> {
  await arcStep.execute(at.context);
  await credentialsStep.execute(at.context);
}

/** Everything that lies in the folder machine, as one text. */
function onDisk(root: string): string {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

function himdsOf(at: IdentityFixture) {
  const himds = new HimdsStandin({
    tokens: at.tokens,
    tokensDir: join(at.root, '/var/opt/azcmagent/tokens'),
    objectId: () => at.facts.get('arc.principalId') ?? '',
  });
  const send = inProcess(himds.handler);
  const ask = () =>
    execCredential(at.world, {
      env: {},
      files: challengeFilesOf(at.host),
      get: async (url, headers) => {
        const answer = await send(url, { headers });
        return {
          status: answer.status,
          headers: Object.fromEntries(answer.headers),
          body: await answer.text(),
        };
      },
    });
  return { himds, ask };
}

describe('[004-checklist] identity and credentials', () => {
  test('one operator credential serves registration, role assignment and the kubeconfig', async () => {
    const documentMode = { security: { documentMode: true }, azure: { arc: { autoRoleAssignment: true } } };
    const at = fixture({ config: documentMode });
    await setUp(at);
    const given = JSON.parse(at.agent.calls.find((call) => call.argv[0] === 'connect')!.config!)[
      'access-token'
    ];
    expect(at.tokens.holder(given, ARM_AUDIENCE)).toBe(at.login.objectId);
    expect(new Set(at.tokens.issued.map((each) => each.claims.oid))).toEqual(new Set([at.login.objectId]));
  });

  test('two modes: the operator’s tokens are for set-up, the node’s own are for the cluster alone', async () => {
    const at = fixture();
    await setUp(at);
    const setUpTokens = at.tokens.issued.length;
    await himdsOf(at).ask();
    const [own] = at.tokens.issued.slice(setUpTokens);
    expect(own!.claims).toMatchObject({ oid: at.facts.get('arc.principalId'), aud: AKS_SERVER_APP_ID });
  });

  test('nothing of the operator stays on the machine, and nothing of it was shown', async () => {
    const at = fixture();
    await setUp(at);
    const everything = `${onDisk(at.root)}\n${at.said.join('\n')}\n${JSON.stringify([at.world.lines, [...at.facts]])}`;
    for (const { token } of at.tokens.issued) expect(everything).not.toContain(token);
    expect(everything).not.toContain(at.login.clientSecret);
    expect(everything).not.toContain(SECRET_OF_ADMIN);
  });

  test('the operator’s credential is not used after bootstrap', async () => {
    const at = fixture();
    await setUp(at);
    const asked = at.login.asked.length;
    expect(await arcStep.isCompleted(at.context)).toBe(true);
    expect(await credentialsStep.isCompleted(at.context)).toBe(true);
    await himdsOf(at).ask();
    expect(at.login.asked).toHaveLength(asked);
  });

  test('runtime tokens live about an hour, are renewed, are for one resource and never on the disk', async () => {
    const at = fixture();
    await setUp(at);
    const { ask } = himdsOf(at);
    const answers = [await ask(), await ask()].map((outcome) => JSON.parse(outcome.stdout).status);
    expect(answers[0].token).not.toBe(answers[1].token);
    for (const { token, expirationTimestamp } of answers) {
      const livesMs = Date.parse(expirationTimestamp) - at.world.clock.now();
      expect(livesMs).toBeGreaterThan(50 * 60_000);
      expect(livesMs).toBeLessThanOrEqual(60 * 60_000);
      expect(at.tokens.holder(token, AKS_SERVER_APP_ID)).toBeDefined();
      expect(onDisk(at.root)).not.toContain(token);
    }
  });

  test.each([
    [/machines/, 'Azure Connected Machine Onboarding'],
    [/PUT .*roleAssignments/, 'User Access Administrator'],
    [/listClusterAdminCredential/, 'Azure Kubernetes Service Cluster Admin Role'],
  ])('the role that the operator lacks for %s is named', async (call, role) => {
    const at = fixture({
      config: { security: { documentMode: true }, azure: { arc: { autoRoleAssignment: true } } },
    });
    at.arm.fail(call, { kind: 'status', status: 403, code: 'AuthorizationFailed' }, 9);
    await expect(setUp(at)).rejects.toMatchObject({
      facts: { class: 'auth', remedy: expect.stringContaining(role) },
    });
  });
});

describe('[004-checklist] APIs and network', () => {
  test('the calls to Azure are those of the document, in its versions, and no others', async () => {
    const at = fixture({
      config: { security: { documentMode: true }, azure: { arc: { autoRoleAssignment: true } } },
    });
    await setUp(at);
    await credentialsStep.undo(at.context);
    await arcStep.undo(at.context);
    const kinds = at.arm.calls.map((call, index) => {
      const [method, path] = call.split(' ') as [string, string];
      const names = path.split('/').slice(-2);
      const kind =
        names[0] === 'Microsoft.Authorization' || names[1]!.startsWith('list') ? names[1] : names[0];
      return `${method} ${kind}${/machines|roleAssignments/.test(kind!) ? ` ${at.arm.apiVersions[index]}` : ''}`;
    });
    expect([...new Set(kinds)].sort()).toEqual([
      'DELETE machines 2022-03-10',
      'DELETE roleAssignments 2022-04-01',
      'GET machines 2022-03-10',
      'GET managedClusters',
      'GET roleAssignments 2022-04-01',
      'POST listClusterAdminCredential',
      'PUT roleAssignments 2022-04-01',
    ]);
  });

  test('a management endpoint without TLS gets no token', async () => {
    const at = fixture();
    const config = {
      ...at.config,
      azure: { ...at.config.azure, resourceManagerEndpoint: 'http://arm.example' },
    };
    const seen: string[] = [];
    const azure = createAzureClient(at.world, {
      config,
      host: at.host,
      interactive: false,
      budgetMs: 0,
      fetch: async (input, init) => {
        seen.push(`${String(input)} ${JSON.stringify(init?.headers)}`);
        return at.fetch(input, init);
      },
    });
    await expect(azure.machine(new AbortController().signal)).rejects.toThrow();
    expect(seen.filter((call) => call.startsWith('http://'))).toEqual([]);
  });

  test.each([
    ['AzureUSGovernment', 'management.usgovcloudapi.net', 'login.microsoftonline.us'],
    // The library knows the newer name of the same login.
    ['AzureChinaCloud', 'management.chinacloudapi.cn', 'login.partner.microsoftonline.cn'],
  ] as const)('%s has its own addresses', async (cloud, arm, login) => {
    const at = fixture({ config: { azure: { cloud } } });
    const hosts = new Set<string>();
    const azure = createAzureClient(at.world, {
      config: at.config,
      host: at.host,
      interactive: false,
      budgetMs: 0,
      fetch: async (input, init) => {
        hosts.add(new URL(String(input)).hostname);
        return at.fetch(input, init);
      },
    });
    const signal = new AbortController().signal;
    expect(at.tokens.holder(await azure.armToken(signal), `https://${arm}`)).toBe(at.login.objectId);
    await azure.machine(signal).catch(() => undefined);
    expect([...hosts].filter((host) => !host.endsWith(arm) && !host.endsWith(login))).toEqual([]);
  });
});
