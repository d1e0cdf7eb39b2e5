/**
 * A running controller: waits for its CRDs, fills its stores, prepares its cloud, takes part in leader election, and
 * runs every controller while it leads. The command line, the playground and the fault suites use it: sockets and
 * timers come only from its options. It decides nothing about nodes.
 */

import { type Check, type Controller, EventRecorder, Fence, LeaderElection } from '@chandler/kube';
import { EVENT_COMPONENT, type KindDefinition, LEASE_IDENTITY_PREFIX } from '../api/index.ts';
import { type CloudParts, StartError } from '../cloud/index.ts';
import {
  ClaimRefusals,
  type ControllerContext,
  FreezeWatch,
  LaunchBackoff,
  LaunchBudget,
  MovedWorkloads,
  observedDisruption,
  PodRefusals,
  PodTimes,
  PoolHealth,
} from '../controllers/index.ts';
import { readSchedulerConfig } from '../settings/index.ts';
import { Cluster, Stores } from '../state/index.ts';

import { atMost } from './at-most.ts';
import { Background } from './background.ts';
import { recordBuildInfo } from './build-info.ts';
import { cloudContext } from './cloud-context.ts';
import { coreControllers } from './controllers.ts';
import type { CreateOperator, WatchedObjects } from './create-operator.ts';
import { kindsOf, waitForKinds } from './installed-kinds.ts';
import { type KubeAccess, kubeAccess } from './kube-access.ts';
import { liveSettings } from './live-settings.ts';
import { observer } from './observer.ts';
import { ProgramErrors } from './program-errors.ts';
import { SettingsWatch } from './settings-watch.ts';
import { checkRepairPolicies, prepared, startInTurns, synced } from './start-steps.ts';

/** `stopped`: by `stop`. `lostLease`: another replica may lead now, and the caches may lag behind, so the process should exit. */
export type OperatorEnd = 'stopped' | 'lostLease';

export interface Operator {
  /**
   * Resolves when this replica is on standby, leads or observes.
   * @throws {StartError} when it cannot start; `stop` must still be called.
   */
  start(): Promise<void>;
  /** Ends the reconciles and their calls, and releases the lease. Safe to call twice. */
  stop(): Promise<void>;
  /** All CRDs are installed and all stores are filled. */
  readonly ready: boolean;
  readonly isLeading: boolean;
  /** Resolves when it has stopped. */
  readonly ended: Promise<OperatorEnd>;
  /** For `/healthz` and `/readyz`. */
  readonly checks: { readonly live: Record<string, Check>; readonly ready: Record<string, Check> };
  /** The context of the running controllers; for tests. */
  readonly context: ControllerContext | undefined;
  /** What is watched, whether or not this replica leads; undefined until it is complete. */
  readonly watched: WatchedObjects | undefined;
}

export function createOperator(options: CreateOperator): Operator {
  return new RunningOperator(options);
}

// ---------------------------------------------------------------------------------------------------

/** A Warning about each pod of a large batch must fit; the recorder limits the events about one object. */
const EVENT_BUFFER_SIZE = 20_000;
/** Sent within 100 s. A nomination that is dropped is published again while its pod is pending. */
const MAX_NOMINATIONS = 2_000;
const STOP_LIMIT_MS = 20_000;
/** Reconnects and short outages of the API server do not make the replica unready. */
const FAILING_STORE_MS = 60_000;
/** For the last events, before the lease is released. */
const EVENTS_LIMIT_MS = 3_000;
/** Shares of the limit: to release the lease, and to stop background tasks. */
const LEASE_SHARE = 1 / 4;
const READERS_SHARE = 1 / 20;

class RunningOperator implements Operator {
  readonly ended: Promise<OperatorEnd>;
  readonly #options: CreateOperator;
  readonly #access: KubeAccess;
  readonly #fence: Fence | undefined;
  readonly #background: Background;
  readonly #programErrors: ProgramErrors;
  readonly #stop = new AbortController();
  readonly #watch: SettingsWatch;
  #resolveEnded: (how: OperatorEnd) => void = () => undefined;
  #parts: CloudParts | undefined;
  #stores: Stores | undefined;
  #freezes: FreezeWatch | undefined;
  #kindsSeen = false;
  #storesFilled = false;
  #election: LeaderElection | undefined;
  #events: EventRecorder | undefined;
  #controllers: readonly Controller[] = [];
  #context: ControllerContext | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: CreateOperator) {
    this.#options = options;
    const { world, kube: wire, settings, observe = false } = options;
    const { values } = settings;
    this.#fence = observe || values.disableLeaderElection.value ? undefined : new Fence(world.clock);
    this.#access = kubeAccess({ world, wire, values, fence: this.#fence, observe });
    this.#programErrors = new ProgramErrors({
      world,
      events: () => this.#events,
      lease: () => this.#lease,
    });
    this.#background = new Background(world, (task, error) => this.#programErrors.ofTask(task, error));
    this.#watch = new SettingsWatch({
      world,
      client: this.#access.reader,
      namespace: options.namespace,
      settings,
      events: () => this.#events,
    });
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  get ready(): boolean {
    return this.#kindsSeen && this.#storesFilled;
  }

  get isLeading(): boolean {
    if (this.#options.observe === true) return false;
    return this.#election === undefined ? this.#controllers.length > 0 : this.#election.isLeading;
  }

  get context(): ControllerContext | undefined {
    return this.#context;
  }

  get watched(): WatchedObjects | undefined {
    if (!this.#storesFilled || this.#stores === undefined || this.#freezes === undefined) return undefined;
    return { stores: this.#stores, freezes: this.#freezes.store };
  }

  get checks(): Operator['checks'] {
    const mustHold = (holds: () => boolean, what: string) => () => {
      if (!holds()) throw new Error(what);
    };
    return {
      live: { cloud: () => this.#parts?.live?.() },
      ready: {
        crds: mustHold(() => this.#kindsSeen, 'CRDs are missing'),
        caches: mustHold(() => this.#storesFilled, 'caches are not synced'),
        watches: () => this.#checkWatches(),
      },
    };
  }

  /** A store that is not updated leads to decisions about a cluster that no longer exists. */
  #checkWatches(): void {
    const failing = (this.#stores?.failing() ?? []).filter(({ failingMs }) => failingMs >= FAILING_STORE_MS);
    if (failing.length === 0) return;
    const names = failing.map(({ resource }) => resource).join(', ');
    throw new Error(`not updated for over a minute: ${names}`);
  }

  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #start(): Promise<void> {
    const { world, provider, wires, settings, namespace, observe = false, build } = this.#options;
    recordBuildInfo(world.metrics, build);
    const { signal } = this.#stop;
    try {
      checkRepairPolicies(provider);
      const client = this.#access.reader;
      const values = () => settings.values;
      const parts = await provider.createParts({
        world,
        values,
        wires,
        client,
        namespace,
        observe,
        fence: this.#fence,
      });
      this.#parts = parts;
      await waitForKinds({ world, client, signal, kinds: this.#kinds() });
      this.#kindsSeen = true;
      await this.#fillStores();
      if (this.#options.watchSettings ?? true)
        this.#background.start({ name: 'settings', run: (ends) => this.#watch.run(ends) });
      const freezes = new FreezeWatch({ world, client, namespace });
      this.#freezes = freezes;
      this.#background.start({ name: 'freezes', run: (ends) => freezes.run(ends) });
      for (const task of parts.background ?? []) this.#background.start(task);
      await prepared(world, parts, signal);
      signal.throwIfAborted();
      if (observe) await this.#observe(parts);
      else this.#startElection(parts);
    } catch (error) {
      if (signal.aborted) throw new StartError('Stopped', 'stopped before it had started', { cause: error });
      throw error;
    }
  }

  #kinds(): readonly KindDefinition[] {
    const { provider, settings } = this.#options;
    const { NodeOverlay } = settings.values.featureGates.value;
    return kindsOf(provider.nodeClasses, { overlays: NodeOverlay === true });
  }

  async #fillStores(): Promise<void> {
    const { world, settings, provider } = this.#options;
    const { defaultConstraints } = readSchedulerConfig(settings.values.schedulerConfig.value);
    const stores = new Stores({
      world,
      transport: this.#access.work,
      nodeClasses: provider.nodeClasses,
      overlays: settings.values.featureGates.value['NodeOverlay'] === true,
      selectors: defaultConstraints.length > 0,
      workloads: settings.values.disruptionSurge.value,
    });
    this.#stores = stores;
    await synced(world, stores, this.#stop.signal);
    this.#storesFilled = true;
    world.log.info('caches synced', {
      ...(defaultConstraints.length > 0 ? { defaultConstraints } : {}),
      pods: stores.pods.store.size,
      nodes: stores.nodes.store.size,
      nodeclaims: stores.claims.store.size,
    });
  }

  #startElection(parts: CloudParts): void {
    const { world } = this.#options;
    if (this.#fence === undefined) {
      world.log.warn('leader election is disabled; run only one replica');
      void this.#lead(parts);
      return;
    }
    this.#election = new LeaderElection({
      ...this.#options.electionTimes,
      client: this.#access.lease,
      fence: this.#fence,
      world,
      ...this.#lease,
      identity: this.#options.identity ?? `${LEASE_IDENTITY_PREFIX}${world.random.uuid()}`,
      releaseLimitMs: this.#stopLimitMs * LEASE_SHARE,
      onStartedLeading: () => void this.#lead(parts),
    });
    void this.#election.run().then(() => this.#lostLease());
  }

  get #lease(): { readonly namespace: string; readonly name: string } {
    const { leaderElectionName: name, leaderElectionNamespace: own } = this.#options.settings.values;
    return { name: name.value, namespace: own.value || this.#options.namespace };
  }

  async #lead(parts: CloudParts): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const context = this.#newContext(
      parts,
      new EventRecorder({
        client: this.#access.events,
        world: this.#options.world,
        component: EVENT_COMPONENT,
        bufferSize: EVENT_BUFFER_SIZE,
        maxExpendable: MAX_NOMINATIONS,
      }),
    );
    this.#controllers = this.#make(context, parts);
    this.#programErrors.watch(this.#controllers);
    this.#watch.report();
    await startInTurns(this.#controllers, this.#options.world.clock, this.#stop.signal);
  }

  #make(context: ControllerContext, parts: CloudParts): readonly Controller[] {
    const { controllers, settings } = this.#options;
    if (controllers !== undefined) return controllers(context, parts);
    const observability = !settings.values.disableClusterStateObservability.value;
    return [
      ...coreControllers(context, { observability }),
      ...(parts.controllers?.(cloudContext(context)) ?? []),
    ];
  }

  async #observe(parts: CloudParts): Promise<void> {
    this.#options.world.log.info('observe mode: nothing is written and no lease is taken');
    // Events are writes too: the transport of this recorder rejects them.
    const { world } = this.#options;
    const events = new EventRecorder({ client: this.#access.events, world, component: EVENT_COMPONENT });
    const context = this.#newContext(parts, events);
    this.#events = undefined;
    this.#controllers = [observer(context), observedDisruption(context)];
    await Promise.all(this.#controllers.map((controller) => controller.start()));
  }

  #newContext(parts: CloudParts, events: EventRecorder): ControllerContext {
    const { world, settings, provider, namespace } = this.#options;
    const stores = this.#stores!;
    this.#events = events;
    const context: ControllerContext = {
      world,
      stores,
      events,
      client: stores.client({ leader: true }),
      cluster: new Cluster(stores, world.clock, parts.cloud),
      cloud: parts.cloud,
      labelRules: provider.labelRules,
      backoff: new LaunchBackoff(world.clock),
      refusals: new ClaimRefusals(world.clock),
      podRefusals: new PodRefusals(world.clock),
      moves: new MovedWorkloads(world.clock),
      launches: new LaunchBudget(world.clock),
      poolHealth: new PoolHealth(world.clock),
      freezes: this.#freezes!,
      podTimes: new PodTimes(world),
      settings: liveSettings(settings, namespace),
    };
    this.#context = context;
    return context;
  }

  /** The lease was lost: running reconciles can no longer write, so they are aborted. */
  async #lostLease(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    await this.#stopWork();
    this.#resolveEnded('lostLease');
  }

  async #stopWork(): Promise<void> {
    const { clock, log } = this.#options.world;
    const stopLimitMs = this.#stopLimitMs;
    const endMs = clock.monotonic() + stopLimitMs;
    const ending = Promise.all(this.#controllers.map((controller) => controller.stop()));
    const inTime = await atMost(clock, stopLimitMs, ending);
    if (!inTime) log.warn('controllers did not stop in time', { stopLimitMs });
    // The API server may be unreachable, and the next leader waits for the lease.
    const restMs = Math.min(EVENTS_LIMIT_MS, Math.max(0, endMs - clock.monotonic()));
    await atMost(clock, restMs, this.#events?.stop() ?? Promise.resolve());
  }

  get #stopLimitMs(): number {
    return this.#options.stopLimitMs ?? STOP_LIMIT_MS;
  }

  async #stopAll(): Promise<void> {
    this.#stop.abort(new Error('the operator was stopped'));
    await this.#starting?.catch(() => undefined);
    await this.#stopWork();
    await this.#election?.stop();
    const { clock } = this.#options.world;
    const readers = Promise.all([this.#background.stop(), this.#stores?.stop()]);
    await atMost(clock, this.#stopLimitMs * READERS_SHARE, readers);
    this.#resolveEnded('stopped');
    this.#options.world.log.info('stopped');
  }
}
