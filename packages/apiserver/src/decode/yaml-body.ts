/**
 * A body in YAML, read as Kubernetes reads it. Gives the value, the error about keys written twice, or why the text is no YAML.
 */
import { KUBE_YAML } from '@chandler/kube';
import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  Parser,
  visit,
  type YAMLParseError,
} from 'yaml';
import { goPlain, goSyntax } from '../patch/go-format.ts';
import { hasDuplicateKeys } from './json-duplicates.ts';
import { nestsTooDeep } from './json-syntax.ts';

export type YamlBody =
  | { readonly error: string }
  | { readonly error?: undefined; readonly value: unknown; readonly duplicates: readonly string[] };

export function parseYaml(text: string): YamlBody {
  try {
    return readJson(text) ?? readYaml(text);
  } catch (error) {
    // The parser goes as deep as the text; the real one has a limit of its own.
    if (error instanceof RangeError) return TOO_DEEP;
    if (error instanceof NoJson) return { error: error.message };
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------

const TOO_DEEP: YamlBody = { error: 'yaml: exceeded max depth of 10000' };

/** Most clients write JSON, which is YAML too, and is read much faster. */
function readJson(text: string): YamlBody | undefined {
  if (!text.startsWith('{') || nestsTooDeep(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return hasDuplicateKeys(text, value) ? undefined : { value, duplicates: [] };
}

function readYaml(text: string): YamlBody {
  const lines = new LineCounter();
  const document = firstDocument(text, lines);
  if (document === undefined) return { value: null, duplicates: [] };
  const problem = document.errors[0];
  if (problem !== undefined) return { error: problemText(problem, lines, text) };
  if (aliasesTooMuch(document)) return { error: 'yaml: document contains excessive aliasing' };
  const repeated = repeatedKeys(document.contents, lines);
  const duplicates =
    repeated.length === 0
      ? []
      : [`yaml: unmarshal errors:\n${repeated.map((line) => `  ${line}`).join('\n')}`];
  try {
    return { value: plain(document.toJS({ maxAliasCount: MAX_ALIASES, mapAsMap: true })), duplicates };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const anchor = /: (\S+)$/.exec(error.message)?.[1];
    const why =
      anchor === undefined ? 'document contains excessive aliasing' : `unknown anchor '${anchor}' referenced`;
    return { error: `yaml: ${why}` };
  }
}

const MAX_ALIASES = 100;
/** Each alias is searched in the whole document. */
const MAX_ALIAS_STEPS = 5_000_000;

/** Whatever comes behind the first document is not even looked at. */
function firstDocument(text: string, lines: LineCounter): Document.Parsed | undefined {
  const composer = new Composer({
    ...KUBE_YAML,
    uniqueKeys: false,
    prettyErrors: false,
  });
  for (const document of composer.compose(new Parser(lines.addNewLine).parse(text), true, text.length)) {
    return document as Document.Parsed;
  }
  return undefined;
}

function aliasesTooMuch(document: Document.Parsed): boolean {
  let nodes = 0;
  let aliases = 0;
  visit(document, {
    Node: (_key, node) => {
      nodes++;
      if (isAlias(node)) aliases++;
    },
  });
  return nodes * aliases > MAX_ALIAS_STEPS;
}

/** How the real server's parser words a problem, and how it counts lines when it does. */
interface Wording {
  readonly text: string;
  /** Found while looking for tokens: lines count from one. Found later, they count from zero. */
  readonly scanning: boolean;
}

const NO_TOKEN: Wording = { text: 'found character that cannot start any token', scanning: true };

const WORDINGS: Readonly<Record<string, Wording>> = {
  BLOCK_AS_IMPLICIT_KEY: { text: 'mapping values are not allowed in this context', scanning: true },
  MULTILINE_IMPLICIT_KEY: { text: 'mapping values are not allowed in this context', scanning: true },
  BAD_INDENT: { text: 'did not find expected key', scanning: false },
  UNEXPECTED_TOKEN: { text: 'did not find expected key', scanning: false },
  MISSING_CHAR: { text: 'found unexpected end of stream', scanning: true },
  BAD_ALIAS: { text: 'did not find expected alphabetic or numeric character', scanning: true },
  TAB_AS_INDENT: NO_TOKEN,
  BAD_SCALAR_START: NO_TOKEN,
};

function problemText(problem: YAMLParseError, lines: LineCounter, text: string): string {
  if (problem.code === 'RESOURCE_EXHAUSTION') return 'yaml: exceeded max depth of 10000';
  if (problem.message.startsWith('!!binary')) return `yaml: ${problem.message}`;
  const open = /end with a ([\]}])/.exec(problem.message)?.[1];
  if (open !== undefined) {
    const last = text.replace(/\n$/, '').split('\n').length;
    return `yaml: line ${last}: did not find expected ',' or '${open}'`;
  }
  const wording = WORDINGS[problem.code] ?? NO_TOKEN;
  const { line } = lines.linePos(problem.pos[1] > 0 ? problem.pos[1] - 1 : 0);
  const shown = line === 1 ? 0 : wording.scanning ? line : line - 1;
  return `yaml: ${shown === 0 ? '' : `line ${shown}: `}${wording.text}`;
}

function repeatedKeys(root: Node | null, lines: LineCounter): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (isSeq(node)) for (const item of node.items) visit(item);
    if (!isMap(node)) return;
    const seen = new Set<unknown>();
    for (const pair of node.items) {
      if (!isPair(pair)) continue;
      if (isScalar(pair.key)) {
        const { value, range } = pair.key;
        if (seen.has(value) && range) {
          found.push(`line ${lines.linePos(range[0]).line}: key ${JSON.stringify(value)} already set in map`);
        }
        seen.add(value);
      }
      visit(pair.value);
    }
  };
  visit(root);
  return found;
}

/** Good YAML that JSON has no form for. */
class NoJson extends Error {}

/** What JSON could hold: keys are text, big integers are numbers. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new NoJson(`json: unsupported value: ${value > 0 ? '+Inf' : value < 0 ? '-Inf' : 'NaN'}`);
  }
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = value instanceof Map ? [...value.entries()] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [plainKey(key, item), plain(item)]));
}

function plainKey(key: unknown, item: unknown): string {
  if (key === null) {
    throw new NoJson(`unsupported map key of type: %!s(<nil>), key: <nil>, value: ${goPlain(plain(item))}`);
  }
  if (typeof key === 'object') throw new NoJson(`yaml: invalid map key: ${goSyntax(plain(key))}`);
  return String(key);
}
