/**
 * Lists under a strategic merge patch: items are matched by their merge key (or, scalars, by value), merged or
 * removed one by one, and put in an order that honours the patch first and the live list next.
 */
import type { Structure } from '../structure.ts';
import { goPlain, goType } from './go-format.ts';
import { isObject, type JsonObject } from './json-value.ts';
import { patchDoesNotApply, unforeseen } from './patch-error.ts';
import { type ListField, shapeKind } from './strategic-schema.ts';

/** How two items with the same key become one. */
export type MergeItem = (live: JsonObject, patch: JsonObject, item: Structure | undefined) => JsonObject;

/** The live items with the patch's worked in. */
export function mergeItems(
  live: unknown[],
  patch: unknown[],
  list: ListField,
  mergeItem: MergeItem,
): unknown[] {
  if (live.length === 0 && patch.length === 0) return live;
  if (!holdsMaps(live, patch)) {
    return inOrder(distinct([...live, ...patch]), {
      order: patch,
      live,
      mergeKey: list.mergeKey,
      maps: false,
    });
  }
  if (list.mergeKey === '')
    throw unforeseen(`cannot merge lists without merge key for ${shapeKind(list.item)}`);
  const { kept, rest } = applyItemDirectives(live as JsonObject[], patch as JsonObject[], list.mergeKey);
  const before = [...kept];
  const merged = mergeKeyed(kept, rest, list, mergeItem);
  return inOrder(merged, { order: rest, live: before, mergeKey: list.mergeKey, maps: true });
}

/** `$deleteFromPrimitiveList`: the live scalars without these. */
export function deleteScalars(
  live: unknown[],
  gone: unknown[],
  list: ListField,
  mergeItem: MergeItem,
): unknown[] {
  if (live.length === 0 && gone.length === 0) return live;
  if (holdsMaps(live, gone)) return mergeItems(live, gone, list, mergeItem);
  const unwanted = new Set(gone);
  return live.filter((item) => !unwanted.has(item));
}

/** Refuses a `$setElementOrder` that contradicts the order of the patch's own items. */
export function validateOrder(patch: unknown[], order: unknown[], mergeKey: string): void {
  if (order.length === 0 || patch.length === 0) return;
  const items = mergeKey === '' ? patch : patch.filter((item) => asMap(item)['$patch'] !== 'delete');
  let at = 0;
  let seen = 0;
  while (at < items.length && seen < order.length) {
    const item = items[at];
    if (isObject(item) && item['$patch'] !== undefined) {
      at++;
      continue;
    }
    if (keyOf(item, mergeKey) === keyOf(order[seen], mergeKey)) at++;
    seen++;
  }
  if (at < items.length && seen >= order.length) {
    throw unforeseen(
      `The order in patch list:\n${goPlain(patch)}\n doesn't match $setElementOrder list:\n${goPlain(order)}\n`,
    );
  }
}

/** Items in the order that `$setElementOrder` asks for. */
export function arrange(
  merged: unknown[],
  {
    order,
    live,
    wanted,
    mergeKey,
  }: { order: unknown[]; live: unknown[]; wanted: unknown[]; mergeKey: string },
): unknown[] {
  const parts = partition(merged, order, mergeKey);
  const maps = holdsMaps(live, wanted);
  return zip(sortBy(parts.fromServer, live, mergeKey, maps), sortBy(parts.fromPatch, order, mergeKey, maps), {
    live,
    mergeKey,
    maps,
  });
}

// ---------------------------------------------------------------------------------------------------

interface Order {
  readonly live: unknown[];
  readonly mergeKey: string;
  readonly maps: boolean;
}

/** Whether items are maps; a list of mixed kinds, or of lists, cannot be merged. */
function holdsMaps(...lists: unknown[][]): boolean {
  let type: string | undefined;
  for (const item of lists.flat()) {
    const here = goType(item);
    if (type === undefined && here === '[]interface {}') {
      throw patchDoesNotApply();
    }
    type ??= here;
    if (type !== here)
      throw unforeseen(`list element types are not identical: [${lists.map(goPlain).join(' ')}]`);
  }
  if (type === undefined) throw unforeseen('no elements in any of the given slices');
  return type === 'map[string]interface {}';
}

function distinct(items: unknown[]): unknown[] {
  return [...new Set(items)];
}

/** Items of the patch that are directives, applied; and the others. */
function applyItemDirectives(
  live: JsonObject[],
  patch: JsonObject[],
  mergeKey: string,
): { kept: JsonObject[]; rest: JsonObject[] } {
  const gone = new Set<unknown>();
  const rest: JsonObject[] = [];
  let replace = false;
  for (const item of patch) {
    const directive = item['$patch'];
    if (directive === undefined) rest.push(item);
    else if (directive === 'delete') gone.add(keyOf(item, mergeKey));
    else if (directive === 'replace') replace = true;
    else if (directive === 'merge') throw unforeseen('merging lists cannot yet be specified in the patch');
    else throw unforeseen(`unknown patch type: ${goPlain(directive)} in map: ${goPlain(item)}`);
  }
  if (replace) return { kept: rest, rest: [] };
  return { kept: gone.size === 0 ? live : live.filter((item) => !gone.has(item[mergeKey])), rest };
}

function mergeKeyed(
  live: JsonObject[],
  patch: JsonObject[],
  list: ListField,
  mergeItem: MergeItem,
): JsonObject[] {
  const merged = [...live];
  const places = placesOf(merged, list.mergeKey, true);
  for (const item of patch) {
    const key = keyOf(item, list.mergeKey);
    const at = places.get(key);
    if (at === undefined) {
      places.set(key, merged.length);
      merged.push(item);
    } else merged[at] = mergeItem(merged[at] as JsonObject, item, list.item);
  }
  return merged;
}

function inOrder(
  merged: unknown[],
  { order, live, mergeKey, maps }: Order & { order: unknown[] },
): unknown[] {
  const parts = partition(merged, order, mergeKey);
  const fromPatch = sortBy(parts.fromPatch, order, mergeKey, maps);
  return zip(sortBy(parts.fromServer, live, mergeKey, maps), fromPatch, { live, mergeKey, maps });
}

function partition(
  merged: unknown[],
  order: unknown[],
  mergeKey: string,
): { fromPatch: unknown[]; fromServer: unknown[] } {
  if (mergeKey !== '') {
    const stray = order.findIndex((other) => !isObject(other));
    if (stray >= 0 && merged.length > 0) throw unforeseen(`value for key ${stray} is not a map`);
  }
  const keys = new Set(mergeKey === '' ? order : order.map((other) => (other as JsonObject)[mergeKey]));
  const inPatch = (item: unknown): boolean =>
    keys.size > 0 && keys.has(mergeKey === '' ? item : keyOf(item, mergeKey));
  return { fromPatch: merged.filter(inPatch), fromServer: merged.filter((item) => !inPatch(item)) };
}

/** Stable, by place in `order`; items marked for deletion go last. An item that does not exist counts as smaller. */
function sortBy(items: unknown[], order: unknown[], mergeKey: string, maps: boolean): unknown[] {
  if (maps) for (const item of [...items, ...order]) keyOf(item, mergeKey);
  const isDeletion = (item: unknown): boolean => maps && asMap(item)['$patch'] === 'delete';
  const sorted = items.filter((item) => !isDeletion(item));
  const places = placesOf(order, mergeKey, maps);
  const place = (item: unknown): number => places.get(identityOf(item, mergeKey, maps)) ?? -1;
  if (sorted.every((item) => place(item) >= 0)) {
    return [...sorted.sort((a, b) => place(a) - place(b)), ...items.filter(isDeletion)];
  }
  const less = (a: unknown, b: unknown): boolean => {
    const left = place(a);
    const right = place(b);
    return left < 0 || right < 0 || left < right;
  };
  for (let i = 1; i < sorted.length; i++) {
    for (let j = i; j > 0 && less(sorted[j], sorted[j - 1]); j--) {
      [sorted[j], sorted[j - 1]] = [sorted[j - 1], sorted[j]];
    }
  }
  return [...sorted, ...items.filter(isDeletion)];
}

/** Two sorted lists as one: an item of the server comes first only where the live list had it before the other. */
function zip(fromServer: unknown[], fromPatch: unknown[], { live, mergeKey, maps }: Order): unknown[] {
  const all: unknown[] = [];
  const places = placesOf(live, mergeKey, maps);
  const place = (item: unknown): number => places.get(identityOf(item, mergeKey, maps)) ?? -1;
  let s = 0;
  let p = 0;
  while (s < fromServer.length || p < fromPatch.length) {
    if (s >= fromServer.length) all.push(fromPatch[p++]);
    else if (p >= fromPatch.length) all.push(fromServer[s++]);
    else {
      const left = place(fromServer[s]);
      const right = place(fromPatch[p]);
      all.push(left >= 0 && right >= 0 && left < right ? fromServer[s++] : fromPatch[p++]);
    }
  }
  return all;
}

/** Where each item first comes. Looked up rather than searched: a patch may be long, and so may the list. */
function placesOf(list: readonly unknown[], mergeKey: string, maps: boolean): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (const [place, item] of list.entries()) {
    const identity = identityOf(item, mergeKey, maps);
    if (!places.has(identity)) places.set(identity, place);
  }
  return places;
}

function identityOf(item: unknown, mergeKey: string, maps: boolean): unknown {
  if (!maps) return item;
  return isObject(item) ? item[mergeKey] : undefined;
}

function keyOf(item: unknown, mergeKey: string): unknown {
  if (mergeKey === '') return item;
  const map = asMap(item);
  const key = map[mergeKey];
  if (key === undefined)
    throw unforeseen(`map: ${goPlain(map)} does not contain declared merge key: ${mergeKey}`);
  return key;
}

function asMap(item: unknown): JsonObject {
  if (isObject(item)) return item;
  const type = item === null ? '%!s(<nil>)' : goType(item);
  throw unforeseen(`expected a map[string]interface {}, but received a ${type}`);
}
