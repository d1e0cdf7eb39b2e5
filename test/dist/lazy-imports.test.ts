import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, describe, expect, test } from 'vitest';
import { brokenChunks, lazyImportProblems } from '../../scripts/build/lazy-imports.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe('the check of lazy imports', () => {
  test('rejects a CommonJS package that is imported lazily: the bundle exports only its default', async () => {
    const { folder, metafile } = await bundled({ 'src/main.ts': "export const load = () => import('sdk');" });
    expect(lazyImportProblems(metafile)).toEqual([
      'src/main.ts imports sdk lazily (cjs): re-export the names in a file under lazy/ and import that file',
    ]);
    const { load } = await import(join(folder, 'out/main.js'));
    expect(Object.keys(await load())).toEqual(['default']);
  });

  test('rejects a package with ES modules too, which may come as CommonJS one day', async () => {
    const { metafile } = await bundled({ 'src/main.ts': "export const load = () => import('modern');" });
    expect(lazyImportProblems(metafile)).toHaveLength(1);
  });

  test('accepts a file that re-exports the names', async () => {
    const { folder, metafile } = await bundled({
      'src/main.ts': "export const load = () => import('./lazy/sdk.ts');",
      'src/lazy/sdk.ts': "export { Client } from 'sdk';",
    });
    expect(lazyImportProblems(metafile)).toEqual([]);
    expect(brokenChunks(metafile, folder)).toEqual([]);
    const { load } = await import(join(folder, 'out/main.js'));
    expect(new (await load()).Client().name).toBe('client');
  });

  test('finds a re-exported name that the package does not have, and a chunk that cannot be loaded', async () => {
    const { folder, metafile } = await bundled({
      'src/main.ts': "export const load = [() => import('./lazy/sdk.ts'), () => import('./torn.ts')];",
      'src/lazy/sdk.ts': "export { Server } from 'sdk';",
      'src/torn.ts': 'export const x = new (class { y = (undefined as any).z; })();',
    });
    const [undefinedName, torn] = brokenChunks(metafile, folder);
    expect(undefinedName).toBe('src/lazy/sdk.ts: the export Server is undefined in the bundle');
    expect(torn).toMatch(/^src\/torn\.ts: cannot be loaded from the bundle: TypeError/);
  });
});

// ---------------------------------------------------------------------------------------------------

async function bundled(sources: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-lazy-'));
  folders.push(folder);
  const files = {
    ...sources,
    'package.json': '{"type": "module"}',
    'node_modules/sdk/package.json': '{"main": "index.js"}',
    'node_modules/sdk/index.js': "exports.Client = class { name = 'client'; };",
    'node_modules/modern/package.json': '{"type": "module", "main": "index.js"}',
    'node_modules/modern/index.js': 'export class Client {}',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: ['src/main.ts'],
    outdir: 'out',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    metafile: true,
    logLevel: 'silent',
  });
  return { folder, metafile };
}
