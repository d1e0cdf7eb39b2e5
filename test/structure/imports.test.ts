import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOMS } from './modules.table.ts';
import { isTest, relativeImports, sourceFiles } from './sources.ts';

describe('the rooms of src/', () => {
  const files = sourceFiles('packages').filter((file) => !isTest(file.path));

  test('every source file lies in a room of the table', () => {
    expect(files.map((file) => file.path).filter((path) => roomOf(path) === undefined)).toEqual([]);
  });

  test('a room imports only from the rooms it may', () => {
    expect(files.flatMap(({ path, text }) => brokenEdges(path, text))).toEqual([]);
  });

  test('nothing in src/ imports from outside src/', () => {
    const outside = files.flatMap(({ path, text }) =>
      relativeImports(text)
        .map((specifier) => resolved(path, specifier))
        .filter((target) => !target.startsWith('src/') && !target.endsWith('.json'))
        .map((target) => `${path} -> ${target}`),
    );
    expect(outside).toEqual([]);
  });
});

describe('the check itself', () => {
  test('a forbidden edge is found, static, re-exported or dynamic', () => {
    const path = 'packages/chandler/src/api/kinds.ts';
    expect(brokenEdges(path, `import { x } from '../kube/client.ts';`)).toHaveLength(1);
    expect(brokenEdges(path, `export * from '../kube/client.ts';`)).toHaveLength(1);
    expect(brokenEdges(path, `const x = await import('../kube/client.ts');`)).toHaveLength(1);
    expect(
      brokenEdges('packages/chandler/src/playground/a/b.ts', `import '../../scheduling/solve.ts';`),
    ).toHaveLength(1);
  });

  test('an allowed edge is not', () => {
    expect(brokenEdges('packages/kube/src/client.ts', `import type { World } from '../world.ts';`)).toEqual(
      [],
    );
    expect(brokenEdges('packages/kube/src/client.ts', `import { x } from '../rooms/watch.ts';`)).toEqual([]);
  });
});

function brokenEdges(path: string, text: string): string[] {
  const from = roomOf(path);
  return relativeImports(text)
    .map((specifier) => roomOf(resolved(path, specifier)))
    .filter((to) => to !== undefined && to !== from && !ROOMS[from!]?.includes(to))
    .map((to) => `${path} (${from}) -> ${to}`);
}

function resolved(path: string, specifier: string): string {
  return normalize(join(dirname(path), specifier)).replaceAll('\\', '/');
}

function roomOf(path: string): string | undefined {
  const room = path.split('/')[1];
  return room !== undefined && path.startsWith('src/') && room in ROOMS ? room : undefined;
}
