/**
 * The support bundle: one JSON file with the objects, logs and readings that questions need, made on one machine and read
 * on another. Here is its form and how it is read; what goes in decides `make-dump.ts`, what stays out `scrub.ts`.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { KubeObject } from '../../api/index.ts';
import type { Evidence, Unread } from '../../causes/index.ts';

export const DUMP_KIND = 'ChandlerDump';
/** Of the form. A reader takes older ones, and says so of newer ones. */
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
  /** What was read elsewhere, such as in Azure. */
  readonly evidence: readonly Evidence[];
  readonly unread: readonly Unread[];
}

export interface DumpedKind {
  readonly objects: readonly KubeObject[];
  /** Every object of the kind is in here, so that one that is not was not there. */
  readonly complete: boolean;
  /** Why it could not be read. */
  readonly unread?: { readonly why: Unread['why']; readonly permission?: string; readonly message?: string };
}

export class DumpError extends Error {
  override readonly name = 'DumpError';
}

/** Larger files are no dump of ours, and would not fit into memory. */
export const LARGEST_DUMP_BYTES = 256 * 1024 * 1024;

/** @throws {DumpError} with words for the one who named the file. */
export function parseDump(bytes: Uint8Array): Dump {
  let value: unknown;
  try {
    value = JSON.parse(unzipped(bytes));
  } catch (error) {
    if (error instanceof DumpError) throw error;
    throw new DumpError('it is not JSON, with or without gzip: a dump is made with `chandler dump`');
  }
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
  const text = JSON.stringify(dump);
  return compressed ? gzipSync(text) : Buffer.from(text);
}

export function logKey(namespace: string, pod: string, container: string, previous: boolean): string {
  return `${namespace}/${pod}/${container}${previous ? '/previous' : ''}`;
}

// ---------------------------------------------------------------------------------------------------

function unzipped(bytes: Uint8Array): string {
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!zipped) return Buffer.from(bytes).toString('utf8');
  try {
    return gunzipSync(bytes, { maxOutputLength: LARGEST_DUMP_BYTES }).toString('utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DumpError(
      code === 'ERR_BUFFER_TOO_LARGE'
        ? `it holds more than ${LARGEST_DUMP_BYTES / 1024 / 1024} MiB`
        : 'it is compressed and cannot be unpacked: is it whole?',
    );
  }
}

/** Parts that an older or a shortened dump lacks are empty, and objects that are none are left out. */
function completed(dump: Partial<Dump>): Dump {
  const kinds: Record<string, DumpedKind> = {};
  for (const [name, kind] of Object.entries(objectOf(dump.kinds))) {
    const { objects, complete, unread } = objectOf(kind);
    kinds[name] = {
      objects: Array.isArray(objects) ? objects.filter(isKubeObject) : [],
      complete: complete === true,
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
    evidence: Array.isArray(dump.evidence) ? dump.evidence.filter(isRecord) : [],
    unread: Array.isArray(dump.unread) ? dump.unread.filter(isUnread) : [],
  };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function isKubeObject(value: unknown): value is KubeObject {
  const { metadata } = objectOf(value);
  return typeof objectOf(metadata)['name'] === 'string';
}

function isRecord(value: unknown): value is Evidence {
  const { kind, reading } = objectOf(value);
  return typeof kind === 'string' && typeof objectOf(reading)['what'] === 'string';
}

function isUnread(value: unknown): value is Unread {
  const { kind, what, why } = objectOf(value);
  return typeof kind === 'string' && typeof what === 'string' && typeof why === 'string';
}
