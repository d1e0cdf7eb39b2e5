/**
 * The read model of the page: rows of nodes, pods and NodePools, totals and freezes, made from stores that watches keep up to
 * date. A change of one object makes one row anew; a row that looks the same is not sent. Rows are made in slices, so that no
 * turn of the event loop is long. Of pods no row is kept: the store has them.
 */
import { type Clock, type Log, type Store, type StoreChange, type Stored, turnsOf } from '@chandler/kube';
import type { NodePool } from '../api/index.ts';
import { NON_DISRUPTION_EVENTS, toEvent } from '../diagnose/index.ts';
import { freezesOf } from '../disruption/index.ts';
import { ChangeLog } from './change-log.ts';
import { EventIndex } from './event-index.ts';
import { FollowedStores } from './followed-stores.ts';
import { History } from './history.ts';
import type { ModelSources } from './model-sources.ts';
import { NodeJoin } from './node-join.ts';
import { isSameRow, type PagePod, podRow } from './page-pods.ts';
import { PageProblems } from './page-problems.ts';
import { PriceHistory } from './price-history.ts';
import { freezeRows, nodeRow, poolRow } from './rows.ts';
import { Timers } from './timers.ts';
import { describeNode, frozenText, NO_PRICES, type NodeSurroundings, type Prices } from './top-nodes.ts';
import { type KeptRow, type LowerBound, PodSums, totalsOf } from './totals.ts';
import type { Change, Freeze, Happened, Missing, Totals } from './wire.ts';

export interface ReadModelOptions {
  readonly sources: ModelSources;
  readonly clock: Clock;
  readonly log?: Pick<Log, 'error'>;
  /** Names this run. */
  readonly epoch: string;
  /** How much of the changes is kept. Default: that of the log. */
  readonly maxLogBytes?: number;
}

export class ReadModel {
  readonly log: ChangeLog;
  readonly prices = new PriceHistory();
  readonly history: History;
  readonly sources: ModelSources;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #problems: PageProblems;
  readonly #join: NodeJoin;
  readonly #events = new EventIndex();
  readonly #nodes = new Map<string, KeptRow>();
  readonly #pools = new Map<string, string>();
  readonly #pods = new PodSums();
  readonly #dirtyNodes = new Set<string>();
  readonly #dirtyPools = new Set<string>();
  readonly #dirtyPods = new Set<string>();
  readonly #followed: FollowedStores;
  #unfollowPods: () => void = () => undefined;
  /** Those that were there before the first change. */
  #firstPods: Iterable<PagePod> = [];
  #priceList: Prices = NO_PRICES;
  #totals: Totals = totalsOf([], new PodSums());
  #freezes: readonly Freeze[] = [];
  #missing: readonly Missing[] = [];
  #lowerBound: LowerBound = 'off';
  #isStarted = false;
  #isFlushing = false;
  #isScheduled = false;
  #isHistoryScheduled = false;
  #isStopped = false;

  constructor({ sources, clock, log, epoch, maxLogBytes }: ReadModelOptions) {
    this.sources = sources;
    this.#clock = clock;
    this.#timers = new Timers(clock);
    this.#problems = new PageProblems(log);
    this.history = new History(clock);
    this.log = new ChangeLog({ epoch, ...(maxLogBytes === undefined ? {} : { maxBytes: maxLogBytes }) });
    this.#join = new NodeJoin(sources.nodes, sources.claims);
    const followed = new FollowedStores(clock, this.#problems);
    this.#followed = followed;
    followed.follow(sources.nodes, (change) => this.#touchNodes(this.#join.nodeChanged(change)));
    followed.follow(sources.claims, (change) => {
      if (change.initial !== true) this.history.claimChanged(change);
      this.#touchNodes(this.#join.claimChanged(change));
    });
    followed.follow(sources.pools, (change) => this.#poolChanged(change));
    if (sources.pods !== undefined) {
      this.#unfollowPods = sources.pods.subscribe(
        (change) => this.#podChanged(change),
        (take) => this.#problems.guarded(take),
      );
      this.#firstPods = sources.pods.values();
    }
    for (const store of sources.events) followed.follow(store, (change) => this.#eventChanged(change));
    if (sources.freezes !== undefined) followed.follow(sources.freezes, () => this.#schedule());
    for (const store of sources.kept ?? [])
      followed.follow(store, (change) => {
        if (change.initial !== true) this.history.keptChanged(change);
        this.#schedule();
      });
  }

  /** Whether the first lists are in the rows: before, there is nothing to show. */
  get isReady(): boolean {
    return this.#isStarted;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  get totals(): Totals {
    return this.#totals;
  }

  get freezes(): readonly Freeze[] {
    return this.#freezes;
  }

  get missing(): readonly Missing[] {
    return this.#missing;
  }

  /** The rows as JSON. They may change while they are read; then the change is in the log. */
  *nodeTexts(): IterableIterator<string> {
    for (const { text } of this.#nodes.values()) yield text;
  }

  poolTexts(): Iterable<string> {
    return this.#pools.values();
  }

  *podTexts(): IterableIterator<string> {
    for (const pod of this.sources.pods?.values() ?? []) yield JSON.stringify(podRow(pod));
  }

  /** To be called when the stores have their first lists. */
  async start(): Promise<void> {
    const { nodes, claims, pools } = this.sources;
    await this.#followed.takeFirst();
    for (const store of [nodes, claims] as readonly Pick<Store, 'values'>[])
      for (const { metadata } of store.values()) this.#dirtyNodes.add(metadata.name);
    for (const { metadata } of pools.values()) this.#dirtyPools.add(metadata.name);
    await this.#countPods();
    for (const pod of this.sources.pods?.pending() ?? []) this.history.podChanged(undefined, pod);
    await this.#takeRows();
    this.#takeTotals();
    this.history.start();
    this.#isStarted = true;
    this.#timers.every(RECHECK_MS, () => this.#recheck());
    // What changed while the first rows were made.
    this.#schedule();
  }

  /** @param prices after a NodePool or node class has changed. */
  setPrices(prices: Prices): void {
    this.#priceList = prices;
    this.#recheck();
  }

  /** Of what the running pods could cost. @returns whether it is another one. */
  setLowerBound(bound: LowerBound): boolean {
    if (bound === this.#lowerBound) return false;
    this.#lowerBound = bound;
    this.#schedule();
    return true;
  }

  /** For the timeline: what somebody did on the page. */
  note(entry: Happened): void {
    this.history.note(entry);
    this.#schedule();
  }

  setMissing(missing: readonly Missing[]): void {
    if (JSON.stringify(missing) === JSON.stringify(this.#missing)) return;
    this.#missing = missing;
    if (this.#isStarted) this.log.append([['missing', missing]]);
  }

  stop(): void {
    this.#isStopped = true;
    this.#followed.stop();
    this.#unfollowPods();
    this.#timers.stop();
  }

  /** In turns: there may be 150,000. Changes meanwhile are counted as they come; sums do not depend on the order. */
  async #countPods(): Promise<void> {
    const turns = turnsOf(this.#clock);
    let counted = 0;
    for (const pod of this.#firstPods) {
      this.#pods.count(pod, 1);
      if (++counted % PODS_AT_ONCE === 0) await turns.pass();
    }
    this.#firstPods = [];
  }

  #touchNodes(names: readonly string[]): void {
    for (const name of names) this.#dirtyNodes.add(name);
    this.#schedule();
  }

  #poolChanged({ object, before, type }: StoreChange<NodePool>): void {
    this.#dirtyPools.add(object.metadata.name);
    // Its nodes stay because of a freeze.
    const text = (pool: Stored<NodePool> | undefined) => (pool === undefined ? undefined : frozenText(pool));
    if (text(before) !== (type === 'deleted' ? undefined : text(object))) this.#recheck();
    else this.#schedule();
  }

  #podChanged({ type, object, before }: StoreChange<PagePod>): void {
    if (before !== undefined) this.#pods.count(before, -1);
    if (type !== 'deleted') this.#pods.count(object, 1);
    if (before !== undefined && type === 'updated' && isSameRow(before, object)) return;
    this.history.podChanged(before, type === 'deleted' ? undefined : object);
    if (!this.#isStarted) return;
    this.#dirtyPods.add(`${object.metadata.namespace}/${object.metadata.name}`);
    this.#schedule();
  }

  #eventChanged({ type, object, before, initial }: StoreChange): void {
    const event = toEvent(object);
    if (type !== 'deleted' && initial !== true) {
      this.history.eventChanged(event);
      this.#schedule();
    }
    if (!KEEPING.has(event.reason)) return;
    if (before !== undefined) this.#events.remove(before.metadata.uid, toEvent(before));
    if (type !== 'deleted') this.#events.add(object.metadata.uid, event);
    // The row of a claim has the name of its Node.
    const claim = this.sources.claims.get({ name: event.name });
    this.#touchNodes([event.name, ...(claim === undefined ? [] : this.#join.namesOf(claim))]);
  }

  /** Reasons for staying expire by themselves, and prices concern all nodes. */
  #recheck(): void {
    for (const name of this.#nodes.keys()) this.#dirtyNodes.add(name);
    this.#schedule();
  }

  #schedule(delayMs = FLUSH_MS): void {
    if (!this.#isStarted || this.#isScheduled || this.#isFlushing || this.#isStopped) return;
    this.#isScheduled = true;
    this.#timers.after(delayMs, () => {
      this.#isScheduled = false;
      void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    this.#isFlushing = true;
    let delayMs = FLUSH_MS;
    try {
      await this.#takeRows();
      await this.#takePods();
      this.log.append(this.history.take());
      this.log.append(this.#takeTotals());
      this.#problems.worked(FLUSHING);
    } catch (error) {
      this.#problems.failed(FLUSHING, error);
      delayMs = AFTER_ERROR_MS;
    } finally {
      this.#isFlushing = false;
    }
    if (this.#dirtyNodes.size + this.#dirtyPools.size + this.#dirtyPods.size > 0 || this.history.isDue)
      this.#schedule(delayMs);
    else this.#scheduleHistory();
  }

  /** Pods that have been pending for a while are reported without another change. */
  #scheduleHistory(): void {
    const dueMs = this.history.dueInMs();
    if (dueMs === undefined || this.#isHistoryScheduled) return;
    this.#isHistoryScheduled = true;
    this.#timers.after(dueMs, () => {
      this.#isHistoryScheduled = false;
      this.#schedule();
    });
  }

  async #takeRows(): Promise<void> {
    const around = this.#surroundings();
    const turns = turnsOf(this.#clock);
    let changes: Change[] = [];
    for (const name of this.#dirtyPools) {
      this.#dirtyPools.delete(name);
      changes.push(...this.#takePool(name));
    }
    for (const name of this.#dirtyNodes) {
      this.#dirtyNodes.delete(name);
      changes.push(...this.#takeNode(name, around));
      if (changes.length >= SLICE) {
        this.#append(changes);
        changes = [];
      }
      await turns.pass();
    }
    this.#append(changes);
  }

  async #takePods(): Promise<void> {
    const { pods } = this.sources;
    const turns = turnsOf(this.#clock);
    let changes: Change[] = [];
    for (const key of this.#dirtyPods) {
      this.#dirtyPods.delete(key);
      const slash = key.indexOf('/');
      const [namespace, name] = [key.slice(0, slash), key.slice(slash + 1)];
      const change = this.#problems.orKept(name, (): Change => {
        const pod = pods?.get({ namespace, name });
        return pod === undefined ? ['pod-gone', namespace, name] : ['pod', podRow(pod)];
      });
      if (change !== undefined) changes.push(change);
      if (changes.length < SLICE) continue;
      this.#append(changes);
      changes = [];
      await turns.pass();
    }
    this.#append(changes);
  }

  /** The first rows are in the snapshot. */
  #append(changes: readonly Change[]): void {
    if (this.#isStarted) this.log.append(changes);
  }

  #takeNode(name: string, around: NodeSurroundings): readonly Change[] {
    const joined = this.#join.named(name);
    const before = this.#nodes.get(name);
    if (joined === undefined) {
      if (before === undefined) return [];
      this.#nodes.delete(name);
      return [['node-gone', name]];
    }
    const row = this.#problems.orKept(name, () => nodeRow(describeNode(joined, around)));
    if (row === undefined) return [];
    const text = JSON.stringify(row);
    if (before?.text === text) return [];
    const { pricePerHour, cpuMillis, memoryBytes } = row;
    const isPaid = row.pool !== null || row.claim !== null;
    this.#nodes.set(name, { text, isPaid, pricePerHour, cpuMillis, memoryBytes });
    return [['node', row]];
  }

  #takePool(name: string): readonly Change[] {
    const pool = this.sources.pools.get({ name });
    if (pool === undefined) return this.#pools.delete(name) ? [['pool-gone', name]] : [];
    const row = this.#problems.orKept(name, () => poolRow(pool));
    if (row === undefined) return [];
    const text = JSON.stringify(row);
    if (this.#pools.get(name) === text) return [];
    this.#pools.set(name, text);
    return [['pool', row]];
  }

  #takeTotals(): readonly Change[] {
    const changes: Change[] = [];
    const rules = [...(this.sources.freezes?.values() ?? [])].flatMap((each) => freezesOf(each));
    const freezes = freezeRows(this.sources.pools.values(), rules);
    if (JSON.stringify(freezes) !== JSON.stringify(this.#freezes)) changes.push(['freezes', freezes]);
    this.#freezes = freezes;
    const totals = totalsOf(this.#nodes.values(), this.#pods, this.#lowerBound);
    if (JSON.stringify(totals) !== JSON.stringify(this.#totals)) changes.push(['totals', totals]);
    this.#totals = totals;
    const { pricePerHour } = totals;
    const points = (perHour: number) =>
      this.prices.add(this.#clock.now(), perHour).map((point): Change => ['price', point]);
    if (pricePerHour !== null) changes.push(...points(pricePerHour));
    // Without nodes of NodePools there is nothing to pay for; with some, the price is not known.
    else if (!this.prices.isEmpty && ![...this.#nodes.values()].some(({ isPaid }) => isPaid))
      changes.push(...points(0));
    return changes;
  }

  #surroundings(): NodeSurroundings {
    const { claimsAreKnown, pools } = this.sources;
    return {
      prices: this.#priceList,
      pods: undefined,
      claimsAreKnown,
      frozen: (name) => {
        const pool = pools.get({ name });
        return pool === undefined ? undefined : frozenText(pool);
      },
      told: (subject) => this.#events.about(subject),
      nowMs: this.#clock.now(),
    };
  }
}

// ---------------------------------------------------------------------------------------------------

/** Ten times a second at most. */
const FLUSH_MS = 100;
const RECHECK_MS = 60_000;
const AFTER_ERROR_MS = 5_000;
const FLUSHING = 'changes could not be taken for the page';
/** Pods between two looks at the length of the turn. */
const PODS_AT_ONCE = 200;
/** Changes that are added to the log together. */
const SLICE = 500;
/** Events that say why a node stays. */
const KEEPING: ReadonlySet<string> = new Set(NON_DISRUPTION_EVENTS);
