/**
 * Unbootstrap: undoes the steps in reverse order, first services and Azure resources, then files. It continues after a
 * failure, collects leftovers, verifies every path at the end, and removes from the journal only what is undone.
 */
import type { FlexConfig } from '../config/config.ts';
import type { FlexErrorFacts } from '../flex-error.ts';
import type { MachineHost } from '../host/machine-host.ts';
import { RUNTIME_IN_USE } from '../kubelet/stop-pods.ts';
import type { Leftover, Step, StepId } from '../step.ts';
import { factsOf, type RunOptions, stepContext, timestamp, type Voice, voiceOf } from './context.ts';
import { aboutStep, withoutCause } from './events.ts';
import { checkIdentity, configOfRecord } from './identity.ts';
import { type Journal, openJournal, readJournal } from './journal.ts';
import { refuseIfLocked, takeLock } from './lock.ts';
import { BACKUP_FOLDER, JOURNAL_PATH, type Parts, RUN_FOLDER, STATE_FOLDER } from './parts.ts';
import type { OwnedPath } from './records.ts';
import { finishing, isAsBefore, quote, restorePath } from './restore.ts';

/** Without a config only the changes in the journal are undone. */
export interface UndoParts extends Omit<Parts, 'config'> {
  readonly config: FlexConfig | undefined;
}

export interface UndoResult {
  /** Nothing is left and everything is as it was. */
  readonly success: boolean;
  readonly durationMs: number;
  readonly leftovers: readonly Leftover[];
  /** `false` if there was nothing to undo. */
  readonly changed: boolean;
  /** Why it could not even begin, or was interrupted. */
  readonly error?: FlexErrorFacts;
}

export async function runUnbootstrap(parts: UndoParts, options: RunOptions): Promise<UndoResult> {
  const tell = voiceOf(parts, options.on);
  const undo: Undo = {
    id: parts.world.random.uuid(),
    parts,
    options,
    tell,
    startedMs: parts.world.clock.monotonic(),
    leftovers: [],
    deferred: [],
    changed: false,
  };
  const backwards = [...parts.steps].reverse();
  try {
    tell({ type: 'run-started', run: undo.id, verb: 'unbootstrap', steps: backwards.map((step) => step.id) });
    await refuseIfLocked(parts);
    const before = await readJournal(parts.host);
    if (parts.config !== undefined) checkIdentity(before, parts.config, 'unbootstrap');
    const folders = await Promise.all([STATE_FOLDER, RUN_FOLDER].map((path) => parts.host.lstat(path)));
    if (folders.every((folder) => folder === undefined)) return ended(undo);
    undo.changed = true;
    await underLock(undo, backwards);
    return ended(undo);
  } catch (error) {
    return ended(undo, factsOf(error, options.signal));
  }
}

// ---------------------------------------------------------------------------------------------------

interface Undo {
  readonly id: string;
  readonly parts: UndoParts;
  readonly options: RunOptions;
  readonly tell: Voice;
  readonly startedMs: number;
  readonly leftovers: Leftover[];
  /** Directories that were not empty yet when their step was undone. */
  readonly deferred: OwnedPath[];
  changed: boolean;
}

async function underLock(undo: Undo, backwards: readonly Step[]): Promise<void> {
  const { parts } = undo;
  const lock = await takeLock(parts, { verb: 'unbootstrap', run: undo.id });
  try {
    const journal = await openJournal(parts.host);
    if (journal.state.lines > 0) {
      await journal.append({ kind: 'run', run: undo.id, verb: 'unbootstrap', at: timestamp(parts) });
    }
    for (const [index, step] of backwards.entries()) {
      if (undo.options.signal.aborted) throw undo.options.signal.reason;
      await undoStep(undo, journal, step, index);
    }
    await restoreRest(undo, journal);
    await verifyRestored(undo, journal);
    if (undo.leftovers.length === 0) await forget(parts.host);
  } finally {
    await lock.release();
  }
}

async function undoStep(undo: Undo, journal: Journal, step: Step, index: number): Promise<void> {
  const { parts, tell } = undo;
  const about = aboutStep(step, index, parts.steps.length);
  const record = journal.state.steps.get(step.id);
  if (record === undefined || record.state === 'undone') {
    tell({ type: 'step-skipped', ...about, reason: 'never-begun' });
    return;
  }
  const startedMs = parts.world.clock.monotonic();
  tell({ type: 'step-started', ...about });
  await journal.append({ kind: 'undo-started', step: step.id });
  const before = undo.leftovers.length;
  for (const leftover of await takeBack(undo, journal, step)) leave(undo, leftover);
  await restoreFiles(undo, journal, step.id);
  const left = undo.leftovers.length - before;
  if (left === 0) await journal.append({ kind: 'step-undone', step: step.id });
  const durationMs = parts.world.clock.monotonic() - startedMs;
  tell({ type: 'step-undone', ...about, durationMs, leftovers: left });
}

async function takeBack(undo: Undo, journal: Journal, step: Step): Promise<readonly Leftover[]> {
  const { parts, options, tell } = undo;
  const config = parts.config && configOfRecord(journal.state, parts.config);
  if (config === undefined) {
    const why =
      'there is no config file and no config in the journal: services and Azure resources of this step were not undone';
    return [{ what: step.title, why, finish: [`${again(parts)} --config <file>`] }];
  }
  try {
    return await step.undo(
      stepContext({ ...parts, config }, step, { journal, signal: options.signal, tell }),
    );
  } catch (error) {
    if (options.signal.aborted) throw error;
    const { message, remedy } = factsOf(error, options.signal, step);
    const why = remedy === undefined ? message : `${message} (${remedy})`;
    return [{ what: step.title, why, finish: [again(parts)] }];
  }
}

/** The same command again, after the obstacle is removed. */
function again({ self }: UndoParts): string {
  return [...self.argv, 'unbootstrap'].map(quote).join(' ');
}

async function restoreFiles(undo: Undo, journal: Journal, step: StepId): Promise<void> {
  const mine = [...journal.state.paths.values()].filter((owned) => owned.step === step).reverse();
  for (const owned of mine) await restoreOne(undo, journal, owned, 'later');
}

/** Directories that were not empty before, and paths of steps that this version does not know. */
async function restoreRest(undo: Undo, journal: Journal): Promise<void> {
  const known = new Set(undo.parts.steps.map((step) => step.id));
  const rest = [...journal.state.paths.values()].filter(
    (owned) => undo.deferred.includes(owned) || !known.has(owned.step) || isUndone(journal, owned),
  );
  for (const owned of rest.reverse()) await restoreOne(undo, journal, owned, 'now');
}

/** Its step counts as undone, but the path was recorded: a crash between the two, or another step's undoing failed. */
function isUndone(journal: Journal, owned: OwnedPath): boolean {
  const state = journal.state.steps.get(owned.step)?.state;
  return state === undefined || state === 'undone';
}

async function restoreOne(
  undo: Undo,
  journal: Journal,
  owned: OwnedPath,
  whenNotEmpty: 'later' | 'now',
): Promise<void> {
  const outcome = await restorePath(undo.parts.host, owned, {
    claimed: isInClaimed(journal, owned.path),
    runtimeInUse: journal.state.facts.get(RUNTIME_IN_USE),
  });
  if (outcome.kind === 'as-before') {
    if (await isAsBefore(undo.parts.host, owned))
      await journal.append({ kind: 'path-restored', path: owned.path });
    return;
  }
  if (outcome.kind === 'not-empty' && whenNotEmpty === 'later') undo.deferred.push(owned);
  else leave(undo, outcome.leftover);
}

function isInClaimed(journal: Journal, path: string): boolean {
  for (let at = parentOf(path); at !== ''; at = parentOf(at)) {
    const owned = journal.state.paths.get(at);
    if (owned?.claimed && owned.before.kind === 'absent') return true;
  }
  return false;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** Checks that every recorded path is restored or reported, and reports damaged lines of the journal. */
async function verifyRestored(undo: Undo, journal: Journal): Promise<void> {
  const named = undo.leftovers.map((leftover) => leftover.what);
  const isNamed = (path: string) => named.some((what) => path === what || path.startsWith(`${what}/`));
  for (const owned of journal.state.paths.values()) {
    if (isNamed(owned.path) || (await isAsBefore(undo.parts.host, owned))) continue;
    leave(undo, {
      what: owned.path,
      why: 'its previous state could not be restored',
      finish: finishing(owned),
    });
  }
  for (const { path, copy } of journal.state.kept) {
    if ((await undo.parts.host.lstat(copy)) === undefined) continue;
    leave(undo, {
      what: copy,
      why: `a modified version of ${path}, saved before bootstrap replaced it`,
      finish: [`mv ${quote(copy)} <where you want it>`, `rm ${quote(copy)}`],
    });
  }
  if (journal.state.lines === 0 && (await undo.parts.host.list(BACKUP_FOLDER)).length > 0) {
    leave(undo, {
      what: STATE_FOLDER,
      why: 'the journal is missing, so nothing could be undone; this directory still contains backups of files from before bootstrap',
      finish: [`ls -la ${BACKUP_FOLDER}`, `rm -r ${STATE_FOLDER}`],
    });
  }
  if (journal.state.lost > 0) {
    leave(undo, {
      what: JOURNAL_PATH,
      why: `${journal.state.lost} lines are damaged: the changes that they recorded are not undone`,
      finish: [`less ${JOURNAL_PATH}`, `rm -r ${STATE_FOLDER}`],
    });
  }
}

/** Removed last: the journal exists as long as there is something to undo. */
async function forget(host: MachineHost): Promise<void> {
  for (const name of await host.list(STATE_FOLDER)) {
    if (`${STATE_FOLDER}/${name}` !== JOURNAL_PATH) await host.removeTree(`${STATE_FOLDER}/${name}`);
  }
  await host.removeTree(STATE_FOLDER);
}

function leave(undo: Undo, leftover: Leftover): void {
  undo.leftovers.push(leftover);
  undo.tell({ type: 'leftover', leftover });
}

function ended(undo: Undo, error?: FlexErrorFacts): UndoResult {
  const durationMs = undo.parts.world.clock.monotonic() - undo.startedMs;
  const success = error === undefined && undo.leftovers.length === 0;
  const { changed, leftovers } = undo;
  undo.tell({
    type: 'run-completed',
    verb: 'unbootstrap',
    success,
    changed,
    durationMs,
    leftovers: leftovers.length,
    ...(error ? { error: withoutCause(error) } : {}),
  });
  return { success, durationMs, leftovers, changed, ...(error ? { error } : {}) };
}
