/** Checks of the machine: privileges, operating system, memory, disk, kernel. */
import { isLoaded, MODULES } from '../steps/kernel.ts';
import { type Check, error, type Inspection, ok, outputOf, textOf, warning } from './check.ts';
import type { Finding } from './report.ts';

const GIB = 1024 ** 3;
/** Slightly less than 2 GB, because firmware and kernel reserve some memory. */
const MIN_MEMORY_BYTES = 1.7 * GIB;
const MIN_DISK_BYTES = 8 * GIB;
const RECOMMENDED_DISK_BYTES = 25 * 1000 ** 3;
const SUPPORTED = new Set(['ubuntu 22.04', 'ubuntu 24.04']);

export const MACHINE_CHECKS: readonly Check[] = [
  { name: 'is-privileged-user', look: privilegedUser },
  { name: 'operating-system', look: operatingSystem },
  { name: 'host-os-configuration', look: writableFolders },
  { name: 'systemd', look: systemd },
  { name: 'memory', look: memory },
  { name: 'disk-space', look: diskSpace },
  { name: 'cgroups', look: cgroups },
  { name: 'kernel-modules', look: kernelModules },
  { name: 'host-packages', look: packages },
  { name: 'swap-active', look: swap },
  { name: 'selinux', look: selinux },
];

// ---------------------------------------------------------------------------------------------------

async function privilegedUser(inspection: Inspection): Promise<readonly Finding[]> {
  const uid = (await outputOf(inspection, 'id', '-u'))?.trim();
  return uid === '0'
    ? [ok('running as root')]
    : [
        error(
          'not running as root',
          'Run the command with sudo: programs, kernel settings and services require root.',
        ),
      ];
}

async function operatingSystem(inspection: Inspection): Promise<readonly Finding[]> {
  const text = await textOf(inspection, '/etc/os-release');
  const value = (key: string) =>
    new RegExp(`^${key}=["']?([^"'\\n]*)`, 'm').exec(text)?.[1]?.toLowerCase() ?? '';
  const name = `${value('ID')} ${value('VERSION_ID')}`.trim();
  if (SUPPORTED.has(name)) return [ok(`the operating system is ${name}`)];
  const message = `the operating system is ${name === '' ? 'unknown' : name}; only Ubuntu 22.04 and 24.04 are supported`;
  const remedy = 'Use Ubuntu 22.04 or 24.04, or continue with `--allow-unsupported-os`.';
  if (inspection.allowUnsupportedOs || value('ID') === 'ubuntu') return [warning(message, remedy)];
  return [error(message, remedy)];
}

/** Not by writing: a read-only mount shows in the list of mounts. */
async function writableFolders(inspection: Inspection): Promise<readonly Finding[]> {
  const mounts = (await textOf(inspection, '/proc/mounts'))
    .split('\n')
    .map((line) => line.split(' '))
    .filter((fields) => fields.length > 3)
    .map(([, target, , options]) => ({ target: target!, readOnly: options!.split(',').includes('ro') }));
  const findings: Finding[] = [];
  for (const folder of ['/etc/sysctl.d', '/etc/systemd/system', '/usr/local/bin', '/var/lib']) {
    const mount = mounts
      .filter(({ target }) => target === '/' || folder === target || folder.startsWith(`${target}/`))
      .sort((one, other) => one.target.length - other.target.length)
      .at(-1);
    if (mount?.readOnly === true) {
      findings.push(
        error(
          `${folder} is on a read-only file system`,
          `Mount it writable: mount -o remount,rw ${mount.target}.`,
          folder,
        ),
      );
    }
  }
  return findings.length > 0 ? findings : [ok('the system directories are writable')];
}

async function systemd(inspection: Inspection): Promise<readonly Finding[]> {
  const version = /^systemd (\d+)/.exec((await outputOf(inspection, 'systemctl', '--version')) ?? '')?.[1];
  if (version === undefined)
    return [
      error('systemd is not installed', 'The node requires systemd, which containers and WSL 1 do not have.'),
    ];
  const state = (
    await inspection.host.run({ argv: ['systemctl', 'is-system-running'], changes: false })
  ).stdout.trim();
  if (state === 'offline' || state === '') {
    return [
      error(
        'systemd is not the init system of this machine',
        'Boot the machine with systemd (WSL: systemd=true in /etc/wsl.conf).',
      ),
    ];
  }
  return [ok(`systemd ${version} is running`)];
}

async function memory(inspection: Inspection): Promise<readonly Finding[]> {
  const kib = /^MemTotal:\s+(\d+) kB/m.exec(await textOf(inspection, '/proc/meminfo'))?.[1];
  if (kib === undefined) return [warning('the size of the memory could not be read', 'Run free -h.')];
  const bytes = Number(kib) * 1024;
  return bytes >= MIN_MEMORY_BYTES
    ? [ok(`${gigabytes(bytes)} of memory`)]
    : [error(`${gigabytes(bytes)} of memory; at least 2 GB are required`, 'Add memory to the machine.')];
}

async function diskSpace({ host, config }: Inspection): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const path of ['/var/lib', config.paths.kubernetes.kubeletDir]) {
    const free = await host.freeBytes(path);
    const remedy = 'Free disk space or use a larger disk: it stores images, containers and logs.';
    if (free < MIN_DISK_BYTES)
      findings.push(error(`${gigabytes(free)} free; at least 8 GB are required`, remedy, path));
    else if (free < RECOMMENDED_DISK_BYTES)
      findings.push(warning(`${gigabytes(free)} free; 25 GB are recommended`, remedy, path));
    else findings.push(ok(`${gigabytes(free)} free`, path));
  }
  return findings;
}

async function cgroups(inspection: Inspection): Promise<readonly Finding[]> {
  const controllers = (await textOf(inspection, '/sys/fs/cgroup/cgroup.controllers')).trim().split(/\s+/);
  if (controllers[0] === '') {
    return [
      warning(
        'the machine uses cgroup v1',
        'Remove systemd.unified_cgroup_hierarchy=0 from the kernel command line and reboot. Kubelet 1.35 and later require cgroup v2.',
      ),
    ];
  }
  const missing = ['cpu', 'memory', 'pids'].filter((name) => !controllers.includes(name));
  return missing.length === 0
    ? [ok('the machine uses cgroup v2 with all required controllers')]
    : [
        error(
          `cgroup controllers are missing: ${missing.join(', ')}`,
          'Remove cgroup_disable from the kernel command line and reboot.',
        ),
      ];
}

async function kernelModules(inspection: Inspection): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const name of MODULES) {
    if ((await isLoaded(inspection.host, name)) === true) findings.push(ok('is loaded', name));
    else if ((await outputOf(inspection, 'modprobe', '--dry-run', name)) !== undefined)
      findings.push(ok('can be loaded', name));
    else
      findings.push(
        error(
          'the kernel module is missing',
          'Install linux-modules-extra for this kernel, or use a stock kernel.',
          name,
        ),
      );
  }
  return findings;
}

async function packages({ host }: Inspection): Promise<readonly Finding[]> {
  const missing: string[] = [];
  for (const program of ['iptables', 'mount', 'modprobe', 'sysctl', 'tar']) {
    const { exitCode } = await host.run({ argv: [program, '--version'], changes: false });
    if (exitCode === 127) missing.push(program);
  }
  return missing.length === 0
    ? [ok('all required programs are installed')]
    : [
        warning(
          `missing programs: ${missing.join(', ')}`,
          'Run apt-get install -y iptables mount kmod procps tar.',
        ),
      ];
}

async function swap(inspection: Inspection): Promise<readonly Finding[]> {
  const areas = (await textOf(inspection, '/proc/swaps')).trim().split('\n').slice(1);
  if (areas.length === 0 || areas[0] === '') return [ok('swap is disabled')];
  return [
    warning(
      'swap is enabled; bootstrap disables it and removes it from /etc/fstab',
      'To keep swap enabled, set failSwapOn: false in node.kubelet.extraConfig.',
    ),
  ];
}

async function selinux(inspection: Inspection): Promise<readonly Finding[]> {
  const enforce = (await textOf(inspection, '/sys/fs/selinux/enforce')).trim();
  if (enforce !== '1') return [ok('SELinux is not enforcing')];
  return [
    warning(
      'SELinux is enforcing',
      'Install container-selinux and label /usr/local/bin, /opt/cni and /var/lib/kubelet (restorecon), or set SELinux to permissive.',
    ),
  ];
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1000 ** 3).toFixed(1)} GB`;
}
