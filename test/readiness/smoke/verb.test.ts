/** `chandler check --smoke` as a process, against a playground over HTTPS. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubeClient, NAMESPACES } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NODE_POOLS, SMOKE_TEST_LABEL } from '../../../packages/chandler/src/api/index.ts';
import { run, VERBS } from '../../../packages/chandler/src/cli/testing.ts';
import { inFull } from '../../part.ts';
import { clientOf, type PlaygroundProcess, ROOT, startProcess } from '../../playground/process.ts';
import { aNodeClass } from '../examples/example.ts';

const TIMEOUT_MS = 180_000;
const whole = inFull('smoke tests that run to their end, as processes, and some of their flags');
let folder: string;
let playground: PlaygroundProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-smoke-'));
});
afterEach(async () => {
  await playground?.stop();
  playground = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** A playground whose controller leads, and a client of it. */
async function started(...args: readonly string[]) {
  const kubeconfig = join(folder, 'kubeconfig');
  playground = startProcess(['--write-kubeconfig', kubeconfig, '--boot-time', '1s', ...args]);
  const { client, close } = await clientOf(await playground.ready);
  await playground.printed('controller', 'is the leader');
  return { kubeconfig, client, close };
}

function smoke(kubeconfig: string, ...args: readonly string[]) {
  const child = spawn(
    process.execPath,
    ['packages/chandler/src/cli/main.ts', 'check', '--smoke', '--kubeconfig', kubeconfig, ...args],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => (out += String(data)));
  child.stderr.on('data', (data) => (err += String(data)));
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { child, exit, out: () => out, err: () => err };
}

async function leftovers(client: KubeClient): Promise<readonly string[]> {
  const { items } = await client.list(NAMESPACES, { labelSelector: SMOKE_TEST_LABEL });
  return items.map(({ metadata }) => metadata.name);
}

describe('chandler check --smoke', () => {
  test.runIf(whole).each(['azure', 'aws'])(
    'passes on %s, with times of each phase in JSON',
    async (cloud) => {
      const { kubeconfig, client, close } = await started('--cloud', cloud, '--speed', '20');
      const { exit, out, err } = smoke(kubeconfig, '--yes', '-o', 'json');
      expect(await exit, err()).toBe(0);
      const report = JSON.parse(out());
      expect(report).toMatchObject({
        score: 100,
        findings: [{ id: 'S-61', status: 'pass' }],
        smoke: { replicas: 10, running: 10, removal: { state: 'done' }, left: [] },
      });
      expect(report.smoke.phases).toHaveLength(6);
      expect(err()).toMatch(/smoke test: +\d+ s {2}pods 10\/10 created, 10 running; NodeClaims \d+/);
      expect(await leftovers(client)).toEqual([]);
      await close();
    },
    TIMEOUT_MS,
  );

  test(
    'Ctrl-C deletes everything, and exits with code 130',
    async () => {
      const { kubeconfig, client, close } = await started('--cloud', 'aws', '--speed', '20');
      const { child, exit, err } = smoke(kubeconfig, '--yes');
      child.stderr.on('data', () => {
        if (/NodeClaims [1-9]/.test(err()) && !child.killed) child.kill('SIGINT');
      });
      expect(await exit).toBe(130);
      expect(err()).toContain('chandler check: stopped by SIGINT');
      expect(await leftovers(client)).toEqual([]);
      await close();
    },
    TIMEOUT_MS,
  );

  test.runIf(whole)(
    'a pod that gets no node: exit code 1, and what chandler why says of it',
    async () => {
      const { kubeconfig, client, close } = await started('--cloud', 'azure');
      await client.patch(
        NODE_POOLS,
        { name: 'default' },
        { type: 'merge', patch: { spec: { limits: { cpu: '0' } } } },
      );
      const { exit, out, err } = smoke(kubeconfig, '--yes', '--smoke-timeout', '10s');
      expect(await exit, err()).toBe(1);
      expect(out()).toMatch(/FAIL {2}S-61 {2}high/);
      expect(out()).toMatch(/pod\/chandler-smoke-\w+\/inflate-\S+: broken/);
      expect(out()).toMatch(/limit/i);
      expect(await leftovers(client)).toEqual([]);
      await close();
    },
    TIMEOUT_MS,
  );
});

describe('the command line of chandler check --smoke', () => {
  async function check(...args: readonly string[]) {
    let out = '';
    let err = '';
    const code = await run(VERBS, {
      args: ['check', ...args],
      env: { KUBECONFIG: join(folder, 'none') },
      terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
      interrupted: new AbortController().signal,
      world: async () => virtualWorld(),
    });
    return { code, out, err };
  }

  test.each([
    [['--smoke'], '--smoke: creates pods and nodes; confirm with --yes'],
    [['--smoke', '--yes', '--smoke-cpu', 'much'], '--smoke-cpu: expected a quantity, got "much"'],
    [['.', '--smoke', '--yes', '--fix'], '--fix: does not work with --smoke'],
    [['--smoke', '--yes', '--update-baseline'], '--update-baseline: name a file with --baseline'],
    [['--smoke', '--yes', '--baseline', 'nowhere.json'], 'nowhere.json: the baseline cannot be read'],
    [['--smoke', '--yes', '--output-file', 'nowhere/a.json'], 'nowhere/a.json: cannot be written (ENOENT)'],
    [
      ['--smoke', '--yes', '--baseline', 'nowhere/a.json', '--update-baseline'],
      'nowhere/a.json: cannot be written (ENOENT)',
    ],
  ])('%j is a usage error', async (args, message) => {
    const { code, err } = await check(...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  test('without access to a cluster, the exit code is 3', async () => {
    const { code, err, out } = await check('--smoke', '--yes', '--kubeconfig', join(folder, 'none'));
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toMatch(/^chandler check: .*none/);
  });

  describe('with files', () => {
    const withFiles = () => {
      const files = join(folder, 'files');
      mkdirSync(files);
      writeFileSync(join(files, 'class.yaml'), aNodeClass('  metadataOptions:\n    httpTokens: optional'));
      return files;
    };

    test('that cannot be done still prints their report, and exits with 3', async () => {
      const { code, err, out } = await check(withFiles(), '--smoke', '--yes');
      expect(code).toBe(3);
      expect(err).toMatch(/^chandler check: .*none/);
      expect(out).toMatch(/FAIL {2}S-35/);
    });

    test('that is declined still prints their report, whose exit code counts', async () => {
      const kubeconfig = join(folder, 'kubeconfig');
      writeFileSync(
        kubeconfig,
        JSON.stringify({
          'current-context': 'a',
          contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
          clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
          users: [{ name: 'a', user: { token: 'a' } }],
        }),
      );
      // A terminal whose input has ended, as after Ctrl-D.
      const streams = [process.stdin, process.stderr];
      const were = streams.map(({ isTTY }) => isTTY);
      for (const stream of streams) stream.isTTY = true;
      process.stdin.push(null);
      const { code, err, out } = await check(withFiles(), '--smoke', '--kubeconfig', kubeconfig);
      for (const [index, stream] of streams.entries()) stream.isTTY = were[index]!;
      expect(err).toBe('canceled; nothing was changed\n');
      expect(code).toBe(1);
      expect(out).toMatch(/FAIL {2}S-35/);
    });
  });

  test('is not run while a phase before it fails critically', async () => {
    const estate = join(import.meta.dirname, '../estate');
    const { code, err, out } = await check(estate, '--smoke', '--yes');
    expect(code).toBe(1);
    expect(err).toContain('smoke test: not run, because phase 2 fails critically');
    expect(out).toMatch(/need a smoke test \(--smoke\)/);
  });

  test.runIf(whole).each(['--baseline', '--exit-zero'])(
    'that was not run is no success with %s',
    async (flag) => {
      const estate = join(import.meta.dirname, '../estate');
      const baseline = join(folder, 'baseline.json');
      await check(estate, '--baseline', baseline, '--update-baseline');
      const args = flag === '--baseline' ? [flag, baseline] : [flag];
      expect((await check(estate, ...args)).code).toBe(0);
      const { code, err } = await check(estate, ...args, '--smoke', '--yes');
      expect({ code, err }).toEqual({
        code: 3,
        err: 'smoke test: not run, because phase 2 fails critically\n',
      });
    },
    30_000,
  );
});
