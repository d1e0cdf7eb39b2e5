import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSources } from './sources.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sources-'));
});
afterEach(() => rm(folder, { recursive: true }));

const textsIn = async (name: string) =>
  (await readSources([name], async () => '')).map(({ name: file, text }) => [
    file.slice(name.length + 1),
    text,
  ]);

test('a folder is read with files that are symbolic links, as of a mounted ConfigMap', async () => {
  const mounted = join(folder, 'mounted');
  await mkdir(join(mounted, '..2026_01_01'), { recursive: true });
  await writeFile(join(mounted, '..2026_01_01', 'web.yaml'), 'a: 1\n');
  await symlink('..2026_01_01', join(mounted, '..data'));
  await symlink(join('..data', 'web.yaml'), join(mounted, 'web.yaml'));
  expect(await textsIn(mounted)).toEqual([['web.yaml', 'a: 1\n']]);
  // A folder beside this one, by a path that is not the shortest.
  expect(await readSources([`${mounted}/../mounted/.`], async () => '')).toHaveLength(1);
});

test('a linked file of another folder is read, once', async () => {
  const [here, there] = [join(folder, 'here'), join(folder, 'there')];
  await mkdir(here);
  await mkdir(there);
  await writeFile(join(there, 'shared.yaml'), 'a: 1\n');
  await writeFile(join(here, 'own.yaml'), 'b: 1\n');
  await symlink(join(there, 'shared.yaml'), join(here, 'shared.yaml'));
  await symlink(there, join(here, 'folder.yaml'));
  expect(await textsIn(here)).toEqual([
    ['own.yaml', 'b: 1\n'],
    ['shared.yaml', 'a: 1\n'],
  ]);
});

test('a link to nothing is reported with its name', async () => {
  await symlink('nowhere', join(folder, 'lost.yaml'));
  await expect(textsIn(folder)).rejects.toThrow(/lost\.yaml cannot be read \(ENOENT\)/);
});
