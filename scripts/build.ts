/**
 * `npm run build`: bundles the command line into dist/, with separate chunks for lazily loaded modules, and
 * builds the flex node agent as one executable.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildExecutable } from './flexnode-executable.ts';

const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'dist');

const SHARED = {
  bundle: true,
  platform: 'node',
  minify: true,
  metafile: true,
  define: { CHANDLER_BUILD: JSON.stringify(builtFrom()) },
} as const;

rmSync(OUT, { recursive: true, force: true });
const result = await build({
  ...SHARED,
  entryPoints: { chandler: join(ROOT, 'packages/chandler/src/cli', 'main.ts') },
  outdir: OUT,
  splitting: true,
  format: 'esm',
  target: 'node22.18',
  legalComments: 'linked',
  // Bundled CommonJS packages call `require`, which an ES module does not have.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
});
chmodSync(join(OUT, 'chandler.js'), 0o755);
// The solver of the lower bound looks for its WebAssembly beside the bundle.
copyFileSync(join(ROOT, 'node_modules', 'highs', 'build', 'highs.wasm'), join(OUT, 'highs.wasm'));
const bytes = Object.values(result.metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
console.log(`dist/: ${Object.keys(result.metafile.outputs).length} files, ${Math.round(bytes / 1024)} KiB`);
if (process.platform === 'linux')
  await buildExecutable(
    join(ROOT, 'packages/chandler/src/cli', 'flexnode-main.ts'),
    join(OUT, 'chandler-flexnode'),
    SHARED,
  );
else console.log('dist/chandler-flexnode: skipped, it is built on Linux only');

/** The commit and its time; unknown where there is no repository (an unpacked archive). */
function builtFrom(): { readonly commit: string; readonly time: string } {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', ROOT, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    return {
      commit: git('rev-parse', '--short=12', 'HEAD'),
      time: git('show', '-s', '--format=%cI', 'HEAD'),
    };
  } catch {
    return { commit: 'unknown', time: 'unknown' };
  }
}
