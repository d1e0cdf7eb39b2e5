/**
 * Atomic file writes: a temporary file next to the target is written, synced and renamed, and the directory is synced. An
 * existing target is never opened for writing.
 */
import { chmod, type FileHandle, lstat, mkdir, open, rename, rm, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from './io-error.ts';
import { type OnEffect, temporaryOf } from './machine-host.ts';

export interface Disk {
  readonly onEffect: OnEffect;
  /** `false` in tests that end a run hundreds of times: nothing there survives a power failure anyway. */
  readonly fsync: boolean;
}

/** `real` is where it lies, `path` what it is called. */
export interface Place {
  readonly real: string;
  readonly path: string;
}

export async function replaceFile(
  disk: Disk,
  place: Place,
  content: Uint8Array | string,
  mode: number,
): Promise<void> {
  const temporary = await writeBeside(disk, place, content, mode);
  await takePlace(disk, place, temporary);
}

export async function createMarker(disk: Disk, place: Place, text: string): Promise<boolean> {
  let made = true;
  await effect(disk, 'symlink', place.path, async () => {
    try {
      await symlink(text, place.real);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
      made = false;
    }
  });
  return made;
}

export async function replaceLink(disk: Disk, place: Place, target: string): Promise<void> {
  const temporary = temporaryOf(place.real);
  await rm(temporary, { force: true });
  await effect(disk, 'symlink', place.path, () => symlink(target, temporary));
  await takePlace(disk, place, temporary);
}

export async function appendLines(disk: Disk, place: Place, text: string, mode: number): Promise<void> {
  const isNew = (await kindOf(place.real)) === undefined;
  await effect(disk, 'append', place.path, async () => {
    const file = await open(place.real, 'a', mode);
    await finish(disk, file, (open_) => open_.appendFile(text));
  });
  if (isNew) {
    await chmod(place.real, mode);
    await syncFolder(disk, dirname(place.real));
  }
}

export async function streamInto(
  disk: Disk,
  place: Place,
  chunks: AsyncIterable<Uint8Array>,
  options: { readonly mode: number; readonly append: boolean },
): Promise<void> {
  const file = await open(place.real, options.append ? 'a' : 'w', options.mode);
  await finish(disk, file, async (open_) => {
    for await (const chunk of chunks) {
      await effect(disk, 'stream', place.path, () => open_.appendFile(chunk));
    }
    await open_.chmod(options.mode);
  });
}

/** One folder; its parents are there. */
export async function makeFolder(disk: Disk, place: Place, mode: number): Promise<void> {
  await effect(disk, 'make-directory', place.path, async () => {
    try {
      await mkdir(place.real, mode);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  });
  await effect(disk, 'chmod', place.path, () => chmod(place.real, mode));
  await syncFolder(disk, dirname(place.real));
}

export async function moveInto(disk: Disk, from: Place, to: Place): Promise<void> {
  await effect(disk, 'rename', `${from.path} -> ${to.path}`, () => rename(from.real, to.real));
  await syncFolder(disk, dirname(to.real));
}

export async function effect(
  disk: Disk,
  kind: Parameters<OnEffect>[0],
  what: string,
  act: () => Promise<unknown>,
): Promise<void> {
  await disk.onEffect(kind, what, 'before');
  await act();
  await disk.onEffect(kind, what, 'after');
}

// ---------------------------------------------------------------------------------------------------

async function writeBeside(
  disk: Disk,
  place: Place,
  content: Uint8Array | string,
  mode: number,
): Promise<string> {
  const temporary = temporaryOf(place.real);
  await rm(temporary, { force: true });
  try {
    await effect(disk, 'write', place.path, async () => {
      // `wx` fails if a link was created in between; mode 0600 until the content is complete.
      const file = await open(temporary, 'wx', 0o600);
      await finish(disk, file, async (open_) => {
        await open_.writeFile(content);
        await open_.chmod(mode);
      });
    });
  } catch (error) {
    if (errnoOf(error) !== undefined) await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  return temporary;
}

async function takePlace(disk: Disk, place: Place, temporary: string): Promise<void> {
  try {
    await effect(disk, 'rename', place.path, () => rename(temporary, place.real));
  } catch (error) {
    if (errnoOf(error) !== undefined) await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(disk, dirname(place.real));
}

async function finish(disk: Disk, file: FileHandle, act: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await act(file);
    if (disk.fsync) await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(disk: Disk, folder: string): Promise<void> {
  if (!disk.fsync) return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function kindOf(real: string): Promise<'there' | undefined> {
  try {
    await lstat(real);
    return 'there';
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
