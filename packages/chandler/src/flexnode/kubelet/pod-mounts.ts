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
 * The mounts at and below the kubelet's folder before its unit made it one, as JSON. Earlier versions recorded only whether
 * the folder was one: `yes` or `no`.
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
  const kubeletDir = await realPath(host, config.paths.kubernetes.kubeletDir);
  await facts.set(MOUNTED_BEFORE, JSON.stringify(mounts.filter((path) => isWithin(kubeletDir, path))));
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
  // The table of mounts has the paths behind links.
  const kubeletDir = await realPath(host, config.paths.kubernetes.kubeletDir);
  const before = mountsBefore(facts, kubeletDir);
  const volumes = await Promise.all(VOLUME_FOLDERS.map((each) => realPath(host, `${kubeletDir}/${each}`)));
  const ours = (path: string) =>
    (path === kubeletDir || volumes.some((each) => isWithin(each, path))) && !before.has(path);
  const mounted = (await mountPoints(host)) ?? [];
  const foreign = mounted.filter((path) => isWithin(kubeletDir, path) && !ours(path));
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

/** Where the kubelet and its volume plugins mount volumes. */
const VOLUME_FOLDERS = ['pods', 'plugins'] as const;

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function mountsBefore(facts: Pick<Facts, 'get'>, kubeletDir: string): ReadonlySet<string> {
  const recorded = facts.get(MOUNTED_BEFORE) ?? 'no';
  if (recorded === 'no') return new Set();
  return new Set(recorded === 'yes' ? [kubeletDir] : (JSON.parse(recorded) as string[]));
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
