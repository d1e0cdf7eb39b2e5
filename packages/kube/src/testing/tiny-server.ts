/**
 * A minimal API server for clients: objects of any kind, resourceVersions, pages, watches with
 * history and compaction, conflicts, finalizers. It checks nothing about their content. For the unit tests of
 * `packages/kube/src`, which need a server that fails on command; the embedded one is tested elsewhere.
 */
import type { KubeObject, Status, Stored } from '../object.ts';
import type { Fetch } from '../world.ts';

interface HistoryEntry {
  version: number;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  collection: string;
  object: Stored;
}

interface Watcher {
  collection: string;
  namespace: string | undefined;
  push(line: string): void;
  end(error?: Error): void;
}

type Interceptor = (request: Request, url: URL) => Response | Promise<Response> | undefined;

export class TinyServer {
  version = 100;
  readonly requests: string[] = [];
  /** May answer, or throw, instead of the server. */
  intercept: Interceptor | undefined;
  readonly #objects = new Map<string, Stored>();
  #history: HistoryEntry[] = [];
  readonly #snapshots = new Map<string, Stored[]>();
  #compacted = 0;
  readonly #watchers = new Set<Watcher>();
  #up = true;
  #uids = 0;

  readonly fetch: Fetch = async (input, init) => {
    const request = input instanceof Request ? input : new Request(input, init);
    const url = new URL(request.url);
    this.requests.push(`${request.method} ${url.pathname}${url.search}`);
    if (!this.#up) throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
    const taken = await this.intercept?.(request, url);
    return taken ?? this.#route(request, url);
  };

  get watchers(): number {
    return this.#watchers.size;
  }

  /** Compacts: a watch from before, or the next page of a list, is answered with 410. */
  compact(): void {
    this.#compacted = this.version;
    this.#history = [];
    this.#snapshots.clear();
  }

  /** Breaks every watch in the middle of a line. */
  resetWatches(): void {
    for (const watcher of [...this.#watchers]) {
      watcher.push('{"type":"MODIFIED","object":{"metadata":{"name":"ü'.slice(0, 40));
      watcher.end(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    }
  }

  endWatches(): void {
    for (const watcher of [...this.#watchers]) watcher.end();
  }

  bookmark(): void {
    const object = { metadata: { resourceVersion: String(this.version) } };
    for (const watcher of this.#watchers) watcher.push(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
  }

  sendError(code: number, reason: string): void {
    const object = status(code, reason, `answered on request with ${reason}`);
    for (const watcher of this.#watchers) watcher.push(`${JSON.stringify({ type: 'ERROR', object })}\n`);
  }

  stop(): void {
    this.#up = false;
    this.resetWatches();
  }

  start(): void {
    this.#up = true;
  }

  /** A direct write, as another client would do it. */
  put(path: string, object: KubeObject): Stored {
    const target = parsePath(path);
    return this.#store(target.collection, target.namespace, structuredClone(object));
  }

  remove(path: string): void {
    const target = parsePath(path);
    const key = keyOf(target.collection, target.namespace, target.name);
    const object = this.#objects.get(key);
    if (object) this.#delete(key, target.collection, object);
  }

  get(path: string): Stored | undefined {
    const target = parsePath(path);
    return this.#objects.get(keyOf(target.collection, target.namespace, target.name));
  }

  async #route(request: Request, url: URL): Promise<Response> {
    const target = parsePath(url.pathname);
    const body = request.body ? await request.text() : '';
    const key = keyOf(target.collection, target.namespace, target.name);
    const known = this.#objects.get(key);
    if (target.name === undefined && request.method === 'GET') {
      return url.searchParams.get('watch') ? this.#watch(target, url) : this.#list(target, url);
    }
    if (request.method === 'POST') return this.#create(target, JSON.parse(body));
    if (!known)
      return failure(404, 'NotFound', `${target.plural} "${target.name}" not found`, { name: target.name });
    if (request.method === 'GET') return json(200, known);
    if (request.method === 'DELETE') return this.#remove(key, target.collection, known, body);
    const sent = JSON.parse(body);
    const next = request.method === 'PATCH' ? merge(known, sent) : sent;
    const expected = sent.metadata?.resourceVersion;
    if (expected !== undefined && expected !== known.metadata.resourceVersion) {
      return failure(409, 'Conflict', `Operation cannot be fulfilled on ${target.plural} "${target.name}"`);
    }
    next.metadata = { ...next.metadata, uid: known.metadata.uid };
    if (next.metadata.deletionTimestamp && !next.metadata.finalizers?.length) {
      return json(200, this.#delete(key, target.collection, next));
    }
    return json(200, this.#store(target.collection, target.namespace, next));
  }

  #create(target: Target, object: KubeObject): Response {
    if (target.subresource) return json(201, { kind: 'Status', status: 'Success' });
    const { name } = object.metadata;
    if (this.#objects.has(keyOf(target.collection, target.namespace, name))) {
      return failure(409, 'AlreadyExists', `${target.plural} "${name}" already exists`);
    }
    return json(201, this.#store(target.collection, target.namespace, object));
  }

  #remove(key: string, collection: string, known: Stored, body: string): Response {
    const uid = body === '' ? undefined : JSON.parse(body).preconditions?.uid;
    if (uid !== undefined && uid !== known.metadata.uid)
      return failure(409, 'Conflict', 'the UID does not match');
    if (known.metadata.finalizers?.length) {
      const marked = structuredClone(known);
      marked.metadata.deletionTimestamp ??= '2026-01-01T00:00:00Z';
      return json(200, this.#store(collection, known.metadata.namespace, marked));
    }
    this.#delete(key, collection, known);
    const details = { name: known.metadata.name, uid: known.metadata.uid };
    return json(200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
  }

  #store(collection: string, namespace: string | undefined, sent: KubeObject): Stored {
    const { name } = sent.metadata;
    if (name === undefined) throw new Error('the tiny server stores no object without a name');
    const key = keyOf(collection, namespace, name);
    const known = this.#objects.get(key);
    this.version += 1;
    const object = {
      ...sent,
      metadata: {
        ...sent.metadata,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        uid: known?.metadata.uid ?? `uid-${++this.#uids}`,
        resourceVersion: String(this.version),
      },
    };
    this.#objects.set(key, object);
    this.#notify({ version: this.version, type: known ? 'MODIFIED' : 'ADDED', collection, object });
    return object;
  }

  #delete(key: string, collection: string, object: Stored): Stored {
    this.version += 1;
    this.#objects.delete(key);
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.version) } };
    this.#notify({ version: this.version, type: 'DELETED', collection, object: last });
    return last;
  }

  #notify(entry: HistoryEntry): void {
    this.#history.push(entry);
    for (const watcher of [...this.#watchers]) if (sees(watcher, entry)) watcher.push(lineOf(entry));
  }

  #list(target: Target, url: URL): Response {
    const minimum = Number(url.searchParams.get('resourceVersion') ?? 0);
    if (minimum > this.version) {
      const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
      return failure(504, 'Timeout', 'Too large resource version', { causes });
    }
    const token = url.searchParams.get('continue');
    const [from = 0, version = this.version] = (token ?? '').split('-').filter(Boolean).map(Number);
    const snapshot = `${version}|${target.collection}|${target.namespace ?? ''}`;
    const items = token ? this.#snapshots.get(snapshot) : this.#all(target);
    if (!items) return failure(410, 'Expired', 'The provided continue parameter is too old');
    const limit = Number(url.searchParams.get('limit') ?? 0) || items.length;
    const isMore = from + limit < items.length;
    // All pages show the same moment, so it is kept until the last one was fetched.
    if (isMore) this.#snapshots.set(snapshot, items);
    else this.#snapshots.delete(snapshot);
    const metadata = {
      resourceVersion: String(version),
      ...(isMore ? { continue: `${from + limit}-${version}` } : {}),
    };
    return json(200, { kind: 'List', apiVersion: 'v1', metadata, items: items.slice(from, from + limit) });
  }

  #all(target: Target): Stored[] {
    const all = [...this.#objects]
      .filter(([key]) => key.startsWith(`${target.collection}|`))
      .map(([, object]) => object);
    return all.filter(
      ({ metadata }) => target.namespace === undefined || metadata.namespace === target.namespace,
    );
  }

  #watch(target: Target, url: URL): Response {
    const since = Number(url.searchParams.get('resourceVersion') ?? 0);
    if (since < this.#compacted) return failure(410, 'Expired', 'too old resource version');
    if (since > this.version) return failure(504, 'Timeout', 'Too large resource version');
    const encoder = new TextEncoder();
    let watcher: Watcher | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        let open = true;
        const opened: Watcher = {
          collection: target.collection,
          namespace: target.namespace,
          push: (line) => void (open && controller.enqueue(encoder.encode(line))),
          end: (error) => {
            if (!open) return;
            open = false;
            this.#watchers.delete(opened);
            if (error) controller.error(error);
            else controller.close();
          },
        };
        watcher = opened;
        this.#watchers.add(opened);
        for (const entry of this.#history)
          if (entry.version > since && sees(opened, entry)) opened.push(lineOf(entry));
      },
      cancel: () => {
        if (watcher) this.#watchers.delete(watcher);
      },
    });
    return new Response(body, { status: 200, headers: { 'content-type': 'application/json' } });
  }
}

// ------------------------------------------------------------------------------------------------

interface Target {
  collection: string;
  plural: string;
  namespace: string | undefined;
  name: string | undefined;
  subresource: string | undefined;
}

function parsePath(path: string): Target {
  const parts = path.split('/').slice(1).map(decodeURIComponent);
  const root = parts.splice(0, parts[0] === 'api' ? 2 : 3).join('/');
  const scoped = parts[0] === 'namespaces' && parts.length > 2;
  const namespace = scoped ? parts[1] : undefined;
  const [plural = '', name, subresource] = scoped ? parts.slice(2) : parts;
  return { collection: `${root}/${plural}`, plural, namespace, name, subresource };
}

function keyOf(collection: string, namespace: string | undefined, name: string | undefined): string {
  return `${collection}|${namespace ?? ''}/${name ?? ''}`;
}

function sees(watcher: Watcher, entry: HistoryEntry): boolean {
  if (entry.collection !== watcher.collection) return false;
  return watcher.namespace === undefined || watcher.namespace === entry.object.metadata.namespace;
}

function lineOf({ type, object }: HistoryEntry): string {
  return `${JSON.stringify({ type, object })}\n`;
}

function merge(into: KubeObject, patch: Record<string, unknown>): KubeObject {
  const result: Record<string, unknown> = structuredClone(into);
  for (const [name, value] of Object.entries(patch)) {
    const nested = typeof value === 'object' && value !== null && !Array.isArray(value);
    result[name] = nested
      ? merge((result[name] ?? {}) as KubeObject, value as Record<string, unknown>)
      : value;
  }
  return result as unknown as KubeObject;
}

export function status(code: number, reason: string, message: string, details?: object): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code,
    ...(details ? { details } : {}),
  };
}

export function failure(code: number, reason: string, message: string, details?: object): Response {
  return json(code, status(code, reason, message, details));
}

export function json(code: number, body: object, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status: code,
    headers: { 'content-type': 'application/json', ...headers },
  });
}
