/**
 * Mounts that pods and the kubelet's own unit make below the kubelet's folder. Those that were there before us are recorded and
 * stay, and so do later ones outside of the places where the kubelet mounts volumes.
 */
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import { realPath } from '../host/real-path.ts';
import type { Facts, Leftover } from '../step.ts';

/**
 * The mounts at and below the kubelet's folders before its unit made its folder one, as JSON: `Before`. Earlier versions
 * recorded an array of mounts, or only whether the folder was one: `yes` or `no`.
 */
const MOUNTED_BEFORE = 'mounts.kubelet-before';

/** Once, before anything of ours runs. */
export async function noteMount(host: Host, config: FlexConfig, facts: Facts): Promise<void> {
  if (facts.get(MOUNTED_BEFORE) !== undefined) return;
  const mounts = await mountPoints(host);
  if (mounts === undefined)
    throw new FlexError({
      class: 'step',
      code: 'mounts.list-failed',
      message: 'the mounts of the machine could not be listed, so unbootstrap could not keep them',
      remedy: `Check \`${FINDMNT.join(' ')}\`, then run bootstrap again.`,
      where: config.paths.kubernetes.kubeletDir,
    });
  const { kubeletDir, volumes } = await kubeletFolders(host, config);
  const folders = [kubeletDir, ...volumes];
  const before: Before = { folders, mounts: mounts.filter((path) => isWithinAny(folders, path)) };
  await facts.set(MOUNTED_BEFORE, JSON.stringify(before));
}

export async function forgetMount(facts: Facts): Promise<void> {
  await facts.delete(MOUNTED_BEFORE);
}

/** The fact is kept: unbootstrap may have to run again, and must not unmount the disk of the owner then. */
export async function unmountPods(
  host: Host,
  config: FlexConfig,
  facts: Facts,
): Promise<readonly Leftover[]> {
  const { kubeletDir, volumes } = await kubeletFolders(host, config);
  const before = mountsBefore(facts, config.paths.kubernetes.kubeletDir, kubeletDir);
  const isRecorded = (folder: string) => isWithinAny(before.folders, folder);
  const isVolume = (folder: string, path: string) =>
    path.startsWith(`${folder}/`) && (isRecorded(folder) || OF_KUBELET.test(path.slice(folder.length + 1)));
  const ours = (path: string) =>
    !before.mounts.includes(path) &&
    (path === kubeletDir ? isRecorded(path) : volumes.some((folder) => isVolume(folder, path)));
  const mounted = (await mountPoints(host)) ?? [];
  const foreign = mounted.filter((path) => isWithinAny([kubeletDir, ...volumes], path) && !ours(path));
  // Unmounted lazily, a mount takes those below it along.
  const carried = (path: string) => foreign.find((each) => each !== path && isWithin(path, each));
  // The last mounted lies on top.
  for (const path of mounted.filter((each) => ours(each) && carried(each) === undefined).reverse()) {
    const { exitCode } = await host.run({ argv: ['umount', path], changes: true, timeoutMs: 60_000 });
    if (exitCode !== 0) await host.run({ argv: ['umount', '-l', path], changes: true, timeoutMs: 60_000 });
  }
  const left = await mountPoints(host);
  if (left === undefined)
    return [
      {
        what: `mounts below ${kubeletDir}`,
        why: 'the mounts of the machine could not be listed',
        finish: [FINDMNT.join(' '), `umount ${kubeletDir}/<mount>`],
      },
    ];
  return [...new Set(left.filter(ours))].map((path): Leftover => {
    const what = `mount ${path}`;
    const other = carried(path);
    if (other === undefined)
      return { what, why: 'it is still in use', finish: [`fuser -vm ${path}`, `umount -l ${path}`] };
    const why = `${other}, which is not of the kubelet, is mounted below it`;
    return { what, why, finish: [`umount ${other}`, `umount ${path}`] };
  });
}

// ---------------------------------------------------------------------------------------------------

interface Before {
  /** Mounts at and below these were looked for. Behind a link that was not followed, a mount may be a disk of the owner. */
  readonly folders: readonly string[];
  readonly mounts: readonly string[];
}

/** Where the kubelet and its volume plugins mount volumes. Nothing of theirs is mounted at such a folder itself. */
const VOLUME_FOLDERS = ['pods', 'plugins'] as const;
/** `<uid>/volumes/…` and `<uid>/volume-subpaths/…` of pods, `kubernetes.io/csi/…` of plugins. */
const OF_KUBELET = /^(?:[^/]+\/volume|kubernetes\.io\/)/;

/** The table of mounts has the paths behind links. */
async function kubeletFolders(
  host: Host,
  config: FlexConfig,
): Promise<{ readonly kubeletDir: string; readonly volumes: readonly string[] }> {
  const kubeletDir = await realPath(host, config.paths.kubernetes.kubeletDir);
  const volumes = await Promise.all(VOLUME_FOLDERS.map((each) => realPath(host, `${kubeletDir}/${each}`)));
  return { kubeletDir, volumes };
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function isWithinAny(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => isWithin(folder, path));
}

/** @param configured The folder of the config: earlier versions did not follow links. */
function mountsBefore(facts: Pick<Facts, 'get'>, configured: string, kubeletDir: string): Before {
  const recorded = facts.get(MOUNTED_BEFORE) ?? 'no';
  if (recorded === 'no') return { folders: [configured], mounts: [] };
  if (recorded === 'yes') return { folders: [configured], mounts: [kubeletDir] };
  const before = JSON.parse(recorded) as Before | readonly string[];
  return 'folders' in before ? before : { folders: [configured], mounts: before };
}

const FINDMNT = ['findmnt', '-rno', 'TARGET'] as const;

/** In the order in which they were mounted; `undefined` if they cannot be listed. */
async function mountPoints(host: Host): Promise<readonly string[] | undefined> {
  const { exitCode, stdout } = await host.run({ argv: FINDMNT, changes: false, timeoutMs: 15_000 });
  if (exitCode !== 0) return undefined;
  const plain = (path: string) =>
    path.replace(/\\x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return stdout
    .split('\n')
    .map((line) => plain(line.trim()))
    .filter((path) => path !== '');
}
