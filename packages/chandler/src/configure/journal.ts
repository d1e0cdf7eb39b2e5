/**
 * The journal of `configure`: what it has created, so that an interrupted run goes on and undo removes nothing else. An entry is
 * written before the call that creates the resource. A file that only its owner can read, replaced as a whole.
 */
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigureError, type Facts, type Fields } from './resource.ts';

export interface JournalEntry {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  /** `creating`: the call was about to be made, and its outcome is not recorded. */
  readonly state: 'creating' | 'created';
  /** As they were written. */
  readonly fields: Fields;
  /** By which undo finds it. */
  readonly id?: string;
  /** What the cloud decided when it was created; another resource with the same ID has other ones. */
  readonly facts?: Facts;
}

export interface JournalContent {
  readonly version: 1;
  /** What was configured: `aks` and the ID of the cluster. A journal is for one target. */
  readonly kind: string;
  readonly target: string;
  /** In the order of creation. */
  readonly entries: readonly JournalEntry[];
}

export class Journal {
  readonly path: string;
  #content: JournalContent;

  constructor(path: string, content: JournalContent) {
    this.path = path;
    this.#content = content;
  }

  get entries(): readonly JournalEntry[] {
    return this.#content.entries;
  }

  entry(key: string): JournalEntry | undefined {
    return this.entries.find((entry) => entry.key === key);
  }

  /** Replaces the entry with its key, or adds one. */
  async put(entry: JournalEntry): Promise<void> {
    const known = this.entry(entry.key) !== undefined;
    await this.#save(
      known ? this.entries.map((each) => (each.key === entry.key ? entry : each)) : [...this.entries, entry],
    );
  }

  async remove(key: string): Promise<void> {
    await this.#save(this.entries.filter((entry) => entry.key !== key));
  }

  async #save(entries: readonly JournalEntry[]): Promise<void> {
    this.#content = { ...this.#content, entries };
    if (entries.length === 0)
      return await plainly(this.path, 'removed', () => rm(this.path, { force: true }));
    await plainly(this.path, 'written', () =>
      replaceFile(this.path, `${JSON.stringify(this.#content, undefined, 2)}\n`),
    );
  }
}

/** An empty journal where there is no file. @throws {ConfigureError} for a file that is not the journal of this target. */
export async function openJournal(path: string, kind: string, target: string): Promise<Journal> {
  const text = await readIfThere(path);
  if (text === undefined) return new Journal(path, { version: 1, kind, target, entries: [] });
  const content = parse(path, text);
  if (content.kind !== kind || content.target.toLowerCase() !== target.toLowerCase())
    throw new ConfigureError(
      `${path} is the journal of ${content.target} (${content.kind}), not of ${target} (${kind}); give another file with --journal`,
    );
  return new Journal(path, content);
}

// ---------------------------------------------------------------------------------------------------------------

function parse(path: string, text: string): JournalContent {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    content = undefined;
  }
  if (!isJournal(content))
    throw new ConfigureError(
      `${path} is not a journal of configure, or it is damaged; give another file with --journal, or restore it`,
    );
  return content;
}

function isJournal(value: unknown): value is JournalContent {
  const { version, kind, target, entries } = (value ?? {}) as Record<string, unknown>;
  return (
    version === 1 &&
    typeof kind === 'string' &&
    typeof target === 'string' &&
    Array.isArray(entries) &&
    entries.every(isEntry)
  );
}

function isEntry(value: unknown): value is JournalEntry {
  const { key, kind, name, state, fields, id = '', facts = {} } = (value ?? {}) as Record<string, unknown>;
  const isObject = (each: unknown) => typeof each === 'object' && each !== null;
  return (
    [key, kind, name, id].every((each) => typeof each === 'string') &&
    (state === 'creating' || state === 'created') &&
    isObject(fields) &&
    isObject(facts)
  );
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileError(path, 'read', error);
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  await rm(temporary, { force: true });
  const file = await open(temporary, 'wx', 0o600);
  await synced(file, () => file.writeFile(text));
  await rename(temporary, path);
  const folder = await open(dirname(path), 'r');
  await synced(folder, async () => undefined);
}

async function synced(file: FileHandle, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
    await file.sync();
  } finally {
    await file.close();
  }
}

async function plainly(path: string, verb: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    throw fileError(path, verb, error);
  }
}

function fileError(path: string, verb: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? error : new ConfigureError(`the journal ${path} cannot be ${verb}: ${message}`);
}
