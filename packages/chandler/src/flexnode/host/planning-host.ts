/**
 * The host of a dry run: writes are kept in memory and can be read back, so that a step sees the changes of earlier steps;
 * the real machine is only read. Commands that change the machine are recorded, not run. Read-only commands are run,
 * unless the step provides the result after its own changes (`pretend`).
 */
import { dirname } from 'node:path';
import type { OwningHost } from '../step.ts';
import type { Command, CommandResult, FileInfo, Host } from './host.ts';
import { NO_SUCH_PROGRAM } from './run-command.ts';

export type PlannedEffect =
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly before?: Uint8Array;
      readonly beforeMode?: number;
      readonly after: Uint8Array;
      readonly mode: number;
    }
  | {
      readonly kind: 'make-directory';
      readonly path: string;
      readonly mode: number;
      readonly beforeMode?: number;
    }
  | {
      readonly kind: 'symlink';
      readonly path: string;
      readonly target: string;
      readonly beforeTarget?: string;
    }
  | { readonly kind: 'chmod'; readonly path: string; readonly mode: number; readonly beforeMode?: number }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'claim'; readonly path: string }
  | { readonly kind: 'command'; readonly argv: readonly string[] };

export interface PlanningHost {
  readonly host: OwningHost;
  /** What was noted since the last call. */
  take(): readonly PlannedEffect[];
}

export function createPlanningHost(base: Host): PlanningHost {
  const layer: Layer = { base, entries: new Map() };
  let noted: PlannedEffect[] = [];
  const note = (effect: PlannedEffect) => void noted.push(effect);
  const host: OwningHost = {
    readFile: (path) => readFile(layer, path),
    lstat: (path) => lstat(layer, path),
    list: (path) => list(layer, path),
    freeBytes: base.freeBytes,

    async writeFile(path, content, { mode }) {
      const after = typeof content === 'string' ? Buffer.from(content) : content;
      const info = await lstat(layer, path);
      const before = info?.kind === 'file' ? await readFile(layer, path) : undefined;
      if (info?.kind === 'file' && info.mode === mode && before && Buffer.compare(before, after) === 0)
        return;
      await parents(layer, path, note);
      layer.entries.set(path, { kind: 'file', content: after, mode });
      const was = info === undefined ? {} : { beforeMode: info.mode };
      note({ kind: 'write', path, after, mode, ...was, ...(before === undefined ? {} : { before }) });
    },
    async writeStream() {
      // Downloads: the artifacts report them.
    },
    async makeDirectory(path, mode) {
      const info = await lstat(layer, path);
      if (info?.kind === 'symlink' || (info?.kind === 'directory' && info.mode === mode)) return;
      await parents(layer, path, note);
      layer.entries.set(path, { kind: 'directory', mode });
      note({ kind: 'make-directory', path, mode, ...(info ? { beforeMode: info.mode } : {}) });
    },
    async symlink(target, path) {
      const info = await lstat(layer, path);
      if (info?.target === target) return;
      await parents(layer, path, note);
      layer.entries.set(path, { kind: 'symlink', target });
      note({
        kind: 'symlink',
        path,
        target,
        ...(info?.target === undefined ? {} : { beforeTarget: info.target }),
      });
    },
    async rename(from, to) {
      const content = await readFile(layer, from);
      const info = await lstat(layer, from);
      if (info === undefined) return;
      layer.entries.set(to, entryOf(info, content));
      layer.entries.set(from, { kind: 'absent' });
      note({ kind: 'rename', path: from, to });
    },
    async chmod(path, mode) {
      const info = await lstat(layer, path);
      if (info === undefined || info.mode === mode) return;
      layer.entries.set(path, { ...entryOf(info, await contentOf(layer, path, info)), mode } as Entry);
      note({ kind: 'chmod', path, mode, beforeMode: info.mode });
    },
    async remove(path) {
      if ((await lstat(layer, path)) === undefined) return;
      layer.entries.set(path, { kind: 'absent' });
      note({ kind: 'remove', path });
    },
    async removeTree(path) {
      if ((await lstat(layer, path)) === undefined) return;
      for (const known of layer.entries.keys()) if (known.startsWith(`${path}/`)) layer.entries.delete(known);
      layer.entries.set(path, { kind: 'absent' });
      note({ kind: 'remove', path });
    },
    async claim(path) {
      note({ kind: 'claim', path });
    },
    async leave() {
      // Only undo needs it.
    },
    run: (command) => run(layer, command, note, noted.length > 0),
  };
  return {
    host,
    take() {
      const all = noted;
      noted = [];
      return all;
    },
  };
}

// ---------------------------------------------------------------------------------------------------

type Entry =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly content: Uint8Array; readonly mode: number }
  | { readonly kind: 'directory'; readonly mode: number }
  | { readonly kind: 'symlink'; readonly target: string };

interface Layer {
  readonly base: Host;
  readonly entries: Map<string, Entry>;
}

const SIMULATED: CommandResult = { exitCode: 0, stdout: '', stderr: '' };

async function run(
  layer: Layer,
  command: Command,
  note: (effect: PlannedEffect) => void,
  changedBefore: boolean,
): Promise<CommandResult> {
  if (command.changes) {
    note({ kind: 'command', argv: command.argv });
    return { ...SIMULATED, ...command.pretend };
  }
  const isNew = layer.entries.get(command.argv[0])?.kind === 'file';
  if (isNew || (changedBefore && command.pretend !== undefined)) return { ...SIMULATED, ...command.pretend };
  const answer = await layer.base.run(command);
  if (answer.exitCode !== NO_SUCH_PROGRAM || command.withoutProgram === undefined) return answer;
  return { ...SIMULATED, ...command.withoutProgram };
}

/** Whether the path lies in something that is gone in the layer. */
function hidden(layer: Layer, path: string): boolean {
  for (let at = dirname(path); at !== '/'; at = dirname(at)) {
    const entry = layer.entries.get(at);
    if (entry !== undefined) return entry.kind !== 'directory';
  }
  return false;
}

async function readFile(layer: Layer, path: string): Promise<Uint8Array | undefined> {
  const entry = layer.entries.get(path);
  if (entry === undefined) return hidden(layer, path) ? undefined : layer.base.readFile(path);
  if (entry.kind === 'symlink') return readFile(layer, absolute(path, entry.target));
  return entry.kind === 'file' ? entry.content : undefined;
}

async function lstat(layer: Layer, path: string): Promise<FileInfo | undefined> {
  const entry = layer.entries.get(path);
  if (entry === undefined) return hidden(layer, path) ? undefined : layer.base.lstat(path);
  const owner = { uid: 0, gid: 0 };
  switch (entry.kind) {
    case 'absent':
      return undefined;
    case 'file':
      return { kind: 'file', mode: entry.mode, size: entry.content.length, ...owner };
    case 'directory':
      return { kind: 'directory', mode: entry.mode, size: 0, ...owner };
    case 'symlink':
      return { kind: 'symlink', mode: 0o777, size: entry.target.length, target: entry.target, ...owner };
  }
}

async function list(layer: Layer, path: string): Promise<readonly string[]> {
  const own = layer.entries.get(path);
  const isGone = own === undefined ? hidden(layer, path) : own.kind !== 'directory';
  const names = new Set(isGone ? [] : await layer.base.list(path));
  for (const [known, entry] of layer.entries) {
    if (dirname(known) !== path) continue;
    const name = known.slice(known.lastIndexOf('/') + 1);
    if (entry.kind === 'absent') names.delete(name);
    else names.add(name);
  }
  return [...names].sort((a, b) => (a < b ? -1 : 1));
}

async function parents(layer: Layer, path: string, note: (effect: PlannedEffect) => void): Promise<void> {
  const parent = dirname(path);
  if (parent === path || (await lstat(layer, parent)) !== undefined) return;
  await parents(layer, parent, note);
  layer.entries.set(parent, { kind: 'directory', mode: 0o755 });
  note({ kind: 'make-directory', path: parent, mode: 0o755 });
}

async function contentOf(layer: Layer, path: string, info: FileInfo): Promise<Uint8Array | undefined> {
  return info.kind === 'file' ? readFile(layer, path) : undefined;
}

function entryOf(info: FileInfo, content: Uint8Array | undefined): Entry {
  if (info.kind === 'directory') return { kind: 'directory', mode: info.mode };
  if (info.kind === 'symlink') return { kind: 'symlink', target: info.target ?? '' };
  return { kind: 'file', content: content ?? new Uint8Array(), mode: info.mode };
}

function absolute(path: string, target: string): string {
  return target.startsWith('/') ? target : `${dirname(path)}/${target}`;
}
