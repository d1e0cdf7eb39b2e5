/** The programs of a folder machine, in process: each works on the tree, so that a comparison of trees sees what it did. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command, CommandResult } from '../../packages/chandler/src/flexnode/testing.ts';
import { type FakeSystemd, said } from './fake-systemd.ts';

export interface ProgramSurroundings {
  readonly root: string;
  readonly systemd: FakeSystemd;
  /** Images in the namespaces of containerd besides that of the kubelet. */
  readonly namespaces: ReadonlyMap<string, readonly string[]>;
  /** `azcmagent connect`, with the content of its configuration file. */
  readonly onConnect: (config: Readonly<Record<string, string>>) => void;
}

/** `undefined`: there is command not found. */
export function runFakeProgram(around: ProgramSurroundings, command: Command): CommandResult | undefined {
  const [program, ...args] = command.argv;
  const name = program.slice(program.lastIndexOf('/') + 1);
  const known = PROGRAMS[name];
  if (known !== undefined && (!program.startsWith('/') || !program.startsWith('/usr/local/'))) {
    return known(around, args);
  }
  const path = program.startsWith('/') ? program : `/usr/local/bin/${program}`;
  return existsSync(around.root + path) ? installed(around, name, path, args) : undefined;
}

// ---------------------------------------------------------------------------------------------------

type Fake = (around: ProgramSurroundings, args: readonly string[]) => CommandResult | undefined;

const AGENT = '/opt/azcmagent/bin/azcmagent';
const AGENT_STATE = '/var/opt/azcmagent/agentconfig.json';
const AGENT_PROXY = '/var/opt/azcmagent/proxy.url';
const AGENT_PACKAGE = 'Package: azcmagent\nStatus: install ok installed\n';
const DPKG_STATUS = '/var/lib/dpkg/status';

const PROGRAMS: Readonly<Record<string, Fake>> = {
  systemctl: ({ systemd }, args) => systemd.run(args),
  modprobe: ({ root }, args) => (args[0] === '-r' ? unload(root, args[1]!) : load(root, args[0]!)),
  sysctl: ({ root }, args) => sysctl(root, args),
  swapoff: ({ root }) => {
    write(root, '/proc/swaps', `${read(root, '/proc/swaps').split('\n')[0]}\n`);
    return said(0);
  },
  swapon: ({ root }, [path]) => {
    const line = `${path!.padEnd(40)}file\t\t2097148\t\t0\t\t-2\n`;
    if (!read(root, '/proc/swaps').includes(path!))
      write(root, '/proc/swaps', read(root, '/proc/swaps') + line);
    return said(0);
  },
  findmnt: ({ root }) => said(0, `${mounts(root).join('\n')}\n`),
  umount: ({ root }, args) => {
    const target = args.at(-1)!;
    const lines = read(root, '/proc/mounts').split('\n');
    write(root, '/proc/mounts', lines.filter((line) => line.split(' ')[1] !== target).join('\n'));
    return said(0);
  },
  dpkg: ({ root }, args) => dpkg(root, args),
  'dpkg-query': ({ root }) =>
    read(root, DPKG_STATUS).includes(AGENT_PACKAGE) ? said(0, 'installed') : said(1, '', 'no packages found'),
  azcmagent: (around, args) => (existsSync(around.root + AGENT) ? azcmagent(around, args) : undefined),
  pgrep: () => said(1),
  'iptables-save': () => said(0),
  'ip6tables-save': () => said(0),
  journalctl: () => said(0),
};

/** What we installed says what is written in it: `runc version 1.1.12`. */
function installed(
  around: ProgramSurroundings,
  name: string,
  path: string,
  args: readonly string[],
): CommandResult {
  if (name === 'ctr' && args.includes('plugins'))
    return said(0, 'io.containerd.grpc.v1 cri linux/amd64 ok\n');
  if (name === 'ctr' && !args.includes('--version')) return ctr(around, args);
  return said(0, read(around.root, path));
}

function ctr({ systemd, namespaces }: ProgramSurroundings, args: readonly string[]): CommandResult {
  if (!systemd.active.has('containerd.service'))
    return said(1, '', 'ctr: failed to dial "/run/containerd/containerd.sock": connection refused');
  if (args.includes('namespaces')) return said(0, `${['k8s.io', ...namespaces.keys()].join('\n')}\n`);
  const images = namespaces.get(args[args.indexOf('--namespace') + 1] ?? '') ?? [];
  return said(0, args.includes('images') ? images.map((each) => `${each}\n`).join('') : '');
}

function load(root: string, module: string): CommandResult {
  if (module === 'overlay')
    write(root, '/proc/filesystems', `${read(root, '/proc/filesystems')}nodev\toverlay\n`);
  else {
    for (const key of ['iptables', 'ip6tables'])
      write(root, `/proc/sys/net/bridge/bridge-nf-call-${key}`, '0\n');
  }
  return said(0);
}

function unload(root: string, module: string): CommandResult {
  if (module === 'overlay') {
    write(root, '/proc/filesystems', read(root, '/proc/filesystems').replace('nodev\toverlay\n', ''));
  } else rmSync(`${root}/proc/sys/net/bridge`, { recursive: true, force: true });
  return said(0);
}

function sysctl(root: string, args: readonly string[]): CommandResult {
  if (args[0] === '--version') return said(0, 'sysctl from procps-ng 4.0.4\n');
  const text = args[0] === '-p' ? read(root, args[1]!) : args[1]!;
  for (const line of text.split('\n')) {
    const pair = /^\s*([\w.-]+)\s*=\s*(\S+)/.exec(line);
    if (pair === null) continue;
    const path = `/proc/sys/${pair[1]!.replaceAll('.', '/')}`;
    if (!existsSync(root + path)) return said(255, '', `sysctl: cannot stat ${path}`);
    write(root, path, `${pair[2]}\n`);
  }
  return said(0);
}

function dpkg(root: string, args: readonly string[]): CommandResult {
  const status = read(root, DPKG_STATUS).replace(AGENT_PACKAGE, '');
  if (args[0] === '--install') {
    write(root, AGENT, 'azcmagent version 1.59\n');
    write(root, DPKG_STATUS, status + AGENT_PACKAGE);
    return said(0);
  }
  for (const folder of ['/opt/azcmagent', '/var/opt/azcmagent']) {
    rmSync(root + folder, { recursive: true, force: true });
  }
  write(root, DPKG_STATUS, status);
  return said(0);
}

function azcmagent(around: ProgramSurroundings, args: readonly string[]): CommandResult {
  const { root } = around;
  const state = `${root}${AGENT_STATE}`;
  switch (args[0]) {
    case 'version':
      return said(0, 'azcmagent version 1.59.03320.759\n');
    case 'show':
      return said(
        0,
        existsSync(state) ? read(root, AGENT_STATE) : JSON.stringify({ status: 'Disconnected' }),
      );
    case 'connect': {
      const config = JSON.parse(read(root, args[args.indexOf('--config') + 1]!)) as Record<string, string>;
      around.onConnect(config);
      const shown = {
        status: 'Connected',
        subscriptionId: config['subscription-id'],
        resourceGroup: config['resource-group'],
        resourceName: config['resource-name'],
      };
      write(root, AGENT_STATE, JSON.stringify(shown));
      return said(0);
    }
    case 'disconnect':
      rmSync(state, { force: true });
      return said(0);
    case 'config':
      if (args[1] === 'set') write(root, AGENT_PROXY, `${args[3]}\n`);
      if (args[1] === 'clear') rmSync(root + AGENT_PROXY, { force: true });
      return said(0, args[1] === 'get' && existsSync(root + AGENT_PROXY) ? read(root, AGENT_PROXY) : '');
    default:
      return said(0);
  }
}

function mounts(root: string): string[] {
  return read(root, '/proc/mounts')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((target) => target !== '');
}

function read(root: string, path: string): string {
  return readFileSync(root + path, 'utf8');
}

function write(root: string, path: string, content: string): void {
  mkdirSync(dirname(root + path), { recursive: true });
  writeFileSync(root + path, content);
}
