/**
 * The whole store as one file and back. Written beside the old file and moved over it, so that a crash leaves
 * either the old or the new one; a file that cannot be read is an error that names it, never an empty start.
 */
import { open, readFile, realpath, rename, rm } from 'node:fs/promises';
import type { KubeObject, Stored } from '@chandler/kube';
import type { Store } from './store.ts';

const FORMAT = 'chandler.sh/apiserver-snapshot';
const VERSION = 1;

export class SnapshotError extends Error {
  constructor(file: string, why: string, cause?: unknown) {
    super(`snapshot file ${file} ${why}`, { cause });
    this.name = 'SnapshotError';
  }
}

export async function writeSnapshot(store: Store, file: string): Promise<void> {
  const text = renderSnapshot(store);
  // A link stays one: what it leads to is replaced.
  const target = await realpath(file).catch(() => file);
  const beside = `${target}.new`;
  try {
    // A leftover file may be a link, or readable by others: it is not written into.
    await rm(beside, { force: true });
    const handle = await open(beside, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    throw new SnapshotError(file, `could not be written: ${messageOf(error)}`, error);
  }
}

/** False when there is no such file: the store stays empty. */
export async function readSnapshot(store: Store, file: string): Promise<boolean> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw new SnapshotError(file, `could not be read: ${messageOf(error)}`, error);
  }
  const { revision, objects } = parseSnapshot(text, file);
  store.restore(revision, objects);
  return true;
}

// ---------------------------------------------------------------------------------------------------

interface Snapshot {
  readonly revision: number;
  readonly objects: (readonly [string, Stored])[];
}

/** One header line, then one line for each object: a truncated file is detected by its count. */
function renderSnapshot(store: Store): string {
  const lines: string[] = [];
  for (const key of store.keys()) {
    for (const item of store.list(key)) lines.push(`[${JSON.stringify(key)},${item.text}]`);
  }
  const header = { format: FORMAT, version: VERSION, revision: store.revision, objects: lines.length };
  return `${JSON.stringify(header)}\n${lines.join('\n')}${lines.length === 0 ? '' : '\n'}`;
}

function parseSnapshot(text: string, file: string): Snapshot {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new SnapshotError(file, 'is cut off: its last line is not complete');
  const header = parseLine(lines[0] ?? '', 1, file) as Record<string, unknown> | null;
  if (header?.['format'] !== FORMAT) throw new SnapshotError(file, 'is not a snapshot of this API server');
  if (header['version'] !== VERSION) {
    throw new SnapshotError(
      file,
      `has version ${String(header['version'])}; this program reads version ${VERSION}`,
    );
  }
  if (header['objects'] !== lines.length - 1) {
    throw new SnapshotError(
      file,
      `is cut off: ${String(header['objects'])} objects announced, ${lines.length - 1} found`,
    );
  }
  const revision = header['revision'];
  if (typeof revision !== 'number' || !Number.isSafeInteger(revision) || revision < 1) {
    throw new SnapshotError(file, 'has no valid revision');
  }
  const objects = lines.slice(1).map((line, index) => parseObject(line, index + 2, file));
  const ahead = objects.findIndex(([, { metadata }]) => Number(metadata.resourceVersion) > revision);
  if (ahead >= 0) {
    throw new SnapshotError(file, `is corrupt at line ${ahead + 2}: newer than the snapshot itself`);
  }
  return { revision, objects };
}

function parseObject(line: string, number: number, file: string): readonly [string, Stored] {
  const parsed = parseLine(line, number, file);
  const [key, object] = Array.isArray(parsed) ? parsed : [];
  if (typeof key !== 'string' || !isStoredForm(object)) {
    throw new SnapshotError(
      file,
      `is corrupt at line ${number}: not an object with name, uid and resourceVersion`,
    );
  }
  return [key, object];
}

function isStoredForm(object: unknown): object is Stored {
  const { kind, apiVersion, metadata } = (object ?? {}) as Partial<KubeObject>;
  if (typeof kind !== 'string' || typeof apiVersion !== 'string' || typeof metadata?.name !== 'string')
    return false;
  return (
    ['string', 'undefined'].includes(typeof metadata.namespace) &&
    typeof metadata.uid === 'string' &&
    metadata.resourceVersion !== undefined &&
    REVISION.test(metadata.resourceVersion)
  );
}

const REVISION = /^\d{1,15}$/;

function parseLine(line: string, number: number, file: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new SnapshotError(file, `is corrupt at line ${number}: ${messageOf(error)}`, error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
