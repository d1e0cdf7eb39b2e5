/**
 * A module of Terraform with its variables, locals, resources and called modules of the same repository. Each name is evaluated
 * once, on first use; a name that depends on itself is unknown.
 */
import { posix } from 'node:path';
import type { FilePlace } from '../../model/place.ts';
import type { Tree } from '../../model/tree.ts';
import type { ModuleCall, Resource, RootModule, TerraformOutput } from '../inputs.ts';
import { evaluate, evaluateBody, type Scope } from './evaluate.ts';
import { type Existence, existenceOf, uncertain } from './existence.ts';
import type { HclBlock, HclBody, HclExpression } from './hcl-syntax.ts';
import { isOverride, overridden } from './overrides.ts';
import { publicOutput } from './public-modules.ts';

export interface HclFile {
  readonly name: string;
  readonly body: HclBody;
}

export interface ModuleSource {
  readonly folder: string;
  readonly files: readonly HclFile[];
}

export interface ModuleOptions {
  readonly source: ModuleSource;
  /** `module.network`; empty for the root. */
  readonly address: string;
  /** Values from outside: arguments of the call, or files of variables. */
  variable(name: string): Tree | undefined;
  /** The module in another folder; undefined where it has no Terraform files. */
  open(folder: string): ModuleSource | undefined;
  /** Whether a folder is below those that are checked: what is not cannot be missing. */
  isChecked(folder: string): boolean;
  /** Folders that led here: a module that calls itself is not opened again. */
  readonly ancestors: readonly string[];
}

export interface ModuleContents {
  readonly resources: readonly Resource[];
  readonly moduleCalls: readonly ModuleCall[];
  readonly missingModules: RootModule['missingModules'];
}

interface Located {
  readonly block: HclBlock;
  readonly file: string;
}

/** Names that have a value only while Terraform runs. */
const RUNTIME: ReadonlySet<string> = new Set(['each', 'count', 'self', 'path', 'terraform', 'provider']);
/** An output of a public module of which nothing is known. */
const NOT_RETURNED: Tree = { kind: 'unknown', why: 'is not returned', at: { file: '' } };
const RESOURCES: ReadonlySet<string> = new Set(['resource', 'data', 'provider']);

export class ModuleScope {
  readonly #options: ModuleOptions;
  readonly #blocks = new Map<string, Located>();
  readonly #locals = new Map<string, { readonly value: HclExpression; readonly file: string }>();
  readonly #known = new Map<string, Tree | undefined>();
  readonly #children = new Map<string, ModuleScope | undefined>();

  constructor(options: ModuleOptions) {
    this.#options = options;
    const overrides = options.source.files.filter(({ name }) => isOverride(name));
    const others = options.source.files.filter(({ name }) => !isOverride(name));
    for (const { name: file, body } of [...others, ...overrides]) {
      for (const block of body.blocks) {
        const key = keyOf(block, file);
        const under = isOverride(file) ? this.#blocks.get(key) : undefined;
        if (block.type !== 'locals')
          this.#blocks.set(
            key,
            under === undefined
              ? { block, file }
              : { block: overridden(under.block, block, file), file: under.file },
          );
        else for (const [name, { value }] of block.body.attributes) this.#locals.set(name, { value, file });
      }
    }
  }

  /** Of this module and of the modules that it calls. */
  contents(): ModuleContents {
    const resources: Resource[] = [];
    const moduleCalls: ModuleCall[] = [];
    const missingModules: RootModule['missingModules'][number][] = [];
    for (const located of this.#blocks.values()) {
      const existence = this.#existence(located);
      const isResource = RESOURCES.has(located.block.type);
      if (existence === 'absent' || (!isResource && located.block.type !== 'module')) continue;
      const found = isResource
        ? { resources: [this.#resource(located)], moduleCalls: [], missingModules: [] }
        : this.#called(located);
      const isSure = existence === 'there';
      for (const each of found.resources)
        resources.push(isSure ? each : { ...each, values: uncertain(each.values) });
      for (const each of found.moduleCalls)
        moduleCalls.push(isSure ? each : { ...each, arguments: uncertain(each.arguments) });
      missingModules.push(...found.missingModules);
    }
    return { resources, moduleCalls, missingModules };
  }

  outputs(): readonly TerraformOutput[] {
    return [...this.#blocks.values()]
      .filter(({ block }) => block.type === 'output')
      .map(({ block, file }) => {
        const name = block.labels[0] ?? '';
        const at = { file, line: block.line };
        return { source: 'terraform', name, value: this.output(name, at), at };
      });
  }

  output(name: string, at: FilePlace): Tree {
    return this.#once(`output.${name}`, at, () => {
      const found = this.#blocks.get(`output.${name}`);
      const value = found?.block.body.attributes.get('value');
      if (found === undefined || value === undefined)
        return {
          kind: 'unknown',
          why: `is the output ${name} of ${this.#options.address}, which does not exist`,
          at,
        };
      return evaluate(value.value, this.#scope(found.file));
    });
  }

  // ---------------------------------------------------------------------------------------------------

  #scope(file: string): Scope {
    return { file, lookUp: (steps, at) => this.#lookUp(steps, at) };
  }

  #lookUp(steps: readonly string[], at: FilePlace): { tree: Tree; used: number } {
    const [head = '', name = '', third = ''] = steps;
    if (head === 'var') return { tree: this.#variable(name, at), used: 2 };
    if (head === 'local') return { tree: this.#local(name, at), used: 2 };
    if (head === 'module') return this.#moduleOutput(name, steps, at);
    if (RUNTIME.has(head)) {
      const why = `depends on ${steps.slice(0, 2).join('.')}, which Terraform sets when it runs`;
      return { tree: { kind: 'unknown', why, at }, used: steps.length };
    }
    if (head === 'data') return this.#attribute(['data', name, third], steps, at);
    return this.#attribute(['resource', head, name], steps, at);
  }

  #variable(name: string, at: FilePlace): Tree {
    return this.#once(`var.${name}`, at, () => {
      const given = this.#options.variable(name);
      if (given !== undefined) return given;
      const found = this.#blocks.get(`variable.${name}`);
      const value = found?.block.body.attributes.get('default')?.value;
      if (found !== undefined && value !== undefined) return evaluate(value, this.#scope(found.file));
      return {
        kind: 'unknown',
        why: `depends on var.${name}, which has no default and no value in a file of variables`,
        at,
      };
    });
  }

  #local(name: string, at: FilePlace): Tree {
    return this.#once(`local.${name}`, at, () => {
      const found = this.#locals.get(name);
      if (found !== undefined) return evaluate(found.value, this.#scope(found.file));
      return { kind: 'unknown', why: `depends on local.${name}, which is not defined`, at };
    });
  }

  #moduleOutput(name: string, steps: readonly string[], at: FilePlace): { tree: Tree; used: number } {
    const position = nameAfter(steps, 2);
    const output = steps[position];
    const child = this.#child(name);
    if (child !== undefined && output !== undefined)
      return { tree: child.output(output, at), used: position + 1 };
    const found = this.#blocks.get(`module.${name}`);
    const returned =
      found === undefined || output === undefined
        ? undefined
        : this.#once(`module.${name}.${output}`, at, () => {
            const call = this.#call(found);
            return (call === undefined ? undefined : publicOutput(call, output)) ?? NOT_RETURNED;
          });
    if (returned !== undefined && returned !== NOT_RETURNED) return { tree: returned, used: position + 1 };
    const why = `depends on ${steps.join('.')}, an output of a module that is not in this folder`;
    const reference = this.#prefixed(steps.join('.'));
    return { tree: { kind: 'unknown', why, reference, at }, used: steps.length };
  }

  /** What the configuration sets; what the cloud sets is known only after apply. */
  #attribute(
    key: readonly [mode: string, type: string, name: string],
    steps: readonly string[],
    at: FilePlace,
  ): { tree: Tree; used: number } {
    const [mode, type, name] = key;
    const address = this.#prefixed(mode === 'data' ? `data.${type}.${name}` : `${type}.${name}`);
    const position = nameAfter(steps, mode === 'data' ? 3 : 2);
    const attribute = steps[position] ?? '';
    const unknown = (why: string) => ({
      tree: {
        kind: 'unknown' as const,
        why,
        reference: address,
        attribute: steps.slice(position).join('.'),
        at,
      },
      used: steps.length,
    });
    const found = this.#blocks.get(key.join('.'));
    const value = found?.block.body.attributes.get(attribute);
    if (found === undefined) return unknown(`depends on ${address}, which is not in these files`);
    if (mode === 'data') return unknown(`depends on ${address}, which Terraform reads when it runs`);
    if (value === undefined)
      return unknown(`depends on ${address}.${attribute}, which is known only after apply`);
    const tree = this.#once(`${address}.${attribute}`, at, () =>
      evaluate(value.value, this.#scope(found.file)),
    );
    return { tree, used: position + 1 };
  }

  #resource({ block, file }: Located): Resource {
    const [type = '', name = ''] = block.type === 'provider' ? ['provider', ...block.labels] : block.labels;
    const own = `${type}.${name}`;
    return {
      source: 'terraform',
      address: this.#prefixed(block.type === 'data' ? `data.${own}` : own),
      mode: block.type === 'data' ? 'data' : 'managed',
      type,
      name,
      values: evaluateBody(block.body, this.#scope(file), block.line),
      at: { file, line: block.line },
    };
  }

  #existence({ block, file }: Located): Existence {
    const at = { file, line: block.line };
    return existenceOf(block.body, (steps) => this.#lookUp(steps, at).tree);
  }

  /** What a call of a module makes; the call itself where the module is not here. */
  #called(located: Located): ModuleContents {
    const child = this.#child(located.block.labels[0] ?? '');
    if (child !== undefined) return child.contents();
    const call = this.#call(located);
    if (call === undefined) return { resources: [], moduleCalls: [], missingModules: [] };
    const { address, moduleSource: source, at } = call;
    return this.#isMissing(source)
      ? { resources: [], moduleCalls: [], missingModules: [{ address, source, at }] }
      : { resources: [], moduleCalls: [call], missingModules: [] };
  }

  #isMissing(source: string): boolean {
    const { isChecked, source: own } = this.#options;
    return isLocal(source) && isChecked(posix.join(own.folder, source));
  }

  #call({ block, file }: Located): ModuleCall | undefined {
    const source = block.body.attributes.get('source')?.value;
    const version = block.body.attributes.get('version')?.value;
    if (source?.kind !== 'literal' || typeof source.value !== 'string') return undefined;
    return {
      address: this.#prefixed(`module.${block.labels[0] ?? ''}`),
      moduleSource: source.value,
      ...(version?.kind === 'literal' ? { version: String(version.value) } : {}),
      arguments: evaluateBody(block.body, this.#scope(file), block.line),
      at: { file, line: block.line },
    };
  }

  #child(name: string): ModuleScope | undefined {
    if (!this.#children.has(name)) this.#children.set(name, this.#openChild(name));
    return this.#children.get(name);
  }

  #openChild(name: string): ModuleScope | undefined {
    const found = this.#blocks.get(`module.${name}`);
    const source = found?.block.body.attributes.get('source')?.value;
    const { ancestors, open, isChecked, source: own } = this.#options;
    if (found === undefined || source?.kind !== 'literal') return undefined;
    if (!isLocal(String(source.value))) return undefined;
    const folder = open(posix.join(own.folder, String(source.value)));
    if (folder === undefined || ancestors.includes(folder.folder) || folder.folder === own.folder)
      return undefined;
    const { attributes } = found.block.body;
    return new ModuleScope({
      source: folder,
      address: this.#prefixed(`module.${name}`),
      variable: (variable) => {
        const value = attributes.get(variable)?.value;
        return value === undefined ? undefined : evaluate(value, this.#scope(found.file));
      },
      open,
      isChecked,
      ancestors: [...ancestors, own.folder],
    });
  }

  #prefixed(address: string): string {
    return this.#options.address === '' ? address : `${this.#options.address}.${address}`;
  }

  #once(name: string, at: FilePlace, value: () => Tree): Tree {
    if (this.#known.has(name))
      return (
        this.#known.get(name) ?? { kind: 'unknown', why: `depends on ${name}, which depends on itself`, at }
      );
    this.#known.set(name, undefined);
    const tree = value();
    this.#known.set(name, tree);
    return tree;
  }
}

/** Several providers may have the same name, each with an alias. */
function keyOf({ type, labels, line }: HclBlock, file: string): string {
  return [type, ...labels, ...(type === 'provider' ? [file, line] : [])].join('.');
}

function isLocal(source: string): boolean {
  return source.startsWith('./') || source.startsWith('../');
}

/** The next step that is no index: `name` of `module.eks[0].name`. */
function nameAfter(steps: readonly string[], from: number): number {
  const found = steps.findIndex((step, index) => index >= from && !/^\d+$/.test(step));
  return found < 0 ? steps.length : found;
}
