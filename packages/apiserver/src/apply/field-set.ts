/**
 * Sets of field paths and their algebra. A set has the form in which it travels, FieldsV1, so that nothing is encoded
 * or decoded: a node without keys is a member without members below it, `.` marks a member that has some, and the
 * root `{}` is the empty set. Nodes are shared between sets and never changed once made; their keys are in canonical
 * order, and there is no node without a member at or below it.
 */
import type { FieldsV1 } from '@chandler/kube';
import { LEAF, nodeOf } from './node-table.ts';
import { canonicalElement, printElement } from './path-element.ts';

export { LEAF, nodeOf };

export type FieldSet = FieldsV1;

export const EMPTY: FieldSet = LEAF;

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether the path to a node is itself in the set. */
export function isMember(node: FieldsV1): boolean {
  return node === LEAF || '.' in node || isEmpty(node);
}

/** The node as that of a path which is itself in the set. */
export function asMember(node: FieldsV1): FieldsV1 {
  return isMember(node) ? node : (nodeOf(true, ...split(node)) as FieldsV1);
}

/** What is below a node, without the node's own path; undefined when that is nothing. */
export function childrenOf(node: FieldsV1): FieldsV1 | undefined {
  return '.' in node ? nodeOf(false, ...split(node)) : isEmpty(node) ? undefined : node;
}

/** What is in either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a)) return b;
  if (isEmpty(b)) return a;
  return unionBelow(a, b, false);
}

/** What is in `a` and not in `b`; a member's children stay when only the member itself is in `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return differenceBelow(a, b, false) ?? EMPTY;
}

/** `a` without the members of `b` and everything below them. */
export function exclude(a: FieldSet, b: FieldSet): FieldSet {
  return excludeBelow(a, b, false) ?? EMPTY;
}

/** What is in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return intersectionBelow(a, b, false) ?? EMPTY;
}

/** `a` reduced to what lies at or below one of the paths; `*` in a path matches any step. */
export function include(a: FieldSet, paths: readonly (readonly string[])[]): FieldSet {
  const [keys, nodes] = split(a);
  const kept: [string[], FieldsV1[]] = [[], []];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const below = paths
      .filter(([first]) => first === '*' || `f:${first}` === key)
      .map((path) => path.slice(1));
    if (below.length === 0) continue;
    const node = nodes[i] as FieldsV1;
    if (below.some((path) => path.length === 0)) push(kept, key, node);
    else push(kept, key, attach(isMember(node), include(node === LEAF ? EMPTY : node, below)));
  }
  return nodeOf(false, ...kept) ?? EMPTY;
}

/** The set of these paths of field names. */
export function setOfPaths(paths: readonly (readonly string[])[]): FieldSet {
  return setOfSteps(paths.map((path) => path.map((name) => `f:${name}`)));
}

/** The set of these paths of steps. */
export function setOfSteps(paths: readonly (readonly string[])[]): FieldSet {
  let set: FieldSet = EMPTY;
  for (const path of paths) {
    set = union(
      set,
      path.reduceRight<FieldsV1>((node, step) => nodeOf(false, [step], [node]) as FieldsV1, LEAF),
    );
  }
  return set;
}

export function has(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldsV1 | undefined = set;
  for (const element of path) {
    node = node[element];
    if (node === undefined) return false;
  }
  return path.length > 0 && isMember(node);
}

/** Every path of the set as text, in the order of a real server's conflict list: members first, then what is below. */
export function printPaths(set: FieldSet): string[] {
  const texts: string[] = [];
  collectPaths(set, '', [], (text) => texts.push(text));
  return texts;
}

/** Every path of the set, as steps. */
export function pathsOf(set: FieldSet): string[][] {
  const paths: string[][] = [];
  collectPaths(set, '', [], (_, steps) => paths.push(steps));
  return paths;
}

/** A set as a client wrote it, in canonical form. Throws when a path cannot be read; unknown kinds of steps are dropped. */
export function canonicalSet(fields: unknown): FieldSet {
  const { children } = canonicalNode(fields);
  return children ?? EMPTY;
}

// ---------------------------------------------------------------------------------------------------

function split(node: FieldsV1): [keys: string[], nodes: FieldsV1[]] {
  const keys: string[] = [];
  const nodes: FieldsV1[] = [];
  for (const key in node) {
    if (key === '.') continue;
    keys.push(key);
    nodes.push(node[key] as FieldsV1);
  }
  return [keys, nodes];
}

function push([keys, nodes]: [string[], FieldsV1[]], key: string, node: FieldsV1 | undefined): void {
  if (node === undefined) return;
  keys.push(key);
  nodes.push(node);
}

/** A node with these children, which are a set of their own. */
function attach(member: boolean, children: FieldSet): FieldsV1 | undefined {
  return member ? asMember(children) : isEmpty(children) ? undefined : children;
}

function unionBelow(a: FieldsV1, b: FieldsV1, member: boolean): FieldsV1 {
  const parts = split(a);
  const [keys, nodes] = parts;
  for (let i = 0; i < keys.length; i++) {
    const left = nodes[i] as FieldsV1;
    const right = b[keys[i] as string];
    if (right !== undefined && right !== left)
      nodes[i] = unionBelow(left, right, isMember(left) || isMember(right));
  }
  for (const key in b) if (key !== '.' && a[key] === undefined) push(parts, key, b[key]);
  return nodeOf(member, keys, nodes) ?? LEAF;
}

function differenceBelow(a: FieldsV1, b: FieldsV1, member: boolean): FieldsV1 | undefined {
  const kept: [string[], FieldsV1[]] = [[], []];
  for (const key in a) {
    if (key === '.') continue;
    const left = a[key] as FieldsV1;
    const right = b[key];
    if (right === undefined) push(kept, key, left);
    else push(kept, key, differenceBelow(left, right, isMember(left) && !isMember(right)));
  }
  return nodeOf(member, ...kept);
}

function excludeBelow(a: FieldsV1, b: FieldsV1, member: boolean): FieldsV1 | undefined {
  const kept: [string[], FieldsV1[]] = [[], []];
  for (const key in a) {
    if (key === '.') continue;
    const left = a[key] as FieldsV1;
    const right = b[key];
    if (right === undefined) push(kept, key, left);
    else if (!isMember(right)) push(kept, key, excludeBelow(left, right, isMember(left)));
  }
  return nodeOf(member, ...kept);
}

function intersectionBelow(a: FieldsV1, b: FieldsV1, member: boolean): FieldsV1 | undefined {
  const kept: [string[], FieldsV1[]] = [[], []];
  for (const key in a) {
    if (key === '.') continue;
    const left = a[key] as FieldsV1;
    const right = b[key];
    if (right === undefined) continue;
    push(
      kept,
      key,
      left === right ? left : intersectionBelow(left, right, isMember(left) && isMember(right)),
    );
  }
  return nodeOf(member, ...kept);
}

function collectPaths(
  set: FieldSet,
  text: string,
  steps: readonly string[],
  visit: (text: string, steps: string[]) => void,
): void {
  const [keys, nodes] = split(set);
  const printed = keys.map(printElement);
  keys.forEach((key, i) => {
    if (isMember(nodes[i] as FieldsV1)) visit(text + printed[i], [...steps, key]);
  });
  keys.forEach((key, i) => {
    collectPaths(nodes[i] as FieldsV1, text + printed[i], [...steps, key], visit);
  });
}

function canonicalNode(fields: unknown): { children: FieldsV1 | undefined; member: boolean } {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new Error('a field set is an object');
  const parts: [string[], FieldsV1[]] = [[], []];
  let member = false;
  for (const [key, value] of Object.entries(fields)) {
    if (key === '.') {
      member = true;
      continue;
    }
    const element = canonicalElement(key);
    if (element === undefined) continue;
    const below = canonicalNode(value);
    push(parts, element, attach(below.member, below.children ?? EMPTY));
  }
  const children = nodeOf(false, ...parts);
  return { children, member: member || children === undefined };
}
