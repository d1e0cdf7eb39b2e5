import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { World } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { instantWorld } from '../../../../../test/flexnode/instant-world.ts';
import { toLine } from '../../flexnode/index.ts';
import { minimalFile } from '../../flexnode/testing.ts';
import { inSession } from '../flexnode/session.ts';
import { run } from '../run.ts';
import { flexnode } from './flexnode.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'flexnode-root-'));
  for (const folder of ['etc/aks-flex-node', 'run', 'var/lib', 'var/log'])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'etc/hostname'), 'edge-07\n');
  const hash = 'a'.repeat(64);
  const file = minimalFile({ 'downloads.sha256|azcmagent/1.66.03466.1193/amd64': hash });
  writeFileSync(join(root, 'etc/aks-flex-node/config.json'), JSON.stringify(file));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('chandler flexnode bootstrap', () => {
  test('--dry-run shows files as diffs and commands, and leaves the machine alone', async () => {
    const before = everything();
    const { code, out } = await call(['bootstrap', '--dry-run', '--offline', '--only', 'system']);
    expect(code).toBe(0);
    expect(out).toContain('Plan for edge-07');
    expect(out).toContain('+br_netfilter');
    expect(out).toContain('modprobe');
    expect(everything()).toEqual(before);
  });

  test('--dry-run -o json is one document', async () => {
    const { out } = await call(['bootstrap', '--dry-run', '--offline', '--only', 'system', '-o', 'json']);
    expect(JSON.parse(out)).toMatchObject({ nodeName: 'edge-07', steps: expect.any(Array) });
  });

  test('a machine that fails a check is left alone: exit code 4, with what to do', async () => {
    const before = everything();
    const { code, err } = await call(['bootstrap']);
    expect(code).toBe(4);
    expect(err).toContain('[ERROR systemd]');
    expect(err).toContain('exit code 4: a preflight check failed [preflight.failed]');
    expect(everything()).toEqual(before);
  });

  test('--output json prints the failed check as a line of JSON', async () => {
    const { code, out } = await call(['bootstrap', '-o', 'json']);
    expect(code).toBe(4);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map((line) => line['type'] ?? Object.keys(line)[0])).toEqual(['preflight', 'error']);
  });

  test('a step that fails is shown, logged for root alone, and exits by its class', async () => {
    const args = ['bootstrap', '--ignore-preflight-errors', 'all', '--skip', 'arc', '--only', 'system'];
    const { code, err } = await call(args);
    expect(code).toBe(7);
    expect(err).toMatch(/ {2}\d+\/11 .+: FAILED/);
    expect(err).toContain('log: /var/log/aks-flex-node/aks-flex-node.log');
    expect(everything()).toContain('var/log/aks-flex-node/aks-flex-node.log');
  });

  test('a mistyped step or check is named, exit code 2', async () => {
    expect((await call(['bootstrap', '--dry-run', '--only', 'kublet'])).code).toBe(2);
    expect((await call(['bootstrap', '--ignore-preflight-errors', 'disk-spaec'])).err).toContain(
      'did you mean disk-space?',
    );
  });

  test('Ctrl-C exits 130', async () => {
    const interrupted = AbortSignal.abort(new Error('stopped by SIGINT'));
    const args = ['bootstrap', '--ignore-preflight-errors', 'all', '--only', 'directories'];
    expect((await call(args, interrupted)).code).toBe(130);
  });
});

describe('chandler flexnode unbootstrap', () => {
  test('on a machine that was never bootstrapped there is nothing to do', async () => {
    const before = everything();
    expect((await call(['unbootstrap'])).code).toBe(0);
    expect(everything()).toEqual(before);
  });

  test('restores what a run wrote, also without the config file', async () => {
    const before = everything();
    const args = ['bootstrap', '--ignore-preflight-errors', 'all', '--only', 'directories'];
    expect((await call(args)).code).toBe(0);
    expect(everything().length).toBeGreaterThan(before.length);
    const plan = await call(['unbootstrap', '--dry-run']);
    expect(plan.out).toContain('remove  /etc/containerd');
    rmSync(join(root, 'etc/aks-flex-node/config.json'));
    const { code, err } = await call(['unbootstrap', '--yes']);
    expect(err).toContain('using the config that bootstrap recorded instead');
    expect(code).toBe(0);
    const ours = /^(var\/log\/aks-flex-node(\/|$)|etc\/aks-flex-node\/config\.json$)/;
    const others = (paths: string[]) => paths.filter((path) => !ours.test(path));
    expect(others(everything())).toEqual(others(before));
  });

  test('a config file that is named must be valid', async () => {
    expect((await call(['unbootstrap', '--config', join(root, 'none.json')])).code).toBe(3);
  });
});

describe('the end of a run', () => {
  test.each([
    ['config', 3],
    ['auth', 5],
    ['network', 6],
    ['step', 7],
    ['signal', 130],
  ] as const)('a failure of class %s exits %i', async (failure, code) => {
    const terminal = { out: () => undefined, err: () => undefined, color: false };
    const host = { append: async () => undefined };
    const agent = { logDir: '/x', logLevel: 'info' } as const;
    const error = { class: failure, code: 'x', message: 'y' };
    const session = { name: 'bootstrap', terminal, json: false, env: {}, host, agent };
    expect(await inSession(session, async () => ({ success: false, error }))).toBe(code);
  });

  test('something left over exits 7 without a failure', async () => {
    const terminal = { out: () => undefined, err: () => undefined, color: false };
    const host = { append: async () => undefined };
    const agent = { logDir: '/x', logLevel: 'info' } as const;
    const session = { name: 'unbootstrap', terminal, json: true, env: {}, host, agent };
    expect(await inSession(session, async () => ({ success: false }))).toBe(7);
  });
});

describe('chandler flexnode upgrade', () => {
  test.each([
    ['kubernetes', '1.33.2'],
    ['containerd', '2.1.4'],
  ])('--%s reads the bundle of the version of Kubernetes that it upgrades to', async (name, version) => {
    const file = minimalFile({ 'downloads.bundle': '/srv/{{ .KubernetesVersion }}.tar' });
    writeFileSync(join(root, 'etc/aks-flex-node/config.json'), JSON.stringify(file));
    const at = '2026-01-01T00:00:00.000Z';
    const journal: Parameters<typeof toLine>[0][] = [
      { kind: 'step-completed', step: 'start-services', fingerprint: '', at },
      { kind: 'fact', key: 'cluster.server', value: 'https://127.0.0.1:1' },
      { kind: 'fact', key: 'cluster.caData', value: 'Q0E=' },
    ];
    mkdirSync(join(root, 'var/lib/chandler-flexnode'));
    writeFileSync(join(root, 'var/lib/chandler-flexnode/journal.jsonl'), journal.map(toLine).join(''));
    const { err } = await call(
      ['upgrade', '--kubernetes', '1.33.2', `--${name}`, version],
      new AbortController().signal,
      instantWorld(),
    );
    expect(err).toContain('the bundle /srv/v1.33.2.tar cannot be used');
  });
});

describe('chandler flexnode status', () => {
  test('reports that the machine is not bootstrapped, exit code 4', async () => {
    const { code, out } = await call(['status', '-o', 'json']);
    expect(code).toBe(4);
    expect(JSON.parse(out)).toMatchObject({ health: 'not-bootstrapped', nodeName: 'edge-07' });
  });
});

function everything(): string[] {
  return (readdirSync(root, { recursive: true }) as string[]).sort();
}

async function call(
  args: readonly string[],
  interrupted = new AbortController().signal,
  world: World = virtualWorld(),
) {
  let out = '';
  let err = '';
  const fetch = async () => {
    throw new TypeError('fetch failed', { cause: new Error('no network in this test') });
  };
  const code = await run([flexnode], {
    args: ['flexnode', ...args, '--root', root],
    env: {},
    terminal: {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      color: false,
    },
    interrupted,
    world: async () => ({ ...world, fetch }),
  });
  return { code, out, err };
}
