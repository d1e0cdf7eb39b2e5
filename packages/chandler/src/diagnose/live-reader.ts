/**
 * Reads a cluster, and only reads: GET requests, nothing else. Lists come from the API server's cache, which may be a
 * moment old and costs the cluster little. A refused request is reported with the missing permission.
 */
import type { Status } from '@chandler/kube';
import {
  type ApiErrorKind,
  type Clock,
  isApiError,
  type KubeClient,
  type ObjectKey,
  objectPath,
  PODS,
  type ResourceRef,
} from '@chandler/kube';
import {
  type ListFilter,
  type LookupFailure,
  type LookupResult,
  type ObjectReader,
  permissionText,
} from '../causes/index.ts';

export interface LiveReaderOptions {
  readonly client: KubeClient;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal?: AbortSignal;
}

export const LOG_LINES = 200;
export const LOG_BYTES = 64 * 1024;

export function liveReader({ client, clock, signal }: LiveReaderOptions): ObjectReader {
  const cancel = signal === undefined ? {} : { signal };
  return {
    from: 'kubernetes',
    atMs: clock.now(),
    kept: { records: [], unread: [] },
    get: (resource, key) =>
      looked(() => client.get(resource, key, cancel), permissionText('get', resource, key.namespace)),
    list: (resource, filter = {}) =>
      looked(
        () => listed(client, resource, filter, signal),
        permissionText('list', resource, filter.namespace),
      ),
    log: (pod, container, previous) =>
      looked(
        () => readLog(client, pod, container, previous, signal),
        permissionText('get', PODS, pod.namespace, 'log'),
      ),
  };
}

/** For reads of Kubernetes only: bugs still throw. */
export async function looked<T>(read: () => Promise<T>, permission: string): Promise<LookupResult<T>> {
  try {
    return { found: await read() };
  } catch (error) {
    if (!isApiError(error)) throw error;
    return notSeen(error.kind, error.message, permission, error.status);
  }
}

// ---------------------------------------------------------------------------------------------------

const PAGE = 500;

const WHY: Readonly<Partial<Record<ApiErrorKind, LookupFailure['why']>>> = {
  notFound: 'notFound',
  forbidden: 'forbidden',
  unauthorized: 'forbidden',
  tooLarge: 'tooLarge',
};

function notSeen(
  kind: ApiErrorKind,
  message: string,
  permission: string,
  status: Status | undefined,
): LookupFailure {
  const why = WHY[kind] ?? 'unreachable';
  // An object that is absent has a name; a kind that is not installed has none, and no permission helps.
  const absent = why === 'notFound' && status?.details?.name !== undefined;
  return {
    why,
    ...(why === 'forbidden' ? { permission } : {}),
    ...(absent ? {} : { message }),
  };
}

async function listed(
  client: KubeClient,
  resource: ResourceRef,
  { namespace, labels, fields, atMost }: ListFilter,
  signal: AbortSignal | undefined,
) {
  const selectors = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labelSelector: selectorText(labels) }),
    ...(fields === undefined ? {} : { fieldSelector: selectorText(fields) }),
    ...(signal === undefined ? {} : { signal }),
  };
  if (atMost !== undefined) return (await client.list(resource, { ...selectors, limit: atMost })).items;
  // From the server's cache it comes at once and whole; page by page it would come from its database.
  if (labels === undefined && fields === undefined)
    return (await client.list(resource, { ...selectors, resourceVersion: '0' })).items;
  return (await client.listAll(resource, { ...selectors, limit: PAGE })).items;
}

function selectorText(wanted: Readonly<Record<string, string>>): string {
  return Object.entries(wanted)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

async function readLog(
  client: KubeClient,
  pod: ObjectKey,
  container: string,
  previous: boolean,
  signal: AbortSignal | undefined,
): Promise<string> {
  const query = { container, previous, tailLines: LOG_LINES, limitBytes: LOG_BYTES };
  return client.raw(objectPath(PODS, pod, 'log'), { query, ...(signal === undefined ? {} : { signal }) });
}
