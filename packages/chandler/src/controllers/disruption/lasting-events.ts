/**
 * Events about what holds for long: published when their text changes, and repeated while it does not. Events expire after an
 * hour, and a reader who finds an old one cannot know whether it still holds. Repeats are spread, because an event recorder
 * drops what it cannot send.
 */
import type { Clock } from '@chandler/kube';

/** As the events of Karpenter about what keeps a node. */
const REPEAT_MS = 15 * 60_000;
/** In one call of `repeat`, or more where there are so many that they would take longer than `REPEAT_MS` otherwise. */
const MAX_REPEATS = 20;
/** Calls of `repeat` in `REPEAT_MS`, one every 10 seconds. */
const CALLS = 90;

interface LastingEvent {
  readonly text: string;
  readonly publish: () => void;
  readonly publishedMs: number;
}

export class LastingEvents {
  readonly #clock: Clock;
  /** The one that was published first is the first. */
  readonly #events = new Map<string, LastingEvent>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  keys(): readonly string[] {
    return [...this.#events.keys()];
  }

  /** Holds from now on. @param publish looks up the object each time: it may be another one by then, or gone. */
  set(key: string, text: string, publish: () => void): void {
    if (this.#events.get(key)?.text !== text) this.#publish(key, text, publish);
  }

  delete(key: string): void {
    this.#events.delete(key);
  }

  /** Publishes again what was published long ago. */
  repeat(): void {
    const untilMs = this.#clock.monotonic() - REPEAT_MS;
    const most = Math.max(MAX_REPEATS, Math.ceil(this.#events.size / CALLS));
    const due = [...this.#events.entries().take(most)];
    for (const [key, { text, publish, publishedMs }] of due)
      if (publishedMs <= untilMs) this.#publish(key, text, publish);
  }

  #publish(key: string, text: string, publish: () => void): void {
    this.#events.delete(key);
    this.#events.set(key, { text, publish, publishedMs: this.#clock.monotonic() });
    publish();
  }
}
