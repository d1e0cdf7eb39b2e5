/**
 * The World's metrics over prom-client, in a registry of its own, and the text a scraper reads. What is measured,
 * and under which name, is decided where it is measured.
 */
import {
  collectDefaultMetrics,
  Counter as PromCounter,
  Gauge as PromGauge,
  Histogram as PromHistogram,
  Summary as PromSummary,
  Registry,
} from 'prom-client';
import { countProgramError } from '../program-error.ts';
import type { Clock, MetricSpec, Metrics, Series } from '../world.ts';
import { seriesLines } from './metrics-text.ts';

export interface PromMetrics extends Metrics {
  readonly contentType: string;
  /** What `/metrics` answers. */
  text(): Promise<string>;
  /** The same piece by piece: with thousands of nodes it is more than should be in memory at once. */
  pieces(): AsyncIterable<string>;
  /** Called before every scrape, for gauges that are computed on demand. */
  beforeScrape(refresh: () => void): void;
}

export interface PromMetricsOptions {
  /** Memory, CPU, event loop and garbage collection of this process. Default true. */
  readonly processMetrics?: boolean;
  /** With it, a long response yields to other work of the process. */
  readonly clock?: Clock;
}

export function promMetrics(options: PromMetricsOptions = {}): PromMetrics {
  const registry = new Registry();
  const refreshes: (() => void)[] = [];
  const observables = new Map<string, Observable>();
  if (options.processMetrics ?? true) collectDefaultMetrics({ register: registry });

  const once = <I>(kind: new (...args: never[]) => I, { name }: MetricSpec, make: () => I): I => {
    const known = registry.getSingleMetric(name);
    if (known === undefined) return make();
    if (!(known instanceof kind)) throw new Error(`metric ${name} exists as another kind`);
    return known;
  };
  const shape = ({ name, help, labels = [] }: MetricSpec) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });

  async function* pieces(): AsyncGenerator<string> {
    for (const refresh of refreshes) refresh();
    yield await registry.metrics();
    const turn = turns(options.clock);
    for (const { spec, observe } of [...observables.values()]) {
      const lines = seriesLines(spec, observed(observe));
      while (true) {
        // One observer that fails must not end the scrape: the other metrics show what is wrong.
        const next = nextOf(lines, () => countProgramError(metrics, `metrics.${spec.name}`));
        if (next === undefined) break;
        yield next;
        await turn();
      }
    }
  }

  const metrics: PromMetrics = {
    contentType: registry.contentType,
    pieces,
    async text() {
      const parts: string[] = [];
      for await (const piece of pieces()) parts.push(piece);
      return parts.join('');
    },
    beforeScrape: (refresh) => void refreshes.push(refresh),
    counter(spec) {
      const counter = once(PromCounter, spec, () => new PromCounter(shape(spec)));
      return { add: (amount, labels = {}) => counter.inc({ ...labels }, amount) };
    },
    gauge(spec) {
      const gauge = once(PromGauge, spec, () => new PromGauge(shape(spec)));
      return {
        set: (value, labels = {}) => gauge.set({ ...labels }, value),
        remove: (labels) => gauge.remove({ ...labels }),
      };
    },
    histogram(spec) {
      const buckets = spec.buckets === undefined ? {} : { buckets: [...spec.buckets] };
      const histogram = once(PromHistogram, spec, () => new PromHistogram({ ...shape(spec), ...buckets }));
      return { observe: (value, labels = {}) => histogram.observe({ ...labels }, value) };
    },
    summary(spec) {
      const summary = once(
        PromSummary,
        spec,
        () => new PromSummary({ ...shape(spec), percentiles: [...QUANTILES] }),
      );
      return { observe: (value, labels = {}) => summary.observe({ ...labels }, value) };
    },
    observableGauge(spec, observe) {
      if (registry.getSingleMetric(spec.name)) throw new Error(`metric ${spec.name} exists as another kind`);
      const own: Observable = { spec, observe };
      observables.set(spec.name, own);
      return () => {
        if (observables.get(spec.name) === own) observables.delete(spec.name);
      };
    },
  };
  return metrics;
}

// ------------------------------------------------------------------------------------------------

/** Called with the first piece, so that an error of the call is one of the observer, too. */
function* observed(observe: () => Iterable<Series>): Generator<Series> {
  yield* observe();
}

/** Undefined at the end, and after an error. */
function nextOf(lines: Iterator<string>, onError: () => void): string | undefined {
  try {
    const { done, value } = lines.next();
    return done === true ? undefined : value;
  } catch {
    onError();
    return undefined;
  }
}

/** As upstream's summaries. */
const QUANTILES = [0, 0.5, 0.9, 0.99, 1] as const;

interface Observable {
  readonly spec: MetricSpec;
  readonly observe: () => Iterable<Series>;
}

/** How long a scrape may run before it yields. */
const TURN_MS = 10;

/** Returns a function that yields when the time slice is used up. */
function turns(clock: Clock | undefined): () => Promise<void> {
  let beganMs = clock?.monotonic() ?? 0;
  return async () => {
    if (clock === undefined || clock.monotonic() - beganMs < TURN_MS) return;
    await clock.sleep(0);
    beganMs = clock.monotonic();
  };
}
