/**
 * Reads a tar archive, compressed or not, as a stream: returns the selected members and skips the others. An archive with
 * unsafe members (absolute paths, `..`, links, devices) or above the size limits is rejected as a whole, before that
 * member is returned.
 */
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FlexError } from '../flex-error.ts';

export interface TarOptions {
  readonly gzip: boolean;
  /** Selects members by path, without a leading `./`. */
  readonly wants: (path: string) => boolean;
  /** Maximum size of a member. Default 512 MiB. */
  readonly maxMemberBytes?: number;
  /** Maximum size of all members, decompressed. Default 4 GiB. */
  readonly maxTotalBytes?: number;
  /** The name of the archive in messages. */
  readonly what: string;
}

export interface TarMember {
  readonly path: string;
  /** Only the permission bits. */
  readonly mode: number;
  readonly content: Uint8Array;
}

export async function* readTar(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: TarOptions,
): AsyncGenerator<TarMember> {
  const source = new ByteSource(options.gzip ? unpacked(chunks, options) : chunks, options);
  let extended: Extended = {};
  for (;;) {
    const block = await source.take(BLOCK);
    if (block === undefined || block.every((byte) => byte === 0)) return;
    const header = readHeader(block, options);
    if (EXTENDED_TYPES.has(header.type)) {
      extended = { ...extended, ...(await readExtended(header, source, options)) };
      continue;
    }
    const size = extended.size ?? header.size;
    const path = safePath(extended.path ?? header.path, options);
    extended = {};
    refuseUnlessPlain(header.type, path, options);
    const isFile = header.type !== '5';
    if (isFile && options.wants(path))
      yield { path, mode: header.mode, content: await body(size, source, path, options) };
    else await source.skip(padded(size));
  }
}

/** One member, or `undefined` if the archive has no member with that name. */
export async function readTarMember(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  path: string,
  options: Omit<TarOptions, 'wants'>,
): Promise<TarMember | undefined> {
  for await (const member of readTar(chunks, { ...options, wants: (name) => name === path })) return member;
  return undefined;
}

// ---------------------------------------------------------------------------------------------------

const BLOCK = 512;
const MAX_MEMBER = 512 * 2 ** 20;
const MAX_TOTAL = 4 * 2 ** 30;
const MAX_TEXT = 64 * 1024;
/** Types of extended headers: GNU long name, POSIX headers for one member and for all. */
const EXTENDED_TYPES = new Set(['L', 'x', 'g']);
const PLAIN = new Set(['0', '\0', '7', '5']);

interface Header {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly type: string;
}

interface Extended {
  readonly path?: string;
  readonly size?: number;
}

function readHeader(block: Uint8Array, options: TarOptions): Header {
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== octal(block, 148, 8)) throw refused(options, 'a header is damaged');
  const name = text(block, 0, 100);
  const prefix = text(block, 257, 5) === 'ustar' ? text(block, 345, 155) : '';
  return {
    path: prefix === '' ? name : `${prefix}/${name}`,
    mode: octal(block, 100, 8) & 0o777,
    size: sizeOf(block, options),
    type: String.fromCharCode(block[156]!),
  };
}

function sizeOf(block: Uint8Array, options: TarOptions): number {
  // The high bit marks GNU's binary size for files of 8 GiB and more, which exceed the limit.
  if ((block[124]! & 0x80) !== 0) throw refused(options, 'a member exceeds the size limit');
  return octal(block, 124, 12);
}

async function readExtended(header: Header, source: ByteSource, options: TarOptions): Promise<Extended> {
  if (header.size > MAX_TEXT) throw refused(options, 'an extended header exceeds the size limit');
  const bytes = await source.need(padded(header.size));
  const content = new TextDecoder().decode(bytes.subarray(0, header.size));
  if (header.type === 'L') return { path: content.replace(/\0.*$/s, '') };
  if (header.type === 'g') return {};
  const records = new Map([...content.matchAll(/\d+ ([^=\n]+)=([^\n]*)\n/g)].map((m) => [m[1]!, m[2]!]));
  const path = records.get('path');
  const size = records.get('size');
  return {
    ...(path === undefined ? {} : { path }),
    ...(size === undefined ? {} : { size: Number(size) }),
  };
}

function safePath(raw: string, options: TarOptions): string {
  if (raw.startsWith('/') || raw.includes('\0'))
    throw refused(options, `it contains an absolute path (${raw})`);
  const parts = raw.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw refused(options, `it contains a path with ".." (${raw})`);
  return parts.join('/');
}

function refuseUnlessPlain(type: string, path: string, options: TarOptions): void {
  if (PLAIN.has(type)) return;
  const kind = type === '1' || type === '2' ? 'a link' : 'a member that is neither a file nor a directory';
  throw refused(options, `it contains ${kind} (${path})`);
}

async function body(
  size: number,
  source: ByteSource,
  path: string,
  options: TarOptions,
): Promise<Uint8Array> {
  if (!(size <= (options.maxMemberBytes ?? MAX_MEMBER))) {
    throw refused(options, `${path} exceeds the size limit (${size} bytes)`);
  }
  return (await source.need(padded(size))).subarray(0, size);
}

function unpacked(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: TarOptions,
): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip();
  pipeline(Readable.from(chunks, { objectMode: true }), gunzip, () => {});
  return (async function* () {
    try {
      yield* gunzip as AsyncIterable<Uint8Array>;
    } catch (error) {
      if (error instanceof FlexError) throw error;
      throw refused(options, `it is damaged (${error instanceof Error ? error.message : 'unknown'})`);
    } finally {
      gunzip.destroy();
    }
  })();
}

/** Regroups the bytes of a stream into blocks. */
class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  readonly #options: TarOptions;
  #held: Uint8Array = new Uint8Array();
  #total = 0;

  constructor(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, options: TarOptions) {
    this.#chunks =
      Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
    this.#options = options;
  }

  /** Returns `undefined` at the end of the stream. */
  async take(count: number): Promise<Uint8Array | undefined> {
    const parts: Uint8Array[] = [];
    let missing = count;
    while (missing > 0) {
      if (this.#held.length === 0 && !(await this.#more())) break;
      const piece = this.#held.subarray(0, missing);
      this.#held = this.#held.subarray(piece.length);
      missing -= piece.length;
      parts.push(piece);
    }
    if (missing === count && count > 0) return undefined;
    if (missing > 0) throw refused(this.#options, 'it is truncated');
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  async need(count: number): Promise<Uint8Array> {
    const bytes = count === 0 ? new Uint8Array() : await this.take(count);
    if (bytes === undefined) throw refused(this.#options, 'it is truncated');
    return bytes;
  }

  async skip(count: number): Promise<void> {
    for (let left = count; left > 0; ) {
      const step = Math.min(left, 2 ** 20);
      await this.need(step);
      left -= step;
    }
  }

  async #more(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done === true) return false;
    this.#held = next.value;
    this.#total += next.value.length;
    if (this.#total > (this.#options.maxTotalBytes ?? MAX_TOTAL)) {
      throw refused(this.#options, 'it exceeds the size limit when decompressed');
    }
    return true;
  }
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

function text(block: Uint8Array, at: number, length: number): string {
  return new TextDecoder().decode(block.subarray(at, at + length)).replace(/\0.*$/s, '');
}

function octal(block: Uint8Array, at: number, length: number): number {
  return Number.parseInt(text(block, at, length).trim() || '0', 8);
}

function refused(options: TarOptions, why: string): FlexError {
  return new FlexError({
    class: 'step',
    code: 'archive.refused',
    where: options.what,
    message: `the archive ${options.what} is invalid: ${why}`,
    remedy: 'Nothing was installed from it. Download it again from its vendor, or configure another version.',
  });
}
