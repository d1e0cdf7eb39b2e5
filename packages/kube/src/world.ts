/**
 * What the process gets from outside: time, chance, a place to write, a way out.
 * Everything that decides or acts takes these as arguments, so that a whole cluster can be run
 * in virtual time from a seed. This file holds interfaces only; `cli/system-world.ts` is the real thing.
 */

export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly fetch: Fetch;
}

export interface Clock {
  /** Milliseconds since the epoch: for timestamps that other people read. May jump. */
  now(): number;
  /** Milliseconds of a clock that never goes back: for deadlines and durations. */
  monotonic(): number;
  /** Runs the task once, after the delay. */
  after(delayMs: number, task: () => void): Timer;
  /** Resolves after the delay; rejects with the signal's reason when it is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export interface Timer {
  cancel(): void;
}

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** A version 4 UUID. */
  uuid(): string;
}

/** Facts that belong to a log line. Never a secret: the writer redacts known names, the caller must not rely on it. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A log whose every line carries these fields too. */
  with(fields: LogFields): Log;
}

export type MetricLabels = Readonly<Record<string, string>>;

export interface MetricSpec {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** Asking twice for the same name gives the same instrument. */
export interface Metrics {
  counter(spec: MetricSpec): Counter;
  gauge(spec: MetricSpec): Gauge;
  histogram(spec: MetricSpec & { readonly buckets?: readonly number[] }): Histogram;
  summary(spec: MetricSpec): Summary;
  /**
   * A gauge whose series are worked out anew at every scrape and kept nowhere: for what there is much of, and what time
   * alone changes. They are taken one by one and others may get their turn in between, so that the world can change on the
   * way. Gives back how to stop; the last to ask for a name has it.
   */
  observableGauge(spec: MetricSpec, observe: () => Iterable<Series>): () => void;
}

/** One series of a gauge. `more` are labels beside the others: what series in a row share is put into words once. */
export type Series = readonly [value: number, labels?: MetricLabels | undefined, more?: MetricLabels];

export interface Counter {
  add(amount: number, labels?: MetricLabels): void;
}

export interface Gauge {
  set(value: number, labels?: MetricLabels): void;
  remove(labels: MetricLabels): void;
}

export interface Histogram {
  observe(value: number, labels?: MetricLabels): void;
}

/** Quantiles worked out here: smallest, median, 90th, 99th percentile and largest, over all there was. */
export interface Summary {
  observe(value: number, labels?: MetricLabels): void;
}

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
