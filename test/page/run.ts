/**
 * `npm run test:page`: the suites of test/page in a real Chromium. Arguments go to vitest. Without Chromium it prints that they were
 * skipped, and why, and succeeds. Some scenarios of the playground are played through the page; with
 * CHANDLER_TESTS=all all of them, which takes a quarter of an hour.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { findChromium, WITHOUT_CHROMIUM } from './chromium.ts';

const ROOT = join(import.meta.dirname, '..', '..');

if (findChromium() === undefined) console.log(`test:page: *** SKIPPED *** ${WITHOUT_CHROMIUM}`);
else {
  const args = ['run', '--config', 'vitest.page.config.ts', ...process.argv.slice(2)];
  const { status } = spawnSync(join(ROOT, 'node_modules', '.bin', 'vitest'), args, {
    cwd: ROOT,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
