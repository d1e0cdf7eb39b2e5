import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MODULES, PACKAGES } from './modules.table.ts';
import { ROOT, sourceFiles } from './sources.ts';

test('every relative link in the documentation leads somewhere', () => {
  const pages = ['docs', 'packages', 'test/cases', 'charts', 'examples', '.github']
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) => sourceFiles(folder, ['.md']));
  const broken = [...sourceFiles('.', ['.md']), ...pages].flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .map((match) => match[1]!)
      .filter((target) => !existsSync(join(ROOT, dirname(path), target)))
      .map((target) => `${path} -> ${target}`),
  );
  expect(broken).toEqual([]);
});

describe('docs/architecture.md', () => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const pathOf = (name: string) => {
    const begin = page.indexOf(`<!-- path: ${name} -->`);
    expect(begin).toBeGreaterThan(0);
    const steps = page.slice(begin, page.indexOf('\n## ', begin));
    return [...steps.matchAll(/`(packages\/[^`]+\.ts)`/g)].map((match) => match[1]!);
  };

  test.each(['pending pod', 'disk encryption set id'])('every file on the path of the %s exists', (name) => {
    const files = pathOf(name);
    expect(files.length).toBeGreaterThanOrEqual(5);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  test('at most five files carry the disk encryption set id, and each really does', () => {
    const files = pathOf('disk encryption set id');
    expect(files.length).toBeLessThanOrEqual(5);
    for (const file of files) expect(readFileSync(join(ROOT, file), 'utf8')).toMatch(/diskEncryptionSet/i);
  });

  test('every module and every package has a row', () => {
    for (const name of Object.keys(PACKAGES)) expect(page).toContain(`[\`packages/${name}\`]`);
    const built = Object.keys(MODULES).filter(
      (name) => !name.includes('/') && existsSync(join(ROOT, 'packages/chandler/src', name)),
    );
    for (const name of built) expect(page).toContain(`[\`${name}\`](../packages/chandler/src/${name})`);
  });
});

describe('the table "I want to change …" in CONTRIBUTING.md', () => {
  const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const table = page.slice(
    page.indexOf('<!-- where-to-change -->'),
    page.indexOf('<!-- end of where-to-change -->'),
  );
  const located = (file: string) =>
    ['packages/chandler/src', '.']
      .map((folder) => join(ROOT, folder, file))
      .find((candidate) => existsSync(candidate));

  test('every file and folder exists', () => {
    const files = [...table.matchAll(/`((?:[\w.-]+\/)+[\w.*-]+)`/g)].map((match) =>
      match[1]!.replace(/\/\*.*$/, ''),
    );
    expect(files.length).toBeGreaterThan(30);
    expect(files.filter((file) => located(file) === undefined)).toEqual([]);
  });

  test('every name in parentheses after a file is in that file', () => {
    const named = [...table.matchAll(/`([^`\s]+\.ts)` \(([^)]*)\)/g)].flatMap(([, file, names]) =>
      [...names!.matchAll(/`([A-Za-z_]\w*)`/g)].map((match) => ({ file: file!, name: match[1]! })),
    );
    expect(named.length).toBeGreaterThan(5);
    const missing = named.filter(
      ({ file, name }) => !new RegExp(`\\b${name}\\b`).test(readFileSync(located(file)!, 'utf8')),
    );
    expect(missing).toEqual([]);
  });
});
