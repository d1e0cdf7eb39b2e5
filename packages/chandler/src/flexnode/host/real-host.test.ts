import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FlexError } from '../flex-error.ts';
import type { MachineHost } from './machine-host.ts';
import { createRealHost, type RealHostOptions } from './real-host.ts';

let root: string;
let host: MachineHost;
const world = virtualWorld();
const hostWith = (options: RealHostOptions = {}) => createRealHost(world, { root, ...options });
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'host-'));
  host = hostWith();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const mode = (path: string) => lstatSync(root + path).mode & 0o7777;
const failure = async (act: Promise<unknown>) => {
  try {
    await act;
  } catch (error) {
    if (error instanceof FlexError) return error.facts;
    throw error;
  }
  throw new Error('it did not fail');
};

describe('files', () => {
  test('appear whole, with exactly the requested mode', async () => {
    const seen: string[] = [];
    const onEffect = (kind: string, what: string, moment: string) => {
      if (kind === 'rename' && moment === 'before') seen.push(String(existsSync(root + what)));
    };
    await hostWith({ onEffect }).writeFile('/etc/deep/file', 'content', { mode: 0o640 });
    expect(seen).toEqual(['false']);
    expect(readFileSync(`${root}/etc/deep/file`, 'utf8')).toBe('content');
    expect(mode('/etc/deep/file')).toBe(0o640);
    expect(mode('/etc/deep')).toBe(0o755);
  });

  test('that are there already are not written again', async () => {
    await host.writeFile('/file', 'same', { mode: 0o600 });
    const effects: string[] = [];
    await hostWith({ onEffect: (kind) => void effects.push(kind) }).writeFile('/file', 'same', {
      mode: 0o600,
    });
    expect(effects).toEqual([]);
  });

  test('replace a link instead of writing through it', async () => {
    writeFileSync(`${root}/target`, 'untouched');
    symlinkSync('/target', `${root}/link`);
    await host.writeFile('/link', 'new', { mode: 0o644 });
    expect(readFileSync(`${root}/target`, 'utf8')).toBe('untouched');
    expect(lstatSync(`${root}/link`).isFile()).toBe(true);
  });

  test('that do not exist are nothing, not an error', async () => {
    expect(await host.readFile('/none')).toBeUndefined();
    expect(await host.lstat('/none')).toBeUndefined();
    expect(await host.list('/none')).toEqual([]);
    await host.remove('/none');
    await host.removeTree('/none');
  });

  test('read in pieces are the same', async () => {
    await host.writeFile('/big', Buffer.alloc(300_000, 7), { mode: 0o600 });
    let bytes = 0;
    for await (const chunk of host.readStream!('/big')) bytes += chunk.length;
    expect(bytes).toBe(300_000);
  });

  test('as streams grow by what comes, when appended to', async () => {
    const chunks = async function* (...texts: string[]) {
      for (const text of texts) yield Buffer.from(text);
    };
    await host.writeStream('/part', chunks('a', 'b'), { mode: 0o600, append: false });
    await host.writeStream('/part', chunks('c'), { mode: 0o600, append: true });
    expect(readFileSync(`${root}/part`, 'utf8')).toBe('abc');
  });
});

describe('a full or broken disk', () => {
  test.each([
    ['ENOSPC', 'host.disk-full'],
    ['EROFS', 'host.read-only'],
    ['EIO', 'host.io'],
  ])('%s while writing leaves the old file and nothing beside it', async (errno, code) => {
    await host.writeFile('/etc/file', 'old', { mode: 0o644 });
    const onEffect = (kind: string, _: string, moment: string) => {
      if (kind === 'write' && moment === 'after') throw Object.assign(new Error(errno), { code: errno });
    };
    const facts = await failure(hostWith({ onEffect }).writeFile('/etc/file', 'new', { mode: 0o644 }));
    expect(facts).toMatchObject({ class: 'step', code, where: '/etc/file' });
    expect(facts.remedy).toBeTruthy();
    expect(readFileSync(`${root}/etc/file`, 'utf8')).toBe('old');
    expect(await host.list('/etc')).toEqual(['file']);
  });

  test('a file in place of a directory is reported, not removed', async () => {
    writeFileSync(`${root}/etc`, 'a file');
    expect((await failure(host.writeFile('/etc/x', '', { mode: 0o644 }))).code).toBe('host.not-a-directory');
    expect((await failure(host.makeDirectory('/etc', 0o755))).code).toBe('host.not-a-directory');
    expect(readFileSync(`${root}/etc`, 'utf8')).toBe('a file');
  });
});

describe('the root prefix', () => {
  test('no link leads out of it', async () => {
    mkdirSync(`${root}/etc`);
    symlinkSync('/', `${root}/etc/root`);
    symlinkSync('../../../../../..', `${root}/etc/up`);
    symlinkSync('/etc/passwd', `${root}/etc/link`);
    await host.writeFile('/etc/root/one', '1', { mode: 0o600 });
    await host.writeFile('/etc/up/two', '2', { mode: 0o600 });
    expect(readFileSync(`${root}/one`, 'utf8')).toBe('1');
    expect(readFileSync(`${root}/two`, 'utf8')).toBe('2');
    expect(await host.readFile('/etc/link')).toBeUndefined();
    expect((await failure(host.readFile('relative'))).code).toBe('host.path');
  });

  test('links in a circle are refused', async () => {
    symlinkSync('/b', `${root}/a`);
    symlinkSync('/a', `${root}/b`);
    expect((await failure(host.readFile('/a/file'))).code).toBe('host.link-loop');
  });

  test('with it no program of this machine is run', async () => {
    expect(await host.run({ argv: ['true'], changes: false })).toMatchObject({ exitCode: 127 });
  });
});

describe('directories and links', () => {
  test('a directory keeps its content when its mode is set', async () => {
    mkdirSync(`${root}/d`);
    chmodSync(`${root}/d`, 0o700);
    writeFileSync(`${root}/d/file`, '');
    await host.makeDirectory('/d', 0o755);
    expect(mode('/d')).toBe(0o755);
    expect(existsSync(`${root}/d/file`)).toBe(true);
  });

  test('a link takes the place of what was there in one step', async () => {
    writeFileSync(`${root}/resolv.conf`, 'old');
    await host.symlink('/run/new', '/resolv.conf');
    expect(readlinkSync(`${root}/resolv.conf`)).toBe('/run/new');
  });

  test('a directory that is not empty is not removed by `remove`', async () => {
    await host.writeFile('/d/file', '', { mode: 0o600 });
    expect((await failure(host.remove('/d'))).code).toBe('host.not-empty');
  });

  test('a tree with something mounted in it is not removed at all', async () => {
    await host.writeFile('/d/a', '', { mode: 0o600 });
    await host.writeFile('/d/volume/b', '', { mode: 0o600 });
    const mounted = hostWith({ mountPoints: async () => [`${root}/d/volume`] });
    expect(await failure(mounted.removeTree('/d'))).toMatchObject({ code: 'host.mounted', where: '/d' });
    expect(await host.list('/d')).toEqual(['a', 'volume']);
    await host.removeTree('/d');
    expect(existsSync(`${root}/d`)).toBe(false);
  });

  test('a marker is made once', async () => {
    expect(await host.createMarker('/run/lock', 'one')).toBe(true);
    expect(await host.createMarker('/run/lock', 'two')).toBe(false);
    expect((await host.lstat('/run/lock'))?.target).toBe('one');
  });
});

describe('programs', () => {
  const real = createRealHost({ ...world, clock: systemClock });

  test('[004-SEC-18] see a small environment of our own and no shell', async () => {
    const { stdout } = await real.run({ argv: ['env'], env: { EXTRA: '$(id)' }, changes: false });
    expect(stdout.trim().split('\n').sort()).toEqual(
      [
        'EXTRA=$(id)',
        'HOME=/root',
        'LANG=C.UTF-8',
        'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/azcmagent/bin',
      ].sort(),
    );
  });

  test('that do not exist answer 127, others their own code', async () => {
    expect((await real.run({ argv: ['no-such-program-here'], changes: false })).exitCode).toBe(127);
    expect((await real.run({ argv: ['false'], changes: false })).exitCode).toBe(1);
  });

  test('get what they should read', async () => {
    expect((await real.run({ argv: ['cat'], stdin: 'hello', changes: false })).stdout).toBe('hello');
  });

  test('that take too long are ended, with all they started, and answer 124', async () => {
    const answer = await real.run({
      argv: ['sh', '-c', 'sleep 60 & sleep 60'],
      timeoutMs: 50,
      changes: false,
    });
    expect(answer.exitCode).toBe(124);
  });

  test('cannot fill our memory with their output', async () => {
    const { stdout } = await real.run({ argv: ['head', '-c', '3000000', '/dev/zero'], changes: false });
    expect(stdout.length).toBe(1024 * 1024);
  });

  test('are ended by an interruption', async () => {
    const stop = new AbortController();
    const stoppable = createRealHost({ ...world, clock: systemClock }, { signal: stop.signal });
    const answer = stoppable.run({
      argv: ['sh', '-c', `echo started > ${root}/mark; sleep 60`],
      changes: false,
    });
    while (!existsSync(`${root}/mark`)) await systemClock.sleep(5);
    stop.abort();
    expect((await answer).exitCode).not.toBe(0);
    // What is started afterwards, to clear up, still runs.
    expect((await stoppable.run({ argv: ['true'], changes: true })).exitCode).toBe(0);
  });
});
