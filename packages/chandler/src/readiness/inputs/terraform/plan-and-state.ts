/**
 * Plans (`terraform show -json PLAN`), states (`terraform show -json`, and files of state version 4), read in pieces. Values that
 * Terraform knows only after apply are unknown; outputs marked as sensitive lose their value.
 */
import { createReadStream } from 'node:fs';
import { find, itemsAt, type Path, type Tree, textAt, textOf } from '../../model/tree.ts';
import type { FoundFile } from '../files/discover.ts';
import { encodingOf } from '../files/read-text.ts';
import type { InputProblem, Resource, TerraformOutput } from '../inputs.ts';
import { detached, JsonStream, JsonStreamError, type Want } from './json-stream.ts';
import { RELEVANT_TYPES } from './relevant-types.table.ts';

export interface TerraformJson {
  readonly resources: readonly Resource[];
  readonly outputs: readonly TerraformOutput[];
  readonly problems: readonly InputProblem[];
}

export async function readTerraformJson(file: FoundFile): Promise<TerraformJson> {
  const reader = new TerraformJsonReader(file.name);
  try {
    let decoder: InstanceType<typeof TextDecoder> | undefined;
    for await (const piece of createReadStream(file.path, { highWaterMark: PIECE_BYTES })) {
      const bytes = piece as Buffer;
      // A shell of Windows may write UTF-16.
      decoder ??= new TextDecoder(encodingOf(bytes));
      if (!reader.push(decoder.decode(bytes, { stream: true }))) break;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return {
      resources: [],
      outputs: [],
      problems: [{ at: { file: file.name }, message: `cannot be read (${code})`, level: 'error' }],
    };
  }
  return reader.end();
}

/** Takes a plan or a state in pieces. */
export class TerraformJsonReader {
  readonly #file: string;
  readonly #found: Found;
  readonly #stream: JsonStream;
  #problem: InputProblem | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#found = new Found(file);
    this.#stream = new JsonStream({
      file,
      want: wanted,
      emit: (path, tree) => this.#found.take(path, tree),
    });
  }

  /** @returns false once the text is broken. */
  push(piece: string): boolean {
    this.#try(() => this.#stream.push(piece));
    return this.#problem === undefined;
  }

  end(): TerraformJson {
    if (this.#problem === undefined) this.#try(() => this.#stream.end());
    // Half a state would make resources look absent.
    if (this.#problem !== undefined) return { resources: [], outputs: [], problems: [this.#problem] };
    return { resources: this.#found.resources, outputs: this.#found.outputs, problems: [] };
  }

  #try(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (!(error instanceof JsonStreamError)) throw error;
      this.#problem = { at: { file: this.#file, line: error.line }, message: error.message, level: 'error' };
    }
  }
}

/** The beginning of a file tells whether it is a plan or a state. */
export function looksLikeTerraform(name: string, beginning: string): boolean {
  return /\.tfstate$/.test(name) || /"terraform_version"|"resource_changes"|"planned_values"/.test(beginning);
}

// ---------------------------------------------------------------------------------------------------------------

const PIECE_BYTES = 64 * 1024;

/** Resources and outputs are built; what leads there is descended into. */
function wanted(path: Path): Want {
  const [first, second] = path;
  if (first === 'resource_changes' || first === 'resources')
    return path.length === 1 ? 'descend' : isOneStep(path, 2);
  if (first === 'outputs') return path.length === 1 ? 'descend' : isOneStep(path, 2);
  if (first === 'planned_values' || first === 'values') {
    if (path.length === 1) return 'descend';
    if (second === 'outputs') return path.length === 2 ? 'descend' : isOneStep(path, 3);
    if (first === 'values' && second === 'root_module') return inModule(path.slice(2));
  }
  return 'skip';
}

function isOneStep(path: Path, length: number): Want {
  return path.length === length ? 'build' : 'skip';
}

/** `resources/*`, or the same below `child_modules/*`. */
function inModule(path: Path): Want {
  const [part, , ...below] = path;
  if (part === undefined || path.length === 1)
    return part === undefined || MODULE_PARTS.has(part) ? 'descend' : 'skip';
  if (part === 'resources') return below.length === 0 ? 'build' : 'skip';
  return part === 'child_modules' ? inModule(below) : 'skip';
}

const MODULE_PARTS: ReadonlySet<string | number> = new Set(['resources', 'child_modules']);

class Found {
  readonly resources: Resource[] = [];
  readonly outputs: TerraformOutput[] = [];
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  take(path: Path, read: Tree): void {
    const isOutput = path.includes('outputs');
    if (!isOutput && !RELEVANT_TYPES.has(textAt(read, 'type') ?? '')) return;
    const tree = detached(read);
    if (isOutput) this.#output(path, tree);
    else if (path[0] === 'resource_changes') this.#change(tree);
    else if (path[0] === 'resources') this.#stateFile(tree);
    else this.#shown(tree);
  }

  #output(path: Path, tree: Tree): void {
    const hidden = textAt(tree, 'sensitive') === 'true';
    const source = path[0] === 'planned_values' ? 'plan' : 'state';
    const written = hidden ? undefined : find(tree, 'value');
    // What is null in a state is empty; in a plan it is not known yet.
    const value =
      written === undefined && !hidden && source === 'state'
        ? ({ kind: 'scalar', value: '', at: tree.at } as const)
        : written;
    this.outputs.push({
      source,
      name: String(path.at(-1)),
      value:
        value === undefined
          ? {
              kind: 'unknown',
              why: hidden ? 'is sensitive' : 'is known only after apply',
              at: tree.at,
            }
          : value,
      at: tree.at,
    });
  }

  /** Of a plan. What it deletes has the values of before. */
  #change(tree: Tree): void {
    const actions = itemsAt(tree, 'change', 'actions').flatMap((action) => textOf(action) ?? []);
    const after = find(tree, 'change', 'after') ?? find(tree, 'change', 'before');
    const values = withUnknown(after ?? empty(tree), find(tree, 'change', 'after_unknown'));
    this.#add(tree, 'plan', textAt(tree, 'address') ?? '', values, actions);
  }

  /** Of `terraform show -json`. */
  #shown(tree: Tree): void {
    this.#add(tree, 'state', textAt(tree, 'address') ?? '', find(tree, 'values') ?? empty(tree));
  }

  /** Of a state file: one resource with its instances. */
  #stateFile(tree: Tree): void {
    const module = textAt(tree, 'module');
    const own = `${textAt(tree, 'type')}.${textAt(tree, 'name')}`;
    const data = textAt(tree, 'mode') === 'data' ? 'data.' : '';
    for (const instance of itemsAt(tree, 'instances')) {
      const key = find(instance, 'index_key');
      const index = key?.kind === 'scalar' ? `[${JSON.stringify(key.value)}]` : '';
      const address = `${module === undefined ? '' : `${module}.`}${data}${own}${index}`;
      this.#add(tree, 'state', address, find(instance, 'attributes') ?? empty(instance));
    }
  }

  #add(
    tree: Tree,
    source: 'plan' | 'state',
    address: string,
    values: Tree,
    actions?: readonly string[],
  ): void {
    this.resources.push({
      source,
      address,
      mode: textAt(tree, 'mode') === 'data' ? 'data' : 'managed',
      type: textAt(tree, 'type') ?? '',
      name: textAt(tree, 'name') ?? '',
      values,
      ...(actions === undefined ? {} : { actions }),
      at: {
        file: this.#file,
        ...('line' in tree.at && tree.at.line !== undefined ? { line: tree.at.line } : {}),
      },
    });
  }
}

function empty(tree: Tree): Tree {
  return { kind: 'map', entries: new Map(), at: tree.at };
}

/** Where `after_unknown` says true, the value is unknown. */
function withUnknown(values: Tree, unknown: Tree | undefined): Tree {
  if (unknown === undefined) return values;
  if (unknown.kind === 'scalar')
    return unknown.value === true
      ? { kind: 'unknown', why: 'is known only after apply', at: values.at }
      : values;
  if (unknown.kind === 'map') {
    const entries = new Map(values.kind === 'map' ? values.entries : []);
    for (const [name, below] of unknown.entries) {
      const own = entries.get(name);
      const marked = withUnknown(own ?? { kind: 'scalar', value: null, at: values.at }, below);
      if (own !== undefined || marked.kind === 'unknown') entries.set(name, marked);
    }
    return { kind: 'map', entries, at: values.at };
  }
  if (unknown.kind === 'list' && values.kind === 'list')
    return { ...values, items: values.items.map((item, index) => withUnknown(item, unknown.items[index])) };
  return values;
}
