/** What deploy/flexnode ships for machines: the install script, the unit for the first boot, and a cloud-init sample. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../packages/chandler/src/flexnode/index.ts';

const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy', 'flexnode');
const UNIT = 'chandler-flexnode-bootstrap.service';
const NAMES = { x86_64: 'chandler-flexnode-linux-amd64', aarch64: 'chandler-flexnode-linux-arm64' };

let folder: string;
let source: string;
let root: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flexnode-deploy-'));
  [source, root] = [join(folder, 'source'), join(folder, 'root')];
  mkdirSync(source);
  mkdirSync(root);
  for (const name of Object.values(NAMES)) writeFileSync(join(source, name), `program ${name}\n`);
  writeFileSync(
    join(source, 'SHA256SUMS'),
    Object.values(NAMES)
      .map((name) => `${hashOf(name)}  ${name}\n`)
      .join(''),
  );
  writeFileSync(join(source, UNIT), readFileSync(join(DEPLOY, UNIT)));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hashOf = (name: string) =>
  createHash('sha256')
    .update(readFileSync(join(source, name)))
    .digest('hex');
const installed = () => readFileSync(join(root, 'usr/local/bin/chandler-flexnode'), 'utf8');

function install(args: readonly string[], machine = 'x86_64') {
  const env = { PATH: process.env['PATH'] ?? '', FLEXNODE_MACHINE: machine };
  return spawnSync('sh', [join(DEPLOY, 'install.sh'), ...args], { encoding: 'utf8', env });
}

describe('install.sh', () => {
  test.each(Object.entries(NAMES))('on %s installs %s, executable for all', (machine, name) => {
    const run = install(['--from', source, '--root', root], machine);
    expect(run.stderr).toBe('');
    expect(run.status).toBe(0);
    expect(installed()).toBe(`program ${name}\n`);
    expect(statSync(join(root, 'usr/local/bin/chandler-flexnode')).mode & 0o777).toBe(0o755);
  });

  test('replaces an older version, and installs the unit on request', () => {
    mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
    writeFileSync(join(root, 'usr/local/bin/chandler-flexnode'), 'old');
    chmodSync(join(root, 'usr/local/bin/chandler-flexnode'), 0o700);
    expect(install(['--from', source, '--root', root, '--unit']).status).toBe(0);
    expect(installed()).toContain('program');
    expect(readFileSync(join(root, 'etc/systemd/system', UNIT), 'utf8')).toContain('bootstrap --config');
  });

  test('rejects a file with another hash, and installs nothing', () => {
    writeFileSync(join(source, NAMES.x86_64), 'tampered');
    const run = install(['--from', source, '--root', root]);
    expect(run.status).toBe(1);
    expect(run.stderr).toContain('nothing was installed');
    expect(() => installed()).toThrow();
  });

  test('the hash of the command line decides, not the list of the same source', () => {
    const run = install(['--from', source, '--root', root, '--sha256', '0'.repeat(64)]);
    expect(run.status).toBe(1);
    expect(run.stderr).toContain(`${'0'.repeat(64)} is expected`);
    expect(install(['--from', source, '--root', root, '--sha256', hashOf(NAMES.x86_64)]).status).toBe(0);
  });

  test.each([
    [['--from', 'http://files.example.com'], 'only https URLs are supported'],
    [[], '--from is required'],
    [['--from'], '--from needs a value'],
    [['--frm', 'x'], 'unknown argument --frm'],
  ])('%j is a usage error', (args, message) => {
    const run = install([...args, ...(args.length === 2 ? ['--root', root] : [])]);
    expect(run.status).toBe(2);
    expect(run.stderr).toContain(message);
  });

  test('on another architecture says which ones are supported', () => {
    const run = install(['--from', source, '--root', root], 'riscv64');
    expect(run.status).toBe(1);
    expect(run.stderr).toContain('only amd64 and arm64 are supported');
  });
});

describe('the unit for the first boot', () => {
  const text = readFileSync(join(DEPLOY, UNIT), 'utf8');

  test('runs bootstrap with a config, until it has succeeded once', () => {
    expect(text).toContain('ConditionPathExists=/etc/aks-flex-node/config.json');
    expect(text).toContain(
      'ExecStart=/usr/local/bin/chandler-flexnode bootstrap --config /etc/aks-flex-node/config.json',
    );
    expect(text).toContain(`ExecStartPost=/usr/bin/systemctl disable ${UNIT}`);
    expect(text).toMatch(/^RestartPreventExitStatus=2 3$/m);
  });

  test('is a valid unit', (context) => {
    const there = spawnSync('systemd-analyze', ['--version']);
    if (there.status !== 0) context.skip('there is no systemd-analyze');
    const file = join(folder, UNIT);
    writeFileSync(file, text.replaceAll('/usr/local/bin/chandler-flexnode', '/bin/true'));
    const run = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    expect(`${run.stdout}${run.stderr}`.split('\n').filter((line) => line.includes(UNIT))).toEqual([]);
  });
});

describe('the cloud-init sample', () => {
  const sample = parse(readFileSync(join(DEPLOY, 'cloud-init.yaml'), 'utf8')) as {
    write_files: { path: string; permissions: string; content: string }[];
    runcmd: string[][];
  };

  test('writes a config that config check accepts, for root alone', () => {
    for (const file of sample.write_files) expect(file.permissions).toBe('0600');
    const config = sample.write_files.find(({ path }) => path === '/etc/aks-flex-node/config.json');
    const secret = sample.write_files.find(({ path }) => path === '/etc/aks-flex-node/client-secret');
    const reading = readConfig(
      { text: config!.content, mode: 0o600, path: config!.path },
      {
        hostname: 'edge-01',
        env: {},
        readSecretFile: async () => ({ text: secret!.content, mode: 0o600 }),
      },
    );
    expect(reading).toMatchObject({ ok: true, warnings: [] });
  });

  test('installs with a pinned hash and starts the unit without waiting for it', () => {
    const commands = sample.runcmd.map((argv) => argv.join(' '));
    expect(commands.find((line) => line.includes('--from'))).toMatch(/ --sha256 [0-9a-f]{64} --unit$/);
    expect(commands.at(-1)).toBe(`systemctl start --no-block ${UNIT}`);
    expect(commands.join('\n')).not.toContain('http://');
  });

  test('has the schema of cloud-init', (context) => {
    const there = spawnSync('cloud-init', ['--version']);
    if (there.status !== 0) context.skip('there is no cloud-init');
    const run = spawnSync('cloud-init', ['schema', '-c', join(DEPLOY, 'cloud-init.yaml')], {
      encoding: 'utf8',
    });
    expect(run.status, run.stdout + run.stderr).toBe(0);
  });
});
