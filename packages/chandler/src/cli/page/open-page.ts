/** Opens the page of a cluster: watches its objects, keeps the read model with prices, and answers what the page asks. */
import {
  CONFIG_MAPS,
  isApiError,
  KubeClient,
  type KubeObject,
  PODS,
  type ResourceRef,
  type Timer,
  type Transport,
  TransportError,
  turnsOf,
  type World,
  withoutSecrets,
} from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS } from '../../api/index.ts';
import {
  type DashboardQuestions,
  type OpenedPage,
  QuestionError,
  ReadModel,
  readOnly,
  sharedAnswer,
  type wire,
} from '../../dashboard/index.ts';
import { KEPT_JOURNEYS_NAME, type KeptClaim, type KeptCommand, readKept } from '../../diagnose/index.ts';
import type { Environment } from '../../settings/index.ts';
import { listHistory } from '../plan/history.ts';
import { runPlan } from '../plan/run-plan.ts';
import type { LiveOptions } from '../simulate/live.ts';
import { priceKey, readPrices } from '../top/prices.ts';
import { forbiddenText } from '../top/top-objects.ts';
import { Failure } from '../verb.ts';
import { ClaimAnswers } from './claims-answer.ts';
import { Explainer } from './explainer.ts';
import { lowerBound } from './lower-bound.ts';
import { objectAnswer } from './object-answer.ts';
import { PageObjects } from './page-objects.ts';
import { pendingAnswer } from './pending-answer.ts';
import { savingsAnswer } from './savings-answer.ts';
import { timelineAnswer } from './timeline-answer.ts';
import { whatIfAnswer } from './what-if-answer.ts';

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
  #removed: wire.Happened[] = [];
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
    const { clock, random } = this.#request.world;
    const { objects } = this.objects;
    for (const store of [objects.pools, ...objects.priced])
      (store as (typeof objects.priced)[number]).subscribe(() => {
        this.#isPriceDue = true;
      });
    await objects.watch(() => undefined);
    const model = new ReadModel({ sources: this.objects.sources(), clock, epoch: random.uuid() });
    this.#model = model;
    objects.claims.subscribe(({ type, object }) => {
      if (type === 'deleted') this.#noteRemoved(object.metadata.name);
    });
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
    const { world, signal, catalogue } = this.#request;
    const { clock } = world;
    const transport = this.#transport;
    const { sources } = model;
    const explainer = new Explainer({ transport, clock, signal });
    const claimAnswers = new ClaimAnswers(explainer);
    const commands = sharedAnswer(clock, HISTORY_MS, () => this.#commands());
    const failed = sharedAnswer(clock, HISTORY_MS, () => this.#failedClaims());
    const pending = sharedAnswer(clock, SOON_MS, () =>
      pendingAnswer(sources.pods?.values() ?? [], explainer, clock.now()),
    );
    const claims = sharedAnswer(clock, SOON_MS, async () =>
      claimAnswers.answer(sources.claims.values(), await failed(), clock.now()),
    );
    const savings = sharedAnswer(clock, PLAN_MS, async () =>
      savingsAnswer({
        report: await this.#plan(),
        pools: [...sources.pools.values()],
        commands: await commands(),
        lowerBoundPerHour: model.totals.lowerBoundPerHour,
        nowMs: clock.now(),
      }),
    );
    return {
      pending: async () => this.#needing(PODS, pending),
      claims: async () => this.#needing(NODE_CLAIMS, claims),
      savings: async () => this.#needing(NODE_CLAIMS, savings),
      timeline: async (from, to) => {
        const toMs = to ?? clock.now();
        const fromMs = from ?? toMs - HOURS_MS;
        if (fromMs > toMs) throw new QuestionError(400, 'the timeline begins after its end');
        return timelineAnswer({
          fromMs,
          toMs,
          events: sources.events.flatMap((store) => [...store.values()]),
          claims: sources.claims.values(),
          commands: await unlessUnreachable(commands()),
          failed: await unlessUnreachable(failed()),
          seen: this.#removed,
          prices: model.prices.between(fromMs, toMs),
        });
      },
      object: (subject) => objectAnswer(subject, { transport, signal, sources, explainer, failed }),
      whatIf: (manifests, left) => {
        const live = this.#live();
        return whatIfAnswer(manifests, { ...live, signal: AbortSignal.any([live.signal, left]) }, catalogue);
      },
    };
  }

  /** @throws {QuestionError} if objects of the kind may not be read. */
  async #needing<T>(resource: object, answer: () => Promise<T>): Promise<T> {
    if (!this.objects.mayRead(resource as ResourceRef))
      throw new QuestionError(
        403,
        forbiddenText(resource as ResourceRef),
        'ask for a role that permits it, and start the page again',
      );
    return answer();
  }

  #live(): LiveOptions {
    const { env, world, signal } = this.#request;
    return { env, world, signal, transport: this.#transport };
  }

  async #plan() {
    const { world, catalogue } = this.#request;
    try {
      return await runPlan({
        files: [],
        readStandardInput: async () => '',
        live: this.#live(),
        catalogue,
        zones: [],
        atMs: world.clock.now(),
        scheduling: {},
        disruption: {},
        defaultConstraints: [],
        complain: () => undefined,
        pause: () => turnsOf(world.clock).pass(),
      });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw new QuestionError(503, error.message);
    }
  }

  /** None if they may not be read: `missing` says so. */
  async #commands(): Promise<readonly KeptCommand[]> {
    try {
      return await listHistory(this.#transport, this.#request.signal);
    } catch (error) {
      if (error instanceof Failure) return [];
      throw error;
    }
  }

  /** Of every namespace, as `why` reads them. */
  async #failedClaims(): Promise<readonly KeptClaim[]> {
    const client = new KubeClient({ transport: this.#transport });
    const fieldSelector = `metadata.name=${KEPT_JOURNEYS_NAME}`;
    try {
      const { items } = await client.list<KubeObject>(CONFIG_MAPS, {
        fieldSelector,
        signal: this.#request.signal,
      });
      return items
        .flatMap((item) => Object.values((item['data'] ?? {}) as Readonly<Record<string, string>>))
        .flatMap((text) => readKept(text) ?? []);
    } catch (error) {
      if (isApiError(error, 'forbidden')) return [];
      throw error;
    }
  }

  #noteRemoved(name: string): void {
    const atMs = this.#request.world.clock.now();
    const text = `NodeClaim ${name} was removed`;
    const subject = `NodeClaim/${name}`;
    this.#removed.push({ atMs, what: 'removed', subject, reason: 'Removed', text, warning: false });
    if (this.#removed.length > MAX_REMOVED) this.#removed = this.#removed.slice(-MAX_REMOVED / 2);
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
    if (!isReadable || (model.totals.pods ?? 0) > (this.#request.maxBoundPods ?? MAX_BOUND_PODS)) {
      // What was known is about another cluster by now.
      model.setLowerBound(null);
      return;
    }
    const { sequence } = model.log;
    if (sequence === this.#bound.sequence || clock.monotonic() - this.#bound.atMs <= BOUND_MS) return;
    this.#bound = { ...this.#bound, atMs: clock.monotonic() };
    const before = model.totals.lowerBoundPerHour;
    const bound = await lowerBound(this.#live(), this.#request.catalogue);
    if (!this.#isStopped) model.setLowerBound(bound);
    // Its own change is none.
    this.#bound = { sequence: bound === before ? sequence : sequence + 1, atMs: clock.monotonic() };
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

/** How long an answer is given again. */
const SOON_MS = 5_000;
const HISTORY_MS = 10_000;
/** A plan reads and plans the whole cluster. */
const PLAN_MS = 30_000;
const CHECK_MS = 2_000;
const BOUND_MS = 30_000;
const MAX_BOUND_PODS = 5_000;
/** The timeline where no window is asked for. */
const HOURS_MS = 6 * 3600_000;
const MAX_REMOVED = 1_000;

/** The timeline has the rest while the API server gives no answer; that it gives none is said by `missing`. */
async function unlessUnreachable<T>(reading: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await reading;
  } catch (error) {
    if (isApiError(error) || error instanceof TransportError) return [];
    throw error;
  }
}
