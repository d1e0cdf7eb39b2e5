/**
 * Step 3: the folders that everything later lives in. What is there keeps its content and its owner's choices: a folder
 * is made stricter where it is more open than it should be, never more open, and never emptied.
 */
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import type { Step } from '../step.ts';

export interface Folder {
  readonly path: string;
  readonly mode: number;
  /** Others fill it (kubelet, the cluster's network): where we made it, all of it goes with us. */
  readonly shared: boolean;
}

export const directories: Step = {
  id: 'directories',
  name: 'DirectoriesCreated',
  title: 'Create directories',
  phase: 'installation',

  inputs: ({ config }) => folders(config),

  async validate({ host, config }) {
    for (const { path } of folders(config)) {
      const kind = await kindOf(host, path);
      if (kind === undefined || kind === 'directory') continue;
      throw new FlexError({
        class: 'step',
        code: 'directories.not-a-directory',
        where: path,
        message: `${path} exists but is not a directory`,
        remedy: `Check it (\`ls -ld ${path}\`) and move it, or set another path in the config.`,
      });
    }
  },

  async isCompleted({ host, config }) {
    for (const folder of folders(config)) {
      if ((await modeToSet(host, folder)) !== undefined) return false;
    }
    return true;
  },

  async execute({ host, config }) {
    for (const folder of folders(config)) {
      if (folder.shared) await host.claim(folder.path);
      const mode = await modeToSet(host, folder);
      if (mode !== undefined) await host.makeDirectory(folder.path, mode);
    }
  },

  undo: async () => [],
};

/** Parents first. */
export function folders(config: FlexConfig): readonly Folder[] {
  const { kubernetes, cni } = config.paths;
  const all: readonly Folder[] = [
    { path: kubernetes.configDir, mode: 0o755, shared: true },
    { path: kubernetes.manifestsDir, mode: 0o755, shared: true },
    { path: kubernetes.certsDir, mode: 0o755, shared: false },
    { path: kubernetes.volumePluginDir, mode: 0o755, shared: true },
    { path: cni.confDir, mode: 0o755, shared: true },
    { path: cni.binDir, mode: 0o755, shared: true },
    { path: cni.libDir, mode: 0o755, shared: true },
    { path: kubernetes.kubeletDir, mode: 0o750, shared: true },
    { path: `${kubernetes.kubeletDir}/pods`, mode: 0o750, shared: true },
    { path: '/var/log/pods', mode: 0o755, shared: true },
    { path: '/var/log/containers', mode: 0o755, shared: true },
    { path: '/etc/containerd', mode: 0o755, shared: false },
  ];
  return all.filter(({ path }, at) => all.findIndex((other) => other.path === path) === at);
}

// ---------------------------------------------------------------------------------------------------

/** `undefined`: it is there and no more open than it should be. */
async function modeToSet(host: Host, { path, mode }: Folder): Promise<number | undefined> {
  const info = await host.lstat(path);
  if (info === undefined) return mode;
  // A link to a directory is its owner's way to keep it on another disk; `validate` saw that it leads to one.
  if (info.kind === 'symlink') return undefined;
  return (info.mode & ~mode & 0o777) === 0 ? undefined : info.mode & mode;
}

async function kindOf(host: Host, path: string, hops = 0): Promise<string | undefined> {
  const info = await host.lstat(path);
  if (info?.kind !== 'symlink' || info.target === undefined || hops > 8) return info?.kind;
  const base = path.slice(0, path.lastIndexOf('/'));
  return await kindOf(host, info.target.startsWith('/') ? info.target : `${base}/${info.target}`, hops + 1);
}
