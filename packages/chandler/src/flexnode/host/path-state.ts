/** The state of a path that can be stored, compared and restored: kind, mode, owner, and the hash of the content. */
import { sha256 } from '../engine/fingerprint.ts';
import type { Host } from './host.ts';

export type PathState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'file';
      readonly sha256: string;
      readonly mode: number;
      readonly uid?: number;
      readonly gid?: number;
    }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'directory'; readonly mode: number; readonly uid?: number; readonly gid?: number }
  /** A socket or device, which cannot be restored. */
  | { readonly kind: 'other' };

export async function pathState(host: Host, path: string): Promise<PathState> {
  const info = await host.lstat(path);
  if (info === undefined) return { kind: 'absent' };
  const { mode, uid, gid } = info;
  if (info.kind === 'symlink') return { kind: 'symlink', target: info.target ?? '' };
  if (info.kind === 'directory') return { kind: 'directory', mode, uid, gid };
  if (info.kind === 'other') return { kind: 'other' };
  const content = await host.readFile(path);
  return content === undefined
    ? { kind: 'absent' }
    : { kind: 'file', sha256: sha256(content), mode, uid, gid };
}

/** The owner counts only where both say one: what we are about to write does not. */
export function sameState(a: PathState, b: PathState): boolean {
  if (a.kind === 'file' && b.kind === 'file') {
    return a.sha256 === b.sha256 && a.mode === b.mode && sameOwner(a, b);
  }
  if (a.kind === 'directory' && b.kind === 'directory') return a.mode === b.mode && sameOwner(a, b);
  if (a.kind === 'symlink' && b.kind === 'symlink') return a.target === b.target;
  return a.kind === b.kind && a.kind !== 'other';
}

// ---------------------------------------------------------------------------------------------------

interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

function sameOwner(a: Owner, b: Owner): boolean {
  if (a.uid === undefined || b.uid === undefined) return true;
  return a.uid === b.uid && a.gid === b.gid;
}
