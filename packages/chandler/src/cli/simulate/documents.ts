/**
 * Splits texts into documents and documents into objects: YAML with several documents, JSON, and Lists.
 * Each object keeps its position, so that an error about a field can name the line.
 * `inventory.ts` checks the objects.
 */
import { KUBE_YAML } from '@chandler/kube';
import { Composer, type Document, isMap, isSeq, LineCounter, Parser } from 'yaml';
import { duplicateKey } from './duplicate-keys.ts';
import { withoutEmptyFields } from './empty-fields.ts';
import type { Problem } from './problem.ts';

export type FieldPath = readonly (string | number)[];

/** A text to read, and its name in messages. */
export interface Source {
  readonly name: string;
  readonly text: string;
}

/** An object of a document; its shape is not checked yet. */
export interface Found {
  /** Without empty fields. */
  readonly value: unknown;
  /** As it is written, for an API server to judge. */
  readonly given: unknown;
  readonly origin: Origin;
}

export interface Origin {
  readonly file: string;
  /** Absent where the file has only one document. */
  readonly document?: number;
  /** The line of the field, or of the nearest enclosing field that exists. */
  lineOf(path: FieldPath): number | undefined;
}

export interface ReadDocuments {
  readonly found: readonly Found[];
  readonly problems: readonly Problem[];
}

export function readDocuments(source: Source): ReadDocuments {
  return atOnce(readingDocuments(source));
}

/**
 * In pieces, for a process that does other things meanwhile: a document of YAML, or a text in JSON, is a piece.
 * @param maxYaml A longer text in JSON gets no line numbers: for them it is read as YAML, in one piece.
 */
export function* readingDocuments(
  source: Source,
  maxYaml = Number.POSITIVE_INFINITY,
): Generator<undefined, ReadDocuments> {
  const plain = parseJson(source.text);
  if (plain !== undefined) {
    const message = notAnObject(plain.value, source.text);
    if (message !== undefined) return { found: [], problems: [{ file: source.name, message }] };
    return readJson(source, plain.value, maxYaml);
  }
  const problems: Problem[] = [];
  const found: Found[] = [];
  const lines = new LineCounter();
  const documents = yield* parsing(source.text, lines);
  if (documents === undefined) return { found, problems: [{ file: source.name, message: TOO_DEEP }] };
  for (const [index, document] of documents.entries()) {
    yield;
    const number = documents.length > 1 ? { document: index + 1 } : {};
    const [error] = document.errors;
    if (error !== undefined) {
      const line = lines.linePos(error.pos[0]).line;
      problems.push({ file: source.name, line, ...number, message: yamlProblem(error.message) });
      continue;
    }
    const twice = duplicateKey(document);
    if (twice !== undefined) {
      const { line } = lines.linePos(twice.offset);
      const message = `invalid YAML: a map has the key ${JSON.stringify(twice.key.slice(0, 100))} twice`;
      problems.push({ file: source.name, line, ...number, message });
      continue;
    }
    const lineOf = (path: FieldPath) => lineIn(document, lines, path);
    const value = toValue(document);
    const message = notAnObject(value, source.text);
    if (message !== undefined) problems.push({ file: source.name, ...number, message });
    else for (const item of itemsOf(value, { file: source.name, ...number, lineOf })) found.push(item);
  }
  return { found, problems };
}

/** The length of the longest document of a text that has to be read as YAML, which takes far longer than JSON. */
export function longestYamlDocument(text: string): number {
  if (parseJson(text) !== undefined) return 0;
  return text.split(/(?:^|\n)---(?!\S)/).reduce((longest, { length }) => Math.max(longest, length), 0);
}

// ---------------------------------------------------------------------------------------------------------------

/** Large dumps are JSON, and the engine's own parser is far faster than any YAML parser. */
function parseJson(text: string): { value: unknown } | undefined {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Line numbers are computed only when a message needs them. */
function readJson(source: Source, value: unknown, maxYaml: number): ReadDocuments {
  let parsed: { document: Document; lines: LineCounter } | undefined;
  const lineOf = (path: FieldPath) => {
    if (source.text.length > maxYaml) return undefined;
    if (parsed === undefined) {
      const lines = new LineCounter();
      parsed = { document: atOnce(parsing(source.text, lines))![0]!, lines };
    }
    return lineIn(parsed.document, parsed.lines, path);
  };
  return { found: itemsOf(value, { file: source.name, lineOf }), problems: [] };
}

function atOnce<T>(steps: Iterator<undefined, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Undefined: the parser, which is recursive, ran out of stack. */
function* parsing(text: string, lineCounter: LineCounter): Generator<undefined, Document[] | undefined> {
  const documents: Document[] = [];
  const parser = new Parser(lineCounter.addNewLine);
  const composer = new Composer({
    ...KUBE_YAML,
    prettyErrors: false,
    // `duplicate-keys.ts` finds them in less time.
    uniqueKeys: false,
  });
  try {
    for (const document of composer.compose(parser.parse(text))) {
      documents.push(document);
      yield;
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return documents;
}

/** Real objects have about 15 levels. What reads them is recursive. */
const MAX_DEPTH = 100;
const TOO_DEEP = `nested more than ${MAX_DEPTH} levels deep; this is not a Kubernetes object`;

/** A value takes at least a character, unless an alias repeats it. */
const MIN_VALUES = 10_000;
const TOO_MANY_ALIASES = 'its aliases repeat more values than the text has characters; write them out';

/** Why the value is not read; undefined: it is. Not recursive itself. */
function notAnObject(value: unknown, { length }: string): string | undefined {
  let level: unknown[] = [value];
  let left = Math.max(MIN_VALUES, length);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return TOO_DEEP;
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      for (const inner of Object.values(each)) next.push(inner);
      if (next.length > left) return TOO_MANY_ALIASES;
    }
    left -= next.length;
    level = next;
  }
  return undefined;
}

function toValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 1_000 });
  } catch (error) {
    if (error instanceof RangeError) return { kind: '', problem: TOO_DEEP };
    return { kind: '', problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The items of a List become separate objects; an empty document has none. */
function itemsOf(value: unknown, origin: Origin): Found[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => itemsOf(item, below(origin, [index])));
  const { kind, items } = value as { kind?: unknown; items?: unknown };
  if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)) {
    // The items of a PodList have no kind.
    const inherited = kind === 'List' ? undefined : kind.slice(0, -'List'.length);
    const { apiVersion } = value as { apiVersion?: unknown };
    return items.flatMap((item, index) =>
      itemsOf(
        inherited === undefined || item === null || typeof item !== 'object'
          ? item
          : { apiVersion, kind: inherited, ...item },
        below(origin, ['items', index]),
      ),
    );
  }
  return [{ value: withoutEmptyFields(value), given: value, origin }];
}

function below(origin: Origin, prefix: FieldPath): Origin {
  return { ...origin, lineOf: (path) => origin.lineOf([...prefix, ...path]) };
}

function lineIn(document: Document, lines: LineCounter, path: FieldPath): number | undefined {
  let node: unknown = document.contents;
  let offset = (node as { range?: readonly number[] } | null)?.range?.[0];
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => String(item.key) === String(step));
      if (pair === undefined) break;
      offset = (pair.key as { range?: readonly number[] } | null)?.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = (node as { range?: readonly number[] } | undefined)?.range?.[0] ?? offset;
    } else break;
  }
  return offset === undefined ? undefined : lines.linePos(offset).line;
}

function yamlProblem(message: string): string {
  // The parser reports its own stack overflow as an error of the text.
  if (message.startsWith('Maximum call stack')) return TOO_DEEP;
  return `invalid YAML: ${message.split('\n')[0]}`;
}
