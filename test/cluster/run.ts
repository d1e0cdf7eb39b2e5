/**
 * `npm run test:cluster`: brings up a real control plane and runs the suites of test/cluster on it.
 * Without one it prints that the suites were skipped, and why, and succeeds; with one a failing suite fails the command.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { findBinaries, KUBERNETES_VERSION } from './control-plane/binaries.ts';
import { launchControlPlane } from './control-plane/launch.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const say = (line: string) => console.log(`test:cluster: ${line}`);

const binaries = await findBinaries(say);
if ('missing' in binaries) {
  say('*** SKIPPED: no real control plane ***');
  say(binaries.missing);
  say('point KUBEBUILDER_ASSETS at kube-apiserver and etcd, or install Go, to run these suites');
  process.exit(0);
}

say(`starting kube-apiserver ${KUBERNETES_VERSION} from ${binaries.folder}`);
const plane = await launchControlPlane(binaries.folder, { controllers: 'collectors', scheduler: false });
say(`it is at ${plane.url}`);
try {
  const vitest = join(ROOT, 'node_modules', '.bin', 'vitest');
  const args = ['run', '--config', 'vitest.cluster.config.ts', ...process.argv.slice(2)];
  const result = spawnSync(vitest, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      CHANDLER_TEST_SERVER: plane.url,
      CHANDLER_TEST_TOKEN: plane.token,
      CHANDLER_TEST_CA: plane.caFile,
      CHANDLER_TEST_KUBECONFIG: plane.kubeconfig,
      CHANDLER_TEST_BINARIES: binaries.folder,
    },
  });
  process.exitCode = result.status ?? 1;
} finally {
  await plane.stop();
}
