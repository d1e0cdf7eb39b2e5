/**
 * The objects that `chandler top` shows, read once in pages or kept up to date by watches. A kind that is not installed or
 * not permitted becomes a note; without nodes there is nothing to show.
 */
import {
  type AnyReflector,
  EVENTS,
  isApiError,
  KubeClient,
  type KubeObject,
  NODES,
  type Node,
  PODS,
  Reflector,
  type ResourceRef,
  resourceName,
  Store,
  type Stored,
  type Transport,
  type Trim,
  type World,
} from '@chandler/kube';
import { NODE_CLAIMS, NODE_OVERLAYS, NODE_POOLS, type NodeClaim, type NodePool } from '../../api/index.ts';
import { DIAGNOSES } from '../../cloud/registry.ts';
import { PodTally, type TalliedPod, trimToTally } from '../../dashboard/index.ts';
import { NON_DISRUPTION_EVENTS } from '../../diagnose/index.ts';
import { trimOf } from '../../state/index.ts';
import { Failure } from '../verb.ts';

export interface TopObjectsOptions {
  readonly transport: Transport;
  readonly world: World;
  readonly signal: AbortSignal;
  /** Where more of pods is kept than their amounts: all that have not succeeded. */
  readonly pods?: Store<TalliedPod>;
  /** Other events than those that say why nodes are not disrupted. */
  readonly events?: readonly SelectedKind[];
  /** Further kinds. */
  readonly further?: readonly SelectedKind[];
}

/** A store, and which objects are in it. */
export interface SelectedKind {
  readonly store: Store;
  readonly selection: { readonly fieldSelector: string };
}

/** A kind that cannot be read, and why. */
export interface MissingKind {
  readonly resource: ResourceRef;
  readonly why: 'forbidden' | 'notFound';
}

export class TopObjects {
  readonly nodes = storeOf<Node>(NODES);
  readonly claims = storeOf<NodeClaim>(NODE_CLAIMS);
  /** False if they may not be read: then nothing is known about who manages a node. */
  claimsAreKnown = true;
  readonly pools = storeOf<NodePool>(NODE_POOLS);
  /** Node classes and overlays, for prices. */
  readonly priced: readonly Store[] = [
    storeOf(NODE_OVERLAYS as ResourceRef),
    ...DIAGNOSES.flatMap(({ nodeClasses }) => nodeClasses).map((resource) => storeOf(resource)),
  ];
  /** Why nodes are not disrupted, as the controller says: one store for each reason. */
  readonly events: readonly Store[];
  /** Undefined: pods cannot be read. */
  pods: PodTally | undefined = new PodTally();
  readonly notes: string[] = [];
  /** Each kind once. */
  readonly missing: MissingKind[] = [];
  readonly #events: readonly SelectedKind[];
  readonly #options: TopObjectsOptions;
  readonly #client: KubeClient;
  #reflectors: AnyReflector[] = [];
  #podsRead = 0;
  #answered = false;

  constructor(options: TopObjectsOptions) {
    this.#options = options;
    this.#events = options.events ?? nonDisruptionEvents();
    this.events = this.#events.map(({ store }) => store);
    const transport: Transport = async (request) => {
      const answer = await options.transport(request);
      this.#answered = true;
      return answer;
    };
    this.#client = new KubeClient({ transport });
  }

  /** Lists everything once. @throws {Failure} when nodes cannot be listed. */
  async read(): Promise<void> {
    const missing = await Promise.all(
      this.#kinds().map((kind) => this.#orMissing(kind, () => this.#list(kind))),
    );
    this.#note(missing);
  }

  /**
   * Lists everything and watches it from then on. Resolves when everything is listed.
   * @param changed called whenever something has changed.
   * @throws {Failure} when nodes cannot be listed.
   */
  async watch(changed: () => void): Promise<void> {
    const { signal, world } = this.#options;
    const kinds = this.#kinds();
    const probe = (kind: Kind) =>
      this.#client.list(kind.resource, { ...kind.selection, limit: 1, signal }).then(() => undefined);
    const missing = await Promise.all(kinds.map((kind) => this.#orMissing(kind, () => probe(kind))));
    signal.throwIfAborted();
    this.#note(missing);
    this.#reflectors = kinds
      .filter((_, at) => missing[at] === undefined)
      .map(({ store, selection }) => {
        store.subscribe(changed);
        return new Reflector({ client: this.#client, store, world, ...selection }).start() as AnyReflector;
      });
    await Promise.race([
      Promise.all(this.#reflectors.map(({ synced }) => synced)),
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    ]);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.stop()));
  }

  /** What is not up to date, and why. */
  problems(): readonly string[] {
    return this.stale().map(
      ({ resource, text, failingMs }) =>
        `${resource} have not been up to date for ${Math.round(failingMs / 1000)} s: ${text}`,
    );
  }

  /** The same as data. */
  stale(): readonly { readonly resource: string; readonly text: string; readonly failingMs: number }[] {
    return this.#reflectors
      .filter(({ lastError, failingMs }) => lastError !== undefined && failingMs > QUIET_MS)
      .map(({ resource, lastError, failingMs }) => ({
        resource,
        text: lastError instanceof Error ? lastError.message : String(lastError),
        failingMs,
      }));
  }

  /** What it waits for, as long as the API server has answered nothing. */
  unanswered(): string | undefined {
    return this.#answered
      ? undefined
      : 'the API server has not answered yet; waiting for its lists of nodes, pods and NodeClaims …';
  }

  /** How many pods were read so far: they take the longest. */
  get podsRead(): number {
    return Math.max(this.#podsRead, ...this.#reflectors.map(({ listed }) => listed));
  }

  #kinds(): readonly Kind[] {
    const { pods: given, further = [] } = this.#options;
    const resource = PODS as unknown as ResourceRef<TalliedPod>;
    const pods = given ?? new Store<TalliedPod>({ resource, trim: trimToTally });
    pods.subscribe(({ type, object, before }) => {
      if (before !== undefined) this.pods?.remove(before);
      if (type !== 'deleted') this.pods?.add(object);
    });
    return [
      kindOf(this.nodes),
      {
        ...kindOf(pods),
        selection: { fieldSelector: given === undefined ? LIVE_PODS : NOT_SUCCEEDED },
        without: 'requests are not shown',
      },
      { ...kindOf(this.claims), without: 'all nodes are shown as nodes without a NodeClaim' },
      { ...kindOf(this.pools), without: 'prices are not known' },
      ...this.priced
        .map((store) => kindOf(store))
        .map((kind) => (isOverlays(kind) ? { ...kind, withoutRight: WITHOUT_OVERLAYS } : kind)),
      ...this.#events.map(({ store, selection }) => ({
        ...kindOf(store),
        selection,
        without: 'reasons for staying that the controller reports are not shown',
      })),
      ...further.map(({ store, selection }) => ({ ...kindOf(store), selection })),
    ];
  }

  /** Undefined: it is there. @throws {Failure} for nodes, and where the cluster cannot be read at all. */
  async #orMissing(kind: Kind, work: () => Promise<void>): Promise<Missing | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      const why = isApiError(error, 'forbidden')
        ? 'forbidden'
        : isApiError(error, 'notFound')
          ? 'notFound'
          : undefined;
      if (why === undefined) throw error;
      if (kind.resource === (NODES as ResourceRef))
        throw new Failure(
          why === 'forbidden'
            ? `${forbiddenText(kind.resource)}; without nodes there is nothing to show. Ask for a role that permits it`
            : 'the server does not know nodes (404): it is no Kubernetes API server, or its address lacks a path',
        );
      if (kind.resource === (PODS as ResourceRef)) this.pods = undefined;
      if (kind.resource === (NODE_CLAIMS as ResourceRef)) this.claimsAreKnown = why !== 'forbidden';
      return { kind, why };
    }
  }

  #note(missing: readonly (Missing | undefined)[]): void {
    for (const { kind, why } of missing.filter((each) => each !== undefined)) {
      if (!this.missing.some(({ resource }) => resource === kind.resource))
        this.missing.push({ resource: kind.resource, why });
      const { resource, without = why === 'forbidden' ? kind.withoutRight : undefined } = kind;
      if (without === undefined) continue;
      const text =
        why === 'forbidden'
          ? `${forbiddenText(resource)}; ${without}.`
          : `${resource.kind}s are not installed in this cluster (${resourceName(resource)}); ${without}.`;
      if (!this.notes.includes(text)) this.notes.push(text);
    }
  }

  /** A list that the server no longer has the rest of begins again. */
  async #list({ resource, store, selection }: Kind): Promise<void> {
    const { signal } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const objects: Stored[] = [];
      let version = '0';
      try {
        const options = { ...selection, signal, limit: PAGE };
        for await (const { items, metadata } of this.#client.pages(resource, options)) {
          for (const item of items) objects.push(store.trim(item));
          version = metadata.resourceVersion ?? version;
          if (resource.plural === PODS.plural) this.#podsRead = objects.length;
        }
        store.replace(objects, version);
        return;
      } catch (error) {
        if (!isApiError(error, 'expired') || attempt === MAX_LISTS) throw error;
      }
    }
  }
}

/** One sentence with the verb and the resource that a role must permit. */
export function forbiddenText(resource: ResourceRef): string {
  return `these credentials lack the permission "list" on "${resourceName(resource)}"`;
}

// ---------------------------------------------------------------------------------------------------

const PAGE = 500;
const MAX_LISTS = 3;
/** A watch that breaks is resumed at once; this long it is not worth a line. */
const QUIET_MS = 3_000;
/** Pods that have ended request nothing. */
const LIVE_PODS = 'status.phase!=Succeeded,status.phase!=Failed';

/** Those that have failed are shown. */
const NOT_SUCCEEDED = 'status.phase!=Succeeded';

const WITHOUT_OVERLAYS = 'prices are without NodeOverlays';

function isOverlays({ resource }: Kind): boolean {
  return resource.plural === NODE_OVERLAYS.plural;
}

interface Kind {
  readonly resource: ResourceRef;
  readonly store: Store;
  readonly selection: { readonly fieldSelector?: string };
  /** What is missing without it; undefined: it is not missed. */
  readonly without?: string;
  /** The same where only the right to read it is missing. */
  readonly withoutRight?: string;
}

function nonDisruptionEvents(): readonly SelectedKind[] {
  return NON_DISRUPTION_EVENTS.map((reason) => ({
    store: storeOf(EVENTS as ResourceRef),
    selection: { fieldSelector: `reason=${reason}` },
  }));
}

interface Missing {
  readonly kind: Kind;
  readonly why: 'forbidden' | 'notFound';
}

function storeOf<T extends KubeObject>(resource: ResourceRef<T>): Store<T> {
  const trim: Trim<T> = trimOf(resource);
  return new Store<T>({ resource, trim });
}

function kindOf<T extends KubeObject>(store: Store<T>): Kind {
  const any = store as unknown as Store;
  return { resource: any.resource, store: any, selection: {} };
}
