/**
 * A machine for tests: a Debian with systemd that systemd-nspawn boots from a folder, in the network namespace of
 * its parent, or on a bridge of it. The folder can be read from outside; commands run inside by entering its namespaces.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheFolder, onPath, withLock } from '../cluster/control-plane/binaries.ts';
import { ControlGroups } from './control-groups.ts';

const SUITE = 'bookworm';
const PACKAGES = [
  'systemd',
  'systemd-sysv',
  'dbus',
  'iproute2',
  'iptables',
  'kmod',
  'procps',
  'mount',
  'ca-certificates',
];
const BOOT_TIMEOUT_MS = 60_000;

export interface Machine {
  /** Its root, seen from outside. */
  readonly root: string;
  run(argv: readonly string[], options?: RunOptions): Promise<Ran>;
  stop(): Promise<void>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly onLine?: (line: string) => void;
  readonly timeoutMs?: number;
}

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type BaseTree = { readonly folder: string } | { readonly missing: string };

/** The tree that machines are copied from, made once. */
export async function findBaseTree(say: (line: string) => void): Promise<BaseTree> {
  const folder = join(cacheFolder(), `machine-${SUITE}-1`);
  if (existsSync(folder)) return { folder };
  if (!onPath('debootstrap')) return { missing: 'there is no debootstrap (Debian package debootstrap)' };
  mkdirSync(cacheFolder(), { recursive: true });
  return withLock(`${folder}.lock`, say, () => {
    if (existsSync(folder)) return { folder };
    say(`making a ${SUITE} tree with systemd (once; a minute or two)`);
    const partial = `${folder}.${process.pid}`;
    const mirror = packageMirror();
    const flags = ['--variant=minbase', `--include=${PACKAGES.join(',')}`, SUITE, partial];
    const result = spawnSync('debootstrap', [...flags, ...(mirror === undefined ? [] : [mirror])], {
      encoding: 'utf8',
    });
    if (result.status !== 0) {
      rmSync(partial, { recursive: true, force: true });
      return { missing: `debootstrap failed: ${result.stdout.trim().split('\n').slice(-2).join(' | ')}` };
    }
    rmSync(join(partial, 'var', 'cache', 'apt', 'archives'), { recursive: true, force: true });
    renameSync(partial, folder);
    return { folder };
  });
}

export interface MachineOptions {
  /** Of systemd-nspawn; machines that run at the same time have different ones. */
  readonly name: string;
  /** A network of its own, whose interface `host0` is on this bridge. Default: the network of its parent. */
  readonly bridge?: string;
}

/** Boots a copy of the tree. `prepare` may put files into it before. */
export async function bootMachine(
  base: string,
  folder: string,
  prepare: (root: string) => void,
  options: MachineOptions,
): Promise<Machine> {
  const root = join(folder, 'machine');
  spawnSync('cp', ['-a', '--no-target-directory', base, root]);
  prepare(root);
  const log = openSync(join(folder, 'nspawn.log'), 'w');
  const groups = new ControlGroups(`chandler-${options.name}-${randomUUID()}`);
  const nspawn = spawn('sh', [...groups.entering(), 'systemd-nspawn', ...nspawnFlags(root, options)], {
    stdio: ['ignore', log, log],
    env: { ...process.env, SYSTEMD_NSPAWN_API_VFS_WRITABLE: '1', SYSTEMD_SECCOMP: '0' },
  });
  try {
    const leader = await leaderOf(nspawn, join(folder, 'nspawn.log'));
    const stop = async () => {
      await powerOff(nspawn, leader);
      groups.remove();
    };
    const machine = { root, run: enter(leader), stop };
    await untilBooted(machine);
    return machine;
  } catch (error) {
    nspawn.kill('SIGKILL');
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------

function packageMirror(): string | undefined {
  const folder = '/etc/apt/sources.list.d';
  const files = [
    '/etc/apt/sources.list',
    ...(existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []),
  ];
  const text = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'));
  return /^(?:deb (?:\[[^\]]*\] )?|URIs: )(https?:\S+)/m.exec(text.join('\n'))?.[1];
}

function nspawnFlags(root: string, { name, bridge }: MachineOptions): string[] {
  return [
    '--quiet',
    `--directory=${root}`,
    `--machine=${name}`,
    ...(bridge === undefined ? [] : [`--network-bridge=${bridge}`]),
    '--register=no',
    '--keep-unit',
    '--capability=all',
    '--bind=/dev/kmsg',
    '--resolv-conf=off',
    '--timezone=off',
    '--console=pipe',
    '--boot',
  ];
}

async function leaderOf(nspawn: ChildProcess, logFile: string): Promise<number> {
  const deadline = Date.now() + BOOT_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (nspawn.exitCode !== null) break;
    const children = spawnSync('pgrep', ['-P', String(nspawn.pid)], { encoding: 'utf8' }).stdout.trim();
    const leader = children.split('\n').find((pid) => pid !== '' && isFirstInside(pid));
    if (leader !== undefined) return Number(leader);
    await sleep(100);
  }
  throw new Error(`systemd-nspawn did not start: ${readFileSync(logFile, 'utf8').slice(-1000)}`);
}

/** nspawn has helpers of its own while it sets up; the leader is process 1 of its own namespace. */
function isFirstInside(pid: string): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return /^NSpid:\s+\d+\s+1$/m.test(status) && /^Name:\s+systemd$/m.test(status);
  } catch {
    return false;
  }
}

function enter(leader: number): Machine['run'] {
  return (argv, options = {}) =>
    new Promise((resolve, reject) => {
      const env = {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        HOME: '/root',
        ...options.env,
      };
      const child = spawn(
        'nsenter',
        ['-t', String(leader), '-m', '-u', '-i', '-n', '-p', '-C', '--', ...argv],
        {
          stdio: ['ignore', 'pipe', 'pipe'],
          env,
        },
      );
      const said = { stdout: '', stderr: '' };
      for (const stream of ['stdout', 'stderr'] as const) {
        child[stream].setEncoding('utf8').on('data', (text: string) => {
          said[stream] += text;
          for (const line of text.split('\n')) if (line.trim() !== '') options.onLine?.(line);
        });
      }
      const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs ?? 120_000);
      child.once('error', reject);
      child.once('close', (code) => {
        clearTimeout(timer);
        resolve({ exitCode: code ?? 137, ...said });
      });
    });
}

async function untilBooted(machine: Pick<Machine, 'run'>): Promise<void> {
  const deadline = Date.now() + BOOT_TIMEOUT_MS;
  for (;;) {
    const { stdout, stderr } = await machine.run(['systemctl', 'is-system-running']);
    if (['running', 'degraded'].includes(stdout.trim())) break;
    if (Date.now() > deadline) throw new Error(`the machine did not boot: ${stdout.trim()} ${stderr.trim()}`);
    await sleep(200);
  }
  // nspawn mounts the control groups read-only; a kubelet has to make some.
  await machine.run([
    'sh',
    '-c',
    'mount -o remount,bind,rw /sys/fs/cgroup; for each in /sys/fs/cgroup/*; do mountpoint -q $each && mount -o remount,bind,rw $each; done; true',
  ]);
}

async function powerOff(nspawn: ChildProcess, leader: number): Promise<void> {
  if (nspawn.exitCode !== null) return;
  const ended = new Promise<void>((resolve) => nspawn.once('exit', () => resolve()));
  // The signal that asks the systemd inside to power off.
  spawnSync('kill', ['-s', 'RTMIN+4', String(leader)]);
  const hard = setTimeout(() => nspawn.kill('SIGKILL'), 20_000);
  await ended;
  clearTimeout(hard);
}
