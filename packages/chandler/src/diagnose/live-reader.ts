/**
 * Reads a cluster, and only reads: GET requests, nothing else. Lists come page by page, because all pods of a large
 * cluster neither fit into one answer nor arrive within one deadline. A refused request is reported with the missing
 * permission.
 */
import type { Status } from '@chandler/kube';
import {
  type ApiErrorKind,
  type Clock,
  ignoreApiErrors,
  isApiError,
  type KubeClient,
  type ListOptions,
  type ObjectKey,
  objectPath,
  PODS,
  type ResourceRef,
} from '@chandler/kube';
import {
  isFound,
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
  /** Objects of one answer to a list. Default 500. Each is parsed in one turn of the event loop. */
  readonly pageSize?: number;
}

const LOG_LINES = 200;
const LOG_BYTES = 64 * 1024;

export function liveReader(options: LiveReaderOptions): ObjectReader {
  const { client, clock, signal } = options;
  const cancel = signal === undefined ? {} : { signal };
  return {
    from: 'kubernetes',
    atMs: clock.now(),
    kept: { records: [], unread: [] },
    get: (resource, key) =>
      looked(() => client.get(resource, key, cancel), permissionText('get', resource, key.namespace)),
    list: (resource, filter = {}) =>
      looked(() => listed(resource, filter, options), permissionText('list', resource, filter.namespace)),
    async *pages(resource, filter = {}) {
      const permission = permissionText('list', resource, filter.namespace);
      const { limit = PAGE_SIZE, ...query } = listOptions(filter, options);
      let left = filter.atMost ?? Number.POSITIVE_INFINITY;
      const pages = client.pages(resource, { ...query, limit: Math.min(limit, left) });
      while (left > 0) {
        const page = await looked(() => pages.next(), permission);
        if (!isFound(page)) yield page;
        if (!isFound(page) || page.found.done === true) return;
        const found = page.found.value.items.slice(0, left);
        left -= found.length;
        yield { found };
      }
    },
    async log(pod, container, previous) {
      const read = await looked(
        () => readLog(client, pod, container, previous, signal),
        permissionText('get', PODS, pod.namespace, 'log'),
      );
      if (!isFound(read)) return read;
      return read.found === undefined ? { why: 'notFound' } : { found: read.found };
    },
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

const PAGE_SIZE = 500;

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
    // Credentials that are refused read nothing, whatever is permitted.
    ...(kind === 'forbidden' ? { permission } : {}),
    ...(absent ? {} : { message }),
  };
}

async function listed(resource: ResourceRef, filter: ListFilter, options: LiveReaderOptions) {
  const { client } = options;
  const query = listOptions(filter, options);
  if (filter.atMost !== undefined)
    return (await client.list(resource, { ...query, limit: filter.atMost })).items;
  return (await client.listAll(resource, query)).items;
}

function listOptions(
  { namespace, labels, fields }: ListFilter,
  { signal, pageSize = PAGE_SIZE }: LiveReaderOptions,
): ListOptions {
  return {
    limit: pageSize,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labelSelector: selectorText(labels) }),
    ...(fields === undefined ? {} : { fieldSelector: selectorText(fields) }),
    ...(signal === undefined ? {} : { signal }),
  };
}

function selectorText(wanted: Readonly<Record<string, string>>): string {
  return Object.entries(wanted)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

/** The last lines, as many as fit. Undefined: there is none, because the container did not run, or not before; the API server answers with 400. */
async function readLog(
  client: KubeClient,
  pod: ObjectKey,
  container: string,
  previous: boolean,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const path = objectPath(PODS, pod, 'log');
  for (let tailLines = LOG_LINES; ; tailLines = Math.floor(tailLines / 2)) {
    const query = { container, previous, tailLines, limitBytes: LOG_BYTES };
    const options = { query, ...(signal === undefined ? {} : { signal }) };
    const text = await ignoreApiErrors(client.raw(path, options), 'badRequest');
    // The kubelet sends the first bytes of these lines: of an answer as long as the limit, the end is missing.
    if (text === undefined || Buffer.byteLength(text) < LOG_BYTES || tailLines === 1) return text;
  }
}
