/**
 * What each person sees. Those who may list the same kinds share a read model; answers that take reading or planning are each
 * person's own, because the API server is asked with their token. What nobody looks at is closed.
 */
import {
  type ResourceRef,
  shapedTransport,
  type Timer,
  type Transport,
  type World,
  withHeaders,
} from '@chandler/kube';
import {
  FewAtOnce,
  type OpenedPage,
  QuestionError,
  readOnly,
  type Viewer,
} from '../../../dashboard/index.ts';
import type { WatchedObjects } from '../../../operator/index.ts';
import type { Environment } from '../../../settings/index.ts';
import { eventStores, keptStores } from '../../page/page-objects.ts';
import { pageQuestions } from '../../page/page-questions.ts';
import { PermittedPage } from './permitted-page.ts';
import { WatchedWhileShown } from './watched-while-shown.ts';

export interface PageVisitorsOptions {
  readonly world: World;
  readonly env: Environment;
  /** Undefined while the first lists are not complete. */
  watched(): WatchedObjects | undefined;
  /** Of the controller: what it keeps is there. */
  readonly namespace: string;
  /** With the credentials of the controller, for what it watches only while somebody looks. */
  readonly own: Transport;
  /** Without any credentials: every request carries the token of a person. */
  readonly bare: Transport;
  /** For the metrics of requests. */
  readonly host: string;
}

interface ShownPage {
  readonly page: PermittedPage;
  readonly started: Promise<void>;
  /** Until it has started, people wait for it. */
  isAwaited: boolean;
}

interface Visitor {
  /** The last that was accepted. */
  token: string;
  readonly page: Promise<OpenedPage>;
  readonly permitted: PermittedPage;
  seenMs: number;
}

export class PageVisitors {
  readonly #options: PageVisitorsOptions;
  readonly #events: WatchedWhileShown;
  readonly #kept: WatchedWhileShown;
  readonly #shaped: Transport;
  readonly #stopping = new AbortController();
  /** By the kinds that may be listed. */
  readonly #pages = new Map<string, ShownPage>();
  readonly #visitors = new Map<string, Visitor>();
  readonly #lastSeenMs = new WeakMap<PermittedPage, number>();
  #timer: Timer;
  #working: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** Of all people: each may read all nodes, and thousands of pods. */
  readonly #explanations = new FewAtOnce(MAX_EXPLANATIONS, MAX_WAITING_EXPLANATIONS);

  constructor(options: PageVisitorsOptions) {
    this.#options = options;
    const { world, host, own, bare, namespace } = options;
    const watching = { transport: own, world };
    const forbidden = 'the controller lacks the permission "list" on "events"; apply deploy/rbac-page.yaml';
    this.#events = new WatchedWhileShown({ ...watching, forbidden, stores: eventStores });
    // Views that are opened read what is kept with the token of the person: then nothing is missing.
    const kept = { forbidden: undefined, namespace, stores: keptStores };
    this.#kept = new WatchedWhileShown({ ...watching, ...kept });
    this.#shaped = shapedTransport(bare, { world, host, userAgent: USER_AGENT, qps: 50, burst: 200 });
    this.#timer = this.#sweepLater();
  }

  /** @throws {QuestionError} */
  async open(viewer: Viewer): Promise<OpenedPage> {
    const watched = this.#options.watched();
    if (watched === undefined)
      throw new QuestionError(503, 'the controller is still reading the cluster', 'wait a moment');
    let page = await this.#started(viewer.listable, watched);
    // Meanwhile it was closed for others, who had to wait.
    if (page.model.isStopped) page = await this.#started(viewer.listable, watched);
    if (page.model.isStopped) throw new QuestionError(503, 'too many people open the page', 'wait a moment');
    const visitor = this.#visitor(viewer, page, watched);
    visitor.token = viewer.token;
    visitor.seenMs = this.#nowMs;
    return visitor.page;
  }

  stop(): void {
    this.#timer.cancel();
    this.#stopping.abort(new Error('the page was closed'));
    for (const { page } of this.#pages.values()) page.stop();
    this.#pages.clear();
    this.#visitors.clear();
  }

  get #nowMs(): number {
    return this.#options.world.clock.monotonic();
  }

  async #started(listable: ReadonlySet<string>, watched: WatchedObjects): Promise<PermittedPage> {
    // The server of the page is closed, and a request was waiting.
    if (this.#stopping.signal.aborted) throw new QuestionError(503, 'the controller ends', 'wait a moment');
    const made = this.#permitted(listable, watched);
    this.#lastSeenMs.set(made.page, this.#nowMs);
    await made.started;
    // It may have taken longer than a page is kept that nobody looks at.
    this.#lastSeenMs.set(made.page, this.#nowMs);
    return made.page;
  }

  #permitted(listable: ReadonlySet<string>, watched: WatchedObjects) {
    const key = [...listable].sort().join();
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    if (this.#pages.size >= MAX_PAGES) this.#closeOldest();
    const { world } = this.#options;
    const page = new PermittedPage({ world, watched, events: this.#events, kept: this.#kept, listable });
    const started = page.start();
    const made: ShownPage = { page, started, isAwaited: true };
    this.#pages.set(key, made);
    // The next request tries again. Meanwhile there may be another one.
    started.then(
      () => (made.isAwaited = false),
      () => (this.#pages.get(key) === made ? this.#close(key) : page.stop()),
    );
    return made;
  }

  /** @throws {QuestionError} if people look at all of them, or wait for them. */
  #closeOldest(): void {
    const idle = [...this.#pages]
      .filter(([, { page, isAwaited }]) => !isAwaited && !page.model.log.isFollowed)
      .sort(([, one], [, other]) => this.#seenMs(one.page) - this.#seenMs(other.page));
    if (idle.length === 0)
      throw new QuestionError(
        503,
        `${MAX_PAGES} groups of people with different permissions look at the page already`,
        'use `chandler page` with your kubeconfig',
      );
    this.#close(idle[0]![0]);
  }

  #seenMs(page: PermittedPage): number {
    return this.#lastSeenMs.get(page) ?? Number.NEGATIVE_INFINITY;
  }

  #close(key: string): void {
    const closing = this.#pages.get(key)?.page;
    this.#pages.delete(key);
    closing?.stop();
    for (const [name, { permitted }] of this.#visitors)
      if (permitted === closing) this.#visitors.delete(name);
  }

  #visitor({ key, token }: Viewer, permitted: PermittedPage, { stores }: WatchedObjects): Visitor {
    const known = this.#visitors.get(key);
    if (known?.permitted === permitted) return known;
    const { world, env } = this.#options;
    const { model } = permitted;
    const visitor: Visitor = {
      token,
      permitted,
      seenMs: this.#nowMs,
      page: Promise.resolve({
        model,
        questions: pageQuestions({
          model,
          world,
          env,
          signal: this.#stopping.signal,
          catalogue: undefined,
          transport: readOnly((request) =>
            withHeaders(this.#shaped, { authorization: `Bearer ${visitor.token}` })(request),
          ),
          mayRead: (resource: ResourceRef) => permitted.mayRead(resource),
          heavy: (work) => this.#oneByOne(stores.pods.store.size, work),
          limited: (work) => this.#explanations.run(work),
          whatIfLimits: WHAT_IF_LIMITS,
        }),
      }),
    };
    this.#visitors.set(key, visitor);
    if (this.#visitors.size > MAX_VISITORS) this.#visitors.delete(this.#visitors.keys().next().value!);
    return visitor;
  }

  /** The controller must not wait for the page: large clusters are planned elsewhere, and small ones one after the other. */
  async #oneByOne<T>(pods: number, work: () => Promise<T>): Promise<T> {
    if (pods > MAX_PLANNED_PODS)
      throw new QuestionError(
        503,
        `the controller plans for the page only in clusters of up to ${MAX_PLANNED_PODS} pods`,
        'use `chandler plan`, `chandler simulate --live` or `chandler page` with your kubeconfig',
      );
    if (this.#waiting >= MAX_WAITING)
      throw new QuestionError(429, 'others are waiting for a plan', 'wait a moment and try again');
    this.#waiting += 1;
    const mine = this.#working.then(work).finally(() => {
      this.#waiting -= 1;
    });
    this.#working = mine.catch(() => undefined);
    return mine;
  }

  #sweepLater(): Timer {
    return this.#options.world.clock.after(SWEEP_MS, () => {
      this.#sweep();
      this.#timer = this.#sweepLater();
    });
  }

  #sweep(): void {
    const nowMs = this.#nowMs;
    for (const [key, { page, isAwaited }] of this.#pages)
      if (!isAwaited && !page.model.log.isFollowed && nowMs - this.#seenMs(page) > IDLE_MS) this.#close(key);
    for (const [key, { seenMs }] of this.#visitors)
      if (nowMs - seenMs > VISITOR_IDLE_MS) this.#visitors.delete(key);
  }
}

// ---------------------------------------------------------------------------------------------------

/** In the audit log of the API server. */
const USER_AGENT = 'chandler-page';
/** Each holds the rows of nodes, and changes. */
const MAX_PAGES = 4;
const MAX_VISITORS = 100;
/** Above, a plan takes memory and turns of the event loop that the controller needs. */
const MAX_PLANNED_PODS = 5_000;
const MAX_WAITING = 4;
const MAX_EXPLANATIONS = 2;
/** An answer of Pending asks for four at a time. */
const MAX_WAITING_EXPLANATIONS = 40;
/** A plan is made in one turn of the event loop: so many pods of so many kinds are placed in less than 100 ms. */
const WHAT_IF_LIMITS = {
  maxBytes: 64 * 1024,
  maxYaml: 16 * 1024,
  maxObjects: 50,
  maxPods: 500,
  maxPreferences: 5_000,
};
const SWEEP_MS = 15_000;
const IDLE_MS = 60_000;
const VISITOR_IDLE_MS = 600_000;
