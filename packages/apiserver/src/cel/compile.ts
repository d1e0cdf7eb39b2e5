/**
 * From an expression to a function: types are checked against the declarations as Kubernetes does when a definition
 * is written, and what remains is a tree of closures. Macros (`all`, `has`, …) are in `macros.ts`, functions in
 * `library/`. The estimated cost of a rule is not limited here.
 */
import { type Compiled, expectType, type Run } from './compiled.ts';
import { paying } from './effort.ts';
import { fieldType, findField } from './field-access.ts';
import { functions } from './library/index.ts';
import { compileMacro } from './macros.ts';
import { type Resolved, resolve } from './overloads.ts';
import { RegexError, re2 } from './regex.ts';
import { Scope } from './scope.ts';
import { type CallNode, CompileError, type Node, parse } from './syntax.ts';
import { parseDateTime, parseGoDuration } from './time.ts';
import * as t from './types.ts';
import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  noSuchOverload,
  Optional,
  TypeValue,
  Uint,
  ValueList,
  ValueMap,
} from './values.ts';

export interface Program extends Compiled {
  /** Variables that the expression refers to. */
  readonly uses: ReadonlySet<string>;
}

/** Throws a CompileError. `variables` take the slots in the order given. */
export function compile(expression: string, variables: readonly (readonly [string, t.CelType])[]): Program {
  const uses = new Set<string>();
  const scope = new Scope(compileNode, new Map(), uses, { slots: 0 });
  const inner = variables.reduce((outer, [name, type]) => outer.with(name, type).scope, scope);
  return { ...compileNode(parse(expression), inner), uses };
}

function compileNode(node: Node, scope: Scope): Compiled {
  switch (node.op) {
    case 'value':
      return { type: literalType(node.value), run: () => node.value };
    case 'name':
      return compileName(node.name, node.at, scope);
    case 'select':
      return compileSelect(node, scope);
    case 'index':
      return compileIndex(node, scope);
    case 'call':
      return compileMacro(node, scope) ?? compileCall(node, scope);
    case 'list':
      return compileList(node.items, scope);
    case 'map':
      return compileMap(node.entries, scope);
    case 'if':
      return compileIf(node, scope);
    case 'and':
    case 'or':
      return compileLogic(node, scope);
  }
}

/** `a.b.c` as one name, where it is made of plain names only. */
export function qualifiedNameOf(node: Node): string | undefined {
  if (node.op === 'name') return node.name;
  if (node.op !== 'select' || node.optional) return undefined;
  const of = qualifiedNameOf(node.of);
  return of === undefined ? undefined : `${of}.${node.field}`;
}

// ---------------------------------------------------------------------------------------------------

const TYPE_NAMES: ReadonlySet<string> = new Set(
  [
    'int uint double bool string bytes list map null_type type dyn',
    'google.protobuf.Timestamp google.protobuf.Duration',
    'kubernetes.Quantity kubernetes.URL kubernetes.Semver kubernetes.NamedFormat net.IP net.CIDR optional_type',
  ].flatMap((names) => names.split(' ')),
);

function literalType(value: unknown): t.CelType {
  if (value === null) return t.NULL;
  if (value instanceof Uint) return t.UINT;
  if (value instanceof Uint8Array) return t.BYTES;
  return (
    { string: t.STRING, bigint: t.INT, number: t.DOUBLE, boolean: t.BOOL }[typeof value as string] ?? t.DYN
  );
}

function compileName(name: string, at: number, scope: Scope): Compiled {
  const variable = scope.find(name);
  if (variable !== undefined) {
    const { slot } = variable;
    return { type: variable.type, run: (frame) => frame[slot]! };
  }
  const type = typeConstant(name);
  if (type !== undefined) return type;
  throw new CompileError(`undeclared reference to '${name}' (in container '')`, at);
}

function typeConstant(name: string): Compiled | undefined {
  if (!TYPE_NAMES.has(name)) return undefined;
  const value = new TypeValue(name);
  return { type: { kind: 'type', of: t.DYN }, run: () => value };
}

function rootName(node: Node): string | undefined {
  if (node.op === 'name') return node.name;
  return node.op === 'select' ? rootName(node.of) : undefined;
}

function compileSelect(node: Node & { op: 'select' }, scope: Scope): Compiled {
  const root = rootName(node);
  if (root !== undefined && !scope.has(root)) {
    const type = typeConstant(qualifiedNameOf(node) ?? '');
    if (type !== undefined) return type;
  }
  const of = compileNode(node.of, scope);
  const { field } = node;
  const type = fieldType(of.type, field, node.at);
  const run = of.run;
  if (node.optional || of.type.kind === 'optional') {
    return {
      type: type.kind === 'optional' ? type : t.optionalOf(type),
      run: (frame) => optionalField(run(frame), field),
    };
  }
  return {
    type,
    run: (frame) => {
      const value = run(frame);
      if (!(value instanceof CelMap)) throw noSuchOverload();
      const found = value.find(field);
      if (found === undefined) throw new CelError(`no such key: ${field}`);
      return found;
    },
  };
}

function optionalField(value: CelValue, field: CelValue): Optional {
  const of = value instanceof Optional ? value.value : value;
  if (of === undefined) return Optional.NONE;
  const found = findField(of, field);
  return found === undefined ? Optional.NONE : new Optional(found);
}

function compileIndex(node: Node & { op: 'index' }, scope: Scope): Compiled {
  const of = compileNode(node.of, scope);
  const key = compileNode(node.key, scope);
  const optional = node.optional || of.type.kind === 'optional';
  const container = of.type.kind === 'optional' ? of.type.elem : of.type;
  const type = itemType(container, key.type);
  if (type === undefined) {
    throw noOverload('_[_]', [of.type, key.type], false, node.at);
  }
  if (optional)
    return { type: t.optionalOf(type), run: (frame) => optionalField(of.run(frame), key.run(frame)) };
  return {
    type,
    run: (frame) => {
      const value = of.run(frame);
      const index = key.run(frame);
      const found = findField(value, index);
      if (found !== undefined) return found;
      const shown = index instanceof Uint ? index.value : index;
      throw new CelError(
        value instanceof CelList ? `index out of bounds: ${shown}` : `no such key: ${shown}`,
      );
    },
  };
}

function itemType(container: t.CelType, key: t.CelType): t.CelType | undefined {
  if (t.isDyn(container)) return t.DYN;
  if (container.kind === 'list') return t.isDyn(key) || key === t.INT ? container.elem : undefined;
  if (container.kind === 'map') return t.fits(container.key, key, new Map()) ? container.value : undefined;
  return undefined;
}

function compileCall(node: CallNode, scope: Scope): Compiled {
  checkLiterals(node);
  const { receiver } = node;
  const qualified = receiver === undefined ? undefined : qualifiedNameOf(receiver);
  const namespace = qualified !== undefined && !scope.has(rootName(receiver!)!) ? qualified : undefined;
  const qualifiedFunction = namespace === undefined ? undefined : functions.get(`${namespace}.${node.name}`);
  const isMethod = receiver !== undefined && qualifiedFunction === undefined;
  // What is formatted may be of many types; other literals may not.
  const mixes = node.name === 'format';
  const parts = [...(isMethod ? [receiver] : []), ...node.args].map((part) =>
    mixes && part.op === 'list' ? compileList(part.items, scope, true) : compileNode(part, scope),
  );
  const overloads = qualifiedFunction ?? functions.get(node.name);
  if (overloads === undefined) {
    throw new CompileError(`undeclared reference to '${node.name}' (in container '')`, node.at);
  }
  const types = parts.map((part) => part.type);
  const resolved = resolve(overloads, isMethod, types);
  const fullName = qualifiedFunction === undefined ? node.name : `${namespace}.${node.name}`;
  if (resolved === undefined) throw noOverload(fullName, types, isMethod, node.at);
  return { type: resolved.result, run: calling(resolved, parts, node.name) };
}

function noOverload(name: string, types: readonly t.CelType[], isMethod: boolean, at: number): CompileError {
  const texts = types.map(t.typeText);
  const applied = isMethod ? `${texts[0]}.(${texts.slice(1).join(', ')})` : `(${texts.join(', ')})`;
  return new CompileError(`found no matching overload for '${name}' applied to '${applied}'`, at);
}

function calling(resolved: Resolved, parts: readonly Compiled[], name: string): Run {
  const [first, second] = parts.map((part) => paying(part, name));
  const { direct } = resolved;
  if (direct !== undefined && parts.length === 1) return (frame) => direct(first!(frame));
  if (direct !== undefined && parts.length === 2) return (frame) => direct(first!(frame), second!(frame));
  const runs = [first!, second!, ...parts.slice(2).map((part) => part.run)].slice(0, parts.length);
  return (frame) => resolved.run(runs.map((run) => run(frame)));
}

/** What is wrong in a literal is found at once: patterns, durations, points in time. */
function checkLiterals(node: CallNode): void {
  const last = node.args.at(-1);
  if (last?.op !== 'value' || typeof last.value !== 'string') return;
  if (node.name === 'duration' && parseGoDuration(last.value) === undefined) {
    throw new CompileError('invalid duration argument', last.at);
  }
  if (node.name === 'timestamp' && parseDateTime(last.value) === undefined) {
    throw new CompileError('invalid timestamp argument', last.at);
  }
  if (node.name !== 'matches') return;
  try {
    re2(last.value);
  } catch (error) {
    if (error instanceof RegexError) throw new CompileError('invalid matches argument', last.at);
    throw error;
  }
}

function compileList(items: readonly Node[], scope: Scope, mixes = false): Compiled {
  const parts = items.map((item) => compileNode(item, scope));
  const elem = mixes ? t.DYN : sameType(parts, items);
  const run: Run = (frame) => new ValueList(parts.map((part) => part.run(frame)));
  const constant = items.every((item) => item.op === 'value') ? run([]) : undefined;
  return { type: t.listOf(elem), run: constant === undefined ? run : () => constant };
}

function compileMap(entries: readonly (readonly [Node, Node])[], scope: Scope): Compiled {
  const keys = entries.map(([key]) => compileNode(key, scope));
  const values = entries.map(([, value]) => compileNode(value, scope));
  const keyType = sameType(
    keys,
    entries.map(([key]) => key),
  );
  const valueType = sameType(
    values,
    entries.map(([, value]) => value),
  );
  return {
    type: t.mapOf(keyType, valueType),
    run: (frame) => new ValueMap(keys.map((key, index) => [key.run(frame), values[index]!.run(frame)])),
  };
}

function sameType(parts: readonly Compiled[], nodes: readonly Node[]): t.CelType {
  let type = parts[0]?.type ?? t.DYN;
  parts.forEach((part, index) => {
    const joined = t.join(type, part.type);
    if (joined === undefined) expectType(part, type, nodes[index]!.at);
    type = joined ?? type;
  });
  return type;
}

function compileIf(node: Node & { op: 'if' }, scope: Scope): Compiled {
  const test = compileNode(node.test, scope);
  const then = compileNode(node.yes, scope);
  const otherwise = compileNode(node.no, scope);
  const type = t.join(then.type, otherwise.type);
  const testable = test.type === t.BOOL || t.isDyn(test.type);
  if (type === undefined || !testable) {
    throw noOverload('_?_:_', [test.type, then.type, otherwise.type], false, node.at);
  }
  return {
    type,
    run: (frame) => {
      const holds = test.run(frame);
      if (typeof holds !== 'boolean') throw noSuchOverload();
      return holds ? then.run(frame) : otherwise.run(frame);
    },
  };
}

/** `&&` and `||`: a side that decides the answer makes an error of the other side harmless. */
function compileLogic(node: Node & { op: 'and' | 'or' }, scope: Scope): Compiled {
  const left = expectType(compileNode(node.left, scope), t.BOOL, node.left.at).run;
  const right = expectType(compileNode(node.right, scope), t.BOOL, node.right.at).run;
  const decides = node.op === 'or';
  const run: Run = (frame) => {
    let first: CelValue;
    try {
      first = left(frame);
    } catch (error) {
      if (error instanceof CelError && right(frame) === decides) return decides;
      throw error;
    }
    if (first === decides) return decides;
    const second = right(frame);
    if (typeof second !== 'boolean' || typeof first !== 'boolean') {
      if (second === decides) return decides;
      throw noSuchOverload();
    }
    return second;
  };
  return { type: t.BOOL, run };
}
