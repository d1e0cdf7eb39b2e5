/** A good machine, and preflight on it with something changed; for tests of the checks. */
import type { Clock } from '@chandler/kube';
import { instantWorld } from '../../../../../test/flexnode/instant-world.ts';
import type { AzureClient } from '../azure/azure-client.ts';
import { sampleConfig } from '../config/config.fixture.ts';
import type { FlexConfig } from '../config/config.ts';
import { toLine } from '../engine/journal.ts';
import { JOURNAL_PATH, type Parts } from '../engine/parts.ts';
import type { FileInfo } from '../host/host.ts';
import { type FakeHostOptions, fakeHost } from '../kubelet/fake-host.fixture.ts';
import { type PreflightOptions, runPreflight } from './preflight.ts';
import type { PreflightReport } from './report.ts';

const GOOD_FILES: Readonly<Record<string, string>> = {
  '/etc/os-release': 'NAME="Ubuntu"\nID=ubuntu\nVERSION_ID="22.04"\n',
  '/proc/meminfo': 'MemTotal:        8133592 kB\n',
  '/proc/mounts': '/dev/sda1 / ext4 rw,relatime 0 0\n',
  '/proc/modules': 'br_netfilter 32768 0 - Live 0x0\n',
  '/proc/filesystems': 'nodev\toverlay\n',
  '/proc/swaps': 'Filename\tType\tSize\tUsed\tPriority\n',
  '/sys/fs/cgroup/cgroup.controllers': 'cpuset cpu io memory pids\n',
  '/proc/net/tcp': '  sl  local_address rem_address   st\n   0: 0100007F:0CEA 00000000:0000 0A\n',
};

const GOOD_COMMANDS: NonNullable<FakeHostOptions['commands']> = {
  'id -u': { stdout: '0\n' },
  hostname: { stdout: 'edge-01\n' },
  'systemctl --version': { stdout: 'systemd 249 (249.11-0ubuntu3)\n' },
  'systemctl is-system-running': { stdout: 'running\n' },
  'systemctl is-active': { exitCode: 3, stdout: 'inactive\n' },
  'systemctl is-enabled': ({ argv }) => ({
    exitCode: 1,
    stderr: `Failed to get unit file state for ${argv.at(-1)}: No such file or directory\n`,
  }),
  getent: { stdout: '20.0.0.1 STREAM x\n' },
  iptables: {},
  mount: {},
  modprobe: {},
  sysctl: {},
  tar: {},
};

export interface Around {
  readonly clock?: Partial<Clock>;
  readonly files?: Readonly<Record<string, string>>;
  readonly commands?: FakeHostOptions['commands'];
  readonly config?: FlexConfig;
  readonly freeBytes?: number;
  readonly facts?: Readonly<Record<string, string>>;
  readonly fetch?: (url: string) => Response;
  readonly serverVersion?: () => Promise<string>;
  readonly mayBind?: Parts['cluster']['mayBind'];
  readonly node?: Parts['cluster']['node'];
  readonly options?: Partial<PreflightOptions>;
  readonly azure?: Partial<AzureClient>;
  /** Owners and modes of directories. */
  readonly folders?: Readonly<Record<string, Partial<FileInfo>>>;
}

export const START = Date.UTC(2026, 0, 1);
export const answers =
  (offsetMs = 0) =>
  () =>
    new Response('', { headers: { date: new Date(START + offsetMs).toUTCString() } });

export async function preflight(around: Around = {}): Promise<{ report: PreflightReport; changed: number }> {
  const journal = Object.entries(around.facts ?? {}).map(([key, value]) =>
    toLine({ kind: 'fact', key, value }),
  );
  const host = fakeHost({
    files: {
      ...GOOD_FILES,
      ...(journal.length > 0 ? { [JOURNAL_PATH]: journal.join('') } : {}),
      ...around.files,
    },
    commands: { ...GOOD_COMMANDS, ...around.commands },
    ...(around.freeBytes === undefined ? {} : { freeBytes: around.freeBytes }),
  });
  const { lstat } = host;
  host.lstat = async (path) => {
    const folder = around.folders?.[path];
    if (folder === undefined) return lstat(path);
    return { kind: 'directory', mode: 0o755, uid: 0, gid: 0, size: 0, ...folder };
  };
  const fetch = around.fetch ?? answers();
  const world = instantWorld({ startMs: START, fetch: async (input) => fetch(String(input)) });
  const report = await runPreflight(
    {
      world: { ...world, clock: { ...world.clock, ...around.clock } },
      host: host as unknown as Parts['host'],
      config: around.config ?? pinned(sampleConfig(CURRENT)),
      cluster: {
        serverVersion: around.serverVersion ?? (async () => 'v1.33.1'),
        mayBind: around.mayBind ?? (async () => 'yes'),
        node: around.node ?? (async () => undefined),
      } as unknown as Parts['cluster'],
      architecture: 'amd64',
      ...(around.azure === undefined ? {} : { azure: around.azure as AzureClient }),
    },
    { signal: new AbortController().signal, ...around.options },
  );
  return { report, changed: host.changed.length };
}

/** Versions without a known escape. */
export const CURRENT = { containerd: { version: '2.3.4' }, runc: { version: '1.4.3' } };

/** The versions of the sample, with hashes. */
export function pinned(config: FlexConfig): FlexConfig {
  const { azure, kubernetes, containerd, runc, cni } = config;
  const keys = [
    ...['kubelet', 'kubectl', 'kubeadm'].map((name) => `${name}/${kubernetes.version}/amd64`),
    `containerd/${containerd.version}/amd64`,
    `runc/${runc.version}/amd64`,
    `cni-plugins/${cni.version}/amd64`,
    `azcmagent/${azure.arc.agentVersion}/amd64`,
  ];
  const sha256 = Object.fromEntries(keys.map((key) => [key, 'a'.repeat(64)]));
  return { ...config, downloads: { ...config.downloads, sha256 } };
}

export const of = (report: PreflightReport, name: string) =>
  report.checks.filter((check) => check.name === name);
