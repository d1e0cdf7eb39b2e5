/**
 * Unmounts everything below a path of containerd before the path is removed, the deepest and latest mounts first. Elsewhere a
 * mount may be one of the owner.
 */
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';

/** Whether all mounts below the path are of containers. */
export function isContainerds(path: string): boolean {
  return ['/var/lib/containerd', '/run/containerd'].some(
    (folder) => path === folder || path.startsWith(`${folder}/`),
  );
}

export async function unmountBelow(host: Host, path: string): Promise<void> {
  for (const target of (await mountedBelow(host, path)).reverse()) {
    const plain = await host.run({ argv: ['umount', target], changes: true, timeoutMs: 60_000 });
    if (plain.exitCode === 0) continue;
    // It is still in use: a lazy unmount detaches it now and completes when the last process closes it.
    await host.run({ argv: ['umount', '-l', target], changes: true, timeoutMs: 60_000 });
  }
  const [still] = await mountedBelow(host, path);
  if (still === undefined) return;
  throw new FlexError({
    class: 'step',
    code: 'undo.mounted',
    message: `${still} could not be unmounted, so ${path} was not removed.`,
    where: still,
    remedy: `Find the process that uses it (\`fuser -vm ${still}\`), stop it, then run the same command again.`,
  });
}

// ---------------------------------------------------------------------------------------------------

/** In the order in which they were mounted. */
async function mountedBelow(host: Host, path: string): Promise<string[]> {
  const answer = await host.run({ argv: ['findmnt', '-rno', 'TARGET'], changes: false });
  if (answer.exitCode !== 0) return [];
  return answer.stdout
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/\\x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    )
    .filter((target) => target === path || target.startsWith(`${path}/`));
}
