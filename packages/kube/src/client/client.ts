/**
 * The REST verbs of Kubernetes for any kind. It builds paths, reads JSON and classifies errors; it knows no kind's
 * fields and drops none. Traffic rules are in the transport, caching in reflector and store.
 */
import { decodeWatch, type WatchStream } from '../cache/watch.ts';
import type { KubeList, KubeObject, NamedObject, Status, Stored } from '../object.ts';
import { ApiStatusError, errorFromAnswer, errorFromTransport, isApiError, isStatus } from './api-error.ts';
import { assertStored, assertStoredList, storedEvents } from './assert-stored.ts';
import { deleteBody, encodePatch, type Patch } from './client-bodies.ts';
import type {
  DeleteOptions,
  GetOptions,
  ListOptions,
  PatchOptions,
  WatchOptions,
  WriteOptions,
} from './client-options.ts';
import { assertConditional, assertConditionalCall, UnconditionalWrite } from './preconditions.ts';
import { collectionPath, keyOfObject, type ObjectKey, objectPath, type ResourceRef } from './resource.ts';
import type { StaleWrites } from './stale-writes.ts';
import type { Method, Query, Transport, TransportRequest, TransportResponse } from './transport.ts';
import type { Written } from './written.ts';

export interface KubeClientOptions {
  readonly transport: Transport;
  /** Called after every successful write, with the server's answer: `read-your-writes.ts`. */
  readonly onWrite?: (write: Written) => void;
  /** Throws on writes that could do harm when they arrive late; for everything a leader does. Default false. */
  readonly conditionalWritesOnly?: boolean;
  /** Spares the server writes that would conflict again. */
  readonly staleWrites?: StaleWrites | undefined;
}

export class KubeClient {
  readonly #transport: Transport;
  readonly #onWrite: (write: Written) => void;
  readonly #conditionalOnly: boolean;
  readonly #stale: StaleWrites | undefined;

  constructor(options: KubeClientOptions) {
    this.#transport = options.transport;
    this.#onWrite = options.onWrite ?? (() => undefined);
    this.#conditionalOnly = options.conditionalWritesOnly ?? false;
    this.#stale = options.staleWrites;
  }

  /** The same client, all of whose calls also end with the signal: for one reconcile. */
  withSignal(signal: AbortSignal): KubeClient {
    const send = this.#transport;
    return new KubeClient({
      transport: (request) =>
        send({ ...request, signal: request.signal ? AbortSignal.any([signal, request.signal]) : signal }),
      onWrite: this.#onWrite,
      conditionalWritesOnly: this.#conditionalOnly,
      staleWrites: this.#stale,
    });
  }

  async get<T extends KubeObject>(
    resource: ResourceRef<T>,
    key: ObjectKey,
    options: GetOptions = {},
  ): Promise<Stored<T>> {
    const { signal, subresource, ...query } = options;
    const path = objectPath(resource, key, subresource);
    return assertStored(
      resource,
      await this.#json<T>('GET', path, { query, signal }),
      `GET ${path}`,
      subresource,
    );
  }

  /** Like get; undefined where the object does not exist. A kind that is not served is an error, not an absence. */
  async find<T extends KubeObject>(
    resource: ResourceRef<T>,
    key: ObjectKey,
    options: GetOptions = {},
  ): Promise<Stored<T> | undefined> {
    try {
      return await this.get(resource, key, options);
    } catch (error) {
      if (isApiError(error, 'notFound') && error.status?.details?.name) return undefined;
      throw error;
    }
  }

  /** One page, as the server gives it. */
  async list<T extends KubeObject>(
    resource: ResourceRef<T>,
    options: ListOptions = {},
  ): Promise<KubeList<T>> {
    const { namespace, signal, ...query } = options;
    const path = collectionPath(resource, namespace);
    const page = await this.#json<KubeList<T>>('GET', path, { query, signal });
    return assertStoredList(resource, page, `GET ${path}`);
  }

  /** Page after page. Throws `expired` when the server forgot the snapshot in between. */
  async *pages<T extends KubeObject>(
    resource: ResourceRef<T>,
    options: ListOptions = {},
  ): AsyncGenerator<KubeList<T>> {
    let page = await this.list(resource, options);
    yield page;
    while (page.metadata.continue) {
      const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options;
      const token = page.metadata.continue;
      page = await this.list(resource, { ...rest, continue: token });
      if (page.metadata.continue === token)
        throw new ApiStatusError('malformed', `the list of ${resource.plural} does not end`);
      yield page;
    }
  }

  /** All pages as one list. */
  async listAll<T extends KubeObject>(
    resource: ResourceRef<T>,
    options: ListOptions = {},
  ): Promise<KubeList<T>> {
    let all: KubeList<T> | undefined;
    for await (const page of this.pages(resource, { limit: 500, ...options })) {
      if (all) for (const item of page.items) all.items.push(item);
      else all = { ...page, items: [...page.items], metadata: { ...page.metadata } };
    }
    if (!all) throw new ApiStatusError('malformed', `list of ${resource.plural}: no page`);
    delete all.metadata.continue;
    delete all.metadata.remainingItemCount;
    return all;
  }

  /** What a dry run would create has no resourceVersion. */
  create<T extends KubeObject>(
    resource: ResourceRef<T>,
    object: T,
    options: WriteOptions & { readonly dryRun: 'All' },
  ): Promise<T>;
  create<T extends KubeObject>(
    resource: ResourceRef<T>,
    object: T,
    options?: WriteOptions,
  ): Promise<Stored<T>>;
  create<T extends KubeObject>(resource: ResourceRef<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const { signal, subresource, ...query } = options;
    const { namespace, name = '' } = object.metadata;
    const path =
      subresource === undefined
        ? collectionPath(resource, namespace)
        : objectPath(resource, { name, ...(namespace === undefined ? {} : { namespace }) }, subresource);
    return this.#write(resource, 'create', { name, namespace }, 'POST', path, {
      subresource,
      query,
      signal,
      body: object,
    });
  }

  /** Replaces the object. Carries the resourceVersion the caller read, so a change in between is a conflict. */
  update<T extends KubeObject>(
    resource: ResourceRef<T>,
    object: T & NamedObject,
    options: WriteOptions = {},
  ): Promise<Stored<T>> {
    const { signal, subresource, ...query } = options;
    const key = keyOfObject(object);
    const path = objectPath(resource, key, subresource);
    return this.#write(resource, 'update', key, 'PUT', path, {
      subresource,
      query,
      signal,
      body: object,
    });
  }

  updateStatus<T extends KubeObject>(
    resource: ResourceRef<T>,
    object: T & NamedObject,
    options: WriteOptions = {},
  ): Promise<Stored<T>> {
    return this.update(resource, object, { ...options, subresource: 'status' });
  }

  patch<T extends KubeObject>(
    resource: ResourceRef<T>,
    key: ObjectKey,
    patch: Patch,
    options: PatchOptions = {},
  ): Promise<Stored<T>> {
    const { signal, subresource, ...query } = options;
    const { contentType, body } = encodePatch(patch);
    const path = objectPath(resource, key, subresource);
    return this.#write(resource, 'patch', key, 'PATCH', path, {
      subresource,
      query,
      signal,
      body,
      contentType,
    });
  }

  patchStatus<T extends KubeObject>(
    resource: ResourceRef<T>,
    key: ObjectKey,
    patch: Patch,
    options: PatchOptions = {},
  ): Promise<Stored<T>> {
    return this.patch(resource, key, patch, { ...options, subresource: 'status' });
  }

  /** The object when its deletion has only started, a Status when it is deleted. */
  delete<T extends KubeObject>(
    resource: ResourceRef<T>,
    key: ObjectKey,
    options: DeleteOptions = {},
  ): Promise<Stored<T> | Status> {
    const { signal, dryRun } = options;
    const body = deleteBody(options);
    return this.#write(resource, 'delete', key, 'DELETE', objectPath(resource, key), {
      query: { dryRun },
      signal,
      body,
    });
  }

  /** Deletes what the selectors match. Not reported to `onWrite`: the answer does not contain the objects. */
  async deleteCollection<T extends KubeObject>(
    resource: ResourceRef<T>,
    options: DeleteOptions & ListOptions,
  ): Promise<KubeList<T> | Status> {
    const { namespace, labelSelector, fieldSelector, limit, signal } = options;
    const query = { labelSelector, fieldSelector, limit };
    const path = collectionPath(resource, namespace);
    if (this.#conditionalOnly)
      throw new UnconditionalWrite(path, 'delete objects one by one, each with its uid');
    const answer = await this.#json<KubeList<T> | Status>('DELETE', path, {
      query,
      signal,
      body: deleteBody(options),
    });
    return isStatus(answer) ? answer : assertStoredList(resource, answer, `DELETE ${path}`);
  }

  /** Subresources that are actions: `eviction`, `binding`, `token`. */
  async post<A = KubeObject | Status>(
    resource: ResourceRef,
    key: ObjectKey,
    subresource: string,
    body: object,
    options: { signal?: AbortSignal; retry?: boolean } = {},
  ): Promise<A> {
    const path = objectPath(resource, key, subresource);
    if (this.#conditionalOnly) assertConditionalCall(subresource, path, body);
    return this.#json<A>('POST', path, { ...options, body }).catch((error: unknown) => {
      throw aboutObject(error, `POST ${path}`);
    });
  }

  async watch<T extends KubeObject>(
    resource: ResourceRef<T>,
    options: WatchOptions = {},
  ): Promise<WatchStream<T>> {
    const { namespace, signal, omitManagedFields = false, ...query } = options;
    const path = collectionPath(resource, namespace);
    const response = await this.#send('GET', path, {
      query: { ...query, watch: true },
      signal,
      stream: true,
    });
    const chunks = response.chunks();
    return {
      async *batches() {
        try {
          for await (const batch of decodeWatch(chunks, { omitManagedFields }))
            yield storedEvents(resource, batch, `WATCH ${path}`);
        } catch (error) {
          throw errorFromTransport(error);
        } finally {
          response.cancel();
        }
      },
      cancel: () => response.cancel(),
    };
  }

  /** Any path: `/version`, `/readyz`, discovery. */
  async raw(path: string, options: { query?: Query; signal?: AbortSignal } = {}): Promise<string> {
    const response = await this.#send('GET', path, options);
    return response.text();
  }

  async #write<A extends KubeObject | Status>(
    resource: ResourceRef,
    verb: Written['verb'],
    key: { name: string; namespace?: string | undefined },
    method: Method,
    path: string,
    options: CallOptions,
  ): Promise<A> {
    if (this.#conditionalOnly) assertConditional(verb, path, options.body, options.contentType);
    this.#stale?.assertFresh(path, options.body);
    const answer = await this.#json<A>(method, path, options).catch((error: unknown) => {
      if (isApiError(error, 'conflict')) this.#stale?.conflicted(path, options.body);
      throw aboutObject(error, `${method} ${path}`);
    });
    if ((options.query as { dryRun?: string } | undefined)?.dryRun) return answer;
    const stored =
      verb === 'delete' && isStatus(answer)
        ? answer
        : assertStored(resource, answer as KubeObject, `${method} ${path}`, options.subresource);
    // The answer to a scale is not an object of this kind.
    const ours = (answer as KubeObject).kind ?? resource.kind;
    if (isStatus(answer) || ours === resource.kind) {
      const { namespace, name } = key;
      this.#onWrite({ resource, verb, answer: stored, key: namespace ? { namespace, name } : { name } });
    }
    return answer;
  }

  async #json<A>(method: Method, path: string, options: CallOptions): Promise<A> {
    const response = await this.#send(method, path, options);
    let answer: unknown;
    try {
      answer = JSON.parse(await response.text());
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw errorFromTransport(error);
      throw new ApiStatusError('malformed', `${method} ${path}: the answer is not JSON`, { cause: error });
    }
    if (typeof answer === 'object' && answer !== null) return answer as A;
    throw new ApiStatusError('malformed', `${method} ${path}: the answer is not a JSON object`);
  }

  async #send(method: Method, path: string, options: CallOptions): Promise<TransportResponse> {
    const { query, signal, body, contentType = 'application/json', stream, retry } = options;
    const request: TransportRequest = {
      method,
      path,
      headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': contentType }) },
      ...(query === undefined ? {} : { query: query as Query }),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      ...(stream === undefined ? {} : { stream }),
      ...(retry === undefined ? {} : { retry }),
    };
    let response: TransportResponse;
    let text = '';
    try {
      response = await this.#transport(request);
      if (response.status < 400) return response;
      text = await response.text();
    } catch (error) {
      throw errorFromTransport(error);
    }
    throw errorFromAnswer(`${method} ${path}`, response.status, text);
  }
}

// ------------------------------------------------------------------------------------------------

/**
 * A write whose path is not served (a definition that is being replaced, the default page of a load balancer) must not
 * look as if its object were gone. The API server names the object that it does not have.
 */
function aboutObject(error: unknown, what: string): unknown {
  if (!isApiError(error, 'notFound') || error.status?.details?.name) return error;
  return new ApiStatusError('unavailable', `${what} is not served: ${error.message}`, { cause: error });
}

interface CallOptions {
  /** For the check of the answer; the path has it already. */
  readonly subresource?: string | undefined;
  readonly query?: object;
  readonly signal?: AbortSignal | undefined;
  readonly body?: object | string;
  readonly contentType?: string;
  readonly stream?: boolean;
  readonly retry?: boolean;
}
