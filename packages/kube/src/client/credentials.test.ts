import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { virtualWorld } from '../testing/virtual-world.ts';
import { type CredentialsOptions, loadCredentials } from './credentials.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'credentials-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

let files = 0;
async function file(content: object | string, name = `config-${++files}`): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const aConfig = (user: object = {}, cluster: object = {}, context: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443/', ...cluster } }],
  users: [{ name: 'u', user }],
  contexts: [{ name: 'ctx', context: { cluster: 'c', user: 'u', ...context } }],
  'current-context': 'ctx',
});

const load = (options: Partial<CredentialsOptions>, clock = virtualWorld().clock) =>
  loadCredentials({ env: {}, clock, ...options });

describe('credentials from a kubeconfig', () => {
  test('give server, authority, name, proxy and namespace of the context', async () => {
    const cluster = {
      'certificate-authority-data': Buffer.from('PEM').toString('base64'),
      'tls-server-name': 'api.internal',
      'proxy-url': 'http://proxy:3128',
      'insecure-skip-tls-verify': true,
    };
    const kubeconfig = await file(aConfig({ token: 't' }, cluster, { namespace: 'team' }));
    const credentials = await load({ kubeconfig });
    expect(credentials).toMatchObject({
      server: 'https://10.0.0.1:6443',
      ca: 'PEM',
      serverName: 'api.internal',
      proxyUrl: 'http://proxy:3128',
      insecure: true,
      namespace: 'team',
      source: `context ctx of ${kubeconfig}`,
    });
    expect((await credentials.identify?.({ fresh: false }))?.headers['authorization']).toBe('Bearer t');
  });

  test('find certificates, keys, authorities and tokens in files beside it', async () => {
    for (const [name, content] of [
      ['client.crt', 'CERT'],
      ['client.key', 'KEY'],
      ['ca.crt', 'CA'],
      ['token', 'from-file\n'],
    ] as const) {
      await file(content, name);
    }
    const user = { 'client-certificate': 'client.crt', 'client-key': 'client.key', tokenFile: 'token' };
    const kubeconfig = await file(aConfig(user, { 'certificate-authority': 'ca.crt' }));
    const credentials = await load({ kubeconfig });
    expect(credentials.ca).toBe('CA');
    const identity = await credentials.identify?.({ fresh: false });
    expect(identity?.headers['authorization']).toBe('Bearer from-file');
    expect([String(identity?.cert), String(identity?.key)]).toEqual(['CERT', 'KEY']);
  });

  test('use the current CA: a rotated file is read again, a missing or empty one is ignored', async () => {
    const authority = await file('OLD', 'rotating.crt');
    const { clock } = virtualWorld();
    const kubeconfig = await file(aConfig({ token: 't' }, { 'certificate-authority': 'rotating.crt' }));
    const credentials = await load({ kubeconfig }, clock);
    const trusted = async () => [
      await credentials.trusted(),
      (await credentials.identify?.({ fresh: false }))?.ca,
    ];
    expect(await trusted()).toEqual(['OLD', 'OLD']);
    await file('OLD NEW', 'rotating.crt');
    await clock.advance(60_000);
    expect(await trusted()).toEqual(['OLD NEW', 'OLD NEW']);
    await file('', 'rotating.crt');
    await clock.advance(60_000);
    expect(await trusted()).toEqual(['OLD NEW', 'OLD NEW']);
    await rm(authority);
    await clock.advance(60_000);
    expect(await trusted()).toEqual(['OLD NEW', 'OLD NEW']);
  });

  test('reload the CA also without a user', async () => {
    await file('OLD', 'nobodys.crt');
    const { clock } = virtualWorld();
    const kubeconfig = await file(aConfig({}, { 'certificate-authority': 'nobodys.crt' }, { user: '' }));
    const credentials = await load({ kubeconfig }, clock);
    await file('NEW', 'nobodys.crt');
    expect((await credentials.identify?.({ fresh: false }))?.ca).toBe('NEW');
  });

  test('pass a plugin the whole cluster: CA of a file, names, proxy and the config of its extension', async () => {
    await file('CA OF A FILE', 'ca.pem');
    const plugin = await file(
      `#!/bin/sh\nprintf '%s' "$KUBERNETES_EXEC_INFO" > "${dir}/info"\necho '{"status":{"token":"t"}}'\n`,
      'info.sh',
    );
    await chmod(plugin, 0o755);
    const cluster = {
      server: 'https://10.0.0.1:6443',
      'certificate-authority': 'ca.pem',
      'tls-server-name': 'api.internal',
      'proxy-url': 'http://proxy:3128',
      'disable-compression': true,
      extensions: [
        { name: 'other', extension: { x: 1 } },
        { name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } },
      ],
    };
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './info.sh',
      provideClusterInfo: true,
    };
    const credentials = await load({ kubeconfig: await file(aConfig({ exec }, cluster)) });
    await credentials.identify?.({ fresh: false });
    expect(JSON.parse(await readFile(join(dir, 'info'), 'utf8'))).toMatchObject({
      spec: {
        cluster: {
          server: 'https://10.0.0.1:6443',
          'certificate-authority-data': Buffer.from('CA OF A FILE').toString('base64'),
          'tls-server-name': 'api.internal',
          'proxy-url': 'http://proxy:3128',
          'disable-compression': true,
          config: { audience: 'a' },
        },
      },
    });
  });

  test('impersonate with extra fields, whose names are encoded as client-go does', async () => {
    const user = {
      token: 't',
      as: 'other',
      'as-user-extra': { Scopes: ['a', 'b'], 'example.com/team': ['x'] },
    };
    const credentials = await load({ kubeconfig: await file(aConfig(user)) });
    expect((await credentials.identify?.({ fresh: false }))?.headers).toEqual({
      authorization: 'Bearer t',
      'Impersonate-User': 'other',
      'Impersonate-Extra-scopes': ['a', 'b'],
      'Impersonate-Extra-example.com%2Fteam': ['x'],
    });
  });

  test('support passwords, impersonation and no user at all', async () => {
    const user = { username: 'me', password: 'pw', as: 'other', 'as-groups': ['g1', 'g2'], 'as-uid': '7' };
    const credentials = await load({ kubeconfig: await file(aConfig(user)) });
    expect((await credentials.identify?.({ fresh: false }))?.headers).toEqual({
      authorization: `Basic ${Buffer.from('me:pw').toString('base64')}`,
      'Impersonate-User': 'other',
      'Impersonate-Group': ['g1', 'g2'],
      'Impersonate-Uid': '7',
    });
    const anonymous = await load({
      kubeconfig: await file(aConfig({}, { server: 'http://localhost:8001' }, { user: '' })),
    });
    expect(anonymous.identify).toBeUndefined();
    expect(anonymous.server).toBe('http://localhost:8001');
  });

  test('merge several files, the first entry of a name wins, and another context can be selected', async () => {
    const one = await file({ ...aConfig({ token: 'one' }), 'current-context': '' });
    const two = await file({
      ...aConfig({ token: 'two' }),
      contexts: [{ name: 'b', context: { cluster: 'c', user: 'u' } }],
    });
    const credentials = await load({ env: { KUBECONFIG: [one, two].join(delimiter) }, context: 'b' });
    expect((await credentials.identify?.({ fresh: false }))?.headers['authorization']).toBe('Bearer one');
  });

  test('skip missing files in KUBECONFIG, as kubectl does', async () => {
    const there = await file(aConfig({ token: 't' }));
    const KUBECONFIG = ['/nowhere/config', there].join(delimiter);
    expect((await load({ env: { KUBECONFIG } })).source).toContain(there);
    await expect(load({ env: { KUBECONFIG: '/nowhere/a:/nowhere/b' } })).rejects.toThrow(
      'kubeconfig /nowhere/a does not exist',
    );
  });

  test.each([
    ['empty', ''],
    ['with a comment alone', '# new\n'],
  ])('skip files in KUBECONFIG that are %s, as kubectl does', async (_, text) => {
    const there = await file(aConfig({ token: 't' }));
    const KUBECONFIG = [await file(text), there].join(delimiter);
    expect((await load({ env: { KUBECONFIG } })).source).toContain('context ctx');
  });

  test('do not skip a file in KUBECONFIG that cannot be reached', async () => {
    const loop = join(dir, 'loop');
    await symlink(loop, loop);
    const KUBECONFIG = [loop, await file(aConfig({ token: 't' }))].join(delimiter);
    await expect(load({ env: { KUBECONFIG } })).rejects.toThrow(`kubeconfig ${loop} cannot be read (ELOOP)`);
  });

  test('of a context, cluster and user whose names resemble numbers', async () => {
    const text = `apiVersion: v1
current-context: e2
contexts: [{ name: e2, context: { cluster: E8, user: 12e45678901 } }]
clusters: [{ name: E8, cluster: { server: 'https://10.0.0.1:6443' } }]
users: [{ name: 12e45678901, user: { token: t } }]
`;
    expect((await load({ kubeconfig: await file(text) })).source).toContain('context e2');
  });

  test('are found in the home directory by default', async () => {
    const home = join(dir, 'home');
    await mkdir(join(home, '.kube'), { recursive: true });
    await file(aConfig({ token: 't' }), 'home/.kube/config');
    expect((await load({ env: { HOME: home } })).source).toContain('home/.kube/config');
  });

  test('use the proxy of the environment as kubectl does, and prefer the one of the file', async () => {
    const env = { HTTPS_PROXY: 'http://outside:3128', NO_PROXY: 'inside.example' };
    const proxyOf = async (cluster: object) =>
      (await load({ kubeconfig: await file(aConfig({}, cluster)), env })).proxyUrl;
    expect(await proxyOf({ server: 'https://api.example' })).toBe('http://outside:3128');
    expect(await proxyOf({ server: 'https://api.inside.example' })).toBeUndefined();
    expect(await proxyOf({ server: 'https://127.0.0.1:6443' })).toBeUndefined();
    const own = { server: 'https://api.example', 'proxy-url': 'http://own:3128' };
    expect(await proxyOf(own)).toBe('http://own:3128');
  });

  test('run a plugin, pass it its input, cache its token, and run it again when the server rejects it', async () => {
    const plugin = await file(
      `#!/bin/sh\necho x >> "${dir}/runs"\nruns=$(wc -l < "${dir}/runs")\n` +
        `case "$KUBERNETES_EXEC_INFO" in *'"server":"https://10.0.0.1:6443"'*) ;; *) echo "no info" >&2; exit 1;; esac\n` +
        `echo "{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"$EXTRA-$((runs))\\"}}"\n`,
      'plugin.sh',
    );
    await chmod(plugin, 0o755);
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './plugin.sh',
      env: [{ name: 'EXTRA', value: 'e' }],
      provideClusterInfo: true,
    };
    const { clock } = virtualWorld();
    const credentials = await load({ kubeconfig: await file(aConfig({ exec })) }, clock);
    const token = async (fresh: boolean) =>
      (await credentials.identify?.({ fresh }))?.headers['authorization'];
    expect(await token(false)).toBe('Bearer e-1');
    await clock.advance(60_000);
    expect(await token(false)).toBe('Bearer e-1');
    expect(await token(true)).toBe('Bearer e-2');
  });
});

describe('errors of a kubeconfig name the file and the entry', () => {
  test.each([
    ['a missing file', '/nowhere/config', {}, 'kubeconfig /nowhere/config does not exist'],
    ['a directory', '/', {}, 'cannot be read (EISDIR)'],
  ])('%s', async (_, kubeconfig, options, message) => {
    await expect(load({ kubeconfig, ...options })).rejects.toThrow(message);
  });

  test.each([
    ['no YAML', '{', {}, 'is not YAML'],
    ['an empty file', '', {}, 'is empty'],
    ['no current context', { ...aConfig(), 'current-context': '' }, {}, 'current-context is not set'],
    ['an unknown context', aConfig(), { context: 'prod' }, 'context "prod" does not exist (available: ctx)'],
    [
      'an unknown cluster',
      aConfig({}, {}, { cluster: 'x' }),
      {},
      'names cluster "x", which does not exist (available: c)',
    ],
    [
      'an unknown user',
      aConfig({}, {}, { user: 'x' }),
      {},
      'names user "x", which does not exist (available: u)',
    ],
    ['no server', aConfig({}, { server: '' }), {}, 'cluster "c" has no server'],
    ['no command', aConfig({ exec: { command: '' } }), {}, 'exec entry has no command'],
    [
      'an argument that YAML reads as a number',
      aConfig({ exec: { command: 'kubelogin', args: ['--port', 6443] } }),
      {},
      'user "u": exec.args[1] is not text but number: put it in quotes',
    ],
    [
      'a variable that YAML reads as true',
      aConfig({ exec: { command: 'kubelogin', env: [{ name: 'DEBUG', value: true }] } }),
      {},
      'exec.env[0].value is not text but boolean: put it in quotes',
    ],
    [
      'a command that is a number',
      aConfig({ exec: { command: 7 } }),
      {},
      'exec.command is not text but number',
    ],
    [
      'arguments in one text',
      aConfig({ exec: { command: 'kubelogin', args: 'get-token --login' } }),
      {},
      'user "u": exec.args is not a list but string',
    ],
    [
      'variables that are no list',
      aConfig({ exec: { command: 'kubelogin', env: { DEBUG: 'true' } } }),
      {},
      'user "u": exec.env is not a list but object',
    ],
    ['no authority', aConfig({}, { 'certificate-authority': 'gone.crt' }), {}, 'gone.crt cannot be read'],
    ['entries that are no list', { ...aConfig(), contexts: {} }, {}, 'contexts is not a list'],
    ['an entry that is nothing', { ...aConfig(), users: [null] }, {}, 'users has an entry without a name'],
    [
      'a server that is no address',
      aConfig({}, { server: 'nonsense' }),
      {},
      'cluster "c": "nonsense" is not a URL',
    ],
    ['a server that is a number', aConfig({}, { server: 5 }), {}, 'cluster "c": "5" is not a URL'],
    ['no entries', { 'current-context': 'a' }, {}, 'context "a" does not exist'],
  ])('%s', async (_, content, options, message) => {
    const kubeconfig = await file(content);
    await expect(load({ kubeconfig, ...options })).rejects.toThrow(message);
    await expect(load({ kubeconfig, ...options })).rejects.toMatchObject({ name: 'CredentialsError' });
  });

  test('a plugin that can ask for a login is run before the first request, which would not wait so long', async () => {
    const shown: string[] = [];
    const exec = { command: 'sh', args: ['-c', 'echo log in >&2; echo cancelled >&2; exit 1'] };
    const kubeconfig = await file(aConfig({ exec }));
    const loading = load({ kubeconfig, terminal: { write: (text) => shown.push(text) } });
    await expect(loading).rejects.toMatchObject({ name: 'CredentialsError' });
    expect(shown.join('')).toContain('log in');
  });

  test('a plugin that fails', async () => {
    const exec = { command: 'sh', args: ['-c', 'echo not logged in >&2; exit 1'] };
    const credentials = await load({ kubeconfig: await file(aConfig({ exec })) });
    const asking = () => credentials.identify?.({ fresh: false });
    await expect(asking()).rejects.toThrow('the credential plugin sh failed: not logged in');
    await expect(asking()).rejects.toThrow('not logged in');
  });

  test('a key file that does not exist', async () => {
    const credentials = await load({ kubeconfig: await file(aConfig({ 'client-key': '/gone.key' })) });
    await expect(credentials.identify?.({ fresh: false })).rejects.toThrow('credentials cannot be read');
  });
});

describe('credentials inside a pod', () => {
  test('come from the service account', async () => {
    const account = join(dir, 'account');
    await mkdir(account);
    await file('abc\n', 'account/token');
    await file('CA', 'account/ca.crt');
    await file('karpenter\n', 'account/namespace');
    const env = {
      KUBERNETES_SERVICE_HOST: 'fd00::1',
      KUBERNETES_SERVICE_PORT: '6443',
      HOME: '/nowhere',
      // To Azure; the API server is inside the cluster.
      HTTPS_PROXY: 'http://outside:3128',
    };
    const credentials = await load({ env, serviceAccountDir: account });
    expect(credentials).toMatchObject({ server: 'https://[fd00::1]:6443', ca: 'CA', namespace: 'karpenter' });
    expect(credentials.podNamespace).toBe('karpenter');
    expect(credentials.proxyUrl).toBeUndefined();
    expect((await credentials.identify?.({ fresh: false }))?.headers).toEqual({
      authorization: 'Bearer abc',
    });
    await file('CA AND NEXT', 'account/ca.crt');
    expect(await credentials.trusted()).toBe('CA AND NEXT');
  });

  test('have no namespace where the account has none, and never use that of a kubeconfig', async () => {
    const account = join(dir, 'nameless');
    await mkdir(account);
    await file('abc', 'nameless/token');
    await file('CA', 'nameless/ca.crt');
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', HOME: '/nowhere' };
    expect((await load({ env, serviceAccountDir: account })).podNamespace).toBeUndefined();
    const kubeconfig = await file(aConfig({}, {}, { namespace: 'shop' }));
    expect(await load({ kubeconfig })).toMatchObject({ namespace: 'shop' });
    expect((await load({ kubeconfig })).podNamespace).toBeUndefined();
  });

  test('are reported as missing with a clear message, inside and outside a pod', async () => {
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    await expect(load({ env, serviceAccountDir: '/nowhere' })).rejects.toThrow('/nowhere/token is missing');
    await expect(load({})).rejects.toThrow('no cluster to talk to');
  });
});
