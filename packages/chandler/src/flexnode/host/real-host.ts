/**
 * The machine itself, or a directory in its place: with a root prefix nothing outside it is read, written or run.
 * How a file becomes whole is `durable-file.ts`, how a program is run `run-command.ts`; what the steps may do is decided
 * elsewhere.
 */
import { createReadStream } from 'node:fs';
import { chmod, chown, lstat, readdir, readFile, readlink, rm, rmdir, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { World } from '@chandler/kube';
import { FlexError } from '../flex-error.ts';
import {
  appendLines,
  createMarker,
  type Disk,
  effect,
  makeFolder,
  moveInto,
  type Place,
  replaceFile,
  replaceLink,
  streamInto,
} from './durable-file.ts';
import type { Command, CommandResult, FileInfo } from './host.ts';
import { ioError, isAbsence } from './io-error.ts';
import type { MachineHost, OnEffect } from './machine-host.ts';
import { mountPoints } from './mount-points.ts';
import { rootedPath } from './rooted-path.ts';
import { NO_SUCH_PROGRAM, runCommand } from './run-command.ts';
import { sameBytes } from './same-content.ts';

export interface RealHostOptions {
  /** Default `/`: the machine itself. */
  readonly root?: string;
  /** Called around every effect. */
  readonly onEffect?: OnEffect;
  /**
   * Answers for programs; `undefined` is "command not found". With a root prefix nothing else is ever run, without one it
   * replaces the real programs.
   */
  readonly commands?: (command: Command) => Promise<CommandResult | undefined>;
  /** Ends what is running when it is aborted; what is started after that, to clear up, runs as usual. */
  readonly signal?: AbortSignal;
  /** Default `true`. */
  readonly fsync?: boolean;
  /** Real paths of what is mounted; the kernel's list unless given. */
  readonly mountPoints?: () => Promise<readonly string[]>;
}

export function createRealHost(world: World, options: RealHostOptions = {}): MachineHost {
  const root = options.root ?? '/';
  const disk: Disk = { onEffect: options.onEffect ?? (() => undefined), fsync: options.fsync ?? true };
  const at = async (path: string, last: 'follow' | 'keep' = 'keep'): Promise<Place> => ({
    real: await rootedPath(root, path, last),
    path,
  });
  const attempt = async <T>(doing: string, path: string, act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      throw ioError(error, doing, path);
    }
  };
  const withParents = async (path: string, mode = 0o755): Promise<void> => {
    const parent = dirname(path);
    const info = await stat(await at(parent, 'follow'));
    if (info?.kind === 'directory') return;
    if (info !== undefined) throw Object.assign(new Error(parent), { code: 'ENOTDIR' });
    await withParents(parent);
    await makeFolder(disk, await at(parent, 'follow'), mode);
  };

  return {
    readFile: (path) =>
      attempt('read', path, async () => orNothing(async () => readFile((await at(path, 'follow')).real))),
    async *readStream(path) {
      try {
        yield* createReadStream((await at(path, 'follow')).real);
      } catch (error) {
        throw ioError(error, 'read', path);
      }
    },
    sameContent: (one, other) =>
      attempt('read', one, async () => {
        const [left, right] = [await at(one, 'follow'), await at(other, 'follow')];
        return (await orNothing(() => sameBytes(left.real, right.real))) ?? false;
      }),
    lstat: (path) => attempt('read the state of', path, async () => stat(await at(path))),
    list: (path) =>
      attempt('list', path, async () => {
        const names = await orNothing(async () => readdir((await at(path, 'follow')).real));
        return (names ?? []).sort((a, b) => (a < b ? -1 : 1));
      }),
    freeBytes: (path) => attempt('measure', path, async () => freeBytes((await at(path, 'follow')).real)),

    writeFile: (path, content, { mode }) =>
      attempt('write', path, async () => {
        const place = await at(path);
        const bytes = typeof content === 'string' ? Buffer.from(content) : content;
        if (await isThere(place, bytes, mode)) return;
        await withParents(path);
        await replaceFile(disk, await at(path), bytes, mode);
      }),
    writeStream: (path, chunks, streamOptions) =>
      attempt('write', path, async () => {
        await withParents(path);
        await streamInto(disk, await at(path), chunks, streamOptions);
      }),
    makeDirectory: (path, mode) =>
      attempt('create the directory', path, async () => {
        const info = await stat(await at(path, 'follow'));
        if (info !== undefined && info.kind !== 'directory') {
          throw Object.assign(new Error(path), { code: 'ENOTDIR' });
        }
        if (info?.mode === mode) return;
        await withParents(path);
        await makeFolder(disk, await at(path, 'follow'), mode);
      }),
    symlink: (target, path) =>
      attempt('link', path, async () => {
        if ((await stat(await at(path)))?.target === target) return;
        await withParents(path);
        await replaceLink(disk, await at(path), target);
      }),
    rename: (from, to) =>
      attempt('rename', from, async () => {
        await withParents(to);
        await moveInto(disk, await at(from), await at(to));
      }),
    chmod: (path, mode) =>
      attempt('change the mode of', path, async () => {
        const place = await at(path);
        const info = await stat(place);
        if (info?.kind === 'symlink') throw Object.assign(new Error(path), { code: 'ELOOP' });
        if (info?.mode !== mode) await effect(disk, 'chmod', path, () => chmod(place.real, mode));
      }),
    chown: (path, uid, gid) =>
      attempt('change the owner of', path, async () => {
        const place = await at(path);
        const info = await stat(place);
        if (info?.uid === uid && info.gid === gid) return;
        await effect(disk, 'chown', path, () => chown(place.real, uid, gid));
      }),
    remove: (path) =>
      attempt('remove', path, async () => {
        const place = await at(path);
        const info = await stat(place);
        if (info === undefined) return;
        await effect(disk, 'remove', path, () =>
          info.kind === 'directory' ? rmdir(place.real) : rm(place.real, { force: true }),
        );
      }),
    removeTree: (path) =>
      attempt('remove', path, async () => {
        const place = await at(path);
        const mounted = (await (options.mountPoints ?? mountPoints)()).filter((mount) =>
          isWithin(place.real, mount),
        );
        if (mounted.length > 0) throw stillMounted(path, place.real, mounted);
        await removeTree(disk, place);
      }),

    append: (path, text, { mode }) =>
      attempt('write', path, async () => {
        await withParents(path, 0o700);
        await appendLines(disk, await at(path), text, mode);
      }),
    createMarker: (path, text) =>
      attempt('write', path, async () => {
        await withParents(path, 0o700);
        return createMarker(disk, await at(path), text);
      }),

    run: async (command) => {
      const what = command.argv.join(' ');
      let result: CommandResult | undefined;
      await effect(disk, 'command', what, async () => {
        if (options.commands !== undefined) result = await options.commands(command);
        else if (root === '/')
          result = await runCommand(world, command, endOf(options.signal, command.signal));
      });
      return (
        result ?? { exitCode: NO_SUCH_PROGRAM, stdout: '', stderr: `${command.argv[0]}: command not found` }
      );
    },
  };
}

// ---------------------------------------------------------------------------------------------------

function endOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

async function stat(place: Place): Promise<FileInfo | undefined> {
  const info = await orNothing(() => lstat(place.real));
  if (info === undefined) return undefined;
  const kind = info.isFile()
    ? 'file'
    : info.isDirectory()
      ? 'directory'
      : info.isSymbolicLink()
        ? 'symlink'
        : 'other';
  return {
    kind,
    mode: info.mode & 0o7777,
    uid: info.uid,
    gid: info.gid,
    size: info.size,
    ...(kind === 'symlink' ? { target: await readlink(place.real) } : {}),
  };
}

async function isThere(place: Place, bytes: Uint8Array, mode: number): Promise<boolean> {
  const info = await stat(place);
  if (info?.kind !== 'file' || info.mode !== mode || info.size !== bytes.length) return false;
  return Buffer.compare(await readFile(place.real), bytes) === 0;
}

async function orNothing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

async function freeBytes(real: string): Promise<number> {
  const info = await orNothing(() => statfs(real));
  if (info === undefined) return freeBytes(dirname(real));
  return info.bfree * info.bsize;
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function stillMounted(path: string, real: string, mounted: readonly string[]): FlexError {
  const first = mounted.map((mount) => path + mount.slice(real.length))[0];
  return new FlexError({
    class: 'step',
    code: 'host.mounted',
    message: `Could not remove ${path}: ${first} is still mounted${mounted.length > 1 ? `, and ${mounted.length - 1} more` : ''}.`,
    where: path,
    remedy: `Unmount it (\`umount ${first}\`), then run the same command again.`,
  });
}

async function removeTree(disk: Disk, place: Place, device?: number): Promise<void> {
  const info = await orNothing(() => lstat(place.real));
  if (info === undefined) return;
  if (!info.isDirectory()) {
    await effect(disk, 'remove', place.path, () => rm(place.real, { force: true }));
    return;
  }
  if (device !== undefined && info.dev !== device) throw stillMounted(place.path, place.real, [place.real]);
  for (const name of await readdir(place.real)) {
    await removeTree(disk, { real: `${place.real}/${name}`, path: `${place.path}/${name}` }, info.dev);
  }
  await effect(disk, 'remove', place.path, () => rmdir(place.real));
}
