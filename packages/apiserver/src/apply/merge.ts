/**
 * Merging a configuration into a value, and taking paths out of one, by type. Inputs are not changed; parts of them
 * are shared with the result.
 */
import { ownField, setField } from '../storage/json.ts';
import { type FieldSet, has, isEmpty, LEAF } from './field-set.ts';
import type { FieldType, ListType, MapType } from './field-type.ts';
import { itemElement } from './path-element.ts';
import { asList, asMap, formOf, isEmptyMap, type JsonMap, typeWithin } from './typed-value.ts';

/** `config` over `live`: what the configuration says holds, what it does not mention stays. Undefined when nothing is left. */
export function mergeValues(live: unknown, config: unknown, type: FieldType): unknown {
  if (config === undefined) return live === undefined ? undefined : mergeForm(live, undefined, type, live);
  return mergeForm(live, config, type, config);
}

/** The value without the given paths and all below them. Undefined when nothing is left of it. */
export function removePaths(value: unknown, paths: FieldSet, type: FieldType): unknown {
  const form = formOf(type, value);
  if (form === 'list' && type.list !== undefined) return removeFromList(value, paths, type.list);
  if (form === 'map' && type.map !== undefined) return removeFromMap(value, paths, type.map);
  return value;
}

// ---------------------------------------------------------------------------------------------------

function mergeForm(live: unknown, config: unknown, type: FieldType, shaping: unknown): unknown {
  const form = formOf(type, shaping);
  if (form === 'map' && type.map !== undefined) return mergeMaps(live, config, type.map);
  if (form === 'list' && type.list !== undefined) return mergeLists(live, config, type.list);
  return config === undefined ? live : config;
}

function mergeMaps(live: unknown, config: unknown, type: MapType): unknown {
  const left = asMap(live);
  const right = asMap(config);
  if (type.atomic || (isEmptyMap(left) && isEmptyMap(right))) return config === undefined ? live : config;
  const merged: JsonMap = {};
  for (const name in left) {
    const fieldType = typeWithin(type, name);
    if (left[name] === undefined) continue;
    put(
      merged,
      name,
      fieldType === undefined ? left[name] : mergeValues(left[name], ownField(right, name), fieldType),
    );
  }
  for (const name in right) {
    const fieldType = typeWithin(type, name);
    if (right[name] === undefined || ownField(left, name) !== undefined || fieldType === undefined) continue;
    put(merged, name, mergeValues(undefined, right[name], fieldType));
  }
  return isEmptyMap(merged) ? undefined : merged;
}

function put(map: JsonMap, name: string, value: unknown): void {
  if (value !== undefined) setField(map, name, value);
}

function mergeLists(live: unknown, config: unknown, type: ListType): unknown {
  const left = asList(live) ?? [];
  const right = asList(config) ?? [];
  if (type.atomic || (left.length === 0 && right.length === 0)) return config === undefined ? live : config;
  const merged = new ListMerge(left, right, type).run();
  return merged.length === 0 ? undefined : merged;
}

/**
 * Items of both lists in one order: shared ones as the configuration has them, the others as near as may be to where
 * they stood in the live list.
 */
class ListMerge {
  private readonly type: ListType;
  private readonly left: readonly unknown[];
  private readonly leftElements: string[];
  private readonly rightElements: string[];
  /** Null for an element that refers to several items; these are replaced instead of merged. */
  private readonly leftByElement = new Map<string, unknown>();
  private readonly rightByElement = new Map<string, unknown>();
  private readonly shared: string[];
  private readonly taken = new Set<string>();
  private readonly out: unknown[] = [];

  constructor(left: readonly unknown[], right: readonly unknown[], type: ListType) {
    this.type = type;
    this.left = left;
    this.leftElements = left.map((item) => itemElement(type, item));
    this.rightElements = right.map((item) => itemElement(type, item));
    this.leftElements.forEach((element, i) => {
      this.leftByElement.set(element, this.leftByElement.has(element) ? null : left[i]);
    });
    this.rightElements.forEach((element, i) => {
      this.rightByElement.set(element, right[i]);
    });
    this.shared = this.rightElements.filter((element) => this.leftByElement.has(element));
  }

  run(): unknown[] {
    let l = 0;
    let r = 0;
    while (l < this.leftElements.length || r < this.rightElements.length) {
      const here = this.leftElements[l];
      const there = this.rightElements[r];
      if (here !== undefined && there !== undefined) {
        if (here === there) {
          this.take(here);
          this.shared.shift();
          l++;
          r++;
          continue;
        }
        // It comes later, where the configuration wants it.
        if (this.rightByElement.has(here) && this.shared[0] !== undefined && this.shared[0] !== here) {
          l++;
          continue;
        }
      }
      if (here !== undefined) {
        if (!this.rightByElement.has(here)) {
          this.push(mergeValues(this.left[l], undefined, this.type.items));
          l++;
          continue;
        }
        if (this.taken.has(here)) l++;
      }
      if (there !== undefined) {
        this.take(there);
        r++;
        if (this.shared[0] === there) this.shared.shift();
      }
    }
    return this.out;
  }

  private take(element: string): void {
    this.taken.add(element);
    this.push(
      mergeValues(this.leftByElement.get(element), this.rightByElement.get(element), this.type.items),
    );
  }

  private push(item: unknown): void {
    if (item !== undefined) this.out.push(item);
  }
}

function removeFromList(value: unknown, paths: FieldSet, type: ListType): unknown {
  const list = asList(value);
  if (list === undefined || list.length === 0 || type.atomic) return undefined;
  const kept: unknown[] = [];
  for (const item of list) {
    const element = itemElement(type, item);
    if (has(paths, [element])) continue;
    kept.push(removeWithin(item, paths, element, type.items));
  }
  return kept.length === 0 ? undefined : kept;
}

function removeFromMap(value: unknown, paths: FieldSet, type: MapType): unknown {
  const map = asMap(value);
  if (map === undefined || isEmptyMap(map) || type.atomic) return undefined;
  const kept: JsonMap = {};
  for (const name in map) {
    const key = `f:${name}`;
    const fieldType = typeWithin(type, name);
    if (map[name] === undefined || has(paths, [key])) continue;
    setField(
      kept,
      name,
      fieldType === undefined ? map[name] : removeWithin(map[name], paths, key, fieldType),
    );
  }
  return isEmptyMap(kept) ? undefined : kept;
}

/** A part of which nothing is left stays as null: the container had it, and decoding decides what null means there. */
function removeWithin(value: unknown, paths: FieldSet, key: string, type: FieldType): unknown {
  const below = paths[key];
  if (below === undefined || below === LEAF || isEmpty(below)) return value;
  return removePaths(value, below, type) ?? null;
}
