/**
 * `npm run test:cluster`: brings up a real control plane and runs the suites of test/cluster on it.
 * Then it checks that the suites used every rule of deploy/rbac.yaml and deploy/rbac-aws.yaml; `npm run test:cluster -- roles` does only that.
 * Without one it prints that the suites were skipped, and why, and succeeds; with one a failing suite fails the command.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinaries, KUBERNETES_VERSION } from './control-plane/binaries.ts';
import { launchControlPlane } from './control-plane/launch.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Suites that run controllers under the roles of deploy/, and record their requests. */
const ROLE_SUITES = [
  'test/controllers',
  'test/operator',
  'test/takeover',
  'test/playground/scenarios.test.ts',
  'test/playground/roles.test.ts',
  'test/e2e/story.test.ts',
  'test/e2e/any-order.test.ts',
];
const CONFIG = 'vitest.cluster.config.ts';
const ROLES = 'test/cluster/roles.cluster.test.ts';
const say = (line: string) => console.log(`test:cluster: ${line}`);

const binaries = await findBinaries(say);
if ('missing' in binaries) {
  say('*** SKIPPED: no real control plane ***');
  say(binaries.missing);
  say('point KUBEBUILDER_ASSETS at kube-apiserver and etcd, or install Go, to run these suites');
  process.exit(0);
}

const { folder } = binaries;
say(`starting kube-apiserver ${KUBERNETES_VERSION} from ${folder}`);
const plane = await launchControlPlane(folder, { controllers: 'collectors', scheduler: false });
say(`it is at ${plane.url}`);
const records = mkdtempSync(join(tmpdir(), 'chandler-role-use-'));
try {
  const given = process.argv.slice(2);
  const roles = given.length === 0 || given.includes('roles');
  const only = given.includes('roles') ? ['story'] : given;
  let code = vitest(['--config', CONFIG, '--exclude', ROLES, ...only]);
  if (code === 0 && roles) {
    say('running the suites of the controllers under deploy/rbac.yaml, to see which rules they use');
    code = vitest(ROLE_SUITES) || vitest(['--config', CONFIG, ROLES]);
  }
  process.exitCode = code;
} finally {
  await plane.stop();
  rmSync(records, { recursive: true, force: true });
}

function vitest(args: readonly string[]): number {
  const result = spawnSync(join(ROOT, 'node_modules', '.bin', 'vitest'), ['run', ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      CHANDLER_TEST_SERVER: plane.url,
      CHANDLER_TEST_TOKEN: plane.token,
      CHANDLER_TEST_CA: plane.caFile,
      CHANDLER_TEST_KUBECONFIG: plane.kubeconfig,
      CHANDLER_TEST_BINARIES: folder,
      CHANDLER_ROLE_USE: records,
    },
  });
  return result.status ?? 1;
}
