/**
 * Values of expressions: literals, references and texts with references. Everything else is unknown, with the reason, and a
 * plan would tell it. Functions are not run; their arguments are kept, because `merge({ … })` shows what it merges.
 */
import type { FilePlace } from '../../model/place.ts';
import type { Path, Tree, UnknownTree } from '../../model/tree.ts';
import { find, textOf } from '../../model/tree.ts';
import type { HclBody, HclExpression } from './hcl-syntax.ts';

/** Where an expression stands: its file, and what the names in it mean. */
export interface Scope {
  readonly file: string;
  /** `var.name`, `local.name`, `module.name.output`, `aws_subnet.private`, `data.aws_region.current`. */
  lookUp(steps: readonly string[], at: FilePlace): { readonly tree: Tree; readonly used: number };
}

export function evaluate(expression: HclExpression, scope: Scope): Tree {
  const at = { file: scope.file, line: expression.line };
  switch (expression.kind) {
    case 'literal':
      return { kind: 'scalar', value: expression.value, at, ...linesOf(expression, at) };
    case 'template':
      return { ...template(expression.parts, scope, at), ...linesOf(expression, at) };
    case 'list':
      return { kind: 'list', items: expression.items.map((item) => evaluate(item, scope)), at };
    case 'object':
      return object(expression.entries, scope, at);
    case 'reference':
      return reference(expression.steps, scope, at);
    case 'call':
      return {
        kind: 'unknown',
        why: `is a result of the function ${expression.name}`,
        call: { name: expression.name, args: expression.args.map((arg) => evaluate(arg, scope)) },
        at,
      };
    case 'other':
      return { kind: 'unknown', why: `is computed (${shortened(expression.text)})`, at };
  }
}

/** Attributes and blocks as a map, in the shape of a plan: blocks of a type are a list. */
export function evaluateBody(body: HclBody, scope: Scope, line: number): Tree {
  const entries = new Map<string, Tree>();
  for (const [name, { value, line: own, file = scope.file }] of body.attributes) {
    const tree = evaluate(value, { ...scope, file });
    entries.set(
      name,
      tree.kind === 'scalar' || tree.kind === 'unknown' ? { ...tree, at: { file, line: own } } : tree,
    );
  }
  for (const { type, labels, body: inner, line: own } of body.blocks) {
    const at = { file: scope.file, line: own };
    if (type === 'dynamic') {
      entries.set(labels[0] ?? type, { kind: 'unknown', why: 'is made by a dynamic block', at });
      continue;
    }
    const before = entries.get(type);
    if (before?.kind === 'unknown') continue;
    const items = before?.kind === 'list' ? before.items : [];
    entries.set(type, {
      kind: 'list',
      items: [...items, evaluateBody(inner, scope, own)],
      at: before?.at ?? at,
    });
  }
  return { kind: 'map', entries, at: { file: scope.file, line } };
}

/** An entry of a map, also of one that `merge()` makes of maps that are known up to it. */
export function entryOf(tree: Tree | undefined, key: string): Tree | undefined {
  if (tree?.kind !== 'unknown' || tree.call?.name !== 'merge') return find(tree, key);
  for (const argument of tree.call.args.toReversed()) {
    const found = entryOf(argument, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------------------

/** The lines of a heredoc are lines of the file. */
function linesOf({ heredoc }: { readonly heredoc?: true }, { file, line }: FilePlace) {
  return heredoc === undefined ? {} : { firstLine: { file, line: (line ?? 0) + 1 } };
}

function template(parts: readonly (string | HclExpression)[], scope: Scope, at: FilePlace): Tree {
  const values = parts.map((part) => (typeof part === 'string' ? part : evaluate(part, scope)));
  const [only] = values;
  if (values.length === 1 && typeof only === 'object') return only;
  const unknown = values.find(
    (value): value is UnknownTree => typeof value === 'object' && value.kind === 'unknown',
  );
  if (unknown !== undefined) return { kind: 'unknown', why: unknown.why, parts: values, at };
  const texts = values.map((value) => (typeof value === 'string' ? value : textOf(value)));
  return texts.every((text) => text !== undefined)
    ? { kind: 'scalar', value: texts.join(''), at }
    : { kind: 'unknown', why: 'is a text with a value that is no text', at };
}

function object(
  written: readonly { readonly key: HclExpression; readonly value: HclExpression; readonly line: number }[],
  scope: Scope,
  at: FilePlace,
): Tree {
  const entries = new Map<string, Tree>();
  for (const { key, value, line } of written) {
    const name = textOf(evaluate(key, scope));
    if (name === undefined) return { kind: 'unknown', why: 'has keys that are computed', at };
    const tree = evaluate(value, scope);
    entries.set(name, tree.kind === 'scalar' ? { ...tree, at: { file: scope.file, line } } : tree);
  }
  return { kind: 'map', entries, at };
}

function reference(steps: readonly (string | number | HclExpression)[], scope: Scope, at: FilePlace): Tree {
  const path: string[] = [];
  for (const step of steps) {
    if (typeof step !== 'object') path.push(String(step));
    else {
      const index = textOf(evaluate(step, scope));
      if (index === undefined)
        return { kind: 'unknown', why: `is chosen by an index of ${path.join('.')}`, at };
      path.push(index);
    }
  }
  const { tree, used } = scope.lookUp(path, at);
  const found = below(tree, path.slice(used));
  if (found === undefined)
    return { kind: 'unknown', why: `depends on ${path.join('.')}, which is not set`, at };
  return found.kind === 'scalar' || found.kind === 'unknown' ? { ...found, at } : found;
}

function below(tree: Tree, path: Path): Tree | undefined {
  let current: Tree | undefined = tree;
  for (const step of path) current = entryOf(current, String(step)) ?? find(current, step);
  return current;
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
}
