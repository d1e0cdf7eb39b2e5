import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { minimalFile, PRINCIPAL } from '../../flexnode/testing.ts';
import { run, runFamily } from '../run.ts';
import { flexnode } from './flexnode.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flexnode-verb-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('chandler flexnode', () => {
  test('alone lists its verbs and exits 2; with --help it exits 0', async () => {
    const alone = await call([]);
    expect(alone.code).toBe(2);
    for (const verb of flexnode.verbs!) expect(alone.out).toContain(`  ${verb.name} `);
    expect((await call(['--help'])).code).toBe(0);
  });

  test('every verb has help with an example and its flags', async () => {
    for (const verb of flexnode.verbs!) {
      const { out, code } = await call([verb.name, '--help']);
      expect(code).toBe(0);
      expect(out).toContain(`Usage: chandler flexnode ${verb.name}`);
      expect(out).toMatch(/Examples:\n {2}# .+\n {2}\S+/);
      for (const row of Object.values(verb.options)) expect(out).toContain(`--${row.flag}`);
      expect((await call(['help', verb.name])).out).toBe(out);
    }
  });

  test('has the documented verbs', () => {
    expect(flexnode.verbs!.map((verb) => verb.name)).toEqual([
      'bootstrap',
      'unbootstrap',
      'status',
      'preflight',
      'debug',
      'token',
      'upgrade',
      'bundle',
      'config',
      'version',
    ]);
  });

  test('a mistyped verb gets a suggestion', async () => {
    expect(await call(['boostrap'])).toMatchObject({
      code: 2,
      err: 'chandler flexnode: unknown command "boostrap"; did you mean "chandler flexnode bootstrap"?\n',
    });
  });

  test('as an executable of its own it uses the name of that executable', async () => {
    const { out } = await call(['config', '--help'], {}, 'chandler-flexnode');
    expect(out).toContain('Usage: chandler-flexnode config');
  });

  test('version prints the four lines that scripts read, and needs no config', async () => {
    expect((await call(['version'])).out).toMatch(
      /^AKS Flex Node Agent\nVersion: \d+\.\d+\.\d+\nGit Commit: sources\nBuild Time: unknown\n$/,
    );
  });
});

describe('chandler flexnode config check', () => {
  test('reports that a file is valid', async () => {
    const path = await fileWith(minimalFile());
    expect(await call(['config', 'check', path])).toMatchObject({ code: 0, err: '' });
    expect((await call(['config', 'check', '--config', path])).out).toContain('of cluster harbour');
  });

  test('exits 3 with every problem, its line and what was meant', async () => {
    const path = await fileWith(minimalFile({ 'azure.tenantId': undefined, 'node.maxPod': 3 }));
    const { code, err, out } = await call(['config', 'check', path]);
    expect(code).toBe(3);
    expect(out).toBe('');
    expect(err).toBe(
      [
        `flexnode config check: failed to load config from ${path}: config validation failed:`,
        `  ${path}:2: azure.tenantId is required`,
        `  ${path}:10: node.maxPod: unknown key`,
        '    → did you mean "maxPods"?',
        'exit code 3: invalid config file [config.invalid]',
        '',
      ].join('\n'),
    );
  });

  test('prints JSON for programs', async () => {
    const path = await fileWith(minimalFile({ 'agent.logLevel': 'loud' }));
    const { code, out } = await call(['config', 'check', path, '-o', 'json']);
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      problems: [{ path: 'agent.logLevel', line: 11, message: expect.any(String) }],
    });
  });

  test('a missing file is an error of the config, not of this program', async () => {
    expect(await call(['config', 'check', join(folder, 'none.json')])).toMatchObject({
      code: 3,
      err: expect.stringContaining('the file does not exist'),
    });
    expect(await call(['config', 'check', folder])).toMatchObject({ code: 3 });
    expect((await call(['config', 'check', join(folder, 'none.json'), '-o', 'json'])).out).toContain(
      '"code":"config.unreadable"',
    );
  });

  test('[004-SEC-8] a file with a secret that others may read exits 3, and the secret is not shown', async () => {
    const secret = 'pl4nted~secret';
    const path = await fileWith(minimalFile({ ...PRINCIPAL, 'azure.servicePrincipal.clientSecret': secret }));
    const open = await call(['config', 'check', path]);
    expect(open.code).toBe(3);
    expect(open.err).toContain(`chmod 600 ${path}`);
    await chmod(path, 0o600);
    const closed = await call(['config', 'check', path]);
    expect(closed.code).toBe(0);
    expect(JSON.stringify([open, closed])).not.toContain(secret);
  });

  test('a secret file that is missing is found before the machine is touched', async () => {
    const path = await fileWith(
      minimalFile({ ...PRINCIPAL, 'azure.servicePrincipal.clientSecretFile': join(folder, 'none') }),
    );
    expect(await call(['config', 'check', path])).toMatchObject({
      code: 3,
      err: expect.stringContaining('of azure.servicePrincipal.clientSecretFile does not exist'),
    });
  });

  test('a field without effect is a warning', async () => {
    const path = await fileWith(minimalFile({ 'npd.version': 'v1.35.1' }));
    expect(await call(['config', 'check', path])).toMatchObject({
      code: 0,
      err: expect.stringContaining('npd has no effect'),
    });
  });

  test('any other argument than check is a usage error', async () => {
    expect((await call(['config', 'show'])).code).toBe(2);
  });
});

describe('chandler flexnode token', () => {
  test('[004-SEC-9] without HIMDS it fails, says so on standard error and prints nothing for kubelet', async () => {
    const env = { IDENTITY_ENDPOINT: 'http://203.0.113.7:40342/metadata/identity/oauth2/token' };
    const { code, out, err } = await call(['token'], env);
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).toContain(
      'chandler-flexnode token: the endpoint of HIMDS must be a loopback address, not http://203.0.113.7:40342 (Check the environment variables IDENTITY_ENDPOINT and IMDS_ENDPOINT.)',
    );
  });
});

async function fileWith(content: unknown): Promise<string> {
  const path = join(folder, `${Math.random().toString(36).slice(2)}.json`);
  await writeFile(path, JSON.stringify(content, null, 2), { mode: 0o644 });
  return path;
}

async function call(args: readonly string[], env: Record<string, string> = {}, program?: string) {
  let out = '';
  let err = '';
  const process = {
    env,
    terminal: {
      out: (text: string) => {
        out += text;
      },
      err: (text: string) => {
        err += text;
      },
      color: false,
    },
    interrupted: new AbortController().signal,
    world: async () => virtualWorld(),
  };
  const code =
    program === undefined
      ? await run([flexnode], { ...process, args: ['flexnode', ...args] })
      : await runFamily(flexnode, { ...process, args, program });
  return { code, out, err };
}
