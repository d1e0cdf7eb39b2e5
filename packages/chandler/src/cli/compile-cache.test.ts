import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compileCacheFolder, isOnlyOurs } from './compile-cache.ts';

const OURS = join('chandler', 'compiled');

test('compiled code is cached in the directory of the user, never in a shared one', () => {
  expect(compileCacheFolder({}, '/home/a')).toBe(join('/home/a', '.cache', OURS));
  expect(compileCacheFolder({ XDG_CACHE_HOME: '/c' }, '/home/a')).toBe(join('/c', OURS));
  expect(compileCacheFolder({ XDG_CACHE_HOME: '', LOCALAPPDATA: '/l' }, '/home/a')).toBe(join('/l', OURS));
  expect(compileCacheFolder({ NODE_COMPILE_CACHE: '/mine', XDG_CACHE_HOME: '/c' }, '/home/a')).toBe('/mine');
  expect(compileCacheFolder({ XDG_CACHE_HOME: 'here' }, '/home/a')).toBe(join('/home/a', '.cache', OURS));
  for (const home of ['', '/']) expect(compileCacheFolder({}, home)).toBeUndefined();
});

test('the cache is readable only by its owner, and a start without a cache works', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-cache-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const start = (cache: string) =>
    execFileSync(process.execPath, ['packages/chandler/src/cli/main.ts', 'version'], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder, XDG_CACHE_HOME: cache },
    });
  expect(start(folder)).toMatch(/^chandler /);
  const kept = join(folder, OURS);
  expect(readdirSync(kept)).not.toEqual([]);
  expect(statSync(kept).mode & 0o777).toBe(0o700);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(start(file)).toMatch(/^chandler /);
});

test.skipIf(process.platform === 'win32')('a folder that others may write to is not trusted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-cache-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  expect(isOnlyOurs(folder)).toBe(true);
  chmodSync(folder, 0o770);
  expect(isOnlyOurs(folder)).toBe(false);
});
