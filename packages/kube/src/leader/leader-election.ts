/**
 * Only the replica that holds the Lease acts. A replica never trusts the times written in the
 * lease; it measures, on its own monotonic clock, how long the record has not changed. Holding the lease opens
 * the fence; the fence closes on its own when a renewal is overdue, before anybody else may take the lease.
 */
import { isApiError } from '../client/api-error.ts';
import type { KubeClient } from '../client/client.ts';
import { aborted, linkedAbort } from '../client/linked-abort.ts';
import { LEASES } from '../client/resources.table.ts';
import type { Lease } from '../kinds/index.ts';
import type { NamedObject, Stored } from '../object.ts';
import { countProgramError, isProgramError } from '../program-error.ts';
import type { World } from '../world.ts';
import type { Fence } from './fence.ts';
import { heldBy, released } from './lease.ts';

export interface LeaderElectionOptions {
  /** Must not share the rate limit or the fence with the controllers. */
  readonly client: KubeClient;
  readonly fence: Fence;
  readonly world: Pick<World, 'clock' | 'random' | 'log' | 'metrics'>;
  readonly namespace: string;
  /** Name of the Lease: programs that must not act at the same time share it. */
  readonly name: string;
  /** Unique for every process: host name and a UUID. */
  readonly identity: string;
  /** Others wait this long after the last renewal they saw. Whole seconds. Default 15 s. */
  readonly leaseDurationMs?: number;
  /** The leader stops acting this long after its last renewal. Below the lease duration. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Between two attempts. Default 2 s. */
  readonly retryPeriodMs?: number;
  /** How long a stop waits for the last writes and for the lease to be given up. Default: the lease duration. */
  readonly releaseLimitMs?: number;
  readonly onStartedLeading?: () => void;
  readonly onStoppedLeading?: () => void;
}

export class LeaderElection {
  readonly #options: Required<Omit<LeaderElectionOptions, 'onStartedLeading' | 'onStoppedLeading'>> &
    Pick<LeaderElectionOptions, 'onStartedLeading' | 'onStoppedLeading'>;
  readonly #stop = new AbortController();
  readonly #gauge: (leading: boolean) => void;
  readonly #slowPath: () => void;
  #observed: { lease: Stored<Lease>; atMs: number } | undefined;
  #renewedMs: number | undefined;
  #leading = false;
  /** A request to acquire the lease got no answer: this replica may hold it. */
  #unsure = false;
  #lastFailure = '';
  #running: Promise<void> | undefined;

  constructor(options: LeaderElectionOptions) {
    this.#options = {
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      releaseLimitMs: options.leaseDurationMs ?? 15_000,
      ...options,
    };
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs, name, world } = this.#options;
    if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs)) {
      throw new Error(
        `leader election needs lease duration > renew deadline > retry period, got ${leaseDurationMs}, ${renewDeadlineMs}, ${retryPeriodMs} ms`,
      );
    }
    const status = world.metrics.gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process leads (1) or stands by (0), by lease.',
      labels: ['name'],
    });
    const slow = world.metrics.counter({
      name: 'leader_election_slowpath_total',
      help: 'Renewals that had to read the lease first.',
      labels: ['name'],
    });
    this.#gauge = (leading) => status.set(leading ? 1 : 0, { name });
    this.#slowPath = () => slow.add(1, { name });
    this.#gauge(false);
  }

  get isLeading(): boolean {
    return this.#leading && this.#options.fence.isOpen;
  }

  /** Who holds the lease, as far as we know. */
  get holder(): string | undefined {
    return this.#observed?.lease.spec?.holderIdentity || undefined;
  }

  /** Runs until leadership was won and lost again, or `stop`. A process that lost it should end: its caches may be behind. */
  run(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Releases the lease once no write is in flight. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('leader election was stopped'));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { world, retryPeriodMs, fence, onStartedLeading, onStoppedLeading, name } = this.#options;
    const log = world.log.with({ lease: name, identity: this.#options.identity });
    let held = false;
    while (!this.#stop.signal.aborted) {
      held = await this.#attempt();
      // Stopped in between: start nothing, only release the lease.
      if (this.#stop.signal.aborted) break;
      if (held && !this.#leading) {
        this.#leading = true;
        this.#gauge(true);
        log.info('became leader');
        onStartedLeading?.();
      }
      if (this.#leading && !fence.isOpen) break;
      // Jitter, so that candidates do not all send at once.
      const pauseMs = this.#leading ? retryPeriodMs : retryPeriodMs * (1 + 1.2 * world.random.next());
      await world.clock.sleep(this.#untilNext(pauseMs), this.#stop.signal).catch(() => undefined);
    }
    const lost = !fence.isOpen;
    fence.close();
    if (!this.#leading) {
      if (held || this.#unsure) await this.#release();
      return;
    }
    this.#leading = false;
    this.#gauge(false);
    log.info(lost ? 'lost the lease' : 'stopped leading');
    onStoppedLeading?.();
    if (!lost) await this.#release();
  }

  /** A leader that cannot renew stops at its deadline, not after it. */
  #untilNext(pauseMs: number): number {
    if (!this.#leading || this.#renewedMs === undefined) return pauseMs;
    const restMs = this.#renewedMs + this.#options.renewDeadlineMs - this.#options.world.clock.monotonic();
    return Math.max(0, Math.min(pauseMs, restMs));
  }

  /** Tries once to acquire or renew the lease. A failure counts as no; the next attempt decides. */
  async #attempt(): Promise<boolean> {
    const { world, renewDeadlineMs } = this.#options;
    const attempt = linkedAbort(this.#stop.signal, {
      limit: {
        clock: world.clock,
        // Half of it, so that there is time for another; a leader's last one ends with its deadline.
        afterMs: this.#untilNext(renewDeadlineMs / 2),
        reason: () => new Error('the attempt took too long'),
      },
    });
    try {
      const held = await this.#claim(attempt.signal);
      this.#lastFailure = '';
      return held;
    } catch (error) {
      if (isProgramError(error)) countProgramError(this.#options.world.metrics, 'leader-election');
      this.#explain(error);
      return false;
    } finally {
      attempt.release();
    }
  }

  /** Logged because it explains why no replica leads. Losing a race is no failure. */
  #explain(error: unknown): void {
    if (this.#stop.signal.aborted || isApiError(error, 'conflict', 'alreadyExists')) return;
    const { log } = this.#options.world;
    const failure = String(error);
    const fields = { lease: this.#options.name, leading: this.#leading, error: failure };
    const action = this.#leading ? 'renew' : 'acquire';
    if (failure === this.#lastFailure) log.debug(`still failing to ${action} the lease`, fields);
    else log.warn(`failed to ${action} the lease`, fields);
    this.#lastFailure = failure;
  }

  async #claim(signal: AbortSignal): Promise<boolean> {
    if (this.#leading && this.#observed) {
      try {
        return await this.#write(this.#observed.lease, signal);
      } catch (error) {
        if (!isApiError(error, 'conflict', 'notFound')) throw error;
        this.#slowPath();
      }
    }
    const { client, namespace, name, identity } = this.#options;
    const lease = await client.find(LEASES, { namespace, name }, { signal });
    if (!lease) {
      return this.#write(
        { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace } },
        signal,
      );
    }
    this.#observe(lease);
    const holder = lease.spec?.holderIdentity ?? '';
    if (holder !== '' && holder !== identity) {
      // Another replica holds it: no further write, regardless of the deadline.
      if (this.#leading) this.#options.fence.close();
      if (this.#leading || !this.#hasExpired(lease)) return false;
    }
    return this.#write(lease, signal);
  }

  async #write(lease: Lease & NamedObject, signal: AbortSignal): Promise<boolean> {
    const { client, world, fence, identity, leaseDurationMs, renewDeadlineMs } = this.#options;
    // Taken before the request: others count from when they see its effect, which is later.
    const sentMs = world.clock.monotonic();
    const claimed = heldBy(lease, identity, leaseDurationMs, world.clock.now());
    const exists = lease.metadata.resourceVersion !== undefined;
    this.#unsure = true;
    const answer = await (exists
      ? client.update(LEASES, claimed, { signal })
      : client.create(LEASES, claimed, { signal }));
    this.#unsure = false;
    this.#observe(answer);
    this.#renewedMs = sentMs;
    fence.openFor(renewDeadlineMs, sentMs);
    return true;
  }

  #observe(lease: Stored<Lease>): void {
    if (this.#observed?.lease.metadata.resourceVersion === lease.metadata.resourceVersion && this.#observed)
      return;
    this.#observed = { lease, atMs: this.#options.world.clock.monotonic() };
  }

  #hasExpired(lease: Lease): boolean {
    const durationMs = (lease.spec?.leaseDurationSeconds ?? this.#options.leaseDurationMs / 1000) * 1000;
    return this.#options.world.clock.monotonic() >= (this.#observed?.atMs ?? 0) + durationMs;
  }

  async #release(): Promise<void> {
    const { fence, world, releaseLimitMs } = this.#options;
    const reason = () => new Error('gave up releasing the lease');
    const { signal, release } = linkedAbort(undefined, {
      limit: { clock: world.clock, afterMs: releaseLimitMs, reason },
    });
    try {
      // A write in flight must end before another replica may act; otherwise the lease is left to expire.
      await Promise.race([fence.idle(), aborted(signal)]);
      if (!signal.aborted) await this.#giveUp(signal);
    } catch (error) {
      world.log.info('failed to release the lease; it expires by itself', { error: String(error) });
    } finally {
      release();
    }
  }

  async #giveUp(signal: AbortSignal): Promise<void> {
    const { client, world, namespace, name, identity } = this.#options;
    const free = (lease: Stored<Lease>) =>
      client.update(LEASES, released(lease, world.clock.now()), { signal });
    try {
      if (!this.#unsure && this.#observed) return void (await free(this.#observed.lease));
    } catch (error) {
      if (!isApiError(error, 'conflict')) throw error;
    }
    // A request that `stop` aborted may still have been processed.
    const now = await client.find(LEASES, { namespace, name }, { signal });
    if (now?.spec?.holderIdentity === identity) await free(now);
  }
}
