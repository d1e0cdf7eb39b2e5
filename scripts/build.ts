/** `npm run build`: bundles the command line into dist/, what is loaded lazily in chunks of its own. */
import { chmodSync, copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'dist');

rmSync(OUT, { recursive: true, force: true });
const result = await build({
  entryPoints: { chandler: join(ROOT, 'src', 'cli', 'main.ts') },
  outdir: OUT,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.18',
  minify: true,
  metafile: true,
  legalComments: 'linked',
  // Bundled CommonJS packages ask for `require`, which an ES module does not have.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
});
chmodSync(join(OUT, 'chandler.js'), 0o755);
// The solver of the lower bound looks for its WebAssembly beside the bundle.
copyFileSync(join(ROOT, 'node_modules', 'highs', 'build', 'highs.wasm'), join(OUT, 'highs.wasm'));
const bytes = Object.values(result.metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
console.log(`dist/: ${Object.keys(result.metafile.outputs).length} files, ${Math.round(bytes / 1024)} KiB`);
