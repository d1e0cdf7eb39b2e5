/** Mounts that pods and the kubelet's own unit make below the kubelet's folder. One that was there before us is noted, and stays. */
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import type { Facts, Leftover } from '../step.ts';

/** `yes`: the kubelet's folder was a mount of its own before its unit made it one. */
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
  await facts.set(MOUNTED_BEFORE, mounts.includes(config.paths.kubernetes.kubeletDir) ? 'yes' : 'no');
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
  const { kubeletDir } = config.paths.kubernetes;
  const ours = (path: string) =>
    path.startsWith(`${kubeletDir}/`) || (path === kubeletDir && facts.get(MOUNTED_BEFORE) !== 'yes');
  // The last mounted lies on top.
  for (const path of ((await mountPoints(host)) ?? []).filter(ours).reverse()) {
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
  return left.filter(ours).map((path) => ({
    what: `mount ${path}`,
    why: 'it is still in use',
    finish: [`fuser -vm ${path}`, `umount -l ${path}`],
  }));
}

// ---------------------------------------------------------------------------------------------------

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
