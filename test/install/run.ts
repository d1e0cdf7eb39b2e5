/**
 * `npm run test:install`: the image and both charts on a real cluster of two machines (systemd-nspawn, containerd, kubelet,
 * kube-proxy) in two zones, against a simulated Azure and a simulated AWS: install, launch, upgrade, roll back, uninstall. If a
 * requirement is missing, the suite prints it and is skipped. `--no-build` takes the images of the last run; `--cloud` limits it to one cloud.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../../scripts/build/paths.ts';
import { debianProblem } from '../../scripts/image/debian.ts';
import { findTools } from '../charts/tools.ts';
import { findBinaries, onPath } from '../cluster/control-plane/binaries.ts';
import { KernelParameters } from '../machines/kernel-parameters.ts';
import { findBaseTree } from '../machines/machine.ts';
import { findPrograms } from '../machines/programs.ts';
import { ARCHIVES, buildImages } from './images.ts';
import { BRIDGE, GATEWAY } from './network.table.ts';

const { values } = parseArgs({
  options: { 'no-build': { type: 'boolean', default: false }, cloud: { type: 'string' } },
});
const say = (line: string) => console.log(`test:install: ${line}`);

const lacking = await whatLacks();
if (lacking !== undefined) {
  say('*** SKIPPED: no cluster to install on ***');
  say(lacking);
  process.exit(0);
}
if (!values['no-build'] || !ARCHIVES.every((file) => existsSync(file))) {
  say('building the image, and one with a newer version number');
  buildImages();
}
const CLOUDS = ['azure', 'aws'];
const clouds = CLOUDS.filter((name) => (values.cloud ?? name) === name);
if (clouds.length === 0) {
  say(`there is no cloud ${values.cloud}; there are: ${CLOUDS.join(', ')}`);
  process.exit(2);
}
const parameters = new KernelParameters();
for (const cloud of clouds) {
  say(`on a simulated ${cloud}`);
  const status = inOwnNamespaces([process.execPath, join(import.meta.dirname, 'scenario.ts'), cloud]);
  parameters.restore();
  if (status !== 0) process.exit(status);
}

// ---------------------------------------------------------------------------------------------------

/** A network, a /run and process IDs of its own: nothing reaches the machine below, and nothing is left when it ends. */
function inOwnNamespaces(command: readonly string[]): number {
  const setUp = [
    'set -e',
    'mount -t tmpfs tmpfs /run',
    'ip link set lo up',
    `ip link add ${BRIDGE} type bridge`,
    `ip address add ${GATEWAY}/24 dev ${BRIDGE}`,
    `ip link set ${BRIDGE} up`,
    'ip route add unreachable 169.254.0.0/16',
    'exec "$@"',
  ].join('; ');
  const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const flags = [...namespaces, '--propagation', 'private', 'sh', '-c', setUp, 'sh', ...command];
  return spawnSync('unshare', flags, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}

async function whatLacks(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'it takes Linux';
  if (process.getuid?.() !== 0) return 'it takes root: machines are booted';
  for (const tool of ['systemd-nspawn', 'unshare', 'nsenter', 'ip'])
    if (!onPath(tool)) return `there is no ${tool} (Debian packages systemd-container, util-linux, iproute2)`;
  const debian = debianProblem();
  if (debian !== undefined) return `the image cannot be built here: ${debian}`;
  for (const find of [findBaseTree, findBinaries, findPrograms, findTools]) {
    const found = await find(say);
    if ('missing' in found) return found.missing;
  }
  return undefined;
}
