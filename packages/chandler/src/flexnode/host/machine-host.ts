/**
 * The machine as the engine sees it: the operations of the steps, and those for the journal, the lock and undo. Every
 * change calls one hook, so that a test can kill the run before or after each of them.
 */
import type { Host } from './host.ts';

export interface MachineHost extends Host {
  /** A line or more at the end of a file, on the disk before it resolves. Makes the file (with its folder, 0700) when it is not there. */
  append(path: string, text: string, options: { readonly mode: number }): Promise<void>;
  /**
   * A dangling symbolic link with the text as its target: it appears complete or not at all, and for one maker
   * only. `false` when something is there already.
   */
  createMarker(path: string, text: string): Promise<boolean>;
  chown(path: string, uid: number, gid: number): Promise<void>;
}

export type EffectKind =
  | 'write'
  | 'rename'
  | 'append'
  | 'stream'
  | 'make-directory'
  | 'symlink'
  | 'chmod'
  | 'chown'
  | 'remove'
  | 'command';

/** A thrown error ends the operation: one with an errno code is reported like an error of the file system. */
export type OnEffect = (kind: EffectKind, what: string, moment: 'before' | 'after') => void | Promise<void>;

/** Where a file is prepared before it takes its place: beside it, under a name that a later run knows for ours. */
export function temporaryOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return `${path.slice(0, slash + 1)}.${path.slice(slash + 1)}.flexnode-new`;
}
