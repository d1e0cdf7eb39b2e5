/** Checks of the machine: privileges, operating system, memory, disk, kernel. */
import { parseVersion } from '../kubelet/version.ts';
import { INSTALLING_STEPS } from '../step.ts';
import { isLoaded, MODULES, SYSCTLS, wrongSettings } from '../steps/kernel.ts';
import { keepsSwap } from '../steps/swap.ts';
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
  { name: 'systemd', look: systemd },
  { name: 'memory', look: memory },
  { name: 'disk-space', installedBy: INSTALLING_STEPS, look: diskSpace },
  { name: 'cgroups', look: cgroups },
  { name: 'kernel-modules', look: kernelModules },
  { name: 'host-packages', look: packages },
  { name: 'kernel-settings', look: kernelSettings },
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
  if (controllers[0] === '') return [cgroupV1(inspection)];
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

/** Kubelets from 1.35 on do not start with cgroup v1, unless their configuration allows it. */
function cgroupV1({ config }: Inspection): Finding {
  const { version } = config.kubernetes;
  const kubelet = parseVersion(version);
  const allowed = config.node.kubelet.extraConfig['failCgroupV1'] === false;
  const refuses = kubelet !== undefined && (kubelet.major > 1 || kubelet.minor >= 35) && !allowed;
  const boot = 'Remove systemd.unified_cgroup_hierarchy=0 from the kernel command line and reboot';
  return refuses
    ? error(
        `the machine uses cgroup v1, and kubelet ${version} does not start with it`,
        `${boot}, or set failCgroupV1: false in node.kubelet.extraConfig.`,
      )
    : warning('the machine uses cgroup v1', `${boot}. Kubelet 1.35 and later require cgroup v2.`);
}

/** What `protectKernelDefaults` of the kubelet requires: bootstrap sets it, if it can and nothing sets it back at boot. */
async function kernelSettings(inspection: Inspection): Promise<readonly Finding[]> {
  const mounts = (await textOf(inspection, '/proc/mounts')).split('\n').map((line) => line.split(' '));
  const system = mounts.filter(([, target]) => target === '/proc/sys').at(-1);
  const wrong = await wrongSettings(inspection.host);
  if (system?.[3]?.split(',').includes('ro') === true && wrong.length > 0) {
    return [
      error(
        `kernel settings cannot be changed, because /proc/sys is read-only: ${wrong.join(', ')}`,
        'Run on a machine or VM of its own, not in a container.',
      ),
    ];
  }
  const later: Finding[] = [];
  for (const name of await inspection.host.list('/etc/sysctl.d')) {
    if (!name.endsWith('.conf') || name <= SYSCTL_FILE) continue;
    const text = await textOf(inspection, `/etc/sysctl.d/${name}`);
    for (const [, key, value] of text.matchAll(/^\s*-?([\w./-]+)\s*=\s*(\S+)/gm)) {
      const setting = key!.replaceAll('/', '.');
      if (SYSCTLS[setting] === undefined || SYSCTLS[setting] === value) continue;
      later.push(
        error(
          `${setting} = ${value} is set after ${SYSCTL_FILE}, and the kubelet does not start with it after a reboot`,
          `Remove the line, or set it to ${SYSCTLS[setting]}.`,
          `/etc/sysctl.d/${name}`,
        ),
      );
    }
  }
  if (later.length > 0) return later;
  return [ok(wrong.length === 0 ? 'kernel settings are right' : `bootstrap sets ${wrong.join(', ')}`)];
}

const SYSCTL_FILE = '999-sysctl-aks.conf';

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
  if (keepsSwap(inspection.config)) return [ok('swap stays enabled (failSwapOn: false)')];
  return [
    warning(
      'swap is enabled; bootstrap disables it, also at boot (/etc/fstab, swap.target)',
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
