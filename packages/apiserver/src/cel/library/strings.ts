/**
 * Functions on strings: CEL's own, the strings extension, and Kubernetes' regular expressions. Positions count
 * characters (code points).
 */
import { spend } from '../effort.ts';
import { type FunctionTable, fn, method, type Overload } from '../overloads.ts';
import { type Regex, RegexError, re2 } from '../regex.ts';
import { BOOL, DYN, INT, listOf, STRING } from '../types.ts';
import { CelError, type CelList, type CelValue, ValueList } from '../values.ts';
import { formatString } from './string-format.ts';

export const strings: FunctionTable = new Map<string, readonly Overload[]>([
  ['contains', [method([STRING, STRING], BOOL, (text: string, part: string) => text.includes(part))]],
  ['startsWith', [method([STRING, STRING], BOOL, (text: string, part: string) => text.startsWith(part))]],
  ['endsWith', [method([STRING, STRING], BOOL, (text: string, part: string) => text.endsWith(part))]],
  [
    'matches',
    [
      method([STRING, STRING], BOOL, (text: string, pattern: string) => regex(pattern).test(text)),
      fn([STRING, STRING], BOOL, (text: string, pattern: string) => regex(pattern).test(text)),
    ],
  ],
  [
    'find',
    [method([STRING, STRING], STRING, (text: string, pattern: string) => regex(pattern).find(text) ?? '')],
  ],
  [
    'findAll',
    [
      method([STRING, STRING], listOf(STRING), (text: string, pattern: string) =>
        findAll(text, pattern, -1n),
      ),
      method([STRING, STRING, INT], listOf(STRING), findAll),
    ],
  ],
  ['charAt', [method([STRING, INT], STRING, charAt)]],
  [
    'indexOf',
    [
      method([STRING, STRING], INT, (text: string, part: string) => indexOf(text, part, 0n)),
      method([STRING, STRING, INT], INT, indexOf),
    ],
  ],
  [
    'lastIndexOf',
    [
      method([STRING, STRING], INT, (text: string, part: string) => {
        const size = [...text].length;
        if (part === '') return BigInt(size);
        return size === 0 ? -1n : lastIndexOf(text, part, BigInt(size - 1));
      }),
      method([STRING, STRING, INT], INT, lastIndexOf),
    ],
  ],
  [
    'lowerAscii',
    [method([STRING], STRING, (text: string) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase()))],
  ],
  [
    'upperAscii',
    [method([STRING], STRING, (text: string) => text.replace(/[a-z]+/g, (part) => part.toUpperCase()))],
  ],
  [
    'replace',
    [
      method([STRING, STRING, STRING], STRING, (text: string, from: string, to: string) =>
        replaceFirst(text, from, to, -1n),
      ),
      method([STRING, STRING, STRING, INT], STRING, replaceFirst),
    ],
  ],
  [
    'split',
    [
      method([STRING, STRING], listOf(STRING), (text: string, separator: string) =>
        split(text, separator, -1n),
      ),
      method([STRING, STRING, INT], listOf(STRING), split),
    ],
  ],
  [
    'substring',
    [
      method([STRING, INT], STRING, (text: string, from: bigint) => substring(text, from, undefined)),
      method([STRING, INT, INT], STRING, substring),
    ],
  ],
  ['trim', [method([STRING], STRING, (text: string) => text.replace(TRIMMED, ''))]],
  [
    'join',
    [
      method([listOf(STRING)], STRING, (list: CelList) => join(list, '')),
      method([listOf(STRING), STRING], STRING, join),
    ],
  ],
  ['format', [method([STRING, listOf(DYN)], STRING, formatString)]],
  ['strings.quote', [fn([STRING], STRING, quote)]],
]);

// ---------------------------------------------------------------------------------------------------

/** What Go counts as white space. */
const TRIMMED = /^[\s\u0085]+|[\s\u0085]+$/g;

function regex(pattern: string): Regex {
  try {
    return re2(pattern);
  } catch (error) {
    if (error instanceof RegexError) throw new CelError(error.message);
    throw error;
  }
}

function findAll(text: string, pattern: string, limit: bigint): CelValue {
  return new ValueList(regex(pattern).findAll(text, limit < 0n ? undefined : Number(limit)));
}

function charAt(text: string, index: bigint): string {
  const all = [...text];
  if (index < 0n || index > all.length) throw new CelError(`index out of range: ${index}`);
  return all[Number(index)] ?? '';
}

function indexOf(text: string, part: string, offset: bigint): bigint {
  if (part === '') return offset;
  if (offset < 0n) throw new CelError(`index out of range: ${offset}`);
  const all = [...text];
  if (offset >= all.length) return -1n;
  return BigInt(searchFrom(all, [...part], Number(offset), 1));
}

function lastIndexOf(text: string, part: string, offset: bigint): bigint {
  if (part === '') return offset;
  if (offset < 0n) throw new CelError(`index out of range: ${offset}`);
  const all = [...text];
  const wanted = [...part];
  if (offset >= all.length) return -1n;
  return BigInt(searchFrom(all, wanted, Math.min(Number(offset), all.length - wanted.length), -1));
}

function searchFrom(all: readonly string[], part: readonly string[], start: number, step: number): number {
  for (let at = start; at >= 0 && at + part.length <= all.length; at += step) {
    if (part.every((char, index) => all[at + index] === char)) return at;
  }
  return -1;
}

function replaceFirst(text: string, from: string, to: string, limit: bigint): string {
  const times = from === '' ? text.length + 1 : text.split(from).length - 1;
  spend((times * to.length) / 10);
  if (limit < 0n) return text.replaceAll(from, () => to);
  let left = limit;
  return text.replaceAll(from, (part) => (left-- > 0n ? to : part));
}

function split(text: string, separator: string, limit: bigint): CelValue {
  if (limit === 0n) return new ValueList([]);
  const parts = separator === '' ? [...text] : text.split(separator);
  if (limit < 0n || parts.length <= limit) return new ValueList(parts);
  const kept = parts.slice(0, Number(limit) - 1);
  return new ValueList([...kept, parts.slice(kept.length).join(separator)]);
}

function substring(text: string, from: bigint, to: bigint | undefined): string {
  const all = [...text];
  const end = to ?? BigInt(all.length);
  if (to !== undefined && from > end)
    throw new CelError(`invalid substring range. start: ${from}, end: ${end}`);
  if (from < 0n || from > all.length) throw new CelError(`index out of range: ${from}`);
  if (end < 0n || end > all.length) throw new CelError(`index out of range: ${end}`);
  return all.slice(Number(from), Number(end)).join('');
}

function join(list: CelList, separator: string): string {
  let length = 0;
  const items = list.items().map((item) => {
    if (typeof item !== 'string') throw new CelError(`join: invalid input: ${String(item)}`);
    length += item.length + separator.length;
    return item;
  });
  spend(length / 10);
  return items.join(separator);
}

const QUOTED: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(text: string): string {
  return `"${[...text.toWellFormed()].map((char) => QUOTED[char] ?? char).join('')}"`;
}
