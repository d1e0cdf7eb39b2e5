/**
 * From which zones ARC has shifted the cluster away, read every 30 seconds. No answer says nothing: what was read last holds, each shift until
 * its own end. Before the first answer the controller does not start.
 */
import type { World } from '@chandler/kube';
import { StartError } from '../../index.ts';
import { problemOf } from '../cluster/index.ts';
import { asCloudError, toAwsError } from '../errors/index.ts';
import { DueRead } from '../market/index.ts';
import type { ZonalShiftReader } from '../offerings/index.ts';
import type { ArcZonalShiftCalls } from '../wire/index.ts';
import { type ShiftedZones, shiftedZones } from './shift-answer.ts';

export interface ZonalShiftsInput {
  readonly world: Pick<World, 'clock' | 'log' | 'metrics'>;
  readonly calls: ArcZonalShiftCalls;
  readonly clusterName: () => string;
  /** Of EKS; asked until it is known. */
  readonly clusterArn: (signal: AbortSignal) => Promise<string>;
}

export const SHIFTS_REFRESH_MS = 30_000;
/** A cluster that is not registered for so long is not shifted. */
export const UNREGISTERED_MS = 5 * 60_000;
const LOG_AGAIN_MS = 30 * 60_000;

export class ZonalShifts implements ZonalShiftReader {
  readonly #input: ZonalShiftsInput;
  readonly #read: DueRead;
  #arn: string | undefined;
  #zones: ShiftedZones = new Map();
  #sequence = 0;
  /** Of the last read; repeated rarely, not every 30 seconds. */
  #failure: { readonly reason: string; readonly message: string; readonly loggedMs: number } | undefined;
  /** Of the last answer, on the monotonic clock. */
  #answeredMs: number | undefined;
  /** Since when every answer says that the cluster is not registered, on the monotonic clock. */
  #unregisteredMs: number | undefined;

  constructor(input: ZonalShiftsInput) {
    this.#input = input;
    this.#read = new DueRead({
      clock: input.world.clock,
      everyMs: SHIFTS_REFRESH_MS,
      retryMs: SHIFTS_REFRESH_MS,
      read: (signal) => this.#readShifts(signal),
    });
    const gauge = {
      name: 'chandler_aws_zonal_shift_read_age_seconds',
      help: 'Time since ARC answered from which zones the cluster is shifted away',
      labels: [],
    };
    input.world.metrics.observableGauge(gauge, () => {
      const ageMs = this.#ageMs();
      return ageMs === undefined ? [] : [[ageMs / 1000]];
    });
  }

  get sequence(): number {
    this.#expire();
    return this.#sequence;
  }

  isShifted(zoneId: string): boolean {
    this.#expire();
    return this.#zones.has(zoneId);
  }

  /** IDs of zones, in order. */
  zones(): readonly string[] {
    this.#expire();
    return [...this.#zones.keys()].sort();
  }

  /** For how long ARC has not answered, and why; undefined after an answer. */
  unanswered(): { readonly ageMs: number; readonly error: string } | undefined {
    const ageMs = this.#ageMs();
    if (this.#failure === undefined || ageMs === undefined) return undefined;
    return { ageMs, error: this.#failure.message };
  }

  /** On the monotonic clock. */
  get dueAtMs(): number {
    return this.#read.dueAtMs;
  }

  /** The first read. @throws {StartError} that names the cure, {CloudError} for what passes, or the reason of the signal. */
  async start(signal: AbortSignal): Promise<void> {
    try {
      await this.#read.refresh(signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const answer = asCloudError(error);
      // Passes: the start is tried again.
      if (answer.kind === 'Unreachable' || answer.kind === 'Throttled') throw answer;
      throw new StartError('CloudNotReady', this.#notStarted(error), { cause: error });
    }
  }

  /** Whether it was read now. A failure is logged, and read again later. */
  async refreshIfDue(signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#read.refreshIfDue(signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#failed(error);
      return false;
    }
  }

  #failed(error: unknown): void {
    const { clock, log } = this.#input.world;
    const { reason, message } = asCloudError(error);
    const isUnregistered = this.#arn !== undefined && this.#problemOf(error).code === 'NotFound';
    const nowMs = clock.monotonic();
    this.#unregisteredMs = isUnregistered ? (this.#unregisteredMs ?? nowMs) : undefined;
    if (nowMs - (this.#unregisteredMs ?? nowMs) >= UNREGISTERED_MS) this.#take(new Map());
    const { reason: before, loggedMs = -Infinity } = this.#failure ?? {};
    const isLogged = before === reason && nowMs - loggedMs < LOG_AGAIN_MS;
    this.#failure = { reason, message, loggedMs: isLogged ? loggedMs : nowMs };
    if (isLogged) return;
    log.warn('zonal shifts could not be read; those that were read last hold', {
      shifted: this.zones(),
      reason,
      error: message,
    });
  }

  async #readShifts(signal: AbortSignal): Promise<void> {
    const { world, calls, clusterArn } = this.#input;
    this.#arn ??= await clusterArn(signal);
    const answer = await calls.getManagedResource({ resourceIdentifier: this.#arn }, { signal });
    this.#take(shiftedZones(answer, this.#arn, world.clock.now()));
    if (this.#failure !== undefined) world.log.info('zonal shifts can be read again');
    this.#failure = undefined;
    this.#unregisteredMs = undefined;
    this.#answeredMs = world.clock.monotonic();
  }

  #ageMs(): number | undefined {
    return this.#answeredMs === undefined
      ? undefined
      : this.#input.world.clock.monotonic() - this.#answeredMs;
  }

  #take(zones: ShiftedZones): void {
    const before = [...this.#zones.keys()];
    const isSame = before.length === zones.size && before.every((id) => zones.has(id));
    this.#zones = zones;
    if (isSame) return;
    this.#sequence += 1;
    this.#input.world.log.info('zonal shifts of the cluster have changed', {
      shifted: [...zones.keys()].sort(),
    });
  }

  /** A shift ends at its time, whether or not ARC answers. */
  #expire(): void {
    if (this.#zones.size === 0) return;
    const nowMs = this.#input.world.clock.now();
    const left = [...this.#zones].filter(([, endMs]) => endMs > nowMs);
    if (left.length < this.#zones.size) this.#take(new Map(left));
  }

  #problemOf(error: unknown): ReturnType<typeof problemOf> {
    return problemOf(toAwsError(error), {
      grant: this.#arn === undefined ? 'eks:DescribeCluster' : 'arc-zonal-shift:GetManagedResource',
    });
  }

  #notStarted(error: unknown): string {
    const cluster = this.#input.clusterName();
    const { code, message } = this.#problemOf(error);
    if (code === 'NotFound' && this.#arn !== undefined)
      return `ENABLE_ZONAL_SHIFT is true, but the cluster ${cluster} is not registered with ARC zonal shift; enable it (aws eks update-cluster-config --name ${cluster} --zonal-shift-config enabled=true), or set ENABLE_ZONAL_SHIFT=false: ${message}`;
    return `ENABLE_ZONAL_SHIFT is true, but the zonal shifts of the cluster ${cluster} cannot be read: ${message}`;
  }
}
