/** Paths that a rule's `fieldPath` and a selectable field use: `.spec.name`, `.labels['a.b']`. */
import type { JsonSchema } from './types.ts';

export interface ResolvedPath {
  /** As it is written in errors: `spec.name`, `labels[a.b]`. */
  readonly text: string;
  readonly names: readonly string[];
  readonly schema: JsonSchema;
}

/** The path, or why it cannot be one of the schema. */
export function resolvePath(path: string, root: JsonSchema, allowBrackets = true): ResolvedPath | string {
  const tokens = path.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/g) ?? [];
  const names: string[] = [];
  let text = '';
  let schema = root;
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at];
    if (token !== '.' && token !== '[') return `expected [ or . but got: ${token}`;
    const name = token === '.' ? dotted(tokens, at) : bracketed(tokens, at, allowBrackets);
    if (typeof name === 'string') return name;
    const step = stepInto(schema, name.name);
    if (step === undefined) return 'does not refer to a valid field';
    text = step.isMap ? `${text}[${name.name}]` : text === '' ? name.name : `${text}.${name.name}`;
    names.push(name.name);
    schema = step.schema;
    at += name.length;
  }
  return { text, names, schema };
}

// ---------------------------------------------------------------------------------------------------

type Name = { readonly name: string; readonly length: number };

function dotted(tokens: readonly string[], at: number): Name | string {
  const name = tokens[at + 1];
  return name === undefined ? 'unexpected end of JSON path' : { name, length: 2 };
}

function bracketed(tokens: readonly string[], at: number, allowed: boolean): Name | string {
  if (!allowed) return 'array notation is not allowed';
  const quoted = tokens[at + 1];
  if (quoted === undefined) return 'unexpected end of JSON path';
  if (!/^'.*'$/s.test(quoted)) return `expected single quoted string but got ${quoted}`;
  const end = tokens[at + 2];
  if (end === undefined) return 'unexpected end of JSON path';
  if (end !== ']') return `expected ] but got ${end}`;
  const name = unescaped(quoted.slice(1, -1));
  return name === undefined ? 'invalid string literal: invalid escape char' : { name, length: 3 };
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

function unescaped(text: string): string | undefined {
  let bad = false;
  const plain = text.replace(/\\(.)/gs, (_, char: string) => {
    bad ||= ESCAPES[char] === undefined;
    return ESCAPES[char] ?? '';
  });
  return bad ? undefined : plain;
}

function stepInto(schema: JsonSchema, name: string): { schema: JsonSchema; isMap: boolean } | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined) {
    return Object.hasOwn(properties, name) ? { schema: properties[name]!, isMap: false } : undefined;
  }
  return typeof additionalProperties === 'object' ? { schema: additionalProperties, isMap: true } : undefined;
}
