import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from './sources.ts';

interface LockEntry {
  readonly resolved?: string;
  /** A package of this repository: `resolved` is its folder. */
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

describe.each(['', 'site/'])('the lockfile of the folder "%s"', (folder) => {
  const packages = read(`${folder}package-lock.json`).packages as Readonly<Record<string, LockEntry>>;

  test('names no addresses', () => {
    expect(
      Object.keys(packages).filter(
        (path) => packages[path]!.resolved !== undefined && packages[path]!.link !== true,
      ),
    ).toEqual([]);
  });

  test('is whole for every platform, or `npm ci` refuses it (npm run lock)', () => {
    const missing = Object.entries(packages).flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).filter(
        (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
      ),
    );
    expect(missing).toEqual([]);
  });

  test('and package.json pin exact versions', () => {
    const manifest = read(`${folder}package.json`);
    const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    expect(
      Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(version as string)),
    ).toEqual([]);
  });
});
