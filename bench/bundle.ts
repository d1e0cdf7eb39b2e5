/**
 * The command line as it is published, for benchmarks of a process: bundled and minified, in a folder that is
 * deleted when the process ends.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { withoutUnusedModules } from '../scripts/build/unused-modules.ts';

/** Gives back the file to run. */
export async function bundle(): Promise<string> {
  const root = join(import.meta.dirname, '..');
  const outdir = mkdtempSync(join(tmpdir(), 'chandler-bundle-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  await build({
    entryPoints: { chandler: join(root, 'packages/chandler/src/cli', 'main.ts') },
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    plugins: [withoutUnusedModules],
    format: 'esm',
    platform: 'node',
    target: 'node22.18',
    outExtension: { '.js': '.mjs' },
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
    },
    define: { CHANDLER_BUILD: JSON.stringify({ commit: 'unknown', time: 'unknown' }) },
  });
  // The solver of the lower bound looks for its WebAssembly beside the bundle.
  copyFileSync(join(root, 'node_modules', 'highs', 'build', 'highs.wasm'), join(outdir, 'highs.wasm'));
  return join(outdir, 'chandler.mjs');
}
