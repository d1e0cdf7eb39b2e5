/** Opens the page of a cluster: watches its objects, keeps the read model with prices, and answers what the page asks. */
import {
  PODS,
  type ResourceRef,
  type Timer,
  type Transport,
  type World,
  withoutSecrets,
} from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS } from '../../api/index.ts';
import { type DashboardQuestions, type OpenedPage, ReadModel, readOnly } from '../../dashboard/index.ts';
import type { Environment } from '../../settings/index.ts';
import type { LiveOptions } from '../simulate/live.ts';
import { priceKey, readPrices } from '../top/prices.ts';
import { lowerBound } from './lower-bound.ts';
import { PageObjects } from './page-objects.ts';
import { pageQuestions } from './page-questions.ts';

export interface PageRequest {
  /** To the API server. Only reads go through it. */
  readonly transport: Transport;
  /** Its clock shows the time of the cluster; its timers run as fast as the reader's. */
  readonly world: World;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly catalogue: string | undefined;
  /** With more pods, the lower bound is not computed. Default 5,000. */
  readonly maxBoundPods?: number;
}

export class OpenPage {
  readonly objects: PageObjects;
  readonly #request: PageRequest;
  readonly #transport: Transport;
  #model: ReadModel | undefined;
  #isPriceDue = false;
  #priceKey: string | undefined;
  #timer: Timer | undefined;
  #isStopped = false;
  /** What the last lower bound is about. */
  #bound = { sequence: -1, atMs: Number.NEGATIVE_INFINITY };
  /** The last failure in the log. */
  #problem = '';

  constructor(request: PageRequest) {
    this.#request = request;
    this.#transport = readOnly(request.transport);
    const { world, signal } = request;
    this.objects = new PageObjects({ transport: this.#transport, world, signal });
  }

  /** Reads the cluster. @throws {Failure} when nodes cannot be listed. */
  async open(): Promise<OpenedPage> {
    const { clock, log, random } = this.#request.world;
    const { objects } = this.objects;
    for (const store of [objects.pools, ...objects.priced])
      (store as (typeof objects.priced)[number]).subscribe(() => {
        this.#isPriceDue = true;
      });
    await objects.watch(() => undefined);
    const model = new ReadModel({ sources: this.objects.sources(), clock, log, epoch: random.uuid() });
    this.#model = model;
    model.setLowerBound('computing');
    objects.nodes.subscribe(({ type }) => {
      // A node may be the first of its region.
      if (type === 'added') this.#isPriceDue = true;
    });
    await this.#readPrices();
    model.setMissing(this.objects.missing());
    await model.start();
    this.#watchPrices();
    return { model, questions: this.#questions(model) };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#model?.stop();
    await this.objects.objects.stop();
  }

  #questions(model: ReadModel): DashboardQuestions {
    const { world, env, signal, catalogue } = this.#request;
    return pageQuestions({
      model,
      world,
      env,
      signal,
      catalogue,
      transport: this.#transport,
      mayRead: (resource) => this.objects.mayRead(resource),
      heavy: (work) => work(),
    });
  }

  #live(): LiveOptions {
    const { env, world, signal } = this.#request;
    return { env, world, signal, transport: this.#transport };
  }

  async #readPrices(): Promise<void> {
    const { objects } = this.objects;
    this.#isPriceDue = false;
    const key = priceKey(objects);
    if (key === this.#priceKey) return;
    try {
      this.#model?.setPrices(await readPrices(objects, this.#request.catalogue));
      this.#priceKey = key;
    } catch (error) {
      this.#isPriceDue = true;
      throw error;
    }
  }

  /** It reads and computes much: in large clusters it stays unknown, and at rest it is not computed again. */
  async #readBound(): Promise<void> {
    const model = this.#model;
    const { clock } = this.#request.world;
    if (model === undefined || this.#isStopped) return;
    const isReadable = [PODS, NODE_CLAIMS, NODE_POOLS].every((kind) =>
      this.objects.mayRead(kind as ResourceRef),
    );
    const isTooLarge = (model.totals.pods ?? 0) > (this.#request.maxBoundPods ?? MAX_BOUND_PODS);
    if (!isReadable || isTooLarge) {
      // What was known is about another cluster by now.
      model.setLowerBound(isReadable ? 'too-many-pods' : 'not-permitted');
      return;
    }
    const { sequence } = model.log;
    if (sequence === this.#bound.sequence || clock.monotonic() - this.#bound.atMs <= BOUND_MS) return;
    this.#bound = { ...this.#bound, atMs: clock.monotonic() };
    const bound = await lowerBound(this.#live(), this.#request.catalogue);
    const isAnother = !this.#isStopped && model.setLowerBound(bound ?? 'not-found');
    // Its own change is none.
    this.#bound = { sequence: isAnother ? sequence + 1 : sequence, atMs: clock.monotonic() };
  }

  /** Prices follow NodePools and node classes; what is not up to date is said. */
  #watchPrices(): void {
    this.#timer = this.#request.world.clock.after(CHECK_MS, () => void this.#check());
  }

  async #check(): Promise<void> {
    try {
      this.#model?.setMissing(this.objects.missing());
      if (this.#isPriceDue) await this.#readPrices();
      await this.#readBound();
      this.#problem = '';
    } catch (error) {
      if (this.#hasEnded()) return;
      this.#logProblem(withoutSecrets(error instanceof Error ? error.message : String(error)));
    }
    if (!this.#hasEnded()) this.#watchPrices();
  }

  #hasEnded(): boolean {
    return this.#isStopped || this.#request.signal.aborted;
  }

  /** Once: it is tried again every few seconds. */
  #logProblem(error: string): void {
    if (error !== this.#problem)
      this.#request.world.log.error('the prices of the page could not be read', { error });
    this.#problem = error;
  }
}

// ---------------------------------------------------------------------------------------------------

const CHECK_MS = 2_000;
const BOUND_MS = 30_000;
const MAX_BOUND_PODS = 5_000;
