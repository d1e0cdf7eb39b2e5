/**
 * Saves the old files before an upgrade and restores them if it fails. The record is written before the first file is
 * replaced and removed last, so that the next upgrade detects and undoes an interrupted one. A bootstrap that completes the
 * same steps removes it, too: there is nothing to go back to.
 */
import { rethrowProgramError } from '@chandler/kube';
import { sha256 } from '../engine/fingerprint.ts';
import { STATE_FOLDER } from '../engine/parts.ts';
import type { JournalState } from '../engine/records.ts';
import { restorePath } from '../engine/restore.ts';
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import type { MachineHost } from '../host/machine-host.ts';
import type { Leftover, StepId } from '../step.ts';
import type { Versions } from './versions.ts';

export interface UpgradeRecord {
  readonly from: Versions;
  readonly to: Versions;
  readonly files: readonly SavedFile[];
}

export interface SavedFile {
  readonly path: string;
  readonly mode: number;
  /** Name in our folder. */
  readonly kept: string;
  readonly sha256: string;
}

export const UPGRADE_FOLDER = `${STATE_FOLDER}/upgrade`;
const RECORD = `${UPGRADE_FOLDER}/record.json`;

/** An upgrade changes only files of these steps. */
const FILE_STEPS: readonly StepId[] = ['runc', 'containerd', 'kubernetes', 'kubelet'];
/** And the step that restarts the services. */
export const UPGRADE_STEPS: readonly StepId[] = [...FILE_STEPS, 'start-services'];

export async function readRecord(host: Host): Promise<UpgradeRecord | undefined> {
  const bytes = await host.readFile(RECORD);
  if (bytes === undefined) return undefined;
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as UpgradeRecord;
}

/** @throws {FlexError} for example if the disk is full. Nothing is left of it then. */
export async function saveFiles(
  host: Host,
  journal: JournalState,
  versions: { readonly from: Versions; readonly to: Versions },
): Promise<UpgradeRecord> {
  try {
    return await copyFiles(host, journal, versions);
  } catch (error) {
    await dropRecord(host).catch(rethrowProgramError);
    throw error;
  }
}

async function copyFiles(
  host: Host,
  journal: JournalState,
  versions: { readonly from: Versions; readonly to: Versions },
): Promise<UpgradeRecord> {
  await host.removeTree(UPGRADE_FOLDER);
  await host.makeDirectory(UPGRADE_FOLDER, 0o700);
  const files: SavedFile[] = [];
  for (const path of ownFiles(journal)) {
    const info = await host.lstat(path);
    if (info?.kind !== 'file') continue;
    const content = (await host.readFile(path))!;
    const kept = `${UPGRADE_FOLDER}/${String(files.length).padStart(3, '0')}`;
    await host.writeFile(kept, content, { mode: 0o600 });
    files.push({ path, mode: info.mode, kept, sha256: sha256(content) });
  }
  const record: UpgradeRecord = { ...versions, files };
  await host.writeFile(RECORD, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  return record;
}

/** Restores every saved file and removes files that the new version added. Idempotent. */
export async function putBack(
  host: MachineHost,
  journal: JournalState,
  record: UpgradeRecord,
): Promise<void> {
  const before = new Set(record.files.map(({ path }) => path));
  for (const path of ownFiles(journal)) {
    if (before.has(path) || (await host.lstat(path))?.kind !== 'file') continue;
    // The upgrade wrote it first. On a prepared image it may have replaced a program that bootstrap had left alone.
    const restored = await restorePath(host, journal.paths.get(path)!);
    if (restored.kind !== 'as-before') throw notRestored(restored.leftover);
  }
  for (const { path, mode, kept, sha256: wanted } of record.files) {
    const content = await host.readFile(kept);
    if (content === undefined || sha256(content) !== wanted) {
      throw new FlexError({
        class: 'step',
        code: 'upgrade.kept-damaged',
        message: `the saved copy of ${path} is ${content === undefined ? 'missing' : 'damaged'}`,
        remedy: 'Run bootstrap with the old versions in the config to install them again.',
        where: kept,
      });
    }
    await host.writeFile(path, content, { mode });
  }
}

/** With a record or without: of an upgrade that was killed. */
export async function hasSavedFiles(host: Host): Promise<boolean> {
  return (await host.lstat(UPGRADE_FOLDER)) !== undefined;
}

/** Removes the record first: the saved files are valid only with it. */
export async function dropRecord(host: Host): Promise<void> {
  await host.remove(RECORD);
  await host.removeTree(UPGRADE_FOLDER);
}

// ---------------------------------------------------------------------------------------------------

function notRestored({ what, why }: Leftover): FlexError {
  return new FlexError({
    class: 'step',
    code: 'upgrade.not-restored',
    message: `${what} could not be restored: ${why}`,
    remedy: 'Install it again, or run bootstrap with the old versions in the config.',
    where: what,
  });
}

function ownFiles(journal: JournalState): readonly string[] {
  return [...journal.paths.values()]
    .filter(({ step, claimed }) => FILE_STEPS.includes(step) && !claimed)
    .map(({ path }) => path)
    .sort();
}
