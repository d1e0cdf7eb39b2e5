/**
 * The embedded API server, assembled: storage, catalogue, handlers, collector and the two transports (an in-process
 * `fetch` and HTTPS on loopback). What each part decides is in its own folder; this file only wires them.
 */
import { type Fetch, type KubeObject, type Transport, turnsOf, type World } from '@chandler/kube';
import { type CertificateAuthority, createAuthority, issueServingCertificate } from '@chandler/kube/tls';
import { builtinResources } from './builtin/catalogue.ts';
import { LiveCatalogue } from './catalogue.ts';
import { CertificateSigner } from './collector/certificates.ts';
import { GarbageCollector } from './collector/garbage.ts';
import { Housekeeping } from './collector/housekeeping.ts';
import { NamespaceLifecycle } from './collector/namespaces.ts';
import { MASTERS } from './edge/auth/attributes.ts';
import { Authenticator } from './edge/auth/authenticator.ts';
import { type PolicySource, RbacAuthorizer } from './edge/auth/rbac.ts';
import { ServiceAccountTokens } from './edge/auth/service-account-tokens.ts';
import { renderKubeconfig } from './edge/kubeconfig.ts';
import { ApiError } from './errors.ts';
import { firstObjects } from './first-objects.ts';
import { type HttpsServer, startHttpsServer } from './http.ts';
import type { Catalogue, Resource, UserInfo } from './resource.ts';
import { defaultAdmission } from './rest/admission/index.ts';
import { systemCall } from './rest/call.ts';
import { createObject } from './rest/create.ts';
import { Definitions } from './rest/definitions.ts';
import { inProcessFetch, inProcessTransport } from './rest/in-process.ts';
import type { Parts } from './rest/parts.ts';
import { DEFAULT_QUEUE_LIMIT } from './rest/watch.ts';
import { cloneJson } from './storage/json.ts';
import { readSnapshot, writeSnapshot } from './storage/snapshot.ts';
import { Store } from './storage/store.ts';

export interface ApiServerOptions {
  readonly world: World;
  /**
   * Callers in this process give way to the event loop, so that other clients are served under load. Default false: a
   * sequence of requests may complete within one turn.
   */
  readonly givesWay?: boolean;
  /** Listens on HTTPS when a port is set (0: any free port). Without it, only the in-process `fetch` is available. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /**
   * The time for certificates, in milliseconds since the epoch: TLS checks them by the time of the machine. Default: the
   * World's clock; another one where that runs faster.
   */
  readonly certificateNow?: () => number;
  /** Garbage collection and namespace lifecycle inside the process. Default true. */
  readonly collector?: boolean;
  /** How many events are retained for watches that resume. Default 20,000. */
  readonly historyLimit?: number;
  /** How many events may be queued for a slow watch before it is ended. Default 10,000. */
  readonly watchQueueLimit?: number;
  /** Read at start when it exists, written by `save()` and `close()`. */
  readonly snapshotFile?: string;
  /** Bearer tokens besides that of the administrator. */
  readonly tokens?: Readonly<Record<string, UserInfo>>;
  /** Default: generated at start. */
  readonly adminToken?: string;
  /** Created at start, in order, as the administrator; existing objects are not changed. */
  readonly initialObjects?: readonly KubeObject[];
  /** The built-in kinds. Default: all of them; first objects of kinds that do not exist are left out. */
  readonly resources?: readonly Resource[];
  /** New nodes get `node.kubernetes.io/not-ready:NoSchedule` as on a real server. Default true. */
  readonly taintNewNodes?: boolean;
  /** Records field managers in `metadata.managedFields`. Default true; without it objects are half as large. */
  readonly managedFields?: boolean;
}

export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const server = await ApiServer.create(options);
  if (options.port !== undefined)
    await server.listen({ port: options.port, ...(options.host ? { host: options.host } : {}) });
  return server;
}

export class ApiServer {
  /** In this process. Only path and query of the URL matter; credentials are required as over HTTPS. */
  readonly fetch: Fetch;
  readonly adminToken: string;
  readonly #options: ApiServerOptions;
  readonly #parts: Parts;
  readonly #running: { close(): void }[];
  #https: HttpsServer | undefined;
  #madeAuthority: Promise<CertificateAuthority> | undefined;
  #caPem: string | undefined;

  /** Does not listen; use `startApiServer` instead. */
  static async create(options: ApiServerOptions): Promise<ApiServer> {
    const { world, historyLimit } = options;
    const store = new Store({
      ...(historyLimit === undefined ? {} : { historyLimit }),
      onListenerError: (error) => world.log.error('store listener failed', { error: String(error) }),
    });
    if (options.snapshotFile !== undefined) await readSnapshot(store, options.snapshotFile);
    return new ApiServer(options, store);
  }

  private constructor(options: ApiServerOptions, store: Store) {
    this.#options = options;
    this.adminToken = options.adminToken ?? newToken(options.world);
    this.#parts = assemble(options, store, this.adminToken);
    this.#running = [new Definitions(this.#parts)];
    for (const object of firstObjects()) if (this.#hasKindOf(object)) this.#ensure(object);
    if (options.collector ?? true) {
      this.#running.push(
        new GarbageCollector(this.#parts),
        new NamespaceLifecycle(this.#parts),
        new Housekeeping(this.#parts),
        new CertificateSigner(this.#parts, () => this.#authority()),
      );
    }
    for (const object of options.initialObjects ?? []) this.#ensure(object);
    this.fetch = inProcessFetch(this.#parts);
  }

  get catalogue(): Catalogue {
    return this.#parts.catalogue;
  }

  /** `https://127.0.0.1:port` while listening, else undefined. */
  get url(): string | undefined {
    return this.#https?.url;
  }

  /** The CA of the serving certificate; available once the server listens. */
  get caPem(): string {
    if (this.#caPem === undefined) throw new Error('the API server has no certificates before it listens');
    return this.#caPem;
  }

  /** A kubeconfig for the administrator; available once the server listens. */
  get kubeconfig(): string {
    if (this.url === undefined) throw new Error('the API server has no kubeconfig before it listens');
    return renderKubeconfig({ server: this.url, caPem: this.caPem, credential: { token: this.adminToken } });
  }

  /** In this process, for a caller that is already known: no Authorization header needed. */
  fetchAs(user: UserInfo): Fetch {
    return inProcessFetch(this.#parts, user);
  }

  /** In this process, as the admin, with all permissions. */
  get adminFetch(): Fetch {
    return this.fetchAs(ADMIN);
  }

  /** As `fetchAs`, without watches and without the classes of the web's fetch, which take long to load. */
  transportAs(user: UserInfo): Transport {
    return inProcessTransport(this.#parts, user);
  }

  /** Creates an object that comes with the program and was validated when it was built: it is not validated again. */
  install(object: KubeObject): void {
    this.#ensure(object, { trusted: true });
  }

  /** Starts the HTTPS server and returns its URL. */
  async listen(at: { readonly host?: string; readonly port?: number } = {}): Promise<string> {
    if (this.#https !== undefined) throw new Error(`the API server listens already, on ${this.#https.url}`);
    const host = at.host ?? this.#options.host ?? '127.0.0.1';
    const authority = await this.#authority();
    const serving = await issueServingCertificate(authority, { host });
    this.#https = await startHttpsServer(this.#parts, {
      ...serving,
      caPem: authority.certificatePem,
      host,
      port: at.port ?? 0,
    });
    this.#caPem = authority.certificatePem;
    return this.#https.url;
  }

  /** Drops the history now: older watches and continue tokens get 410. */
  compact(): void {
    this.#parts.store.compact();
  }

  /** Writes the snapshot file, atomically. */
  async save(): Promise<void> {
    const { snapshotFile } = this.#options;
    if (snapshotFile === undefined) throw new Error('the API server has no snapshot file');
    await writeSnapshot(this.#parts.store, snapshotFile);
  }

  async close(): Promise<void> {
    for (const part of this.#running) part.close();
    for (const watch of [...this.#parts.watches]) watch.finish();
    await this.#https?.close();
    this.#https = undefined;
    if (this.#options.snapshotFile !== undefined) await this.save();
  }

  /** Created on first use: a server that never listens needs no keys. */
  #authority(): Promise<CertificateAuthority> {
    const { certificateNow = () => this.#parts.world.clock.now() } = this.#options;
    this.#madeAuthority ??= createAuthority(certificateNow);
    return this.#madeAuthority;
  }

  #ensure(object: KubeObject, { trusted = false } = {}): void {
    const resource = this.#resourceOf(object);
    const { namespace = resource.namespaced ? 'default' : undefined } = object.metadata;
    const target = { resource, ...(namespace === undefined ? {} : { namespace }) };
    const call = systemCall(this.#parts, target, 'kube-apiserver');
    call.trusted = trusted;
    try {
      createObject(call, resource.strategy.decode(cloneJson(object), call));
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error;
    }
  }

  #hasKindOf({ apiVersion = '', kind = '' }: KubeObject): boolean {
    return this.#parts.catalogue.ofKind(apiVersion, kind) !== undefined;
  }

  #resourceOf({ apiVersion = '', kind = '', metadata }: KubeObject): Resource {
    const resource = this.#parts.catalogue.ofKind(apiVersion, kind);
    if (resource === undefined) throw new Error(`${kind} ${metadata.name}: ${apiVersion} has no such kind`);
    return resource;
  }
}

export const ADMIN: UserInfo = { username: 'kubernetes-admin', groups: [MASTERS, 'system:authenticated'] };

// ---------------------------------------------------------------------------------------------------

function assemble(options: ApiServerOptions, store: Store, adminToken: string): Parts {
  const { world } = options;
  const source: PolicySource = {
    lookup: (key, namespace, name) => store.get(key, namespace, name)?.object,
    *list(key, namespace) {
      for (const item of store.list(key, namespace)) yield item.object;
    },
  };
  const serviceAccounts = new ServiceAccountTokens({
    now: () => world.clock.now(),
    uuid: () => world.random.uuid(),
    lookup: source.lookup,
  });
  const authorizer = new RbacAuthorizer(source);
  store.subscribeAll(({ key, item }) => authorizer.changed(key, item.namespace, item.name));
  return {
    world,
    store,
    catalogue: new LiveCatalogue(options.resources ?? builtinResources()),
    admission: defaultAdmission({
      authorizer,
      taintNewNodes: options.taintNewNodes ?? true,
      protectStorage: options.collector ?? true,
    }),
    authenticator: new Authenticator({ tokens: { ...options.tokens, [adminToken]: ADMIN }, serviceAccounts }),
    authorizer,
    serviceAccounts,
    watches: new Set(),
    watchQueueLimit: options.watchQueueLimit ?? DEFAULT_QUEUE_LIMIT,
    managedFields: options.managedFields ?? true,
    ...(options.givesWay ? { turns: turnsOf(world.clock) } : {}),
  };
}

function newToken({ random }: World): string {
  return `${random.uuid()}${random.uuid()}`.replaceAll('-', '');
}
