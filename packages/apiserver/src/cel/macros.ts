/**
 * CEL's macros: `has`, the quantifiers with one and two variables, `map`, `filter`, the transformations, `sortBy`,
 * and those on optional values. In `all` and `exists` an item that decides the answer makes errors of others harmless.
 */
import { rowOf } from '../table-row.ts';
import { type Compiled, expectType, type Frame, type Run } from './compiled.ts';
import { spend } from './effort.ts';
import { fieldType, findField } from './field-access.ts';
import { sortBy } from './library/lists.ts';
import type { Scope } from './scope.ts';
import { type CallNode, CompileError, type Node } from './syntax.ts';
import * as t from './types.ts';
import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  noSuchOverload,
  Optional,
  ValueList,
  ValueMap,
} from './values.ts';

/** undefined when the call is no macro. */
export function compileMacro(node: CallNode, scope: Scope): Compiled | undefined {
  if (node.receiver === undefined) {
    return node.name === 'has' && node.args.length === 1
      ? compileHas(node.args[0]!, node.at, scope)
      : undefined;
  }
  const optional = rowOf(OPTIONAL_MACROS, node.name);
  if (optional !== undefined && node.args.length === optional.args) return optional.compile(node, scope);
  const macro = rowOf(LOOPS, node.name);
  const variables = macro?.variables(node.args.length);
  if (macro === undefined || variables === undefined) return undefined;
  return macro.compile(openLoop(node, variables, scope), node);
}

// ---------------------------------------------------------------------------------------------------

interface Loop {
  readonly range: Compiled;
  readonly scope: Scope;
  /** The type of the (last) loop variable. */
  readonly itemType: t.CelType;
  readonly keyType: t.CelType;
  readonly bodies: readonly Node[];
  /** Sets the variables for each step; the callback stops the loop by returning true. */
  each(frame: Frame, step: (key: CelValue, item: CelValue) => boolean | undefined): void;
}

interface LoopMacro {
  /** How many loop variables a call with so many arguments has; undefined when it is not this macro. */
  readonly variables: (args: number) => number | undefined;
  readonly compile: (loop: Loop, node: CallNode) => Compiled;
}

const quantifier = (args: number) => ({ 2: 1, 3: 2 })[args];

const LOOPS: Readonly<Record<string, LoopMacro>> = {
  all: { variables: quantifier, compile: (loop) => quantified(loop, false) },
  exists: { variables: quantifier, compile: (loop) => quantified(loop, true) },
  exists_one: { variables: quantifier, compile: exactlyOne },
  existsOne: { variables: (args) => (args === 3 ? 2 : undefined), compile: exactlyOne },
  filter: { variables: (args) => (args === 2 ? 1 : undefined), compile: filtered },
  map: { variables: (args) => (args === 2 || args === 3 ? 1 : undefined), compile: listed },
  transformList: { variables: (args) => (args === 3 || args === 4 ? 2 : undefined), compile: listed },
  transformMap: { variables: (args) => (args === 3 || args === 4 ? 2 : undefined), compile: mapped },
  transformMapEntry: {
    variables: (args) => (args === 3 || args === 4 ? 2 : undefined),
    compile: mappedEntries,
  },
  sortBy: { variables: (args) => (args === 2 ? 1 : undefined), compile: sorted },
};

function openLoop(node: CallNode, variables: number, scope: Scope): Loop {
  const range = scope.compile(node.receiver!);
  const { key, item } = rangeTypes(range.type, node);
  const names = node.args.slice(0, variables).map((arg) => {
    if (arg.op !== 'name') throw new CompileError('argument must be a simple name', arg.at);
    return arg.name;
  });
  const types = variables === 2 ? [key, item] : [range.type.kind === 'map' ? key : item];
  let inner = scope;
  const slots = names.map((name, index) => {
    const opened = inner.with(name, types[index]!);
    inner = opened.scope;
    return opened.slot;
  });
  return {
    range,
    scope: inner,
    keyType: key,
    itemType: types.at(-1)!,
    bodies: node.args.slice(variables),
    each: (frame, step) => {
      const over = range.run(frame);
      const single = over instanceof CelMap ? 'key' : 'item';
      walk(over, (entryKey, entryItem) => {
        if (slots.length === 2) frame[slots[0]!] = entryKey;
        const last = slots.length === 1 && single === 'key' ? entryKey : entryItem();
        frame[slots.at(-1)!] = last;
        return step(entryKey, last);
      });
    },
  };
}

function rangeTypes(range: t.CelType, node: CallNode): { key: t.CelType; item: t.CelType } {
  if (range.kind === 'list') return { key: t.INT, item: range.elem };
  if (range.kind === 'map') return { key: range.key, item: range.value };
  if (t.isDyn(range)) return { key: t.DYN, item: t.DYN };
  const found = t.typeText(range);
  throw new CompileError(
    `expression of type '${found}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    node.receiver!.at,
  );
}

/** Keys of a list are its indexes. Items are read when they are needed. */
function walk(range: CelValue, step: (key: CelValue, item: () => CelValue) => boolean | undefined): void {
  if (range instanceof CelList) {
    for (let index = 0; index < range.size; index++) {
      spend(1);
      if (step(BigInt(index), () => range.at(index))) return;
    }
  } else if (range instanceof CelMap) {
    for (const key of range.keys()) {
      spend(1);
      if (step(key, () => range.find(key) ?? null)) return;
    }
  } else throw noSuchOverload();
}

function predicateOf(loop: Loop, index = 0): Run {
  const node = loop.bodies[index]!;
  return expectType(loop.scope.compile(node), t.BOOL, node.at).run;
}

function quantified(loop: Loop, decisive: boolean): Compiled {
  const predicate = predicateOf(loop);
  return {
    type: t.BOOL,
    run: (frame) => {
      let answer = !decisive;
      let failure: CelError | undefined;
      loop.each(frame, () => {
        try {
          const holds = predicate(frame);
          if (typeof holds !== 'boolean') throw noSuchOverload();
          if (holds !== decisive) return undefined;
          answer = decisive;
          return true;
        } catch (error) {
          if (!(error instanceof CelError)) throw error;
          failure ??= error;
          return undefined;
        }
      });
      if (answer !== decisive && failure !== undefined) throw failure;
      return answer;
    },
  };
}

function exactlyOne(loop: Loop): Compiled {
  const predicate = predicateOf(loop);
  return {
    type: t.BOOL,
    run: (frame) => {
      let count = 0;
      loop.each(frame, () => {
        if (predicate(frame) === true) count++;
        return undefined;
      });
      return count === 1;
    },
  };
}

function filtered(loop: Loop): Compiled {
  const predicate = predicateOf(loop);
  return {
    type: t.listOf(loop.itemType),
    run: (frame) => collect(loop, frame, predicate, (item) => item),
  };
}

function collect(
  loop: Loop,
  frame: Frame,
  predicate: Run | undefined,
  take: (item: CelValue, key: CelValue) => CelValue,
): ValueList {
  const items: CelValue[] = [];
  loop.each(frame, (key, item) => {
    if (predicate === undefined || predicate(frame) === true) items.push(take(item, key));
    return undefined;
  });
  return new ValueList(items);
}

/** `map` and `transformList`, with or without a condition before the value. */
function listed(loop: Loop): Compiled {
  const predicate = loop.bodies.length === 2 ? predicateOf(loop) : undefined;
  const value = loop.scope.compile(loop.bodies.at(-1)!);
  return {
    type: t.listOf(value.type),
    run: (frame) => collect(loop, frame, predicate, () => value.run(frame)),
  };
}

function mapped(loop: Loop): Compiled {
  const predicate = loop.bodies.length === 2 ? predicateOf(loop) : undefined;
  const value = loop.scope.compile(loop.bodies.at(-1)!);
  return {
    type: t.mapOf(loop.keyType, value.type),
    run: (frame) => {
      const entries: [CelValue, CelValue][] = [];
      collect(loop, frame, predicate, (item, key) => {
        entries.push([key, value.run(frame)]);
        return item;
      });
      return new ValueMap(entries);
    },
  };
}

function mappedEntries(loop: Loop): Compiled {
  const predicate = loop.bodies.length === 2 ? predicateOf(loop) : undefined;
  const node = loop.bodies.at(-1)!;
  const entry = loop.scope.compile(node);
  if (entry.type.kind !== 'map') expectType(entry, t.mapOf(t.DYN, t.DYN), node.at);
  return {
    type: entry.type,
    run: (frame) => {
      const entries: [CelValue, CelValue][] = [];
      collect(loop, frame, predicate, (item) => {
        const made = entry.run(frame) as CelMap;
        for (const key of made.keys()) entries.push([key, made.find(key)!]);
        return item;
      });
      return new ValueMap(entries);
    },
  };
}

function sorted(loop: Loop): Compiled {
  const key = loop.scope.compile(loop.bodies[0]!);
  return {
    type: t.listOf(loop.itemType),
    run: (frame) => {
      const keys: CelValue[] = [];
      const items = collect(loop, frame, undefined, (item) => {
        keys.push(key.run(frame));
        return item;
      });
      return sortBy(items.items(), keys);
    },
  };
}

function compileHas(node: Node, at: number, scope: Scope): Compiled {
  if (node.op !== 'select') throw new CompileError('invalid argument to has() macro', node.at);
  const of = scope.compile(node.of);
  fieldType(of.type, node.field, at);
  const { field } = node;
  return {
    type: t.BOOL,
    run: (frame) => {
      const value = of.run(frame);
      const inner = value instanceof Optional ? value.value : value;
      return inner !== undefined && findField(inner, field) !== undefined;
    },
  };
}

const OPTIONAL_MACROS: Readonly<
  Record<string, { args: number; compile: (node: CallNode, scope: Scope) => Compiled }>
> = {
  or: { args: 1, compile: (node, scope) => fallback(node, scope, true) },
  orValue: { args: 1, compile: (node, scope) => fallback(node, scope, false) },
  optMap: { args: 2, compile: (node, scope) => overOptional(node, scope, true) },
  optFlatMap: { args: 2, compile: (node, scope) => overOptional(node, scope, false) },
};

/** The right side runs only when it is needed. */
function fallback(node: CallNode, scope: Scope, keepsOptional: boolean): Compiled {
  const left = scope.compile(node.receiver!);
  const right = scope.compile(node.args[0]!);
  const given = keepsOptional ? left.type : elementOf(left.type);
  const type = given === undefined ? undefined : t.join(given, right.type);
  if (type === undefined) {
    const applied = `${t.typeText(left.type)}.(${t.typeText(right.type)})`;
    throw new CompileError(`found no matching overload for '${node.name}' applied to '${applied}'`, node.at);
  }
  return {
    type,
    run: (frame) => {
      const optional = left.run(frame);
      if (!(optional instanceof Optional)) throw noSuchOverload();
      if (optional.value === undefined) return right.run(frame);
      return keepsOptional ? optional : optional.value;
    },
  };
}

function elementOf(type: t.CelType): t.CelType | undefined {
  if (t.isDyn(type)) return t.DYN;
  return type.kind === 'optional' ? type.elem : undefined;
}

function overOptional(node: CallNode, scope: Scope, wraps: boolean): Compiled {
  const receiver = scope.compile(node.receiver!);
  const elem = elementOf(receiver.type);
  const [variable, body] = node.args as [Node, Node];
  if (elem === undefined || variable.op !== 'name') {
    throw new CompileError(`${node.name}() variable name must be a simple identifier`, variable.at);
  }
  const { scope: inner, slot } = scope.with(variable.name, elem);
  const value = inner.compile(body);
  return {
    type: wraps ? t.optionalOf(value.type) : value.type,
    run: (frame) => {
      const optional = receiver.run(frame);
      if (!(optional instanceof Optional)) throw noSuchOverload();
      if (optional.value === undefined) return Optional.NONE;
      frame[slot] = optional.value;
      return wraps ? new Optional(value.run(frame)) : value.run(frame);
    },
  };
}
