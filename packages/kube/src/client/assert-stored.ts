/**
 * What an API server holds has a name, a UID and a resourceVersion, and a namespace where its kind has namespaces. This file
 * checks that at the edge, so that nobody above has to ask again. An answer without them is broken: `malformed`.
 */
import type { KubeObject, Status, Stored, WatchEvent } from '../object.ts';
import { ApiStatusError, isStatus } from './api-error.ts';
import type { ResourceRef } from './resource.ts';

/** `request` is what was asked, for the message: `GET /api/v1/nodes`. */
export function assertStored<T extends KubeObject>(
  resource: ResourceRef<T>,
  answer: T,
  request: string,
): Stored<T> {
  const missing = missingField(resource, answer);
  if (missing === undefined) return answer as Stored<T>;
  const name = answer.metadata?.name ? ` ${answer.metadata.name}` : '';
  throw new ApiStatusError(
    'malformed',
    `${request}: the server answered with a ${resource.kind}${name} without metadata.${missing}`,
  );
}

/** Events as a watch sends them. Bookmarks and errors are not about one object. */
export function storedEvents<T extends KubeObject>(
  resource: ResourceRef<T>,
  events: readonly DecodedEvent[],
  request: string,
): WatchEvent<T>[] {
  for (const { type, object } of events) {
    if (OBJECT_EVENTS.has(type) && !isStatus(object)) assertStored(resource as ResourceRef, object, request);
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

function missingField(resource: ResourceRef, { metadata }: KubeObject): string | undefined {
  if (!metadata?.name) return 'name';
  if (resource.namespaced && !metadata.namespace) return 'namespace';
  if (!metadata.uid) return 'uid';
  return metadata.resourceVersion ? undefined : 'resourceVersion';
}
