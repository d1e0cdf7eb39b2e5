/**
 * Gets every object of a kind, page by page, trimmed as it comes so that a large cluster never sits in memory
 * untrimmed. Deals with snapshots that expire half way; when to list is the reflector's decision.
 */
import { ApiStatusError, isApiError } from '../client/api-error.ts';
import type { KubeClient } from '../client/client.ts';
import { apiVersionOfResource, type ResourceRef } from '../client/resource.ts';
import type { KubeObject, StatusCause, Stored } from '../object.ts';

export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListEverythingOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly resource: ResourceRef<T>;
  readonly selection: Selection;
  readonly pageSize: number;
  readonly trim: (object: Stored<T>) => Stored<T>;
  /** Any state from this version on is sufficient; absent: the most recent state, which costs the server more. */
  readonly notOlderThan?: string;
  readonly signal: AbortSignal;
}

export interface Everything<T extends KubeObject> {
  readonly objects: Stored<T>[];
  readonly version: string;
}

export async function listEverything<T extends KubeObject>(
  options: ListEverythingOptions<T>,
): Promise<Everything<T>> {
  const { notOlderThan, pageSize } = options;
  if (notOlderThan !== undefined) {
    try {
      return await collect(options, {
        resourceVersion: notOlderThan,
        resourceVersionMatch: 'NotOlderThan',
        limit: pageSize,
      });
    } catch (error) {
      if (!isApiError(error, 'expired') && !isVersionTooLarge(error)) throw error;
    }
  }
  try {
    return await collect(options, { limit: pageSize });
  } catch (error) {
    if (!isApiError(error, 'expired')) throw error;
    // The snapshot expired between two pages. One list without pages could not, but 150,000 pods are more text than
    // a string can hold.
    return collect(options, { limit: pageSize * LARGER_PAGES });
  }
}

/** The server has not reached the requested version: it lags, or it was restored to an earlier state. */
export function isVersionTooLarge(error: unknown): boolean {
  if (!isApiError(error)) return false;
  const causes: readonly StatusCause[] = error.status?.details?.causes ?? [];
  return (
    causes.some(({ reason }) => reason === 'ResourceVersionTooLarge') ||
    (error.kind === 'timeout' && error.message.includes('Too large resource version'))
  );
}

// ------------------------------------------------------------------------------------------------

const LARGER_PAGES = 10;

async function collect<T extends KubeObject>(
  options: ListEverythingOptions<T>,
  paging: { limit?: number; resourceVersion?: string; resourceVersionMatch?: 'NotOlderThan' },
): Promise<Everything<T>> {
  const { client, resource, selection, trim, signal } = options;
  const objects: Stored<T>[] = [];
  let version: string | undefined;
  for await (const page of client.pages(resource, { ...selection, ...paging, signal })) {
    for (const item of page.items ?? []) objects.push(trim(named(item, resource)));
    // Later pages come from the same snapshot.
    version ??= page.metadata?.resourceVersion;
  }
  if (!version)
    throw new ApiStatusError('malformed', `the list of ${resource.plural} has no resourceVersion`);
  return { objects, version };
}

/** Items of a list do not say what they are; events of a watch do. */
function named<T extends KubeObject>(item: Stored<T>, resource: ResourceRef): Stored<T> {
  if (item.kind !== undefined) return item;
  return { apiVersion: apiVersionOfResource(resource), kind: resource.kind, ...item };
}
