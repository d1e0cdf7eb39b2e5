/**
 * What changed between two values of one type: three sets of paths. A path is in at most one of them; a container
 * that was added or removed is itself a path, besides everything in it.
 */
import type { FieldsV1 } from '@chandler/kube';
import { ownField } from '../storage/json.ts';
import { childrenOf, EMPTY, exclude, type FieldSet, include, LEAF, nodeOf } from './field-set.ts';
import type { FieldType, ListType, MapType } from './field-type.ts';
import { Places } from './node-table.ts';
import { itemElement } from './path-element.ts';
import { asList, asMap, formOf, isEmptyMap, type JsonMap, sameValue } from './typed-value.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compare(before: unknown, after: unknown, type: FieldType): Comparison {
  const change = compareValues(before, after, type);
  return {
    added: change?.added ?? EMPTY,
    modified: change?.modified ?? EMPTY,
    removed: change?.removed ?? EMPTY,
  };
}

/** The paths that a request leaves as they are, whatever it says: `ignored` and below, or all but `only` and below. */
export interface PathFilter {
  readonly ignored: FieldSet | undefined;
  readonly only: readonly (readonly string[])[] | undefined;
}

export function filterSet(set: FieldSet, filter: PathFilter): FieldSet {
  const kept = filter.ignored === undefined ? set : exclude(set, filter.ignored);
  return filter.only === undefined ? kept : include(kept, filter.only);
}

export function filterComparison(comparison: Comparison, filter: PathFilter): Comparison {
  if (filter.ignored === undefined && filter.only === undefined) return comparison;
  return {
    added: filterSet(comparison.added, filter),
    modified: filterSet(comparison.modified, filter),
    removed: filterSet(comparison.removed, filter),
  };
}

// ---------------------------------------------------------------------------------------------------

/** Nodes to hang under the path that was compared. */
interface Change {
  added: FieldsV1 | undefined;
  modified: FieldsV1 | undefined;
  removed: FieldsV1 | undefined;
}

function compareValues(before: unknown, after: unknown, type: FieldType): Change | undefined {
  if (before === after) return undefined;
  if (before === undefined) return { added: wholeNode(after, type), modified: undefined, removed: undefined };
  if (after === undefined) return { added: undefined, modified: undefined, removed: wholeNode(before, type) };
  const form = formOf(type, after);
  // Null takes the form of the other side.
  if (before !== null && after !== null && formOf(type, before) !== form)
    return compareForms(before, after, type);
  if (form === 'map' && type.map !== undefined) return compareMaps(before, after, type.map);
  if (form === 'list' && type.list !== undefined) return compareLists(before, after, type.list);
  return leafChange(before, after);
}

/** A value that became one of another form: changed as such, and what the new form brings is added. */
function compareForms(before: unknown, after: unknown, type: FieldType): Change | undefined {
  const change = leafChange(before, after);
  const added = childrenOf(wholeNode(after, type));
  return { added, modified: change?.modified, removed: childrenOf(wholeNode(before, type)) };
}

function leafChange(before: unknown, after: unknown): Change | undefined {
  return sameValue(before, after) ? undefined : { added: undefined, modified: LEAF, removed: undefined };
}

function compareMaps(before: unknown, after: unknown, type: MapType): Change | undefined {
  const left = asMap(before);
  const right = asMap(after);
  if (type.atomic || (isEmptyMap(left) && isEmptyMap(right))) return leafChange(before, after);
  const changes = new Changes();
  for (const name in right) {
    const value = right[name];
    if (value === undefined) continue;
    const old = ownField(left, name);
    // Most fields of most writes are scalars that stay: not worth a look at their type.
    if (old === value) continue;
    const field = type.fields?.get(name);
    const fieldType = field?.type ?? type.element;
    if (fieldType === undefined) continue;
    const change = compareValues(old, value, fieldType);
    if (change !== undefined) changes.add(field?.key ?? `f:${name}`, change);
  }
  for (const name in left) {
    if (left[name] === undefined || ownField(right, name) !== undefined) continue;
    const fieldType = type.fields?.get(name)?.type ?? type.element;
    if (fieldType !== undefined) changes.add(`f:${name}`, compareValues(left[name], undefined, fieldType));
  }
  return changes.finish();
}

function compareLists(before: unknown, after: unknown, type: ListType): Change | undefined {
  const left = asList(before);
  const right = asList(after);
  if (
    type.atomic ||
    ((left === undefined || left.length === 0) && (right === undefined || right.length === 0))
  ) {
    return leafChange(before, after);
  }
  if (sameValue(left, right)) return undefined;
  const leftItems = byElement(left ?? [], type);
  const rightItems = byElement(right ?? [], type);
  const changes = new Changes();
  for (const [element, items] of leftItems) {
    changes.add(element, compareItems(items, rightItems.get(element) ?? [], type.items));
  }
  for (const [element, items] of rightItems) {
    if (!leftItems.has(element)) changes.add(element, compareItems([], items, type.items));
  }
  return changes.finish();
}

/** Items under the same element; more than one on a side are duplicates, which count as one opaque thing. */
function compareItems(
  before: readonly unknown[],
  after: readonly unknown[],
  type: FieldType,
): Change | undefined {
  if (before.length <= 1 && after.length <= 1) return compareValues(before[0], after[0], type);
  if (before.length >= 2 && after.length >= 2) return leafChange(before, after);
  if (before.length >= 2) {
    const added = after.length === 0 ? undefined : wholeNode(after[0], type);
    return { added, modified: undefined, removed: LEAF };
  }
  const removed = before.length === 0 ? undefined : wholeNode(before[0], type);
  return { added: LEAF, modified: undefined, removed };
}

function byElement(items: readonly unknown[], type: ListType): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const item of items) {
    const element = itemElement(type, item);
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}

/** A value that is there on one side only: every path in it and its own. */
function wholeNode(value: unknown, type: FieldType): FieldsV1 {
  if (typeof value !== 'object' || value === null) return LEAF;
  const form = formOf(type, value);
  if (form === 'map' && type.map !== undefined && !Array.isArray(value))
    return wholeMap(value as JsonMap, type.map);
  if (form === 'list' && type.list !== undefined && Array.isArray(value)) return wholeList(value, type.list);
  return LEAF;
}

function wholeMap(value: JsonMap, type: MapType): FieldsV1 {
  if (type.atomic) return LEAF;
  const keys: string[] = [];
  const nodes: FieldsV1[] = [];
  for (const name in value) {
    const field = type.fields?.get(name);
    const fieldType = field?.type ?? type.element;
    if (fieldType === undefined || value[name] === undefined) continue;
    keys.push(field?.key ?? `f:${name}`);
    nodes.push(wholeNode(value[name], fieldType));
  }
  return nodeOf(true, keys, nodes) as FieldsV1;
}

function wholeList(value: readonly unknown[], type: ListType): FieldsV1 {
  if (type.atomic || value.length === 0) return LEAF;
  const places = new Places();
  const nodes: FieldsV1[] = [];
  for (const item of value) {
    const element = itemElement(type, item);
    const same = places.of(element);
    if (same >= 0) nodes[same] = LEAF;
    else {
      places.add(element);
      nodes.push(wholeNode(item, type.items));
    }
  }
  return nodeOf(true, places.keys, nodes) as FieldsV1;
}

type Parts = [keys: string[], nodes: FieldsV1[]];

/** Gathers the changes of a container's parts. */
class Changes {
  private added: Parts | undefined;
  private modified: Parts | undefined;
  private removed: Parts | undefined;

  add(key: string, change: Change | undefined): void {
    if (change === undefined) return;
    if (change.added !== undefined) this.added = put(this.added, key, change.added);
    if (change.modified !== undefined) this.modified = put(this.modified, key, change.modified);
    if (change.removed !== undefined) this.removed = put(this.removed, key, change.removed);
  }

  finish(): Change | undefined {
    const { added, modified, removed } = this;
    if (added === undefined && modified === undefined && removed === undefined) return undefined;
    return { added: built(added), modified: built(modified), removed: built(removed) };
  }
}

function put(parts: Parts | undefined, key: string, node: FieldsV1): Parts {
  if (parts === undefined) return [[key], [node]];
  parts[0].push(key);
  parts[1].push(node);
  return parts;
}

function built(parts: Parts | undefined): FieldsV1 | undefined {
  return parts === undefined ? undefined : nodeOf(false, parts[0], parts[1]);
}
