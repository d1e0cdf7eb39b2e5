import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { discover } from './discover.ts';
import { decode, readText } from './read-text.ts';

const root = mkdtempSync(join(tmpdir(), 'discover-'));
afterAll(() => rmSync(root, { recursive: true }));

const write = (name: string, text: string | Uint8Array = '') => {
  mkdirSync(join(root, name, '..'), { recursive: true });
  writeFileSync(join(root, name), text);
};

const names = async (folder: string, limits?: Parameters<typeof discover>[1]) => {
  const { files, problems } = await discover(join(root, folder), limits);
  return {
    files: files.map(({ name }) => name.slice(root.length + folder.length + 2)),
    problems: problems.map(({ message }) => message),
  };
};

describe('files of a folder', () => {
  beforeAll(() => {
    for (const name of [
      'a/main.tf',
      'a/b/c.yaml',
      'a/b/notes.md',
      'a/.git/config.yaml',
      'a/node_modules/x.json',
      'a/.terraform.lock.hcl',
      'a/x.TFSTATE',
    ])
      write(name);
  });

  test('are those that can be read, without folders of tools', async () => {
    expect(await names('a')).toEqual({
      files: ['.terraform.lock.hcl', 'b/c.yaml', 'main.tf', 'x.TFSTATE'],
      problems: [],
    });
  });

  test('a file is itself', async () => {
    const { files } = await discover(join(root, 'a/b/notes.md'));
    expect(files).toHaveLength(1);
  });

  test('what does not exist is a problem', async () => {
    expect(await names('nowhere')).toEqual({ files: [], problems: ['there is no such file or folder'] });
  });

  test('links in a circle end, and a file with two names is read once', async () => {
    write('circle/one/a.yaml');
    symlinkSync('../..', join(root, 'circle/one/up'));
    symlinkSync('one', join(root, 'circle/two'));
    symlinkSync('one/a.yaml', join(root, 'circle/b.yaml'));
    const found = await names('circle');
    expect(found.files).toHaveLength(1);
  });

  test('links that leave the folder or lead nowhere are not followed, and are reported', async () => {
    write('outside/secret.yaml');
    mkdirSync(join(root, 'inside'));
    symlinkSync('../outside', join(root, 'inside/out'));
    symlinkSync('nothing.yaml', join(root, 'inside/broken.yaml'));
    expect(await names('inside')).toEqual({
      files: [],
      problems: [expect.stringContaining('leads nowhere'), expect.stringContaining('leaves the folder')],
    });
  });

  test('a limit is reported', async () => {
    for (let at = 0; at < 5; at++) write(`many/${at}/a.yaml`);
    const { files, problems } = await names('many', { maxFiles: 3, maxFolders: 100 });
    expect(files).toHaveLength(3);
    expect(problems).toEqual([expect.stringContaining('more than 3 files')]);
  });

  test('ten thousand files are found', async () => {
    mkdirSync(join(root, 'big'));
    for (let at = 0; at < 10_000; at++) writeFileSync(join(root, 'big', `${at}.yaml`), '');
    const { files, problems } = await names('big');
    expect({ count: files.length, problems }).toEqual({ count: 10_000, problems: [] });
  });
});

describe('a text', () => {
  test.each([
    ['a byte order mark', Buffer.from('\ufeffa: 1')],
    ['UTF-16', Buffer.from('\ufeffa: 1', 'utf16le')],
    ['nothing special', Buffer.from('a: 1')],
  ])('with %s is read', (_, bytes) => {
    expect(decode(bytes)).toEqual({ text: 'a: 1' });
  });

  test('line ends of all systems are the same', () => {
    expect(decode(Buffer.from('a\r\nb\rc\nd'))).toEqual({ text: 'a\nb\nc\nd' });
  });

  test('broken characters are kept as they are', () => {
    expect(decode(Buffer.from([0x61, 0xff, 0x62]))).toEqual({ text: 'a\ufffdb' });
  });

  test('what is no text is refused, and so is what is too large', async () => {
    expect(decode(Buffer.from([0, 1, 2]))).toEqual({ problem: 'is not a text file' });
    write('large.yaml', 'x'.repeat(100));
    expect(
      await readText({ name: 'large.yaml', path: join(root, 'large.yaml'), sizeBytes: 100 }, 50),
    ).toEqual({
      problem: expect.stringContaining('larger than'),
    });
  });
});
