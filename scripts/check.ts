/** `npm run check`: format, lint, types, generated files. Module boundaries are tests, run by `npm test` and here. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const BIN = join(ROOT, 'node_modules', '.bin');

const STEPS: readonly (readonly [string, readonly string[]])[] = [
  ['format and lint', ['biome', 'ci', '--error-on-warnings', '.']],
  ['types', ['tsc', '--noEmit', '-p', '.']],
  // It runs in a browser: the rest of the product has no types of one.
  ['types of the page', ['tsc', '--noEmit', '-p', 'packages/chandler/src/dashboard/web']],
  ['structure', ['vitest', 'run', 'test/structure']],
  ['generated files are up to date', ['node', 'scripts/generate.ts', '--check']],
];

let failed = 0;
for (const [title, [tool, ...args]] of STEPS) {
  const result = spawnSync(join(BIN, tool!), args, {
    cwd: ROOT,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  const ok = result.status === 0;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${title}`);
  if (!ok) failed++;
}
process.exitCode = failed === 0 ? 0 : 1;
