/**
 * The command line as it is published, for benchmarks of a process: bundled as the package is, in a folder that is deleted
 * when the process ends.
 */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildFacts } from '../scripts/build/build-facts.ts';
import { packageOptions } from '../scripts/build/bundle-options.ts';
import { MAIN, ROOT } from '../scripts/build/paths.ts';

/** Gives back the file to run. */
export async function bundle(): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), 'chandler-bundle-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  await build({ ...(await packageOptions(buildFacts(ROOT), { chandler: MAIN })), outdir });
  // As in the package. Without it Node.js looks into each file for its kind.
  writeFileSync(join(outdir, 'package.json'), JSON.stringify({ type: 'module' }));
  // The solver of the lower bound looks for its WebAssembly beside the bundle.
  copyFileSync(join(ROOT, 'node_modules', 'highs', 'build', 'highs.wasm'), join(outdir, 'highs.wasm'));
  return join(outdir, 'chandler.js');
}
