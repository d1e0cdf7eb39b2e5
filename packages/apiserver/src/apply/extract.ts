/**
 * The paths that a value sets: what an applied configuration owns. Unlike a comparison, a struct or list that has
 * parts is not itself a path; the entries of maps and the items of lists are.
 */
import type { FieldsV1 } from '@chandler/kube';
import { asMember, EMPTY, type FieldSet, isEmpty, isMember, LEAF, nodeOf } from './field-set.ts';
import type { FieldType, ListType, MapType } from './field-type.ts';
import { Places } from './node-table.ts';
import { itemElement } from './path-element.ts';
import { asMap, formOf, isEmptyMap, type JsonMap, typeWithin } from './typed-value.ts';

export function fieldSetOf(value: unknown, type: FieldType): FieldSet {
  const node = extractNode(value, type);
  return node === undefined || node === LEAF ? EMPTY : node;
}

/**
 * The set with the structs on the way to its members made members too, so that taking the set out of a value takes
 * out structs that are left with nothing.
 */
export function withNamedFields(set: FieldSet, type: FieldType | undefined): FieldSet {
  return namedBelow(set, type, false) ?? EMPTY;
}

/**
 * The set fitted to the type: where a list or map is now taken as a whole, paths into it become the path to it.
 * Types of custom resources change when their definition does.
 */
export function fitToType(set: FieldSet, type: FieldType): FieldSet {
  const node = fitNode(set, type, false);
  return node === LEAF ? EMPTY : node;
}

// ---------------------------------------------------------------------------------------------------

function extractNode(value: unknown, type: FieldType): FieldsV1 | undefined {
  const form = formOf(type, value);
  if (form === 'map' && type.map !== undefined) return extractMap(asMap(value), type.map);
  if (form === 'list' && type.list !== undefined) return extractList(value, type.list);
  return LEAF;
}

function extractMap(value: JsonMap | undefined, type: MapType): FieldsV1 | undefined {
  if (type.atomic) return LEAF;
  const keys: string[] = [];
  const nodes: FieldsV1[] = [];
  for (const name in value) {
    const inner = value[name];
    const field = type.fields?.get(name);
    const fieldType = field?.type ?? type.element;
    if (inner === undefined || fieldType === undefined) continue;
    const innerMap = asMap(inner);
    const member = field === undefined || inner === null || (innerMap !== undefined && isEmptyMap(innerMap));
    const node = memberIf(member, extractNode(inner, fieldType));
    if (node === undefined) continue;
    keys.push(field?.key ?? `f:${name}`);
    nodes.push(node);
  }
  return nodeOf(false, keys, nodes);
}

function extractList(value: unknown, type: ListType): FieldsV1 | undefined {
  if (type.atomic) return LEAF;
  const places = new Places();
  const nodes: FieldsV1[] = [];
  for (const item of Array.isArray(value) ? value : []) {
    const element = itemElement(type, item);
    const same = places.of(element);
    if (same >= 0) nodes[same] = LEAF;
    else {
      places.add(element);
      nodes.push(memberIf(true, extractNode(item, type.items)) as FieldsV1);
    }
  }
  return nodeOf(false, places.keys, nodes);
}

function memberIf(member: boolean, node: FieldsV1 | undefined): FieldsV1 | undefined {
  if (!member) return node;
  return node === undefined ? LEAF : asMember(node);
}

function namedBelow(node: FieldsV1, type: FieldType | undefined, member: boolean): FieldsV1 | undefined {
  const keys: string[] = [];
  const nodes: FieldsV1[] = [];
  for (const key in node) {
    if (key === '.') continue;
    const child = node[key] as FieldsV1;
    const name = key.startsWith('f:') ? key.slice(2) : undefined;
    const isNamed = name !== undefined && type?.map?.fields?.has(name) === true;
    const below = namedBelow(
      child,
      typeBelow(type, key, name),
      isMember(child) || (isNamed && !isEmpty(child)),
    );
    if (below === undefined) continue;
    keys.push(key);
    nodes.push(below);
  }
  return nodeOf(member, keys, nodes);
}

function typeBelow(
  type: FieldType | undefined,
  key: string,
  name: string | undefined,
): FieldType | undefined {
  if (name !== undefined) return type?.map === undefined ? undefined : typeWithin(type.map, name);
  return key.startsWith('k:') ? type?.list?.items : undefined;
}

function fitNode(node: FieldsV1, type: FieldType, isWhole: boolean): FieldsV1 {
  if (type.map !== undefined) return fitMap(node, type.map, isWhole);
  if (type.scalar !== undefined || type.list === undefined) return node;
  if (type.list.atomic) return isWhole ? node : LEAF;
  return fitChildren(node, () => type.list?.items);
}

function fitMap(node: FieldsV1, type: MapType, isWhole: boolean): FieldsV1 {
  if (type.element !== undefined && type.fields === undefined && type.element.map === type) return node;
  if (type.atomic) return isWhole ? node : LEAF;
  return fitChildren(node, (key) => (key.startsWith('f:') ? typeWithin(type, key.slice(2)) : type.element));
}

function fitChildren(node: FieldsV1, typeOf: (key: string) => FieldType | undefined): FieldsV1 {
  const keys: string[] = [];
  const nodes: FieldsV1[] = [];
  let changed = false;
  for (const key in node) {
    if (key === '.') continue;
    const child = node[key] as FieldsV1;
    const type = typeOf(key);
    const fit = type === undefined ? child : fitNode(child, type, child === LEAF || isEmpty(child));
    changed ||= fit !== child;
    keys.push(key);
    nodes.push(fit);
  }
  return changed ? (nodeOf(isMember(node), keys, nodes) as FieldsV1) : node;
}
