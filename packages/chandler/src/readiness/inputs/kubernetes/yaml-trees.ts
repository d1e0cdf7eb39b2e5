/**
 * YAML as trees: every value with its line, aliases and merge keys resolved. A text that is broken is a problem with its line;
 * templates of Helm are no YAML, and the problem says what to do instead.
 */
import { KUBE_YAML } from '@chandler/kube';
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type Scalar as ScalarNode,
  Schema,
  visit,
  type YAMLMap,
} from 'yaml';
import type { FilePlace } from '../../model/place.ts';
import type { Scalar, Tree } from '../../model/tree.ts';
import type { InputProblem } from '../inputs.ts';

export interface YamlTrees {
  /** One for each document that has a value. */
  readonly trees: readonly Tree[];
  readonly problems: readonly InputProblem[];
}

/** @param lineOf the line of the file for a line of the text, which may be inside another one. */
export function readYaml(
  text: string,
  file: string,
  lineOf: (line: number) => number = (line) => line,
): YamlTrees {
  const lines = new LineCounter();
  const documents = parse(text, lines);
  if (documents === undefined) return { trees: [], problems: [problem({ file, line: lineOf(1) }, TOO_DEEP)] };
  const trees: Tree[] = [];
  const problems: InputProblem[] = [];
  // Values of one line share its place.
  const places = new Map<number, FilePlace>();
  const placeOf = (offset: number): FilePlace => {
    const { line } = lines.linePos(offset);
    const known = places.get(line);
    if (known !== undefined) return known;
    const place = { file, line: lineOf(line) };
    places.set(line, place);
    return place;
  };
  for (const document of documents) {
    const [error] = document.errors;
    if (error === undefined) {
      const builder = new Builder(document, placeOf);
      const tree = builder.build();
      if (builder.problem !== undefined) problems.push(builder.problem);
      else if (tree !== undefined) trees.push(tree);
      continue;
    }
    const at = { file, line: lineOf(lines.linePos(error.pos[0]).line) };
    if (TEMPLATE.test(text)) {
      // One note for the file: its other documents are templates, too.
      return { trees: [], problems: [{ at, message: TEMPLATES, level: 'note' }] };
    }
    problems.push(problem(at, `invalid YAML: ${error.message.split('\n')[0]}`));
  }
  return { trees, problems };
}

export const TEMPLATES = 'contains templates of Helm; render it (helm template) and check the result';

// ---------------------------------------------------------------------------------------------------------------

const TEMPLATE = /\{\{-?\s*[\w.$(/"-]/;
const MAX_DEPTH = 100;
const TOO_DEEP = `nested more than ${MAX_DEPTH} levels deep`;

function problem(at: FilePlace, message: string): InputProblem {
  return { at, message, level: 'error' };
}

/** The rules for values are made once, and not for each document. */
const OPTIONS = {
  version: KUBE_YAML.version,
  schema: new Schema({ ...KUBE_YAML, schema: 'yaml-1.1', resolveKnownTags: false }),
  prettyErrors: false,
} as const;

/** Undefined: the parser, which is recursive, ran out of stack. */
function parse(text: string, lineCounter: LineCounter): readonly Document[] | undefined {
  try {
    const documents = parseAllDocuments(text, { ...OPTIONS, lineCounter });
    return Array.isArray(documents) ? (documents as Document[]) : [];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

class Builder {
  /** Why the document is none that Kubernetes reads. */
  problem: InputProblem | undefined;
  readonly #document: Document;
  readonly #placeOf: (offset: number) => FilePlace;
  /** What anchors name is built once and shared; undefined while it is being built. */
  readonly #built = new Map<unknown, Tree | undefined>();
  #targets: ReadonlyMap<Alias, Node> | undefined;

  constructor(document: Document, placeOf: (offset: number) => FilePlace) {
    this.#document = document;
    this.#placeOf = placeOf;
  }

  build(): Tree | undefined {
    const { contents } = this.#document;
    if (contents === null || (isScalar(contents) && contents.value === null)) return undefined;
    return this.#tree(contents, this.#place(contents, undefined), 0);
  }

  #tree(node: unknown, at: FilePlace, depth: number): Tree {
    if (depth > MAX_DEPTH) return { kind: 'unknown', why: `is ${TOO_DEEP}`, at };
    if (isAlias(node)) {
      const target = this.#anchors().get(node);
      if (target !== undefined) return this.#shared(target, at, depth);
      const why = `refers to the anchor ${node.source}, which does not exist`;
      // Anchors end with their document.
      this.problem ??= problem(this.#place(node, at), `invalid YAML: an alias ${why} in this document`);
      return { kind: 'unknown', why, at };
    }
    if (isMap(node) || isSeq(node)) return this.#shared(node, at, depth);
    if (isScalar(node)) {
      const value = scalarOf(node.value);
      const firstLine = this.#firstLine(node);
      return firstLine === undefined
        ? { kind: 'scalar', value, at }
        : { kind: 'scalar', value, at, firstLine };
    }
    return { kind: 'scalar', value: null, at };
  }

  /** What each alias names: the anchor that stands last before it. One pass for all of them. */
  #anchors(): ReadonlyMap<Alias, Node> {
    if (this.#targets !== undefined) return this.#targets;
    const targets = new Map<Alias, Node>();
    const named = new Map<string, Node>();
    visit(this.#document, {
      Node: (_, node) => {
        if (isAlias(node)) {
          const target = named.get(node.source);
          if (target !== undefined) targets.set(node, target);
        } else if (node.anchor !== undefined && node.anchor !== '') named.set(node.anchor, node);
      },
    });
    this.#targets = targets;
    return targets;
  }

  #shared(node: unknown, at: FilePlace, depth: number): Tree {
    if (this.#built.has(node))
      return this.#built.get(node) ?? { kind: 'unknown', why: 'is an alias of itself', at };
    if (!isMap(node) && !isSeq(node)) return this.#tree(node, at, depth + 1);
    this.#built.set(node, undefined);
    const tree = isMap(node) ? this.#map(node, at, depth) : this.#list(node.items, at, depth);
    this.#built.set(node, tree);
    return tree;
  }

  #list(items: readonly unknown[], at: FilePlace, depth: number): Tree {
    return {
      kind: 'list',
      items: items.map((item) => this.#tree(item, this.#place(item, at), depth + 1)),
      at,
    };
  }

  /** Keys of the map itself win over merged ones, wherever they stand. */
  #map(node: YAMLMap, at: FilePlace, depth: number): Tree {
    const own = new Map<string, Tree>();
    let merged: Map<string, Tree> | undefined;
    for (const { key, value } of node.items) {
      const name = keyText(key);
      const tree = this.#tree(value, this.#place(key, at), depth + 1);
      if (name !== '<<') {
        own.set(name, tree);
        continue;
      }
      merged ??= new Map();
      for (const each of tree.kind === 'list' ? tree.items.toReversed() : [tree])
        if (each.kind === 'map') for (const [inner, found] of each.entries) merged.set(inner, found);
    }
    return { kind: 'map', entries: merged === undefined ? own : new Map([...merged, ...own]), at };
  }

  #place(node: unknown, otherwise: FilePlace | undefined): FilePlace {
    const start = (node as { readonly range?: readonly number[] } | null)?.range?.[0];
    return start === undefined ? (otherwise ?? this.#placeOf(0)) : this.#placeOf(start);
  }

  /** The lines of a literal block are lines of the file. */
  #firstLine({ type, range }: ScalarNode): FilePlace | undefined {
    if (type !== 'BLOCK_LITERAL' || range === undefined || range === null) return undefined;
    const { file, line = 0 } = this.#placeOf(range[0]);
    return { file, line: line + 1 };
  }
}

function keyText(key: unknown): string {
  const value = isScalar(key) ? key.value : key;
  return typeof value === 'symbol' ? (value.description ?? '') : String(value);
}

function scalarOf(value: unknown): Scalar {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : String(value);
}
