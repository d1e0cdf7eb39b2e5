import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { minimalFile } from '../../flexnode/testing.ts';
import { run } from '../run.ts';
import { flexnode } from '../verbs/flexnode.ts';

let folder: string;
const at = (name: string) => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flexnode-bad-'));
  mkdirSync(at('machine'));
  writeFileSync(at('config.json'), JSON.stringify(minimalFile()));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('an unusable config file', () => {
  const FILES: Readonly<Record<string, readonly [make: () => void, words: string]>> = {
    'that is not there': [() => undefined, 'the file does not exist'],
    'that is a directory': [() => mkdirSync(at('bad')), 'it is a directory'],
    'that is a device': [() => symlinkSync('/dev/zero', at('bad')), 'it is not a regular file'],
    'that is a link to itself': [
      () => symlinkSync('bad', at('bad')),
      'a symbolic link that cannot be resolved',
    ],
    'of ten megabytes': [() => writeFileSync(at('bad'), Buffer.alloc(10 << 20, 97)), '10485760 bytes'],
    'that is empty': [() => writeFileSync(at('bad'), ''), 'the file is empty'],
    'of a program': [
      () => writeFileSync(at('bad'), Buffer.from([127, 69, 76, 70, 2, 0, 1])),
      'not UTF-8 text',
    ],
    'in UTF-16': [
      () => writeFileSync(at('bad'), Buffer.from(`\uFEFF${JSON.stringify(minimalFile())}`, 'utf16le')),
      'not UTF-8 text',
    ],
    'with an escape sequence': [() => writeFileSync(at('bad'), '\u001B[2J{}'), '"\\u001b"'],
  };

  test.each(Object.keys(FILES))('%s exits 3 with a reason', async (name) => {
    const [make, words] = FILES[name]!;
    make();
    const { code, err, out } = await call('bootstrap', '--root', at('machine'), '--config', at('bad'));
    expect(code).toBe(3);
    expect(err).toContain(words);
    expect(err).not.toMatch(STACK);
    expect(out).toBe('');
  });

  test('with a byte order mark is read as if it had none', async () => {
    writeFileSync(at('bom.json'), `\uFEFF${JSON.stringify(minimalFile())}`);
    expect((await call('config', 'check', at('bom.json'))).code).toBe(0);
  });

  test('with thousands of mistakes shows the first of them and how many there are', async () => {
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`k${index}`, 1]));
    writeFileSync(at('many.json'), JSON.stringify({ ...minimalFile(), ...many }));
    const { code, err } = await call('config', 'check', at('many.json'));
    expect(code).toBe(3);
    expect(err).toContain('and 2950 more');
    expect(err.length).toBeLessThan(20_000);
  });
});

describe('an invalid command line', () => {
  test.each([
    [['bootstrap', '--only', 'nonsense'], 'Unknown step or phase `nonsense`'],
    [['bootstrap', '--only', ''], '--only: must name at least one step'],
    [['bootstrap', '--only', 'arc', '--skip', 'identity'], 'No step is selected'],
    [['bootstrap', '--output', 'xml'], 'expected text or json'],
    [['bootstrap', '--wat'], 'unknown flag'],
    [['bootstrap', 'now'], 'takes no arguments'],
    [['upgrade', '--kubernetes', 'latest'], 'must be a version'],
    [['bundle', '--arch', 'mips'], 'must be amd64 or arm64'],
    [['bundle', '--arch', ''], 'must name amd64, arm64 or both'],
    [['preflight', '--ignore-preflight-errors', 'nonsense'], 'unknown check'],
    [['config'], 'usage: config check'],
  ])('%j exits 2 and touches nothing', async (args, words) => {
    const { code, err } = await call(...args, ...(args[0] === 'config' ? [] : MACHINE()));
    expect(code).toBe(2);
    expect(err).toContain(words);
    expect(err).not.toMatch(STACK);
    expect(readdirSync(at('machine'))).toEqual([]);
  });

  test.each(['', 'none', 'config.json'])('a root "%s" that is no folder exits 2', async (name) => {
    const root = name === '' ? '' : at(name);
    for (const verb of ['bootstrap', 'unbootstrap', 'status']) {
      const { code, err } = await call(verb, '--root', root, '--config', at('config.json'));
      expect([code, err]).toEqual([2, expect.stringContaining(`--root: no such directory: "${root}"`)]);
    }
  });
});

describe('a damaged state directory', () => {
  const state = () => at('machine/var/lib/chandler-flexnode');
  beforeEach(() => mkdirSync(at('machine/var/lib'), { recursive: true }));

  test('status reports a journal that cannot be read', async () => {
    mkdirSync(state());
    writeFileSync(join(state(), 'journal.jsonl'), 'garbage\n');
    expect((await call('status', ...MACHINE())).out).toContain('1 lines of the journal are damaged');
  });

  test.each(['status', 'unbootstrap'])(
    '%s fails with an error message if the journal is a directory',
    async (verb) => {
      mkdirSync(join(state(), 'journal.jsonl'), { recursive: true });
      const { code, err } = await call(verb, ...MACHINE());
      expect(code).toBe(7);
      expect(err).toContain('the path is a directory, not a file');
      expect(err).not.toMatch(STACK);
    },
  );
});

const STACK = /^\s+at |node:internal/m;
const MACHINE = () => ['--root', at('machine'), '--config', at('config.json')];

async function call(...args: readonly string[]) {
  const printed = { out: '', err: '' };
  const terminal = {
    out: (text: string) => {
      printed.out += text;
    },
    err: (text: string) => {
      printed.err += text;
    },
    color: false,
  };
  const code = await run([flexnode], {
    args: ['flexnode', ...args],
    env: {},
    terminal,
    interrupted: new AbortController().signal,
    world: async () => virtualWorld(),
  });
  return { code, ...printed };
}
