/**
 * Archives in the tar format that are the same for the same content: sorted names, one time for all, the owner as given,
 * no name of a user. Names that do not fit into a header get a pax record. The reader knows what Debian packages contain.
 */

/** Without a slash at either end: `usr/bin/node`. */
export type TarEntry = { readonly name: string; readonly mode: number; readonly owner?: number } & (
  | { readonly kind: 'file'; readonly content: Buffer }
  | { readonly kind: 'folder' }
  | { readonly kind: 'link'; readonly target: string }
);

/** @param timeSeconds of every entry. Folders that entries are in are added, owned by root. */
export function writeTar(entries: readonly TarEntry[], timeSeconds: number): Buffer {
  const byName = new Map<string, TarEntry>();
  for (const entry of [...missingFolders(entries), ...entries]) {
    const before = byName.get(entry.name);
    if (before !== undefined && before.kind !== 'folder')
      throw new Error(`${entry.name} is in the archive twice`);
    byName.set(entry.name, entry);
  }
  const sorted = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const blocks = sorted.flatMap((entry) => entryBlocks(entry, timeSeconds));
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

/** Hard links, of which Debian packages of libraries have none, are an error, as is every other kind of entry. */
export function readTar(archive: Buffer): readonly TarEntry[] {
  const entries: TarEntry[] = [];
  let longName: string | undefined;
  let longTarget: string | undefined;
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0; ) {
    const header = archive.subarray(at, at + BLOCK);
    const size = Number.parseInt(text(header, FIELDS.size), 8);
    const content = archive.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + padded(size);
    const type = String.fromCharCode(header[FIELDS.type[0]]!);
    if (type === 'L') longName = content.toString().replace(/\0.*$/s, '');
    else if (type === 'K') longTarget = content.toString().replace(/\0.*$/s, '');
    else if (type === 'x') {
      longName = paxValue(content, 'path') ?? longName;
      longTarget = paxValue(content, 'linkpath') ?? longTarget;
    } else if (type !== 'g') {
      const name = (longName ?? joined(text(header, FIELDS.prefix), text(header, FIELDS.name)))
        .replace(/^\.?\//, '')
        .replace(/\/$/, '');
      const mode = Number.parseInt(text(header, FIELDS.mode), 8) & 0o7777;
      if (name !== '' && name !== '.')
        entries.push(asEntry(name, mode, type, content, longTarget ?? text(header, FIELDS.target)));
      longName = undefined;
      longTarget = undefined;
    }
  }
  return entries;
}

// ---------------------------------------------------------------------------------------------------

const BLOCK = 512;

/** Where a field begins in a header, and its length. */
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  owner: [108, 8],
  group: [116, 8],
  size: [124, 12],
  time: [136, 12],
  sum: [148, 8],
  type: [156, 1],
  target: [157, 100],
  magic: [257, 8],
  prefix: [345, 155],
} as const;

type Field = (typeof FIELDS)[keyof typeof FIELDS];

const padded = (size: number) => Math.ceil(size / BLOCK) * BLOCK;

function missingFolders(entries: readonly TarEntry[]): readonly TarEntry[] {
  const names = new Set<string>();
  for (const { name } of entries)
    for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1)) names.add(name.slice(0, at));
  for (const { name } of entries) names.delete(name);
  return [...names].map((name) => ({ kind: 'folder', name, mode: 0o755 }));
}

function entryBlocks(entry: TarEntry, timeSeconds: number): readonly Buffer[] {
  const name = entry.kind === 'folder' ? `${entry.name}/` : entry.name;
  const target = entry.kind === 'link' ? entry.target : '';
  const content = entry.kind === 'file' ? entry.content : Buffer.alloc(0);
  const pax = [
    Buffer.byteLength(name) > FIELDS.name[1] ? paxRecord('path', name) : '',
    Buffer.byteLength(target) > FIELDS.target[1] ? paxRecord('linkpath', target) : '',
  ].join('');
  const about = { mode: entry.mode, owner: entry.owner ?? 0, timeSeconds };
  const type = { file: '0', folder: '5', link: '2' }[entry.kind];
  const blocks = [header({ ...about, name, target, type, size: content.length }), ...body(content)];
  if (pax === '') return blocks;
  const records = Buffer.from(pax);
  const paxHeader = { ...about, mode: 0o644, name: 'PaxHeader', target: '', type: 'x', size: records.length };
  return [header(paxHeader), ...body(records), ...blocks];
}

function body(content: Buffer): readonly Buffer[] {
  return [content, Buffer.alloc(padded(content.length) - content.length)];
}

interface Header {
  readonly name: string;
  readonly mode: number;
  readonly owner: number;
  readonly size: number;
  readonly timeSeconds: number;
  readonly type: string;
  readonly target: string;
}

function header({ name, mode, owner, size, timeSeconds, type, target }: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  const put = ([at, length]: Field, value: string) => block.write(value.slice(0, length), at, length);
  const octal = (field: Field, value: number) => put(field, value.toString(8).padStart(field[1] - 1, '0'));
  put(FIELDS.name, name);
  octal(FIELDS.mode, mode);
  octal(FIELDS.owner, owner);
  octal(FIELDS.group, owner);
  octal(FIELDS.size, size);
  octal(FIELDS.time, timeSeconds);
  put(FIELDS.type, type);
  put(FIELDS.target, target);
  put(FIELDS.magic, 'ustar\x0000');
  put(FIELDS.sum, ' '.repeat(FIELDS.sum[1]));
  const sum = block.reduce((all, byte) => all + byte, 0);
  put(FIELDS.sum, `${sum.toString(8).padStart(6, '0')}\0 `);
  return block;
}

/** The length that begins a record counts itself. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (rest + String(length).length !== length) length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}

function paxValue(records: Buffer, key: string): string | undefined {
  return new RegExp(`(?:^|\\n)\\d+ ${key}=([^\\n]*)`).exec(records.toString())?.[1];
}

function text(block: Buffer, [at, length]: Field): string {
  return block
    .subarray(at, at + length)
    .toString()
    .replace(/\0.*$/s, '')
    .trim();
}

const joined = (prefix: string, name: string) => (prefix === '' ? name : `${prefix}/${name}`);

function asEntry(name: string, mode: number, type: string, content: Buffer, target: string): TarEntry {
  if (type === '0' || type === '\0') return { kind: 'file', name, mode, content };
  if (type === '5') return { kind: 'folder', name, mode };
  if (type === '2') return { kind: 'link', name, mode: 0o777, target };
  throw new Error(`${name} has the type ${JSON.stringify(type)}, which is no file, folder or symbolic link`);
}
