/**
 * A host that records the previous state: before a step changes a path, its state is written to the journal and its
 * content to the backup directory. A path without changes is not recorded. `engine/restore.ts` restores it.
 */
import { dirname } from 'node:path';
import { sha256 } from '../engine/fingerprint.ts';
import type { Journal } from '../engine/journal.ts';
import { BACKUP_FOLDER, RUN_FOLDER, STATE_FOLDER } from '../engine/parts.ts';
import type { JournalRecord } from '../engine/records.ts';
import { FlexError } from '../flex-error.ts';
import type { OwningHost, StepId } from '../step.ts';
import type { MachineHost } from './machine-host.ts';
import { type PathState, pathState, sameState } from './path-state.ts';

export interface Owning {
  readonly base: MachineHost;
  readonly journal: Journal;
  readonly step: StepId;
  /** A modified file was saved. */
  readonly onKept: (path: string, copy: string) => void;
}

export function createOwningHost(owning: Owning): OwningHost {
  const { base } = owning;
  return {
    readFile: base.readFile,
    ...(base.readStream === undefined ? {} : { readStream: base.readStream }),
    ...(base.sameContent === undefined ? {} : { sameContent: base.sameContent }),
    lstat: base.lstat,
    list: base.list,
    freeBytes: base.freeBytes,
    run: base.run,

    async writeFile(path, content, { mode }) {
      const will: PathState = { kind: 'file', sha256: sha256(content), mode };
      if (!(await announce(owning, [{ path, will }]))) return;
      await base.writeFile(path, content, { mode });
    },
    async writeStream(path, chunks, options) {
      if (!isOurFolder(path)) throw notStreamed(path);
      await base.writeStream(path, chunks, options);
    },
    async makeDirectory(path, mode) {
      // A link to a directory is how an operator moves it to another disk.
      if ((await base.lstat(path))?.kind === 'symlink') return base.makeDirectory(path, mode);
      if (!(await announce(owning, [{ path, will: { kind: 'directory', mode } }]))) return;
      await base.makeDirectory(path, mode);
    },
    async symlink(target, path) {
      if (!(await announce(owning, [{ path, will: { kind: 'symlink', target } }]))) return;
      await base.symlink(target, path);
    },
    async rename(from, to) {
      const moved = await pathState(base, from);
      await announce(owning, [
        { path: to, will: moved, claimed: moved.kind === 'directory' },
        { path: from, will: { kind: 'absent' } },
      ]);
      await base.rename(from, to);
    },
    async chmod(path, mode) {
      const now = await pathState(base, path);
      if (now.kind === 'file') await announce(owning, [{ path, will: { ...now, mode } }]);
      else if (now.kind === 'directory') await announce(owning, [{ path, will: { ...now, mode } }]);
      await base.chmod(path, mode);
    },
    async remove(path) {
      if (!(await announce(owning, [{ path, will: { kind: 'absent' } }]))) return;
      await base.remove(path);
    },
    async removeTree(path) {
      const all = await below(base, path);
      if (all.length === 0) return;
      await announce(
        owning,
        all.map((inner) => ({ path: inner, will: { kind: 'absent' } })),
      );
      await base.removeTree(path);
    },
    claim: (path) => claim(owning, path),
    leave: (path, content) => leave(owning, path, content),
  };
}

// ---------------------------------------------------------------------------------------------------

interface Intention {
  readonly path: string;
  readonly will: PathState;
  readonly claimed?: boolean;
}

/** Returns `false` if nothing changes. Otherwise the change is recorded, and the caller may apply it. */
async function announce(owning: Owning, intentions: readonly Intention[]): Promise<boolean> {
  const records: JournalRecord[] = [];
  let isNew = false;
  const parents = new Set<string>();
  for (const intention of intentions) {
    const now = await pathState(owning.base, intention.path);
    if (sameState(now, intention.will)) continue;
    isNew = true;
    // The directories of the agent are removed as a whole at the end of undo.
    if (isOurFolder(intention.path)) continue;
    if (intention.will.kind !== 'absent')
      records.push(...(await missingParents(owning, intention.path, parents)));
    records.push(...(await recordOf(owning, intention, now)));
  }
  if (isNew) await owning.journal.append(...records);
  return isNew;
}

async function recordOf(
  owning: Owning,
  { path, will, claimed }: Intention,
  now: PathState,
): Promise<JournalRecord[]> {
  const { journal, step } = owning;
  const known = journal.state.paths.get(path);
  const claim_ = claimed ? { claimed: true as const } : {};
  if (known === undefined) {
    if (now.kind === 'file') await backUp(owning, path, now.sha256);
    return [{ kind: 'path', step, path, before: now, will, ...claim_ }];
  }
  const isOurs = [known.before, { kind: 'absent' } as const, ...known.written].some((state) =>
    sameState(state, now),
  );
  const record: JournalRecord = { kind: 'path', step, path, will, ...claim_ };
  // What others write there themselves is not an edit of the owner. In a directory that they fill, our files are.
  if (isOurs || now.kind !== 'file' || known.claimed) return [record];
  const copy = await backUp(owning, path, now.sha256);
  owning.onKept(path, copy);
  return [{ kind: 'kept', path, copy }, record];
}

async function missingParents(owning: Owning, path: string, seen: Set<string>): Promise<JournalRecord[]> {
  const parent = dirname(path);
  if (parent === path || seen.has(parent) || (await owning.base.lstat(parent)) !== undefined) return [];
  seen.add(parent);
  const will: PathState = { kind: 'directory', mode: 0o755 };
  const before: PathState = { kind: 'absent' };
  const known = owning.journal.state.paths.has(parent);
  return [
    ...(await missingParents(owning, parent, seen)),
    { kind: 'path', step: owning.step, path: parent, will, ...(known ? {} : { before }) },
  ];
}

async function claim(owning: Owning, path: string): Promise<void> {
  const { base, journal, step } = owning;
  const known = journal.state.paths.get(path);
  if (known?.claimed || isOurFolder(path)) return;
  const records: JournalRecord[] = [];
  if (known === undefined) {
    const before = await pathState(base, path);
    if (before.kind === 'absent') records.push(...(await missingParents(owning, path, new Set())));
    if (before.kind === 'file') await backUp(owning, path, before.sha256);
    records.push({ kind: 'path', step, path, before, claimed: true });
  } else {
    records.push({ kind: 'path', step, path, claimed: true });
  }
  await journal.append(...records);
}

async function leave({ base, journal }: Owning, path: string, content: string): Promise<void> {
  const known = journal.state.paths.get(path);
  const now = await pathState(base, path);
  // A link that was replaced by a file is for the engine to report.
  if (known?.before.kind !== 'file' || now.kind !== 'file') return;
  if ([known.before, ...known.written].some((state) => sameState(state, now))) return;
  await base.writeFile(path, content, { mode: now.mode });
  const { uid, gid } = known.before;
  if (uid !== undefined && gid !== undefined) await base.chown(path, uid, gid);
  await journal.append({ kind: 'path-restored', path });
}

async function backUp({ base }: Owning, path: string, hash: string): Promise<string> {
  const copy = `${BACKUP_FOLDER}/${hash}`;
  const content = await base.readFile(path);
  if (content === undefined) return copy;
  await base.makeDirectory(STATE_FOLDER, 0o700);
  await base.makeDirectory(BACKUP_FOLDER, 0o700);
  await base.writeFile(copy, content, { mode: 0o600 });
  return copy;
}

async function below(base: MachineHost, path: string): Promise<string[]> {
  const info = await base.lstat(path);
  if (info === undefined) return [];
  if (info.kind !== 'directory') return [path];
  const inner: string[] = [path];
  for (const name of await base.list(path)) inner.push(...(await below(base, `${path}/${name}`)));
  return inner;
}

/** Only our own files are there, and a temporary one may be a secret: no backups of it. */
function isOurFolder(path: string): boolean {
  return [STATE_FOLDER, RUN_FOLDER].some((folder) => path === folder || path.startsWith(`${folder}/`));
}

function notStreamed(path: string): FlexError {
  return new FlexError({
    class: 'step',
    code: 'host.stream-elsewhere',
    message: `Content can be streamed only to ${STATE_FOLDER}, not to ${path}: other files must be replaced atomically.`,
    where: path,
  });
}
