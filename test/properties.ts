/**
 * `npm run test:properties [-- --seeds <from>-<to>]`: all property tests, with one seed after the other. Without a range it
 * takes ten seeds that depend on the time. It stops at the first seed that fails and prints how to repeat it.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const SEEDS = 10;

const { values } = parseArgs({ options: { seeds: { type: 'string' } } });
const start = Math.floor(Date.now() / 1000);
const [from = start, to = from + (values.seeds === undefined ? SEEDS - 1 : 0)] =
  values.seeds?.split('-').map(Number) ?? [];
if (!Number.isInteger(from) || !Number.isInteger(to) || to < from) {
  console.error(`--seeds ${values.seeds}: expected <from>-<to>`);
  process.exit(2);
}

const files = globSync('{packages,test,bench,scripts}/**/*.test.ts', {
  cwd: ROOT,
  exclude: (name) => name.includes('node_modules'),
})
  .filter((file) => readFileSync(join(ROOT, file), 'utf8').includes("from 'fast-check'"))
  .sort();
if (files.length === 0) throw new Error('test/properties.ts: no property tests');

for (let seed = from; seed <= to; seed++) {
  const { status } = spawnSync(
    join(ROOT, 'node_modules', '.bin', 'vitest'),
    ['run', '--reporter=minimal', ...files],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, CHANDLER_PROPERTY_SEED: String(seed) } },
  );
  console.log(`seed ${seed}: ${files.length} files ${status === 0 ? 'passed' : 'failed'}`);
  if (status !== 0) {
    console.error(`repeat it with: npm run test:properties -- --seeds ${seed}`);
    process.exit(1);
  }
}
