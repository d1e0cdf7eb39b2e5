/**
 * The support bundle: one JSON file with the objects, logs and readings that questions need, made on one machine and read
 * on another. Here is its form; what goes in decides `make-dump.ts`, what stays out `scrub.ts`. It is written with one
 * object per line, so that `dump-view.ts` finds one without reading the others; any other layout is read whole.
 */
import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzipSync } from 'node:zlib';
import type { Evidence, ReadObject, Unread } from '../../causes/index.ts';

export const DUMP_KIND = 'ChandlerDump';
/** The version of the format. A reader accepts older ones, and rejects newer ones with a message. */
export const DUMP_VERSION = 1;

export interface Dump {
  readonly kind: typeof DUMP_KIND;
  readonly version: number;
  readonly madeAt: string;
  /** Of the program that made it. */
  readonly madeBy: string;
  /** By kind: `nodeclaims.karpenter.sh`. */
  readonly kinds: Readonly<Record<string, DumpedKind>>;
  /** By `namespace/pod/container`, with `/previous` for the one before. */
  readonly logs: Readonly<Record<string, string>>;
  /** How many logs were left out because of a limit, as a sentence. */
  readonly cutLogs?: string;
  /** What was read elsewhere, such as in Azure. */
  readonly evidence: readonly Evidence[];
  readonly unread: readonly Unread[];
}

export interface DumpedKind {
  readonly objects: readonly ReadObject[];
  /** The dump has every object of the kind: one that is missing did not exist. */
  readonly complete: boolean;
  /** Namespaces of which the dump has every object of the kind. */
  readonly wholeNamespaces?: readonly string[];
  /** How many were left out because of a limit, as a sentence. */
  readonly cut?: string;
  /** Names that other objects in the dump refer to, and that did not exist. */
  readonly absent?: readonly string[];
  /** Why it could not be read, or only in part. */
  readonly unread?: { readonly why: Unread['why']; readonly permission?: string; readonly message?: string };
}

export class DumpError extends Error {
  override readonly name = 'DumpError';
}

/** A larger file is not a dump, and would not fit into memory. */
export const MAX_DUMP_BYTES = 256 * 1024 * 1024;

/** Parses the whole dump. @throws {DumpError} with a message for the user. */
export function parseDump(bytes: Uint8Array): Dump {
  let value: unknown;
  try {
    value = JSON.parse(unpacked(bytes).toString('utf8'));
  } catch (error) {
    if (error instanceof DumpError) throw error;
    throw new DumpError('it is not JSON, with or without gzip: a dump is made with `chandler dump`');
  }
  return checkedDump(value);
}

/** Of a value that was read. @throws {DumpError} */
export function checkedDump(value: unknown): Dump {
  if (typeof value !== 'object' || value === null || (value as Dump).kind !== DUMP_KIND)
    throw new DumpError(`it is JSON and no dump (kind ${DUMP_KIND})`);
  const { version } = value as Dump;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw new DumpError('it has no version');
  if (version > DUMP_VERSION)
    throw new DumpError(
      `it is of version ${version}, and this program reads versions up to ${DUMP_VERSION}: use a newer one`,
    );
  return completed(value as Partial<Dump>);
}

export function encodeDump(dump: Dump, compressed: boolean): Uint8Array {
  const { kinds, logs, evidence, unread, ...head } = dump;
  const parts = Object.entries(kinds).map(([name, { objects, ...kind }]) => {
    const lines = objects.map((object) => JSON.stringify(object)).join(',\n');
    return `\n${JSON.stringify(name)}:${opened(kind, 'objects', '[')}${lines === '' ? '' : `\n${lines}`}\n]}`;
  });
  const tail = JSON.stringify({ logs, evidence, unread }).slice(1);
  const text = `${opened(head, 'kinds', '{')}${parts.join(',')}\n},${tail}`;
  return compressed ? gzipSync(text) : Buffer.from(text);
}

/** Decompresses it, if it is compressed. @throws {DumpError} */
export function unpacked(bytes: Uint8Array): Buffer {
  if (!isPacked(bytes)) return bufferOf(bytes);
  try {
    return gunzipSync(bytes, unpackOptions(bytes));
  } catch (error) {
    throw unpackError(error);
  }
}

/** The same, asynchronously: a large dump takes as long as all modules that answer the question take to load. */
export async function unpackedSoon(bytes: Uint8Array): Promise<Buffer> {
  if (!isPacked(bytes)) return bufferOf(bytes);
  try {
    return await promisify(gunzip)(bytes, unpackOptions(bytes));
  } catch (error) {
    throw unpackError(error);
  }
}

export function isKubeObject(value: unknown): value is ReadObject {
  const { metadata } = objectOf(value);
  return typeof objectOf(metadata)['name'] === 'string';
}

export function logKey(namespace: string, pod: string, container: string, previous: boolean): string {
  return `${namespace}/${pod}/${container}${previous ? '/previous' : ''}`;
}

// ---------------------------------------------------------------------------------------------------

function isPacked(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const MIN_CHUNK_BYTES = 64 * 1024;

/** Decompresses in one piece, because gzip ends with the size. If that size is wrong, several pieces are joined. */
function unpackOptions(bytes: Uint8Array): { readonly maxOutputLength: number; readonly chunkSize: number } {
  const size = bytes.length < 18 ? 0 : bufferOf(bytes).readUInt32LE(bytes.length - 4);
  return {
    maxOutputLength: MAX_DUMP_BYTES,
    // A little more than all of it, or a second piece is begun for nothing.
    chunkSize: Math.min(Math.max(size + 1024, MIN_CHUNK_BYTES), MAX_DUMP_BYTES),
  };
}

function unpackError(error: unknown): DumpError {
  const { code } = error as NodeJS.ErrnoException;
  return new DumpError(
    code === 'ERR_BUFFER_TOO_LARGE'
      ? `it holds more than ${MAX_DUMP_BYTES / 1024 / 1024} MiB`
      : 'it is compressed and cannot be unpacked: is it whole?',
  );
}

/** The text of an object up to the opening of its last field. */
function opened(fields: object, last: string, bracket: '[' | '{'): string {
  const text = JSON.stringify(fields).slice(0, -1);
  return `${text}${text === '{' ? '' : ','}${JSON.stringify(last)}:${bracket}`;
}

/** Parts that an older or truncated dump lacks are empty, and values that are not objects are left out. */
function completed(dump: Partial<Dump>): Dump {
  const kinds: Record<string, DumpedKind> = {};
  for (const [name, kind] of Object.entries(objectOf(dump.kinds))) {
    const { objects, complete, wholeNamespaces, cut, absent, unread } = objectOf(kind);
    kinds[name] = {
      objects: Array.isArray(objects) ? objects.filter(isKubeObject) : [],
      complete: complete === true,
      ...(typeof cut === 'string' ? { cut } : {}),
      ...(Array.isArray(wholeNamespaces) ? { wholeNamespaces: wholeNamespaces.filter(isText) } : {}),
      ...(Array.isArray(absent) ? { absent: absent.filter(isText) } : {}),
      ...(unread === undefined ? {} : { unread: unread as NonNullable<DumpedKind['unread']> }),
    };
  }
  const logs = Object.entries(objectOf(dump.logs)).filter(
    (log): log is [string, string] => typeof log[1] === 'string',
  );
  return {
    kind: DUMP_KIND,
    version: dump.version!,
    madeAt: typeof dump.madeAt === 'string' ? dump.madeAt : '',
    madeBy: typeof dump.madeBy === 'string' ? dump.madeBy : '',
    kinds,
    logs: Object.fromEntries(logs),
    ...(typeof dump.cutLogs === 'string' ? { cutLogs: dump.cutLogs } : {}),
    evidence: Array.isArray(dump.evidence) ? dump.evidence.filter(isRecord) : [],
    unread: Array.isArray(dump.unread) ? dump.unread.filter(isUnread) : [],
  };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isRecord(value: unknown): value is Evidence {
  const { kind, reading } = objectOf(value);
  return typeof kind === 'string' && typeof objectOf(reading)['what'] === 'string';
}

function isUnread(value: unknown): value is Unread {
  const { kind, what, why } = objectOf(value);
  return typeof kind === 'string' && typeof what === 'string' && typeof why === 'string';
}
