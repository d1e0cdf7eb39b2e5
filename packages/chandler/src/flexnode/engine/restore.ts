/**
 * Restores one path to its state before bootstrap. Files that were modified after bootstrap are not overwritten, and
 * files of others in a created directory are not deleted: both are reported as leftovers with the command to finish.
 */
import { FlexError } from '../flex-error.ts';
import type { MachineHost } from '../host/machine-host.ts';
import { temporaryOf } from '../host/machine-host.ts';
import { type PathState, pathState, sameState } from '../host/path-state.ts';
import type { Leftover } from '../step.ts';
import { sha256 } from './fingerprint.ts';
import { BACKUP_FOLDER } from './parts.ts';
import type { OwnedPath } from './records.ts';
import { isContainerds, unmountBelow } from './unmount.ts';

export type Restored =
  | { readonly kind: 'as-before' }
  /** The directory may still contain created files: retried at the end. */
  | { readonly kind: 'not-empty'; readonly leftover: Leftover }
  | { readonly kind: 'leftover'; readonly leftover: Leftover };

export interface Surroundings {
  /** It lies in a place that goes as a whole. */
  readonly claimed?: boolean;
  /** Why the data of containerd must stay. */
  readonly runtimeInUse?: string | undefined;
}

export async function restorePath(
  host: MachineHost,
  owned: OwnedPath,
  around: Surroundings = {},
): Promise<Restored> {
  try {
    if (owned.before.kind !== 'directory') await host.remove(temporaryOf(owned.path));
    return await restore(host, owned, around);
  } catch (error) {
    if (!(error instanceof FlexError)) throw error;
    const { message, remedy } = error.facts;
    const why = remedy === undefined ? message : `${message} ${remedy}`;
    const finish = MOUNTED.has(error.facts.code)
      ? [`findmnt --submounts ${quote(owned.path)}`]
      : finishing(owned);
    return leftover({ what: owned.path, why, finish });
  }
}

/** Whether the path is as it was, for the last look over everything. */
export async function isAsBefore(host: MachineHost, owned: OwnedPath): Promise<boolean> {
  const now = await pathState(host, owned.path);
  return sameState(now, owned.before) || (isSharedFolder(owned) && now.kind !== 'absent');
}

// ---------------------------------------------------------------------------------------------------

const DONE: Restored = { kind: 'as-before' };
/** Something is mounted below the path: a command that removes it would remove what is on that mount. */
const MOUNTED: ReadonlySet<string> = new Set(['host.mounted', 'undo.mounted']);

/** A claimed directory that existed before bootstrap is kept, because others may use it. A file or a link is put back. */
function isSharedFolder({ claimed, before }: OwnedPath): boolean {
  return claimed && before.kind === 'directory';
}

async function restore(
  host: MachineHost,
  owned: OwnedPath,
  { claimed = false, runtimeInUse }: Surroundings,
): Promise<Restored> {
  const { path, before, written } = owned;
  const now = await pathState(host, path);
  if (sameState(now, before)) return DONE;
  if (owned.claimed && before.kind === 'absent') {
    if (isContainerds(path) && runtimeInUse !== undefined) return inUse(path, runtimeInUse);
    // The kubelet's mounts are unmounted with its service; what is left there is not removed with it.
    if (isContainerds(path)) await unmountBelow(host, path);
    await host.removeTree(path);
    return DONE;
  }
  if (now.kind === 'directory' && before.kind === 'absent') return removeFolder(host, owned, claimed);
  const isOurs = now.kind === 'absent' || written.some((state) => sameState(state, now));
  if (!isOurs && !owned.claimed) {
    if (claimed) return DONE;
    return leftover({
      what: path,
      why: `it was modified after bootstrap and was not changed (before bootstrap: ${describe(before)})`,
      finish: finishing(owned),
    });
  }
  if (!isOurs && (claimed || isSharedFolder(owned))) return DONE;
  return putBack(host, owned);
}

function inUse(path: string, why: string): Restored {
  const at = quote(path);
  return leftover({
    what: path,
    why,
    finish: [`findmnt --submounts ${at}`, `rm -r --one-file-system ${at}`],
  });
}

async function removeFolder(host: MachineHost, { path }: OwnedPath, claimed: boolean): Promise<Restored> {
  const names = await host.list(path);
  if (names.length === 0) {
    await host.remove(path);
    return DONE;
  }
  if (claimed) return DONE;
  const some = names.slice(0, 3).join(', ') + (names.length > 3 ? `, and ${names.length - 3} more` : '');
  return {
    kind: 'not-empty',
    leftover: {
      what: path,
      why: `bootstrap created this directory, but it contains other files: ${some}`,
      finish: [`ls -la ${quote(path)}`, `rm -r ${quote(path)}`],
    },
  };
}

async function putBack(host: MachineHost, { path, before }: OwnedPath): Promise<Restored> {
  switch (before.kind) {
    case 'absent':
      await host.remove(path);
      return DONE;
    case 'symlink':
      await host.symlink(before.target, path);
      return DONE;
    case 'directory':
      await host.makeDirectory(path, before.mode);
      await restoreOwner(host, path, before);
      return DONE;
    case 'file':
      return putBackFile(host, path, before);
    case 'other':
      return leftover({
        what: path,
        why: 'it was neither a file nor a directory before bootstrap and cannot be restored',
      });
  }
}

async function putBackFile(
  host: MachineHost,
  path: string,
  before: PathState & { readonly kind: 'file' },
): Promise<Restored> {
  const copy = `${BACKUP_FOLDER}/${before.sha256}`;
  const content = await host.readFile(copy);
  if (content === undefined || sha256(content) !== before.sha256) {
    return leftover({
      what: path,
      why: `the previous file cannot be restored: its backup ${copy} is ${content === undefined ? 'missing' : 'damaged'}`,
    });
  }
  await host.writeFile(path, content, { mode: before.mode });
  await restoreOwner(host, path, before);
  return DONE;
}

async function restoreOwner(
  host: MachineHost,
  path: string,
  owner: { uid?: number; gid?: number },
): Promise<void> {
  if (owner.uid !== undefined && owner.gid !== undefined) await host.chown(path, owner.uid, owner.gid);
}

function leftover(leftover_: Leftover): Restored {
  return { kind: 'leftover', leftover: leftover_ };
}

function describe(before: PathState): string {
  return before.kind === 'absent' ? 'absent' : `a ${before.kind}`;
}

/** What would finish it by hand. */
export function finishing({ path, before }: OwnedPath): readonly string[] {
  const at = quote(path);
  switch (before.kind) {
    case 'absent':
      return [`rm -r ${at}`];
    case 'symlink':
      return [`ln -sfn ${quote(before.target)} ${at}`];
    case 'directory':
      return [`chmod ${before.mode.toString(8)} ${at}`];
    case 'file':
      return [
        `diff ${BACKUP_FOLDER}/${before.sha256} ${at}`,
        `${installCommand(before, at)} # discards what diff shows`,
      ];
    case 'other':
      return [];
  }
}

function installCommand(before: PathState & { readonly kind: 'file' }, at: string): string {
  const owner = before.uid === undefined ? '' : ` -o ${before.uid} -g ${before.gid}`;
  return `install -m ${before.mode.toString(8)}${owner} ${BACKUP_FOLDER}/${before.sha256} ${at}`;
}

/** Only what a shell would not take as it is. */
export function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
