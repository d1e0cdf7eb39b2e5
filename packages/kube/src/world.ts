/**
 * What the process gets from outside: time, random numbers, log, metrics and network.
 * Everything that decides or acts takes these as arguments, so that a whole cluster can be run
 * in virtual time from a seed. This file holds interfaces only; `system-world.ts` implements them for a real process.
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
  /** Milliseconds of a monotonic clock: for deadlines and durations. */
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
  /** A log that adds these fields to every line. */
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
   * A gauge with series that are computed at every scrape and not stored: for large sets, and for values that change with
   * time. The series are read one by one, and other work may run in between, so the state can change during a scrape.
   * Returns a function that stops it. Of two observers with the same name the later one is used.
   */
  observableGauge(spec: MetricSpec, observe: () => Iterable<Series>): () => void;
}

/** One series of a gauge. `more` are labels in addition to `labels`, which consecutive series share and which are rendered once. */
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

/** Quantiles over all observations: minimum, median, 90th and 99th percentile, maximum. */
export interface Summary {
  observe(value: number, labels?: MetricLabels): void;
}

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
