import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSettingsFile } from './settings-file.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settings-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(data: string) {
  const file = join(folder, 'settings.yaml');
  await writeFile(file, `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n${data}`);
  return readSettingsFile(file);
}

test('empty data is that of an API server', async () => {
  expect(await read('data:\n')).toEqual({});
  expect(await read('data: { logLevel: }\n')).toEqual({ logLevel: '' });
});

test('a value that kubectl reads as true or as a number is not a string', async () => {
  expect(await read('data: { a: "yes", b: 12:30, c: 2026-01-02 }\n')).toEqual({
    a: 'yes',
    b: '12:30',
    c: '2026-01-02',
  });
  await expect(read('data: { a: yes }\n')).rejects.toThrow('data.a is not a string; put the value in quotes');
  await expect(read('data: { a: 0755 }\n')).rejects.toThrow('data.a is not a string');
});
