/**
 * JSON patch (RFC 6902) as the server reads it: a little more lenient than the RFC (`replace` of a missing map key
 * adds it, indexes may count from the end, `test` of a missing key equals null), and silent about what does not fit.
 * One leniency of ours: `test` compares values, where a real server compares how they are spelled (`<` is not `\\u003c`).
 */
import type { KubeObject } from '@chandler/kube';
import { ApiError, badRequest } from '../errors.ts';
import { jsonKind } from './go-format.ts';
import { copyValue, define, isObject, type JsonObject, keysSorted, sameJson } from './json-value.ts';
import { patchDoesNotApply } from './patch-error.ts';

const MAX_OPERATIONS = 10_000;
/** All that `copy` makes, together. */
const MAX_COPIED_LENGTH = 3 * 1024 * 1024;

export function applyJsonPatch(current: KubeObject, patch: unknown): KubeObject {
  const operations = readOperations(patch);
  const document: Document = { root: copyValue(current), touched: new Set(), copiedLength: 0 };
  for (const operation of operations) {
    const run = OPERATIONS.get(operation?.op ?? '');
    if (operation === null || run === undefined) throw patchDoesNotApply();
    run(document, operation);
  }
  return sortTouched(document.root, document.touched) as KubeObject;
}

/** Fields of operations that no operation has, as strict decoding reports errors of them. */
export function unknownOperationFields(patch: unknown): string[] {
  if (!Array.isArray(patch)) return [];
  return patch.flatMap((operation: unknown, index) =>
    isObject(operation)
      ? Object.keys(operation)
          .filter((field) => !OPERATION_FIELDS.has(field))
          .map((field) => `json patch unknown field "[${index}].${field}"`)
      : [],
  );
}

// ---------------------------------------------------------------------------------------------------

const OPERATION_FIELDS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

interface Operation {
  readonly op?: string;
  readonly path?: string;
  readonly from?: string;
  readonly value?: unknown;
}

interface Document {
  root: JsonObject | unknown[];
  /** Containers that an operation went through. */
  readonly touched: Set<unknown>;
  copiedLength: number;
}

function readOperations(patch: unknown): (Operation | null)[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw unreadable(patch, 'value of type []handlers.jsonPatchOp');
  for (const operation of patch) {
    if (operation === null) continue;
    if (!isObject(operation)) throw unreadable(operation, 'value of type handlers.jsonPatchOp');
    for (const field of ['op', 'path', 'from']) {
      const text = operation[field];
      if (text !== undefined && text !== null && typeof text !== 'string') {
        throw unreadable(text, `struct field jsonPatchOp.${field} of type string`);
      }
    }
  }
  if (patch.length > MAX_OPERATIONS) {
    throw new ApiError(
      413,
      'RequestEntityTooLarge',
      `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`,
    );
  }
  return patch as (Operation | null)[];
}

function unreadable(value: unknown, target: string): ApiError {
  return badRequest(`error decoding patch: json: cannot unmarshal ${jsonKind(value)} into Go ${target}`);
}

const OPERATIONS = new Map<string, (document: Document, operation: Operation) => void>(
  Object.entries({
    add: (document, { path, value }) => insert(locate(document, path), copyValue(value ?? null)),
    remove: (document, { path }) => remove(locate(document, path)),
    replace: (document, { path, value }) => {
      if (path === '') {
        if (typeof value !== 'object' || value === null) throw patchDoesNotApply();
        document.root = copyValue(value) as Document['root'];
      } else replace(locate(document, path), copyValue(value ?? null));
    },
    move: (document, { from, path }) => {
      const source = locate(document, from);
      const value = read(source);
      remove(source);
      insert(locate(document, path), value ?? null);
    },
    copy: (document, { from, path }) => {
      const value = copyValue(read(locate(document, from)) ?? null);
      document.copiedLength += JSON.stringify(value).length;
      if (document.copiedLength > MAX_COPIED_LENGTH) throw patchDoesNotApply();
      insert(locate(document, path), value);
    },
    test: (document, { path, value }) => {
      const found = path === '' ? document.root : read(locate(document, path));
      if (!sameJson(found ?? null, value ?? null)) throw patchDoesNotApply();
    },
  }),
);

interface Location {
  readonly container: JsonObject | unknown[];
  readonly key: string;
}

/** The container that a pointer leads into; what is missing on the way is not made. */
function locate(document: Document, pointer: string | null | undefined): Location {
  const parts = pointer === undefined || pointer === null ? [] : pointer.split('/').map(unescaped);
  const key = parts.pop();
  // The text before the first slash is not looked at.
  if (key === undefined || parts.length === 0) throw patchDoesNotApply();
  let container: unknown = document.root;
  document.touched.add(container);
  for (const part of parts.slice(1)) {
    container = read({ container: container as Location['container'], key: part });
    if (typeof container !== 'object' || container === null) throw patchDoesNotApply();
    document.touched.add(container);
  }
  return { container: container as Location['container'], key };
}

function unescaped(part: string): string {
  return part.replace(/~[01]/g, (escaped) => (escaped === '~1' ? '/' : '~'));
}

function read({ container, key }: Location): unknown {
  if (!Array.isArray(container)) return Object.hasOwn(container, key) ? container[key] : undefined;
  return container[position(key, container.length, container.length - 1)];
}

function insert({ container, key }: Location, value: unknown): void {
  if (!Array.isArray(container)) define(container, key, value);
  else if (key === '-') container.push(value);
  else container.splice(position(key, container.length + 1, container.length), 0, value);
}

function replace({ container, key }: Location, value: unknown): void {
  if (Array.isArray(container)) container[position(key, container.length, container.length - 1)] = value;
  else define(container, key, value);
}

function remove({ container, key }: Location): void {
  if (Array.isArray(container)) container.splice(position(key, container.length, container.length - 1), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw patchDoesNotApply();
}

/** An index into a list, from the end when negative. */
function position(key: string, length: number, last: number): number {
  if (!/^[+-]?\d+$/.test(key)) throw patchDoesNotApply();
  const index = Number(key);
  const resolved = index < 0 ? index + length : index;
  if (resolved < 0 || resolved > last) throw patchDoesNotApply();
  return resolved;
}

/** Keys in order in the document and in every map that an operation went through: so a real server shows them in messages. */
function sortTouched(root: unknown, touched: ReadonlySet<unknown>): unknown {
  const sorted = sortWithin(root, touched);
  return isObject(sorted) ? keysSorted(sorted) : sorted;
}

function sortWithin(value: unknown, touched: ReadonlySet<unknown>): unknown {
  // Nothing below an untouched container was touched.
  if (!touched.has(value)) return value;
  if (Array.isArray(value)) return value.map((item) => sortWithin(item, touched));
  const object = value as JsonObject;
  for (const key of Object.keys(object)) define(object, key, sortWithin(object[key], touched));
  return keysSorted(object);
}
