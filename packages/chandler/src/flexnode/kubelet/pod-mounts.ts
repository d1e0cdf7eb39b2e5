/** Mounts that pods and the kubelet's own unit make below the kubelet's folder. One that was there before us is noted, and stays. */
import type { FlexConfig } from '../config/config.ts';
import type { Host } from '../host/host.ts';
import type { Facts, Leftover } from '../step.ts';

/** `yes`: the kubelet's folder was a mount of its own before its unit made it one. */
const MOUNTED_BEFORE = 'mounts.kubelet-before';

/** Once, before anything of ours runs. */
export async function noteMount(host: Host, config: FlexConfig, facts: Facts): Promise<void> {
  if (facts.get(MOUNTED_BEFORE) !== undefined) return;
  const mounted = (await mountPoints(host)).includes(config.paths.kubernetes.kubeletDir);
  await facts.set(MOUNTED_BEFORE, mounted ? 'yes' : 'no');
}

export async function unmountPods(
  host: Host,
  config: FlexConfig,
  facts: Facts,
): Promise<readonly Leftover[]> {
  const { kubeletDir } = config.paths.kubernetes;
  const ours = (path: string) =>
    path.startsWith(`${kubeletDir}/`) || (path === kubeletDir && facts.get(MOUNTED_BEFORE) !== 'yes');
  // The last mounted lies on top.
  for (const path of (await mountPoints(host)).filter(ours).reverse()) {
    const { exitCode } = await host.run({ argv: ['umount', path], changes: true, timeoutMs: 60_000 });
    if (exitCode !== 0) await host.run({ argv: ['umount', '-l', path], changes: true, timeoutMs: 60_000 });
  }
  const left = (await mountPoints(host)).filter(ours);
  if (left.length === 0) await facts.delete(MOUNTED_BEFORE);
  return left.map((path) => ({
    what: `mount ${path}`,
    why: 'it is still in use',
    finish: [`fuser -vm ${path}`, `umount -l ${path}`],
  }));
}

// ---------------------------------------------------------------------------------------------------

/** In the order in which they were mounted. */
async function mountPoints(host: Host): Promise<readonly string[]> {
  const { exitCode, stdout } = await host.run({
    argv: ['findmnt', '-rno', 'TARGET'],
    changes: false,
    timeoutMs: 15_000,
  });
  if (exitCode !== 0) return [];
  const plain = (path: string) =>
    path.replace(/\\x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return stdout
    .split('\n')
    .map((line) => plain(line.trim()))
    .filter((path) => path !== '');
}
