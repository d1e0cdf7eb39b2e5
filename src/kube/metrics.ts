/**
 * The World's metrics over prom-client, in a registry of its own, and the text a scraper reads. What is measured,
 * and under which name, is decided where it is measured.
 */
import {
  collectDefaultMetrics,
  Counter as PromCounter,
  Gauge as PromGauge,
  Histogram as PromHistogram,
  Registry,
} from 'prom-client';
import type { MetricSpec, Metrics } from '../world.ts';

export interface PromMetrics extends Metrics {
  readonly contentType: string;
  /** What `/metrics` answers. */
  text(): Promise<string>;
  /** Called before every scrape, for gauges that are only worked out when somebody looks. */
  beforeScrape(refresh: () => void): void;
}

export interface PromMetricsOptions {
  /** Memory, CPU, event loop and garbage collection of this process. Default true. */
  readonly processMetrics?: boolean;
}

export function promMetrics(options: PromMetricsOptions = {}): PromMetrics {
  const registry = new Registry();
  const refreshes: (() => void)[] = [];
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

  return {
    contentType: registry.contentType,
    async text() {
      for (const refresh of refreshes) refresh();
      return registry.metrics();
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
  };
}
