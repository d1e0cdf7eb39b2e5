/**
 * `npm run test:page`: the suites of test/page in a real Chromium. Arguments go to vitest. Without Chromium it prints that they were
 * skipped, and why, and succeeds. With CHANDLER_TESTS=all every scenario of the playground is played through the page, too.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { findChromium, WITHOUT_CHROMIUM } from './chromium.ts';

const ROOT = join(import.meta.dirname, '..', '..');

if (findChromium() === undefined) console.log(`test:page: *** SKIPPED *** ${WITHOUT_CHROMIUM}`);
else {
  if (process.env['CHANDLER_TESTS'] !== 'all')
    console.log(
      'test:page: the scenarios are not played through the page: they take more than ten minutes. CHANDLER_TESTS=all plays them.',
    );
  const args = ['run', '--config', 'vitest.page.config.ts', ...process.argv.slice(2)];
  const { status } = spawnSync(join(ROOT, 'node_modules', '.bin', 'vitest'), args, {
    cwd: ROOT,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
