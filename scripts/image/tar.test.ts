import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTar, type TarEntry, writeTar } from './tar.ts';

const LONG = `${'a-folder/'.repeat(14)}file.txt`;
const ENTRIES: readonly TarEntry[] = [
  { kind: 'file', name: 'usr/bin/program', mode: 0o755, content: Buffer.from('#!/bin/sh\n') },
  { kind: 'file', name: LONG, mode: 0o644, content: Buffer.from('deep') },
  { kind: 'folder', name: 'home/nonroot', mode: 0o700, owner: 65532 },
  { kind: 'link', name: 'bin', mode: 0o777, target: 'usr/bin' },
];

test('the same files make the same archive, in whatever order they are given', () => {
  const archive = writeTar(ENTRIES, 0);
  expect(writeTar([...ENTRIES].reverse(), 0).equals(archive)).toBe(true);
  expect(writeTar(ENTRIES, 1).equals(archive)).toBe(false);
});

test('what is read is what was written, with the folders above it', () => {
  const read = readTar(writeTar(ENTRIES, 0));
  for (const { owner: _, ...entry } of ENTRIES as readonly (TarEntry & { owner?: number })[])
    expect(read).toContainEqual(entry);
  expect(read).toContainEqual({ kind: 'folder', name: 'usr/bin', mode: 0o755 });
  expect(read.map(({ name }) => name)).toEqual(read.map(({ name }) => name).sort());
});

test('a name that is given twice is an error', () => {
  const [first] = ENTRIES;
  expect(() => writeTar([first!, first!], 0)).toThrow('usr/bin/program is in the archive twice');
});

test('an entry that is no file, folder or symbolic link is an error', () => {
  const archive = Buffer.from(writeTar([ENTRIES[0]!], 0));
  const at = archive.indexOf('usr/bin/program');
  archive.write('1', at + 156);
  expect(() => readTar(archive)).toThrow('usr/bin/program has the type "1"');
});

const hasTar = spawnSync('tar', ['--version']).status === 0;
if (!hasTar) console.log('reading an archive with tar is skipped: there is no tar on PATH');

test.skipIf(!hasTar)('tar unpacks it, long names included', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-tar-'));
  try {
    writeFileSync(join(folder, 'all.tar'), writeTar(ENTRIES, 1_000));
    const { status, stderr } = spawnSync('tar', ['-xf', 'all.tar', '--no-same-owner'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(readFileSync(join(folder, LONG), 'utf8')).toBe('deep');
    expect(readlinkSync(join(folder, 'bin'))).toBe('usr/bin');
    const { mode, mtimeMs } = statSync(join(folder, 'bin/program'));
    expect([mode & 0o777, mtimeMs]).toEqual([0o755, 1_000_000]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
