import { lstat, mkdtemp, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readSnapshot, SnapshotError, writeSnapshot } from './snapshot.ts';
import { Store } from './store.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'snapshot-'));
  file = join(folder, 'state');
});

const filled = (count: number) => {
  const store = new Store();
  for (let index = 0; index < count; index++) {
    store.create('notes', {
      apiVersion: 'v1',
      kind: 'Note',
      metadata: { name: `n${index}`, namespace: 'default', uid: `u${index}` },
    });
  }
  return store;
};

describe('a snapshot', () => {
  test('restores every object, its resource version and the revision of the server', async () => {
    const before = filled(20);
    await writeSnapshot(before, file);
    const after = new Store();
    expect(await readSnapshot(after, file)).toBe(true);
    expect(after.revision).toBe(before.revision);
    expect([...after.list('notes')].map(({ text }) => text)).toEqual(
      [...before.list('notes')].map(({ text }) => text),
    );
    expect(after.create('notes', { metadata: { name: 'new', uid: 'u' } }).revision).toBe(before.revision + 1);
  });

  test('may be missing', async () => {
    expect(await readSnapshot(new Store(), file)).toBe(false);
  });

  test('reports the corrupt line and does not change the file', async () => {
    await writeSnapshot(filled(3), file);
    const text = (await readFile(file, 'utf8')).replace('"n1"', '"n1');
    await writeFile(file, text);
    await expect(readSnapshot(new Store(), file)).rejects.toThrow(
      /snapshot file .*state is corrupt at line 3/,
    );
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('detects a truncated file, at a line or within one', async () => {
    await writeSnapshot(filled(3), file);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.slice(0, -10));
    await expect(readSnapshot(new Store(), file)).rejects.toThrow(/is cut off/);
    await writeFile(file, `${text.split('\n').slice(0, 3).join('\n')}\n`);
    await expect(readSnapshot(new Store(), file)).rejects.toThrow('3 objects announced, 2 found');
  });

  test('rejects a file of another format', async () => {
    await writeFile(file, '{"hello":"world"}\n');
    await expect(readSnapshot(new Store(), file)).rejects.toThrow(SnapshotError);
    await writeFile(
      file,
      '{"format":"chandler.sh/apiserver-snapshot","version":9,"revision":1,"objects":0}\n',
    );
    await expect(readSnapshot(new Store(), file)).rejects.toThrow(
      'has version 9; this program reads version 1',
    );
  });

  test('keeps the old file when the new one cannot be written, and leaves no temporary file', async () => {
    await writeSnapshot(filled(1), file);
    const old = await readFile(file, 'utf8');
    const broken = new Store();
    broken.list = () => {
      throw new Error('out of memory');
    };
    broken.create('notes', { metadata: { name: 'x', uid: 'u' } });
    await expect(writeSnapshot(broken, file)).rejects.toThrow();
    await expect(writeSnapshot(filled(1), join(folder, 'missing', 'state'))).rejects.toThrow(SnapshotError);
    expect(await readFile(file, 'utf8')).toBe(old);
    expect(await readdir(folder)).toEqual(['state']);
  });

  test('is readable by its owner only, even if a crash left a readable file or a link in its place', async () => {
    const victim = join(folder, 'victim');
    await writeFile(victim, 'precious');
    await symlink(victim, `${file}.new`);
    await writeSnapshot(filled(1), file);
    expect(await readFile(victim, 'utf8')).toBe('precious');
    await writeFile(`${file}.new`, 'left', { mode: 0o644 });
    await writeSnapshot(filled(1), file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('is written to the target of a link', async () => {
    const link = join(folder, 'link');
    await writeFile(file, '');
    await symlink(file, link);
    await writeSnapshot(filled(2), link);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readSnapshot(new Store(), file)).toBe(true);
  });

  test.each([
    ['has no kind', (line: string) => line.replace('"kind":"Note",', '')],
    [
      'is newer than the file',
      (line: string) => line.replace(/"resourceVersion":"\d+"/, '"resourceVersion":"99"'),
    ],
    ['has an odd namespace', (line: string) => line.replace('"namespace":"default"', '"namespace":{}')],
  ])('is corrupt when an object in it %s', async (_, damage) => {
    await writeSnapshot(filled(2), file);
    const lines = (await readFile(file, 'utf8')).split('\n');
    lines[2] = damage(lines[2]!);
    await writeFile(file, lines.join('\n'));
    await expect(readSnapshot(new Store(), file)).rejects.toThrow(/is corrupt at line 3/);
  });
});
