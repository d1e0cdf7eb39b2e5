/** Writes conditions and status fields of an object, only what differs, on the version that was read. */
import type { KubeObject, Stored } from '@chandler/kube';
import { isApiError, type KubeClient, keyOfObject, type ResourceRef } from '@chandler/kube';
import { ConditionSet } from './conditions/condition-set.ts';
import type { ConditionedKind } from './conditions/conditions.table.ts';

export function conditionsOf(kind: ConditionedKind, object: KubeObject, nowMs: number): ConditionSet {
  return ConditionSet.of(kind, object as never, nowMs);
}

/** Gives back what the server has now; undefined when the object is gone. */
export async function writeStatus<T extends KubeObject>(
  client: KubeClient,
  resource: ResourceRef<T>,
  object: Stored<T>,
  conditions: ConditionSet | undefined,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Stored<T> | undefined> {
  const status = (object['status'] ?? {}) as Record<string, unknown>;
  const changed = Object.entries(fields).filter(([name, value]) => !sameJson(value, status[name]));
  if (changed.length === 0 && !conditions?.modified) return object;
  const patch = {
    metadata: { resourceVersion: object.metadata.resourceVersion },
    status: {
      ...Object.fromEntries(changed.map(([name, value]) => [name, replacing(value, status[name])])),
      ...(conditions?.modified ? { conditions: conditions.list() } : {}),
    },
  };
  try {
    return await client.patchStatus(resource, keyOfObject(object), { type: 'merge', patch });
  } catch (error) {
    if (isApiError(error, 'notFound')) return undefined;
    throw error;
  }
}

/** The part of a merge patch that replaces `have` by `value`: keys that `value` lacks are null, at every level. */
export function replacing(value: unknown, have: unknown): unknown {
  if (!isMap(value) || !isMap(have)) return value;
  const gone = Object.keys(have).filter((key) => !(key in value));
  return Object.fromEntries([
    ...gone.map((key) => [key, null] as const),
    ...Object.entries(value).map(([key, each]) => [key, replacing(each, have[key])] as const),
  ]);
}

/** A merge patch of annotations, only those that differ; null removes. */
export async function writeAnnotations<T extends KubeObject>(
  client: KubeClient,
  resource: ResourceRef<T>,
  object: Stored<T>,
  wanted: Readonly<Record<string, string | null>>,
): Promise<Stored<T>> {
  const have = object.metadata.annotations ?? {};
  const changed = Object.entries(wanted).filter(([name, value]) => (have[name] ?? null) !== value);
  if (changed.length === 0) return object;
  const { resourceVersion } = object.metadata;
  const patch = { metadata: { resourceVersion, annotations: Object.fromEntries(changed) } };
  return client.patch(resource, keyOfObject(object), { type: 'merge', patch });
}

/** The API server sorts the keys of what it stores, so their order must not count. */
export function sameJson(one: unknown, other: unknown): boolean {
  return sorted(one) === sorted(other);
}

// ---------------------------------------------------------------------------------------------------

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isMap(each) ? Object.fromEntries(Object.entries(each).sort(([x], [y]) => (x < y ? -1 : 1))) : each,
  );
}
