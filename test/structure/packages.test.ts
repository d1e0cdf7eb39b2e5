import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageOf } from './import-graph.ts';
import { PACKAGES } from './modules.table.ts';
import { codeOnly, importsOf, isTest, ROOT, type SourceFile, sourceFiles } from './sources.ts';

const FILES = sourceFiles('packages');
/** Programs that make files of the repository: they run here, never where the package is installed. */
const TOOLS = /\/(golden\/record|protobuf\/generate)\.ts$/;

describe.each(Object.keys(PACKAGES))('packages/%s', (name) => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly devDependencies?: Readonly<Record<string, string>>;
  };
  const files = FILES.filter(({ path }) => packageOf(path) === name);
  const isSource = ({ path }: SourceFile) => !isTest(path) && !TOOLS.test(path);

  test('depends on what its sources import, and on nothing else', () => {
    expect(Object.keys(manifest.dependencies ?? {}).sort()).toEqual(importedBy(files.filter(isSource)));
  });

  test('has what its tests import besides among the dependencies for development', () => {
    const tested = importedBy(files).filter(
      (each) => manifest.dependencies?.[each] === undefined && !WORKSPACE_TOOLS.has(each),
    );
    expect(Object.keys(manifest.devDependencies ?? {}).sort()).toEqual(tested);
  });
});

describe('packages that others could use', () => {
  test.each(['kube', 'apiserver'])('%s names no kind of Karpenter', (name) => {
    const named = FILES.filter(({ path }) => packageOf(path) === name && !isTest(path)).flatMap((file) =>
      codeOnly(file.text, 'keep strings')
        .split('\n')
        .flatMap((line, at) => (KARPENTER.test(line) ? [`${file.path}:${at + 1}`] : [])),
    );
    expect(named).toEqual([]);
  });
});

describe('the check itself', () => {
  test('a package is named by its scope and its name, also when a file of it is imported', () => {
    const text = `import a from '@a/b/c';\nimport type { d } from 'e/f';\nimport 'node:fs';\nimport './g.ts';`;
    expect(importedBy([{ path: 'packages/kube/src/a.ts', text }])).toEqual(['@a/b', 'e']);
  });
});

/** Of the root: everything is tested with them. */
const WORKSPACE_TOOLS: ReadonlySet<string> = new Set(['vitest', 'fast-check']);
const KARPENTER = /karpenter|node_?pool|node_?claim/i;

/** Names of the packages that these files import, themselves aside. */
function importedBy(files: readonly SourceFile[]): string[] {
  const names = files.flatMap(({ path, text }) =>
    importsOf(text)
      .filter((specifier) => !/^(\.|node:)/.test(specifier))
      .map((specifier) =>
        specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/'),
      )
      .filter((name) => !builtinModules.includes(name) && name !== `@chandler/${packageOf(path)}`),
  );
  return [...new Set(names)].sort();
}
