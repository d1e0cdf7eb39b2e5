import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@chandler/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { instantWorld } from '../../../../../test/flexnode/instant-world.ts';
import { HIMDS_FAULTS, type HimdsFault, HimdsStandin } from '../../../../../test/flexnode/standins/himds.ts';
import { type Served, serve } from '../../../../../test/flexnode/standins/serve.ts';
import { FakeTokenIssuer } from '../../../../../test/flexnode/standins/token-issuer.ts';
import { failure } from '../flex-error.fixture.ts';
import { FlexError } from '../flex-error.ts';
import { createRealHost } from '../host/real-host.ts';
import { AKS_SERVER_APP_ID } from './audience.ts';
import { challengeFilesOf, challengePath, TOKENS_DIR } from './challenge-file.ts';
import { execCredential } from './exec-credential.ts';
import { himdsEndpointOf, himdsToken } from './himds.ts';

let root = '';
let himds: HimdsStandin;
let served: Served;
const world = { clock: systemClock, random: systemRandom };
/** Real time and real sockets, without delays between retries. */
const hurried = { ...world, clock: { ...systemClock, sleep: async () => undefined } };
const tokens = new FakeTokenIssuer({ tenantId: 'tenant', now: Date.now });

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'flexnode-himds-'));
  himds = new HimdsStandin({ tokens, tokensDir: join(root, TOKENS_DIR), objectId: () => 'principal' });
  served = await serve({ handler: himds.handler });
});

afterEach(async () => {
  await served.close();
  rmSync(root, { recursive: true, force: true });
});

const files = () => challengeFilesOf(createRealHost(instantWorld(), { root }));
const endpoint = () => `${served.url}/metadata/identity/oauth2/token`;
const ask = () => himdsToken(hurried, { files: files(), endpoint: endpoint() });
const plan = (fault: HimdsFault, times = Number.POSITIVE_INFINITY) => {
  himds.fault = fault;
  himds.faultTimes = times;
};
const refusal = (work: Promise<unknown> = ask()) => failure(work);

describe('[004-checklist] HIMDS: two GETs, a challenge file and a token for the cluster', () => {
  test('the token is for the AKS server application and ends in about an hour', async () => {
    const token = await ask();
    expect(tokens.holder(token.token, AKS_SERVER_APP_ID)).toBe('principal');
    expect(token.expiresOnMs).toBeGreaterThan(Date.now() + 3500_000);
    expect(token.warnings).toEqual([]);
    expect(himds.queries.map((query) => [query.get('api-version'), query.get('resource')])).toEqual([
      ['2019-11-01', AKS_SERVER_APP_ID],
      ['2019-11-01', AKS_SERVER_APP_ID],
    ]);
    expect(himds.proofs).toHaveLength(1);
  });

  test.each(['header-upper-case', 'quoted-realm'] as const)(
    'a challenge with %s is understood',
    async (fault) => {
      plan(fault);
      expect((await ask()).token).not.toBe('');
    },
  );

  test.each(['status-500', 'status-410', 'hang-up'] as const)('%s once passes by itself', async (fault) => {
    plan(fault, 1);
    expect((await ask()).token).not.toBe('');
  });

  test.each(['wrong-audience', 'wrong-resource'] as const)('%s is said and not refused', async (fault) => {
    plan(fault);
    const { warnings } = await ask();
    expect(warnings.join(' ')).toContain('https://management.azure.com');
    expect(warnings.join(' ')).toContain(AKS_SERVER_APP_ID);
  });
});

/** Every other way to be down or to lie ends in a refusal, and no file of the machine leaves it. */
const REFUSALS: Readonly<Partial<Record<HimdsFault, string>>> = {
  'hang-up': 'himds.unreachable',
  'status-500': 'himds.bad-status',
  'status-410': 'himds.bad-status',
  'no-challenge': 'himds.bad-status',
  'other-scheme': 'himds.challenge-refused',
  'no-realm': 'himds.challenge-refused',
  passwd: 'himds.challenge-refused',
  traversal: 'himds.challenge-refused',
  subfolder: 'himds.challenge-refused',
  'no-suffix': 'himds.challenge-refused',
  symlink: 'himds.challenge-refused',
  'too-large': 'himds.challenge-refused',
  'world-readable': 'himds.challenge-refused',
  'missing-file': 'himds.challenge-refused',
  'line-break-in-key': 'himds.challenge-refused',
  redirect: 'himds.redirect',
  'redirect-with-challenge': 'himds.redirect',
  'not-json': 'himds.bad-token',
  'huge-answer': 'himds.unreachable',
  'no-token': 'himds.bad-token',
  expired: 'himds.bad-token',
};

describe('[004-SEC-9] an HIMDS that is down or lies', () => {
  test.each(Object.entries(REFUSALS))('%s is refused as %s', async (fault, code) => {
    plan(fault as HimdsFault);
    expect(await refusal()).toMatchObject({ code, class: 'auth' });
    for (const proof of himds.proofs) expect(proof).not.toMatch(/root|Evil|kkkk/);
  });

  test('a realm of /etc/passwd reads nothing and sends nothing', async () => {
    plan('passwd');
    const facts = await refusal();
    expect(facts.message).toContain('/etc/passwd');
    expect(himds.proofs).toEqual([]);
  });

  test('every fault of the stand-in is either understood or refused', () => {
    const understood = ['header-upper-case', 'quoted-realm', 'wrong-audience', 'wrong-resource'];
    expect([...Object.keys(REFUSALS), ...understood].sort()).toEqual([...HIMDS_FAULTS].sort());
  });

  test('a missing server is reported as unreachable, with a command to check', async () => {
    await served.close();
    const facts = await refusal();
    expect(facts).toMatchObject({ code: 'himds.unreachable' });
    expect(facts.remedy).toContain('himdsd');
    served = await serve({ handler: himds.handler });
  });

  test.each([
    'http://169.254.169.254/token',
    'https://127.0.0.1:1/token',
    'http://user:pass@127.0.0.1:1/token',
    'http://127.0.0.1.example.com/token',
    'nonsense',
  ])('an endpoint that is not plain loopback is not asked: %s', async (elsewhere) => {
    expect(await refusal(himdsToken(hurried, { files: files(), endpoint: elsewhere }))).toMatchObject({
      code: 'himds.not-loopback',
    });
  });

  test('a key file of another user is not read', async () => {
    const real = files();
    const stranger = {
      ...real,
      open: async (path: string) => {
        const opened = await real.open(path);
        return opened && { ...opened, info: { ...opened.info, uid: 4242 } };
      },
    };
    const facts = await refusal(himdsToken(hurried, { files: stranger, endpoint: endpoint() }));
    expect(facts.message).toContain('is owned by user 4242');
    expect(himds.proofs).toEqual([]);
  });

  test('a proxy of the environment is not asked', async () => {
    process.env['HTTP_PROXY'] = 'http://192.0.2.1:3128';
    try {
      expect((await ask()).token).not.toBe('');
    } finally {
      delete process.env['HTTP_PROXY'];
    }
  });

  test.each([
    'Basic realm=/var/opt/azcmagent/tokens/..key',
    'Basic realm=/var/opt/azcmagent/tokens/.hidden.key',
    'Basic realm=/var/opt/azcmagent/tokens/a/../b.key',
    'Basic realm=/var/opt/azcmagent/tokens2/a.key',
    'Basic realm=var/opt/azcmagent/tokens/a.key',
    'Basic realm=/var/opt/azcmagent/tokens/a\u0000.key',
  ])('a path that only looks right is refused: %s', (header) => {
    expect(() => challengePath(header)).toThrow(FlexError);
  });
});

describe('the exec plugin', () => {
  const info = (version: string) =>
    JSON.stringify({
      apiVersion: `client.authentication.k8s.io/${version}`,
      kind: 'ExecCredential',
      spec: { interactive: false },
    });
  const call = (env: Record<string, string | undefined> = {}) =>
    execCredential(hurried, { env: { IDENTITY_ENDPOINT: endpoint(), ...env }, files: files() });

  test.each(['v1', 'v1beta1'])(
    '[004-checklist] answers %s in the same version, JSON and nothing else',
    async (version) => {
      const { exitCode, stdout, stderr } = await call({ KUBERNETES_EXEC_INFO: info(version) });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      const answer = JSON.parse(stdout);
      expect(answer).toMatchObject({
        apiVersion: `client.authentication.k8s.io/${version}`,
        kind: 'ExecCredential',
      });
      expect(tokens.holder(answer.status.token, AKS_SERVER_APP_ID)).toBe('principal');
      const endsMs = Date.parse(answer.status.expirationTimestamp);
      expect(endsMs).toBeLessThan(Date.now() + 3600_000 - 50_000);
      expect(endsMs).toBeGreaterThan(Date.now() + 3400_000);
    },
  );

  test('started by hand it answers as the document’s kubeconfig wants it', async () => {
    expect(JSON.parse((await call()).stdout).apiVersion).toBe('client.authentication.k8s.io/v1beta1');
  });

  test.each([info('v1alpha1'), 'nonsense', '{}'])(
    'a question it does not know ends non-zero: %s',
    async (text) => {
      const { exitCode, stdout, stderr } = await call({ KUBERNETES_EXEC_INFO: text });
      expect(exitCode).not.toBe(0);
      expect(stdout).toBe('');
      expect(stderr).toContain('KUBERNETES_EXEC_INFO');
    },
  );

  test('[004-SEC-9] a failure is not a silent success: nothing on stdout, a reason on stderr, non-zero', async () => {
    plan('status-500');
    const { exitCode, stdout, stderr } = await call();
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(
      'chandler-flexnode token: HIMDS returned 500 instead of 401 when requesting a challenge (Check systemctl status himdsd, azcmagent show and azcmagent logs.)',
    );
  });

  test.each(['expired', 'wrong-audience', 'not-json'] as const)(
    '[004-SEC-16] %s: no token on stderr',
    async (fault) => {
      plan(fault);
      const { stderr } = await call();
      const token = tokens.issued.at(-1)!.token;
      expect(stderr).not.toBe('');
      expect(stderr).not.toContain(token);
      expect(stderr).not.toContain(token.split('.')[2]!);
      for (const proof of himds.proofs) expect(stderr).not.toContain(proof.replace('Basic ', ''));
    },
  );

  test('a short-lived token is reported with most of its life left', async () => {
    const short = new HimdsStandin({
      tokens,
      tokensDir: join(root, TOKENS_DIR),
      objectId: () => 'principal',
      tokenSeconds: 100,
    });
    const server = await serve({ handler: short.handler });
    try {
      const { stdout } = await call({ IDENTITY_ENDPOINT: `${server.url}/metadata/identity/oauth2/token` });
      expect(Date.parse(JSON.parse(stdout).status.expirationTimestamp)).toBeGreaterThan(Date.now() + 60_000);
    } finally {
      await server.close();
    }
  });
});

test('the address comes from what systemd gives the services', () => {
  expect(
    himdsEndpointOf({ IDENTITY_ENDPOINT: 'http://localhost:1/x', IMDS_ENDPOINT: 'http://localhost:2' }),
  ).toBe('http://localhost:1/x');
  expect(himdsEndpointOf({ IMDS_ENDPOINT: 'http://localhost:40342' })).toBe(
    'http://localhost:40342/metadata/identity/oauth2/token',
  );
  expect(himdsEndpointOf({})).toBeUndefined();
});
