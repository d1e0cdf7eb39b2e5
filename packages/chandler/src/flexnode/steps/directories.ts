/**
 * Step 3: the folders that everything later lives in. A folder that exists keeps its content and its mode: others may use it.
 */
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import { realPath } from '../host/real-path.ts';
import { DEFAULT_KUBELET_DIR, DEVICE_PLUGINS_DIR } from '../kubelet/paths.ts';
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
      const kind = (await host.lstat(await realPath(host, path)))?.kind;
      if (kind === undefined || kind === 'directory') continue;
      throw new FlexError({
        class: 'step',
        code: 'directories.not-a-directory',
        where: path,
        message: `${path} exists but is not a directory`,
        remedy: `Check it (\`ls -ld ${path}\`) and move it, or set another path in the config.`,
      });
    }
    const foreign = await foreignKubeletDir(host, config);
    if (foreign !== undefined) throw foreign;
  },

  async isCompleted({ host, config }) {
    for (const { path } of folders(config)) if ((await host.lstat(path)) === undefined) return false;
    return true;
  },

  async execute({ host, config, say }) {
    for (const { path, mode, shared } of folders(config)) {
      if (shared) await host.claim(path);
      const info = await host.lstat(await realPath(host, path));
      if (info === undefined) await host.makeDirectory(path, mode);
      else if ((info.mode & ~mode & 0o777) !== 0)
        say(
          `${path} exists with mode ${octal(info.mode)}, which is more open than ${octal(mode)}; it is not changed`,
        );
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
    { path: DEFAULT_KUBELET_DIR, mode: 0o750, shared: true },
    ...(kubernetes.kubeletDir === DEFAULT_KUBELET_DIR
      ? []
      : [{ path: DEVICE_PLUGINS_DIR, mode: 0o750, shared: true }]),
    { path: '/var/log/pods', mode: 0o755, shared: true },
    { path: '/var/log/containers', mode: 0o755, shared: true },
    { path: '/etc/containerd', mode: 0o755, shared: false },
  ];
  return all.filter(({ path }, at) => all.findIndex((other) => other.path === path) === at);
}

// ---------------------------------------------------------------------------------------------------

/** Names that a kubelet, or an installer of one, leaves in its folder. */
const OF_KUBELET =
  /^(?:pods|pki|plugins|plugins_registry|plugin-containers|pod-resources|device-plugins|checkpoints|seccomp|config\.yaml|kubeconfig|bootstrap-kubeconfig|kubeadm-flags\.env|instance-config\.yaml|[a-z_]+_manager_state|(?:allocated|actuated)_pods_state)$/;
/** In a folder that is empty all the same: of a new file system, and of the Debian package of the kubelet. */
const OF_EMPTY_FOLDERS: readonly string[] = ['lost+found', '.kubelet-keep'];

/** Pods may fill and delete what is in the folder of the kubelet, so it must not be a directory that others use. */
export async function foreignKubeletDir(
  host: Pick<Host, 'list'>,
  config: FlexConfig,
): Promise<FlexError | undefined> {
  const path = config.paths.kubernetes.kubeletDir;
  const names = (await host.list(path)).filter((name) => !OF_EMPTY_FOLDERS.includes(name));
  if (names.length === 0 || names.some((name) => OF_KUBELET.test(name))) return undefined;
  const some = names.slice(0, 3).join(', ') + (names.length > 3 ? `, and ${names.length - 3} more` : '');
  return new FlexError({
    class: 'config',
    code: 'directories.not-of-the-kubelet',
    where: path,
    message: `paths.kubernetes.kubeletDir is ${path}, which contains other files and nothing of a kubelet: ${some}`,
    remedy: `Set it to an empty directory, such as ${path}/kubelet.`,
  });
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
