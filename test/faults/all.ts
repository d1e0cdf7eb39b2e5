/** `npm run test:faults:all`: all seeds, regressions and deliberate bugs of `faults.test.ts`, of which `npm test` runs a part. */
import { spawnSync } from 'node:child_process';

const { status } = spawnSync('vitest', ['run', '--project', 'alone'], {
  stdio: 'inherit',
  env: { ...process.env, CHANDLER_FAULTS: 'all' },
});
process.exitCode = status ?? 1;
