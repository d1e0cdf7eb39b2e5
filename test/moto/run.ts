/**
 * `npm run test:moto`: starts moto's server and runs the suites of test/moto against it: the contract of clouds, and the calls to
 * AWS beside the simulated AWS. Arguments go to vitest. Without Python, pip or the package it prints that the suites were
 * skipped, and why, and succeeds.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { findMoto } from './install.ts';
import { startMoto } from './server.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const say = (line: string) => console.log(`test:moto: ${line}`);

const moto = await findMoto(say);
if ('missing' in moto) {
  say(`*** SKIPPED *** ${moto.missing}`);
  say('install Python 3 with pip, and allow it to download packages, to run these suites');
} else {
  const server = await startMoto(moto);
  say(`moto ${moto.version} is at ${server.url}`);
  try {
    const args = ['run', '--config', 'vitest.moto.config.ts', ...process.argv.slice(2)];
    const { status } = spawnSync(join(ROOT, 'node_modules', '.bin', 'vitest'), args, {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, CHANDLER_TEST_MOTO: server.url },
    });
    process.exitCode = status ?? 1;
  } finally {
    await server.stop();
  }
}
