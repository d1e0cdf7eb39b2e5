/**
 * `npm run test:flexnode`: a real machine (systemd-nspawn, systemd, containerd, runc, kubelet) is bootstrapped with the
 * single executable, joins a real kube-apiserver, runs a pod, and is restored. If a requirement is missing, the suite
 * prints it and is skipped. Arguments are passed to the scenario.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findBinaries, onPath } from '../cluster/control-plane/binaries.ts';
import { findBaseTree } from '../machines/machine.ts';
import { findPrograms } from '../machines/programs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const say = (line: string) => console.log(`test:flexnode: ${line}`);

const lacking = await whatLacks();
if (lacking !== undefined) {
  say('*** SKIPPED: no machine to bootstrap ***');
  say(lacking);
  process.exit(0);
}

const executable = join(ROOT, 'dist', 'chandler-flexnode');
if (!existsSync(executable) || !process.argv.includes('--keep-build')) {
  say('building the executable');
  const built = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, stdio: 'inherit' });
  if (built.status !== 0) process.exit(1);
}
// A network and a /run of its own: nothing that the machine does to its network reaches this one, and nothing stays.
const setUp = [
  'set -e',
  'mount -t tmpfs tmpfs /run',
  'ip link set lo up',
  'ip link add eth0 type veth peer name far',
  'ip address add 10.77.0.2/24 dev eth0',
  'ip link set eth0 up',
  'ip link set far up',
  'ip route add default via 10.77.0.1 dev eth0',
  // Answered at once instead of after a time-out: a kubelet asks around for the cloud it may be in.
  'ip route add unreachable 169.254.0.0/16',
  'exec "$@"',
].join('; ');
const scenario = join(import.meta.dirname, 'nspawn', 'scenario.ts');
const args = process.argv.slice(2).filter((each) => each !== '--keep-build');
// Both ways to authenticate, unless one is named or a run is recorded.
const modes = args.length > 0 ? [args] : [[], ['--arc-token']];
for (const mode of modes) {
  say(mode.includes('--arc-token') ? 'with security.tlsBootstrap false' : 'with the default config');
  const ran = spawnSync(
    'unshare',
    [
      '--mount',
      '--net',
      '--propagation',
      'private',
      'sh',
      '-c',
      setUp,
      'sh',
      process.execPath,
      scenario,
      executable,
      ...mode,
    ],
    { cwd: ROOT, stdio: 'inherit' },
  );
  if (ran.status !== 0) process.exit(ran.status ?? 1);
}

// ---------------------------------------------------------------------------------------------------

async function whatLacks(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'it takes Linux';
  if (process.getuid?.() !== 0) return 'it takes root: a machine is booted';
  for (const tool of ['systemd-nspawn', 'unshare', 'nsenter', 'ip'])
    if (!onPath(tool)) return `there is no ${tool} (Debian packages systemd-container, util-linux, iproute2)`;
  const found = [await findBinaries(say), await findPrograms(say), await findBaseTree(say)];
  for (const each of found) if ('missing' in each) return each.missing;
  return undefined;
}
