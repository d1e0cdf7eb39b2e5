/**
 * `npm run test:quick`: the unit tests, for the inner loop; under a minute on two cores. It says what it leaves out. Arguments
 * go to vitest: `npm run test:quick -- -t "drift"`.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join, sep } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Tests beside the code, and those about the tree. */
const QUICK = ['packages', 'test/structure'];
/** Of those, beginnings of paths: what starts whole playgrounds or plays hours of a cloud. */
const SLOW = ['packages/cloudsim/', 'packages/chandler/src/cli/verbs/playground'];

const all = globSync(['{test,bench}/**/*.test.ts', 'packages/*/src/**/*.test.ts'], { cwd: ROOT })
  .map((path) => path.split(sep).join('/'))
  .sort();
for (const start of [...QUICK, ...SLOW])
  if (!all.some((path) => path.startsWith(start))) throw new Error(`test/quick.ts: no test is in ${start}`);
const chosen = all.filter(
  (path) =>
    QUICK.some((folder) => path.startsWith(`${folder}/`)) && !SLOW.some((start) => path.startsWith(start)),
);
const chosenPaths = new Set(chosen);
const leftOut = Map.groupBy(
  all.filter((path) => !chosenPaths.has(path)),
  (path) => SLOW.find((start) => path.startsWith(start)) ?? path.split('/').slice(0, 2).join('/'),
);

const vitest = join(ROOT, 'node_modules', '.bin', 'vitest');
const startMs = performance.now();
const { status } = spawnSync(vitest, ['run', '--reporter=minimal', ...chosen, ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
console.log(
  `${chosen.length} of ${all.length} test files in ${Math.round((performance.now() - startMs) / 1000)} s`,
);
console.log(
  `Left out: ${[...leftOut].map(([where, files]) => `${where} (${files.length})`).join(', ')}. npm test runs all.`,
);
process.exitCode = status ?? 1;
