/**
 * Looks into a dump. In one that has an object per line, objects are found by words in their text and only those are
 * parsed: a question is about a handful, a dump may hold the whole cluster. Any other layout is parsed as a whole.
 */
import type { ReadObject } from '../../causes/index.ts';
import {
  checkedDump,
  type Dump,
  DumpError,
  type DumpedKind,
  isKubeObject,
  parseDump,
  unpacked,
} from './dump.ts';

export interface DumpView extends Pick<Dump, 'madeAt' | 'logs' | 'evidence' | 'unread'> {
  /** By its name: `nodeclaims.karpenter.sh`. */
  kindOf(name: string): KindView | undefined;
}

export interface KindView extends Omit<DumpedKind, 'objects'> {
  /** Objects that contain all of these strings in their compact JSON; the result may contain others. */
  having(words: readonly string[]): Iterable<ReadObject>;
}

/** @throws {DumpError} with a message for the user. Reading a damaged line later throws it as well. */
export function openDump(bytes: Uint8Array): DumpView {
  const text = unpacked(bytes);
  return byLines(text) ?? viewOf(parseDump(text));
}

export function viewOf({ kinds, ...dump }: Dump): DumpView {
  return {
    ...dump,
    kindOf(name) {
      const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
      if (kind === undefined) return undefined;
      const { objects, ...rest } = kind;
      return { ...rest, having: () => objects };
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const HEAD_ENDS = '"kinds":{';
const KIND_ENDS = '"objects":[';

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Undefined: it is laid out otherwise. A raw line break is never inside a JSON text, so lines cannot be misread. */
function byLines(bytes: Buffer): DumpView | undefined {
  const head = lineAt(bytes, 0);
  if (head === undefined || !head.text.endsWith(HEAD_ENDS)) return undefined;
  const kinds: Record<string, unknown> = {};
  const places = new Map<string, Place>();
  let at = head.next;
  while (bytes[at] === QUOTE) {
    const line = lineAt(bytes, at);
    if (line === undefined || !line.text.endsWith(KIND_ENDS)) return undefined;
    // From the break before the first object to the one before the bracket.
    const end = bytes.indexOf('\n]', line.next - 1);
    const entry = parsed(`{${line.text}]}}`);
    const closing = end < 0 ? undefined : lineAt(bytes, end + 1);
    if (entry === undefined || closing === undefined) return undefined;
    const [name] = Object.keys(entry);
    places.set(name!, { start: line.next, end });
    Object.assign(kinds, entry);
    at = closing.next;
  }
  const tail = parsed(bytes.toString('utf8', at).replace(/^\},/, '{'));
  const top = parsed(`${head.text}}}`);
  if (tail === undefined || top === undefined) return undefined;
  const { kinds: headers, ...dump } = checkedDump({ ...top, ...tail, kinds });
  return {
    ...dump,
    kindOf(name) {
      const place = places.get(name);
      if (place === undefined) return undefined;
      const { objects: _, ...kind } = headers[name]!;
      return { ...kind, having: (words) => objectsIn(bytes, place, words) };
    },
  };
}

function lineAt(bytes: Buffer, start: number): { readonly text: string; readonly next: number } | undefined {
  const end = bytes.indexOf(NEWLINE, start);
  return end < 0 ? undefined : { text: bytes.toString('utf8', start, end), next: end + 1 };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function* objectsIn(bytes: Buffer, { start, end }: Place, words: readonly string[]): Iterable<ReadObject> {
  const [first, ...rest] = [...words].sort((a, b) => b.length - a.length);
  for (let at = start; at < end; ) {
    const hit = first === undefined ? at : bytes.indexOf(first, at);
    if (hit < 0 || hit >= end) return;
    const lineStart = bytes.lastIndexOf(NEWLINE, hit) + 1;
    const lineEnd = bytes.indexOf(NEWLINE, hit);
    const line = bytes.subarray(lineStart, lineEnd);
    at = lineEnd + 1;
    if (!rest.every((word) => line.includes(word))) continue;
    const object = parsed(line.toString('utf8').replace(/,$/, ''));
    if (object === undefined) throw new DumpError(`it is damaged at byte ${lineStart}`);
    if (isKubeObject(object)) yield object;
  }
}
