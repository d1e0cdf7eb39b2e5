/**
 * The common form of everything that is read: YAML, HCL, JSON and answers of APIs become trees whose every value knows its
 * place. What is not known without running Terraform or Helm is a value of its own, so that no check takes it for absent.
 */
import type { FilePlace, Place } from './place.ts';

export type Tree = ScalarTree | MapTree | ListTree | UnknownTree;

export type Scalar = string | number | boolean | null;

export interface ScalarTree {
  readonly kind: 'scalar';
  readonly value: Scalar;
  readonly at: Place;
  /** Of a text whose lines are lines of its file (a heredoc, a block of YAML): where its first line is. */
  readonly firstLine?: FilePlace;
}

export interface MapTree {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, Tree>;
  readonly at: Place;
  /** What other keys are: a map that was merged over one that is not known. */
  readonly rest?: UnknownTree;
}

export interface ListTree {
  readonly kind: 'list';
  readonly items: readonly Tree[];
  readonly at: Place;
}

/** A value that exists, and that the input does not tell. */
export interface UnknownTree {
  readonly kind: 'unknown';
  /** `depends on data.aws_caller_identity.current`; completes "The value is not known: it …". */
  readonly why: string;
  readonly at: Place;
  /** The resource or data source that it refers to: `data.aws_iam_policy_document.controller`, with its modules. */
  readonly reference?: string;
  /** What of it: `principal_id`, `kubelet_identity.0.object_id`. */
  readonly attribute?: string;
  /** The function and its arguments, where the value is the result of one: `jsonencode({ … })`. */
  readonly call?: { readonly name: string; readonly args: readonly Tree[] };
  /** Of a text that is known in parts: what is known, and the values between. */
  readonly parts?: readonly (string | Tree)[];
  /** As of a text that is known. */
  readonly firstLine?: FilePlace;
}

export type Path = readonly (string | number)[];

/** The value at the path; undefined where there is none; an unknown value where an ancestor is unknown. */
export function find(tree: Tree | undefined, ...path: Path): Tree | undefined {
  let current = tree;
  for (const step of path) {
    if (current === undefined || current.kind === 'unknown') return current;
    if (current.kind === 'map') current = current.entries.get(String(step)) ?? current.rest;
    else if (current.kind === 'list') current = current.items[Number(step)];
    else return undefined;
  }
  return current?.kind === 'scalar' && current.value === null ? undefined : current;
}

/** The value as a text: numbers and booleans as written in YAML. Undefined for everything else. */
export function textOf(tree: Tree | undefined): string | undefined {
  return tree?.kind === 'scalar' && tree.value !== null ? String(tree.value) : undefined;
}

/** The text at the path. */
export function textAt(tree: Tree | undefined, ...path: Path): string | undefined {
  return textOf(find(tree, ...path));
}

/** The items of the list at the path; none where there is no list. */
export function itemsAt(tree: Tree | undefined, ...path: Path): readonly Tree[] {
  const found = find(tree, ...path);
  return found?.kind === 'list' ? found.items : [];
}

/** The entries of the map at the path; none where there is no map. */
export function entriesAt(tree: Tree | undefined, ...path: Path): readonly (readonly [string, Tree])[] {
  const found = find(tree, ...path);
  return found?.kind === 'map' ? [...found.entries] : [];
}

/** The texts of the map at the path: labels and annotations. */
export function textsAt(tree: Tree | undefined, ...path: Path): Readonly<Record<string, string>> {
  return Object.fromEntries(
    entriesAt(tree, ...path).flatMap(([key, value]) => {
      const text = textOf(value);
      return text === undefined ? [] : [[key, text] as const];
    }),
  );
}

/** The place of the value at the path, or of the nearest ancestor that exists. */
export function placeAt(tree: Tree, ...path: Path): Place {
  for (let length = path.length; length > 0; length--) {
    const found = find(tree, ...path.slice(0, length));
    if (found !== undefined) return found.at;
  }
  return tree.at;
}

/** True for a value that is unknown, and for one that has an unknown value in it. */
export function hasUnknown(tree: Tree | undefined): boolean {
  for (const { tree: each } of leaves(tree)) if (each.kind === 'unknown') return true;
  return false;
}

/** Scalars and unknown values with their paths. A tree that several anchors share is visited once. */
export function* leaves(
  tree: Tree | undefined,
): Generator<{ readonly path: Path; readonly tree: ScalarTree | UnknownTree }> {
  const seen = new Set<Tree>();
  const pending: { readonly path: Path; readonly tree: Tree }[] =
    tree === undefined ? [] : [{ path: [], tree }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, tree: each } = next;
    if (each.kind === 'scalar' || each.kind === 'unknown') {
      yield { path, tree: each };
      continue;
    }
    if (seen.has(each)) continue;
    seen.add(each);
    const below: (readonly [string | number, Tree])[] =
      each.kind === 'map' ? [...each.entries] : [...each.items.entries()];
    for (const [step, child] of below.reverse()) pending.push({ path: [...path, step], tree: child });
  }
}

/**
 * Plain data, for code that reads objects as the API server holds them. Unknown values are left out; what several anchors
 * share is one value.
 */
export function toValue(tree: Tree): unknown {
  const made = new Map<Tree, unknown>();
  const plain = (each: Tree): unknown => {
    if (each.kind === 'scalar') return each.value;
    if (each.kind === 'unknown') return undefined;
    if (made.has(each)) return made.get(each);
    const value =
      each.kind === 'list'
        ? each.items.filter(({ kind }) => kind !== 'unknown').map(plain)
        : Object.fromEntries(
            [...each.entries]
              .filter(([, below]) => below.kind !== 'unknown')
              .map(([name, below]) => [name, plain(below)]),
          );
    made.set(each, value);
    return value;
  };
  return plain(tree);
}

/** A tree of plain data that was read at one place: an answer of an API. */
export function fromValue(value: unknown, at: Place): Tree {
  if (Array.isArray(value)) return { kind: 'list', items: value.map((each) => fromValue(each, at)), at };
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([name, each]) => [name, fromValue(each, at)] as const);
    return { kind: 'map', entries: new Map(entries), at };
  }
  return { kind: 'scalar', value: (value ?? null) as Scalar, at };
}

/** Values of `over` win; maps are merged, everything else is replaced, and `null` removes a key: as Helm does. */
export function mergeTrees(under: Tree | undefined, over: Tree | undefined): Tree | undefined {
  if (under === undefined || over === undefined) return over ?? under;
  if (over.kind === 'map' && under.kind === 'unknown') return { ...over, rest: under };
  if (under.kind !== 'map' || over.kind !== 'map') return over;
  const entries = new Map(under.entries);
  for (const [name, value] of over.entries) {
    if (value.kind === 'scalar' && value.value === null) entries.delete(name);
    else entries.set(name, mergeTrees(entries.get(name), value)!);
  }
  const rest = over.rest ?? under.rest;
  return { kind: 'map', entries, at: under.at, ...(rest === undefined ? {} : { rest }) };
}
