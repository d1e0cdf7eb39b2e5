/**
 * systemd of a folder machine: units are files of the tree, `enabled` is the link that systemctl would make, `active` is
 * kept here. Starting containerd or the kubelet leaves what the real ones leave: a socket, data, mounts.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { CommandResult } from '../../packages/chandler/src/flexnode/testing.ts';
import { DEVICE_PLUGINS, kubeletFlags } from './kubelet-flags.ts';

export interface FakeSystemd {
  readonly active: Set<string>;
  /** `restart kubelet.service`, in order. */
  readonly acts: string[];
  run(args: readonly string[]): CommandResult;
}

export interface UnitHooks {
  /** Before a unit is started, restarted or stopped. */
  readonly before?: () => void;
  readonly onStart?: (unit: string) => void;
}

export function fakeSystemd(root: string, { before, onStart }: UnitHooks = {}): FakeSystemd {
  const active = new Set<string>(['ssh.service']);
  const acts: string[] = [];
  const link = (unit: string) => `${root}/etc/systemd/system/multi-user.target.wants/${unit}`;
  const isEnabled = (unit: string) => lstatSync(link(unit), { throwIfNoEntry: false }) !== undefined;
  const fileOf = (unit: string) =>
    ['/etc/systemd/system', '/lib/systemd/system']
      .map((folder) => `${folder}/${unit}`)
      .find((path) => existsSync(root + path));
  const start = (unit: string): CommandResult => {
    if (fileOf(unit) === undefined) return said(5, '', `Unit ${unit} not found.`);
    active.add(unit);
    leave(root, unit);
    onStart?.(unit);
    return said(0);
  };
  const acting: Readonly<Record<string, (unit: string) => CommandResult>> = {
    start,
    restart: start,
    stop: (unit) => {
      active.delete(unit);
      return said(0);
    },
    enable: (unit) => {
      const file = fileOf(unit);
      if (file === undefined) return said(1, '', `Unit file ${unit} does not exist.`);
      if (!isEnabled(unit)) symlinkSync(file, link(unit));
      return said(0);
    },
    disable: (unit) => {
      rmSync(link(unit), { force: true });
      return said(0);
    },
    'reset-failed': () => said(0),
    'daemon-reload': () => said(0),
  };
  const asking: Readonly<Record<string, (unit: string) => CommandResult>> = {
    'is-active': (unit) => (active.has(unit) ? said(0, 'active\n') : said(3, 'inactive\n')),
    'is-enabled': (unit) => {
      if (isEnabled(unit)) return said(0, 'enabled\n');
      return fileOf(unit) === undefined
        ? said(1, '', `Failed to get unit file state for ${unit}: No such file or directory`)
        : said(1, 'disabled\n');
    },
    show: () => said(0, '0\n'),
  };
  return {
    active,
    acts,
    run(args) {
      const [verb = '', ...rest] = args.filter((arg) => !arg.startsWith('-'));
      const unit = nameOf(rest.at(-1) ?? '');
      const act = acting[verb];
      if (act !== undefined) {
        acts.push(`${verb} ${unit}`.trim());
        before?.();
        return act(unit);
      }
      return asking[verb]?.(unit) ?? said(1, '', `Unknown command verb ${verb}.`);
    },
  };
}

export function said(exitCode: number, stdout = '', stderr = ''): CommandResult {
  return { exitCode, stdout, stderr };
}

// ---------------------------------------------------------------------------------------------------

function nameOf(unit: string): string {
  return unit === '' || /\.(?:service|slice|target|mount)$/.test(unit) ? unit : `${unit}.service`;
}

interface Remains {
  readonly files: Readonly<Record<string, string>>;
  readonly mounts?: readonly string[];
}

const LEFT: Readonly<Record<string, (root: string) => Remains>> = {
  'containerd.service': () => ({
    files: {
      '/run/containerd/containerd.sock': '',
      '/var/lib/containerd/io.containerd.metadata.v1.bolt/meta.db': 'data',
      '/opt/containerd/lib/readme': '',
    },
  }),
  'kubelet.service': (root) => {
    const { rootDir, certDir } = kubeletFlags(root);
    return {
      files: {
        [`${rootDir}/cpu_manager_state`]: '{}',
        [`${certDir}/kubelet.crt`]: 'certificate',
        [`${DEVICE_PLUGINS}/kubelet_internal_checkpoint`]: '{}',
        [`${rootDir}/pods/1111/etc-hosts`]: '127.0.0.1 localhost',
        '/var/log/pods/kube-system_a_1111/a/0.log': 'a line',
        '/var/log/containers/a.log': 'a line',
      },
      mounts: [rootDir, `${rootDir}/pods/1111/volumes`],
    };
  },
};

function leave(root: string, unit: string): void {
  const { files, mounts: mounted = [] } = LEFT[unit]?.(root) ?? { files: {} };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(root + path), { recursive: true });
    writeFileSync(root + path, content);
  }
  const mounts = readFileSync(`${root}/proc/mounts`, 'utf8');
  // The kernel lists the paths behind links.
  const real = (path: string) => {
    mkdirSync(root + path, { recursive: true });
    return realpathSync(root + path).slice(realpathSync(root).length);
  };
  const added = mounted.map(real).filter((path) => !mounts.includes(` ${path} `));
  writeFileSync(
    `${root}/proc/mounts`,
    mounts + added.map((path) => `/dev/sda1 ${path} ext4 rw 0 0\n`).join(''),
  );
}
