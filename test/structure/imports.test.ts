import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  circles,
  cloudNames,
  forbiddenImports,
  importsPastEntryPoints,
  moduleOf,
  packageOf,
} from './import-graph.ts';
import { MODULES, PACKAGES } from './modules.table.ts';
import { ROOT, type SourceFile, sourceFiles } from './sources.ts';

const FILES = ['packages', 'test', 'bench', 'scripts'].flatMap((folder) => sourceFiles(folder));

describe('the import graph', () => {
  test('every file of the product belongs to a module of the table', () => {
    const homeless = FILES.filter(
      ({ path }) => packageOf(path) === 'chandler' && path.includes('/src/') && moduleOf(path) === undefined,
    );
    expect(homeless.map(({ path }) => path)).toEqual([]);
  });

  test('packages and modules import only what they may', () => {
    expect(FILES.flatMap(forbiddenImports)).toEqual([]);
  });

  test('imports from outside go through entry points', () => {
    expect(FILES.flatMap(importsPastEntryPoints)).toEqual([]);
  });

  test('no files import each other in a circle', () => {
    expect(circles(FILES, packageEntries())).toEqual([]);
  });

  test('shared modules name no cloud', () => {
    expect(FILES.flatMap(cloudNames)).toEqual([]);
  });

  test('the table of modules has no circle either', () => {
    const files = Object.entries(MODULES).map(([name, { imports }]) => ({
      path: name,
      text: imports.map((other) => `import './${other}';`).join('\n'),
    }));
    expect(circles(files, new Map())).toEqual([]);
  });
});

describe('the check itself', () => {
  const at = (path: string, text: string): SourceFile => ({ path, text });
  const api = 'packages/chandler/src/api/labels.ts';

  test.each([
    [api, `import { x } from '../cloud/index.ts';`],
    [api, `export * from '../cloud/index.ts';`],
    [api, `const x = await import('../cloud/index.ts');`],
    [api, `import type { X } from '../cloud/index.ts';`],
    ['packages/chandler/src/controllers/a/b.ts', `import { startApiServer } from '@chandler/apiserver';`],
    ['packages/cloudsim/src/azure/a.ts', `import { startApiServer } from '@chandler/apiserver';`],
    ['packages/apiserver/src/a.ts', `import { x } from '../../chandler/src/api/index.ts';`],
    ['packages/kube/src/a.ts', `import { x } from '@chandler/cloudsim/azure';`],
    ['packages/kube/src/a.test.ts', `import { x } from '../../../test/kube/x.ts';`],
  ])('a forbidden import is found in %s: %s', (path, text) => {
    expect(forbiddenImports(at(path, text))).toHaveLength(1);
  });

  test.each([
    [api, `import { KubeClient } from '@chandler/kube';`],
    [api, `import { x } from './taints.ts';`],
    ['packages/chandler/src/playground/a.ts', `import { startApiServer } from '@chandler/apiserver';`],
    ['packages/chandler/src/state/a.ts', `import { solve } from '../scheduling/index.ts';`],
  ])('an allowed import is not, in %s: %s', (path, text) => {
    expect(forbiddenImports(at(path, text))).toEqual([]);
  });

  test.each([
    ['packages/chandler/src/state/a.ts', `import { solve } from '../scheduling/solve.ts';`],
    ['test/e2e/a.ts', `import { solve } from '../../packages/chandler/src/scheduling/solve.ts';`],
    ['test/e2e/a.ts', `import { Store } from '../../packages/kube/src/cache/store.ts';`],
    ['packages/chandler/src/state/a.ts', `import { aPod } from '../scheduling/testing.ts';`],
    ['packages/chandler/src/cloud/azure/a.ts', `import { x } from '../errors.ts';`],
  ])('an import past an entry point is found in %s: %s', (path, text) => {
    expect(importsPastEntryPoints(at(path, text))).toHaveLength(1);
  });

  test('tests may use what a module offers to tests', () => {
    const text = `import { aPod } from '../scheduling/testing.ts';`;
    expect(importsPastEntryPoints(at('packages/chandler/src/state/a.test.ts', text))).toEqual([]);
  });

  test('a circle is found, of types and through a package too', () => {
    const two = [at('a/x.ts', `import type { Y } from './y.ts';`), at('a/y.ts', `export * from './x.ts';`)];
    expect(circles(two, new Map())).toEqual([['a/x.ts', 'a/y.ts']]);
    const packaged = [at('a/index.ts', `export { y } from './y.ts';`), at('a/y.ts', `import '@a/a';`)];
    expect(circles(packaged, new Map([['@a/a', 'a/index.ts']]))).toHaveLength(1);
    const late = [at('a/x.ts', `await import('./y.ts');`), at('a/y.ts', `import './x.ts';`)];
    expect(circles(late, new Map())).toEqual([]);
  });

  test.each([
    `const x = new AzureCloud();`,
    `const text = 'the AKS cluster';`,
    `import { x } from '../cloud/azure/index.ts';`,
    `const name = \`aks-\${claim}\`;`,
    `const kind = EC2_NODE_CLASSES;`,
  ])('a cloud named in a shared module is found in: %s', (text) => {
    expect(cloudNames(at('packages/chandler/src/controllers/a.ts', text))).toHaveLength(1);
  });

  test.each([`const breaks = ['tasks'];`, '// as Azure does', `const laws = 1;`, `const seeks = weeks;`])(
    'no cloud is found in: %s',
    (text) => {
      expect(cloudNames(at('packages/chandler/src/controllers/a.ts', text))).toEqual([]);
    },
  );
});

/** `@chandler/kube` -> `packages/kube/src/index.ts`, from the manifests. */
function packageEntries(): ReadonlyMap<string, string> {
  return new Map(
    Object.keys(PACKAGES).flatMap((name) => {
      const manifest = JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'));
      const entries = Object.entries((manifest.exports ?? {}) as Record<string, string>);
      return entries.map(([key, file]): [string, string] => [
        join(manifest.name, key),
        join('packages', name, file),
      ]);
    }),
  );
}
