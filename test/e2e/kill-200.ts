/**
 * `node test/e2e/kill-200.ts [--cloud azure|aws] [--launches 200] [--kills 40] [--seed N]`: the long run of kill.test.ts. It
 * takes about five minutes, prints where every process was killed, and exits with code 1 when a VM exists twice or is missing.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    cloud: { type: 'string', default: 'azure' },
    launches: { type: 'string', default: '200' },
    kills: { type: 'string', default: '40' },
    seed: { type: 'string' },
  },
});
const root = join(import.meta.dirname, '..', '..');
const vitest = join(root, 'node_modules', '.bin', 'vitest');
const { status } = spawnSync(vitest, ['run', 'test/e2e/kill.test.ts'], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    CHANDLER_KILL_CLOUD: values.cloud,
    CHANDLER_KILL_LAUNCHES: values.launches,
    CHANDLER_KILLS: values.kills,
    ...(values.seed === undefined ? {} : { CHANDLER_KILL_SEED: values.seed }),
  },
});
process.exitCode = status ?? 1;
