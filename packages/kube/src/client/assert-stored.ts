/**
 * What an API server holds has a name, a UID and a resourceVersion, and a namespace where its kind has namespaces. This file
 * checks that at the edge, so that nobody above has to ask again. An answer without them, or of another kind, is `malformed`:
 * a proxy or an aggregated API answered it.
 */
import type { KubeList, KubeObject, Status, Stored, WatchEvent } from '../object.ts';
import { ApiStatusError, isStatus } from './api-error.ts';
import type { ResourceRef } from './resource.ts';

/**
 * `request` is what was asked, for the message: `GET /api/v1/nodes`.
 * @param subresource of which the object is asked: that of `scale` is of another kind.
 */
export function assertStored<T extends KubeObject>(
  resource: ResourceRef<T>,
  answer: T,
  request: string,
  subresource?: string,
): Stored<T> {
  if (!isObject(answer)) throw malformed(`${request}: the server answered with no ${resource.kind}`);
  const isOwnKind = subresource === undefined || subresource === 'status';
  if (isOwnKind && (answer.kind ?? resource.kind) !== resource.kind)
    throw malformed(`${request}: the server answered with a ${answer.kind} instead of a ${resource.kind}`);
  const missing = missingField(resource, answer);
  if (missing === undefined) return answer as Stored<T>;
  const name = answer.metadata?.name ? ` ${answer.metadata.name}` : '';
  throw malformed(
    `${request}: the server answered with a ${resource.kind}${name} without metadata.${missing}`,
  );
}

/** A list as the server answers it. Servers written in Go write an empty list as null. */
export function assertStoredList<T extends KubeObject>(
  resource: ResourceRef<T>,
  answer: KubeList<T>,
  request: string,
): KubeList<T> {
  const kind = `list of ${resource.plural}`;
  if (!isObject(answer) || !isObject(answer.metadata))
    throw malformed(`${request}: the server answered with no ${kind}`);
  // The name is that of the kind with the suffix, but a CustomResourceDefinition may choose another.
  if (answer.kind !== undefined && !`${answer.kind}`.endsWith('List'))
    throw malformed(`${request}: the server answered with a ${answer.kind} instead of a ${kind}`);
  const items = answer.items ?? [];
  if (!Array.isArray(items)) throw malformed(`${request}: items of the ${kind} is not a list`);
  for (const item of items) assertStored(resource, item, request);
  return { ...answer, items };
}

/** Events as a watch sends them. Bookmarks and errors are not about one object. */
export function storedEvents<T extends KubeObject>(
  resource: ResourceRef<T>,
  events: readonly DecodedEvent[],
  request: string,
): WatchEvent<T>[] {
  for (const { type, object } of events) {
    if (type === 'ERROR' || isStatus(object)) continue;
    if (OBJECT_EVENTS.has(type)) assertStored(resource as ResourceRef, object, request);
    else if (!isObject(object.metadata)) throw malformed(`${request}: an event ${type} has no metadata`);
  }
  return events as WatchEvent<T>[];
}

/** One line of a watch, before anybody has looked at its object. */
export interface DecodedEvent {
  readonly type: string;
  readonly object: KubeObject | Status;
}

// ------------------------------------------------------------------------------------------------

const OBJECT_EVENTS: ReadonlySet<string> = new Set(['ADDED', 'MODIFIED', 'DELETED']);

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(message: string): ApiStatusError {
  return new ApiStatusError('malformed', message);
}

function missingField(resource: ResourceRef, { metadata }: KubeObject): string | undefined {
  if (!metadata?.name) return 'name';
  if (resource.namespaced && !metadata.namespace) return 'namespace';
  if (!metadata.uid) return 'uid';
  return metadata.resourceVersion ? undefined : 'resourceVersion';
}
