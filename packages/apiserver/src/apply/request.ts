/**
 * What ownership needs to know of a request, and objects in the API version of each owner.
 */
import type { KubeObject } from '@chandler/kube';
import type { Structure } from '../structure.ts';
import type { PathFilter } from './compare.ts';
import { EMPTY_OBJECTS } from './empty-object.table.ts';
import { type FieldSet, setOfPaths } from './field-set.ts';
import { type FieldType, fieldTypeOf } from './field-type.ts';

export interface ManagerRequest {
  readonly structure: Structure;
  /** The fieldManager of the request, else the part of User-Agent before the first slash. */
  readonly manager: string;
  readonly apiVersion: string;
  /** The resource's kind: what a configuration to apply must be of. Default: the current object's. */
  readonly kind?: string;
  readonly subresource?: string;
  /** RFC 3339 with seconds, in UTC. */
  readonly now: string;
  /** Paths of field names that the strategy resets: they and all fields below them have no owner. */
  readonly ignore?: readonly (readonly string[])[];
  /** Paths outside of which the strategy resets everything; `*` is any item of a list. */
  readonly only?: readonly (readonly string[])[];
  /**
   * The object in another version, with that version's shape; undefined for a version that is not served (any more),
   * and their owners are removed. Without it, all versions are assumed to have one shape.
   */
  readonly atVersion?: (
    object: KubeObject,
    apiVersion: string,
  ) => { readonly object: KubeObject; readonly structure: Structure } | undefined;
}

export type ApplyRequest = ManagerRequest & { readonly force: boolean };

/** A value in one version, with its type there. */
export interface Versioned {
  readonly value: unknown;
  readonly type: FieldType;
  readonly apiVersion: string;
}

export function versioned(value: unknown, request: ManagerRequest): Versioned {
  return { value, type: fieldTypeOf(request.structure), apiVersion: request.apiVersion };
}

export function inVersion(
  from: Versioned,
  apiVersion: string,
  request: ManagerRequest,
): Versioned | undefined {
  if (from.apiVersion === apiVersion) return from;
  if (request.atVersion === undefined) return { ...from, apiVersion };
  const converted = request.atVersion(wholeObject(from.value), apiVersion);
  if (converted === undefined) return undefined;
  return { value: converted.object, type: fieldTypeOf(converted.structure), apiVersion };
}

export function filterOf(request: ManagerRequest): PathFilter {
  return {
    ignored: request.ignore === undefined ? undefined : ignoredSet(request.ignore),
    only: request.only,
  };
}

/** An object as it is before its first field is set. */
export function emptyObject(request: ManagerRequest): Readonly<Record<string, unknown>> {
  const { name } = request.structure;
  return (name === undefined ? undefined : EMPTY_OBJECTS[name]) ?? NOTHING;
}

// ---------------------------------------------------------------------------------------------------

const NOTHING = {};

/** An object from which parts were taken, as one that can be converted: without the nulls in their places. */
function wholeObject(value: unknown): KubeObject {
  const object = withoutNulls(value) as KubeObject | undefined;
  return { ...object, metadata: object?.metadata ?? {} };
}

function withoutNulls(value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item) ?? null);
  if (typeof value !== 'object') return value;
  const entries = Object.entries(value as object).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutNulls(inner)]));
}

const ignoredSets = new WeakMap<readonly (readonly string[])[], FieldSet>();

function ignoredSet(paths: readonly (readonly string[])[]): FieldSet {
  let set = ignoredSets.get(paths);
  if (set === undefined) {
    set = setOfPaths(paths);
    ignoredSets.set(paths, set);
  }
  return set;
}
