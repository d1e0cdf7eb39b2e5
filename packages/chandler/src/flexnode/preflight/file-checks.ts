/** Checks of the file systems and directories that a node relies on: mount options, owners, and the range of its pods. */
import { DEFAULT_POD_CIDR } from '../containerd/bridge-network.ts';
import { STATE_FOLDER } from '../engine/parts.ts';
import { devicesBefore, hadPods } from '../kubelet/pod-network.ts';
import { type Check, error, type Inspection, ok, textOf, warning } from './check.ts';
import type { Finding } from './report.ts';

export const FILE_CHECKS: readonly Check[] = [
  { name: 'host-os-configuration', look: writableFolders },
  { name: 'executable-mounts', look: executableMounts },
  { name: 'folder-owners', look: folderOwners },
  { name: 'pod-range', look: podRange },
];

// ---------------------------------------------------------------------------------------------------

interface Mount {
  readonly target: string;
  readonly options: readonly string[];
}

async function mountsOf(inspection: Inspection): Promise<readonly Mount[]> {
  return (await textOf(inspection, '/proc/mounts'))
    .split('\n')
    .map((line) => line.split(' '))
    .filter((fields) => fields.length > 3)
    .map(([, target, , options]) => ({
      target: target!.replaceAll('\\040', ' '),
      options: options!.split(','),
    }));
}

/** The mount that holds a path: the longest target, and of equal ones the last. */
function mountOf(mounts: readonly Mount[], folder: string): Mount | undefined {
  return mounts
    .filter(({ target }) => target === '/' || folder === target || folder.startsWith(`${target}/`))
    .sort((one, other) => one.target.length - other.target.length)
    .at(-1);
}

/** Not by writing: a read-only mount shows in the list of mounts. */
async function writableFolders(inspection: Inspection): Promise<readonly Finding[]> {
  const mounts = await mountsOf(inspection);
  const findings = ['/etc/sysctl.d', '/etc/systemd/system', '/usr/local/bin', '/var/lib'].flatMap(
    (folder) => {
      const mount = mountOf(mounts, folder);
      if (mount?.options.includes('ro') !== true) return [];
      const remedy = `Mount it writable: mount -o remount,rw ${mount.target}.`;
      return [error(`${folder} is on a read-only file system`, remedy, folder)];
    },
  );
  return findings.length > 0 ? findings : [ok('the system directories are writable')];
}

/** Programs of the node, and of the containers that it runs. */
async function executableMounts(inspection: Inspection): Promise<readonly Finding[]> {
  const { paths } = inspection.config;
  const mounts = await mountsOf(inspection);
  const folders = [
    '/usr/local/bin',
    '/usr/local/sbin',
    paths.cni.binDir,
    '/var/lib/containerd',
    paths.kubernetes.volumePluginDir,
  ];
  const findings = folders.flatMap((folder) => {
    const mount = mountOf(mounts, folder);
    if (mount?.options.includes('noexec') !== true) return [];
    const remedy = `Mount ${mount.target} without noexec (mount -o remount,exec ${mount.target}, and in /etc/fstab).`;
    return [error(`programs in ${folder} cannot be run: ${mount.target} is mounted noexec`, remedy, folder)];
  });
  return findings.length > 0 ? findings : [ok('programs can be run where they are installed')];
}

/**
 * A directory that another user can change lets that user replace what root runs. The owner of / counts as trusted, so
 * that a directory in the place of a machine can be checked, too.
 */
async function folderOwners({ host, config }: Inspection): Promise<readonly Finding[]> {
  const { kubernetes, cni } = config.paths;
  const trusted = new Set([0, (await host.lstat('/'))?.uid ?? 0]);
  const folders = [
    '/usr/local/bin',
    '/usr/local/sbin',
    '/etc/systemd/system',
    '/etc/sysctl.d',
    '/etc/containerd',
    '/etc/aks-flex-node',
    kubernetes.configDir,
    kubernetes.certsDir,
    kubernetes.manifestsDir,
    kubernetes.volumePluginDir,
    kubernetes.kubeletDir,
    cni.binDir,
    cni.confDir,
    STATE_FOLDER,
    config.agent.logDir,
  ];
  const findings: Finding[] = [];
  for (const folder of new Set(folders.flatMap(withParents))) {
    const info = await host.lstat(folder);
    if (info?.kind !== 'directory') continue;
    const mode = info.mode.toString(8).padStart(4, '0');
    const remedy = `Run chown root:root ${folder} && chmod go-w ${folder}.`;
    if (!trusted.has(info.uid))
      findings.push(
        error(`the directory belongs to user ${info.uid}, who can replace its files`, remedy, folder),
      );
    else if ((info.mode & 0o002) !== 0)
      findings.push(error(`all users can change the directory (mode ${mode})`, remedy, folder));
    else if ((info.mode & 0o020) !== 0 && info.gid !== 0 && folder !== LOG_FOLDER)
      findings.push(warning(`group ${info.gid} can change the directory (mode ${mode})`, remedy, folder));
  }
  return findings.length > 0 ? findings : [ok('only root can change the directories of the node')];
}

/** Ubuntu lets the group of its log service write here; root runs nothing from it. */
const LOG_FOLDER = '/var/log';

function withParents(path: string): readonly string[] {
  const parts = path.split('/').slice(1);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
}

/** The bridge network and the networks of the machine must be different, or one of them cannot be reached. */
async function podRange(inspection: Inspection): Promise<readonly Finding[]> {
  const { bridge } = inspection.config.cni;
  if (bridge?.write === false) return [];
  const cidr = bridge?.podCidr ?? DEFAULT_POD_CIDR;
  const own = rangeOf(cidr);
  if (own === undefined) return [];
  const routes = await routesOf(inspection);
  const all = routes.filter(
    ({ device, range }) => !BRIDGES.has(device) && range.bits > 0 && overlaps(range, own),
  );
  if (all.length === 0) return [ok('the range of pods is not a network of this machine', cidr)];
  const isOfMachine = machineDevices(inspection, routes);
  const overlapping = all.filter(({ device }) => isOfMachine(device));
  if (overlapping.length === 0)
    return [ok('the range of pods is used by the network of the cluster: pods run on this machine', cidr)];
  return overlapping.map(({ device, text }) =>
    error(
      `the range of pods overlaps the network ${text} of ${device}`,
      'Set cni.bridge.podCidr to a range that neither the machine nor the cluster uses.',
      cidr,
    ),
  );
}

/**
 * Once pods have run here, the network plugin of the cluster has devices and routes in the range. What was there before is of
 * the machine; where that was not recorded, it is what has a default route.
 */
function machineDevices({ facts }: Inspection, routes: readonly Route[]): (device: string) => boolean {
  if (!hadPods(facts)) return () => true;
  const before = devicesBefore(facts);
  const uplinks = routes.filter(({ range }) => range.bits === 0).map(({ device }) => device);
  const ofMachine = new Set(before ?? uplinks);
  return (device) => ofMachine.has(device);
}

/** The bridge of pods itself, of this agent or of a network plugin. */
const BRIDGES: ReadonlySet<string> = new Set(['cni0', 'cbr0']);

interface Route {
  readonly device: string;
  readonly range: Range;
  readonly text: string;
}

interface Range {
  readonly address: number;
  readonly bits: number;
}

function rangeOf(cidr: string): Range | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(cidr);
  if (match === null) return undefined;
  const [a, b, c, d, bits] = match.slice(1).map(Number) as [number, number, number, number, number];
  return { address: ((a << 24) | (b << 16) | (c << 8) | d) >>> 0, bits };
}

function overlaps(one: Range, other: Range): boolean {
  const bits = Math.min(one.bits, other.bits);
  if (bits === 0) return true;
  const mask = (0xffffffff << (32 - bits)) >>> 0;
  return (one.address & mask) >>> 0 === (other.address & mask) >>> 0;
}

/** From the kernel's table, where addresses are hexadecimal with the lowest byte first. */
async function routesOf(inspection: Inspection): Promise<readonly Route[]> {
  const lines = (await textOf(inspection, '/proc/net/route')).split('\n').slice(1);
  return lines.flatMap((line) => {
    const [device, destination, , , , , , mask] = line.trim().split(/\s+/);
    if (device === undefined || destination === undefined || mask === undefined) return [];
    const bytes = [6, 4, 2, 0].map((at) => Number.parseInt(destination.slice(at, at + 2), 16));
    const bits = Number.parseInt(mask, 16).toString(2).replaceAll('0', '').length;
    const text = `${bytes.join('.')}/${bits}`;
    const range = rangeOf(text);
    return range === undefined ? [] : [{ device, range, text }];
  });
}
