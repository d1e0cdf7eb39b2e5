/**
 * Records Events of the core group, which `kubectl describe` shows. Publishing never waits and never fails; events
 * are sent in the background from a bounded buffer (`event-buffer.ts`), a few at a time. A repeated event
 * within the dedupe time is dropped, a later one increases the count. An event that was dropped for lack of capacity
 * is counted and not remembered, so it can be published again.
 */
import { createHash } from 'node:crypto';
import { isApiError } from '../client/api-error.ts';
import type { KubeClient } from '../client/client.ts';
import { EVENTS } from '../client/resources.table.ts';
import { TokenBucket } from '../controller/rate-limiter.ts';
import { RecentMap } from '../controller/recent-map.ts';
import type { CoreEvent } from '../kinds/index.ts';
import { apiVersionOf } from '../object.ts';
import { redactText } from '../observability/redact.ts';
import { formatTime } from '../values/time.ts';
import type { World } from '../world.ts';
import { EventBuffer, type Waiting } from './event-buffer.ts';
import type { EventSpec } from './event-spec.ts';

export type { EventSpec } from './event-spec.ts';

export interface EventRecorderOptions {
  /** Not one with `conditionalWritesOnly`: a late event does no harm and has no resourceVersion. */
  readonly client: KubeClient;
  readonly world: Pick<World, 'clock' | 'random' | 'log'> & Partial<Pick<World, 'metrics'>>;
  /** Who reports, as `source.component` of the Event. */
  readonly component: string;
  readonly host?: string;
  /** Events that wait to be sent; more are dropped. Default 1000. */
  readonly bufferSize?: number;
  /** Of these, the expendable ones. Default: half of the buffer. */
  readonly maxExpendable?: number;
}

export class EventRecorder {
  readonly #options: Omit<Required<EventRecorderOptions>, 'maxExpendable'>;
  readonly #recent: RecentMap<number>;
  readonly #sent: RecentMap<Sent>;
  readonly #spam: RecentMap<TokenBucket>;
  readonly #stop = new AbortController();
  readonly #buffer: EventBuffer;
  /** Objects that something is being sent about. */
  readonly #busy = new Set<string>();
  #sending: PromiseWithResolvers<void> | undefined;
  #dropped = 0;
  /** Drops since the last line about them, and when the next line may be written (monotonic). */
  #unreported = 0;
  #reportFromMs = Number.NEGATIVE_INFINITY;

  constructor(options: EventRecorderOptions) {
    this.#options = { host: '', bufferSize: 1000, ...options };
    const { bufferSize: size } = this.#options;
    this.#buffer = new EventBuffer({ size, expendable: options.maxExpendable ?? Math.ceil(size / 2) });
    this.#recent = new RecentMap(MAX_REMEMBERED);
    this.#sent = new RecentMap(MAX_REMEMBERED);
    this.#spam = new RecentMap(MAX_REMEMBERED);
  }

  /** Events that were dropped for lack of capacity. */
  get dropped(): number {
    return this.#dropped;
  }

  publish(...events: EventSpec[]): void {
    for (const event of events) if (this.#admit(event)) this.#enqueue(event);
  }

  /** Sends the pending events and stops; the first failure drops the rest. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the event recorder was stopped'));
    await this.#sending?.promise;
  }

  /** Resolves when no event is pending. */
  async flushed(): Promise<void> {
    while (this.#sending) await this.#sending.promise;
  }

  #admit(event: EventSpec): boolean {
    if (this.#stop.signal.aborted) return false;
    const nowMs = this.#options.world.clock.monotonic();
    const key = dedupeKey(event);
    const untilMs = this.#recent.get(key);
    if (untilMs !== undefined && nowMs < untilMs) return false;
    // Checked first: a dropped event must not be remembered and must not use a rate limit.
    const drop = this.#isTooMuch(untilMs !== undefined) ? 'itself' : this.#buffer.dropFor(event);
    if (drop === 'itself') {
      this.#drop(event);
      return false;
    }
    if (event.limiter && !event.limiter.tryTake()) return false;
    if (!this.#objectLimit(event).tryTake()) return false;
    if (drop !== undefined) this.#takeBack(drop);
    this.#recent.set(key, nowMs + (event.dedupeMs ?? DEFAULT_DEDUPE_MS));
    return true;
  }

  /** Repeated events may use only half of the buffer; otherwise new events could be dropped in favor of repeated ones. */
  #isTooMuch(repeated: boolean): boolean {
    return repeated && this.#buffer.size >= Math.ceil(this.#options.bufferSize / 2);
  }

  /** Drops an event that waits, as if it had not been published. */
  #takeBack(waiting: Waiting): void {
    const { event } = waiting;
    this.#buffer.remove(waiting);
    this.#recent.delete(dedupeKey(event));
    event.limiter?.giveBack();
    this.#objectLimit(event).giveBack();
    this.#drop(event);
  }

  #drop({ reason }: EventSpec): void {
    const { world, component } = this.#options;
    this.#dropped += 1;
    this.#unreported += 1;
    world.metrics
      ?.counter({
        name: 'chandler_events_dropped_total',
        help: 'Kubernetes events that were not sent because too many were waiting, by reason.',
        labels: ['component', 'reason'],
      })
      .add(1, { component, reason });
    const nowMs = world.clock.monotonic();
    if (nowMs < this.#reportFromMs) return;
    world.log.warn('events dropped: too many wait to be sent', { reason, dropped: this.#unreported });
    this.#unreported = 0;
    this.#reportFromMs = nowMs + DROPPED_LOG_MS;
  }

  /** Against a flood about one object: 25 at once, then one every five minutes, as client-go. */
  #objectLimit(event: EventSpec): TokenBucket {
    const key = objectKey(event);
    let bucket = this.#spam.get(key);
    if (!bucket) {
      bucket = new TokenBucket(this.#options.world.clock, { perSecond: 1 / 300, burst: 25 });
      this.#spam.set(key, bucket);
    }
    return bucket;
  }

  #enqueue(event: EventSpec): void {
    // The time of the event, not of the request: a delayed event must not look recent.
    this.#buffer.add({ event, object: objectKey(event), atMs: this.#options.world.clock.now() });
    this.#sending ??= Promise.withResolvers();
    void Promise.resolve().then(() => this.#sendMore());
  }

  /** Sends up to the maximum at once; each that ends starts the next. */
  #sendMore(): void {
    while (this.#busy.size < MAX_CONCURRENT_SENDS) {
      const next = this.#buffer.take(this.#busy);
      if (next === undefined) break;
      this.#busy.add(next.object);
      void this.#send(next).finally(() => {
        this.#busy.delete(next.object);
        this.#sendMore();
      });
    }
    if (this.#busy.size > 0) return;
    this.#sending?.resolve();
    this.#sending = undefined;
  }

  async #send({ event, atMs }: Waiting): Promise<void> {
    const { world } = this.#options;
    // Built once: after a lost answer the name shows that the event exists already.
    const made = this.#make(event, atMs);
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#write(event, made);
        return;
      } catch (error) {
        // Only an unreachable server is retried; a rejection is final.
        const again = isApiError(error, 'unreachable', 'timeout', 'unavailable') && attempt < MAX_TRIES;
        if (this.#stop.signal.aborted) this.#dropped += this.#buffer.clear().length;
        if (!again || this.#stop.signal.aborted) {
          // Not recorded: the next call may publish it again.
          this.#recent.delete(dedupeKey(event));
          world.log.debug('failed to record an event', { reason: event.reason, error: String(error) });
          return;
        }
        const waitMs = attempt === 1 ? RETRY_MS * world.random.next() : RETRY_MS;
        await world.clock.sleep(waitMs, this.#stop.signal).catch(() => undefined);
      }
    }
  }

  async #write(event: EventSpec, made: CoreEvent): Promise<void> {
    const { client } = this.#options;
    const key = digest(`${objectKey(event)}|${event.type}|${event.reason}|${event.message}`);
    const before = this.#sent.get(key);
    if (before) {
      try {
        this.#sent.set(key, await this.#countUp(before, made));
        return;
      } catch (error) {
        // Events expire after an hour; then a new one is created.
        if (!isApiError(error, 'notFound')) throw error;
      }
    }
    try {
      await client.create(EVENTS, made);
    } catch (error) {
      if (!isApiError(error, 'alreadyExists')) throw error;
    }
    const { name = '', namespace = '' } = made.metadata;
    this.#sent.set(key, { name, namespace, count: 1 });
  }

  async #countUp({ name, namespace, count }: Sent, { lastTimestamp }: CoreEvent): Promise<Sent> {
    const patch = { count: count + 1, lastTimestamp };
    const now = await this.#options.client.patch(EVENTS, { name, namespace }, { type: 'merge', patch });
    return { name, namespace, count: now.count ?? count + 1 };
  }

  #make(event: EventSpec, nowMs: number): CoreEvent {
    const { world, component, host } = this.#options;
    const { resource, object } = event;
    const { name, namespace, uid, resourceVersion } = object.metadata;
    const at = formatTime(nowMs);
    // client-go names events by the nanosecond; our clock has no nanoseconds, so the last digits are random.
    const nanos =
      BigInt(Math.floor(nowMs)) * 1_000_000n + BigInt(Math.floor(world.random.next() * 1_000_000));
    const eventName = event.name ?? `${name}.${nanos.toString(16)}`;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        name: eventName.length > MAX_NAME_LENGTH ? world.random.uuid() : eventName,
        namespace: namespace ?? 'default',
      },
      involvedObject: {
        apiVersion: apiVersionOf(resource.group, resource.version),
        kind: resource.kind,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        uid,
        resourceVersion,
      },
      type: event.type,
      reason: event.reason,
      message: redactText(event.message).slice(0, MAX_MESSAGE_LENGTH),
      source: { component, ...(host === '' ? {} : { host }) },
      reportingComponent: component,
      reportingInstance: host,
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
    };
  }
}

// ------------------------------------------------------------------------------------------------

/** An Event whose count can be increased. */
interface Sent {
  readonly name: string;
  readonly namespace: string;
  readonly count: number;
}

const DEFAULT_DEDUPE_MS = 120_000;
/** More than the number of pending pods: a smaller map would drop each entry before it is needed. */
const MAX_REMEMBERED = 50_000;
const DROPPED_LOG_MS = 60_000;
const MAX_CONCURRENT_SENDS = 4;
const MAX_TRIES = 12;
const RETRY_MS = 10_000;
const MAX_MESSAGE_LENGTH = 4096;
const MAX_NAME_LENGTH = 253;

function objectKey({ resource, object }: EventSpec): string {
  return `${resource.kind}|${object.metadata.uid}`;
}

function dedupeKey(event: EventSpec): string {
  const values = event.dedupeValues ?? [objectKey(event), event.message];
  return digest([event.reason.toLowerCase(), ...values].join('\n'));
}

/** A short key: many are kept, and messages are long. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 24);
}
