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
import type { Gauge, MetricSpec, Metrics } from '../world.ts';

export interface PromMetrics extends Metrics {
  readonly contentType: string;
  /** What `/metrics` answers. */
  text(): Promise<string>;
  /** The same piece by piece: with thousands of nodes it is more than should be in memory at once. */
  pieces(): AsyncIterable<string | Uint8Array>;
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

  async function* pieces(): AsyncGenerator<string | Uint8Array> {
    for (const refresh of refreshes) refresh();
    yield await registry.metrics();
    for (const observable of observables.values()) yield* observableText(observable);
  }

  return {
    contentType: registry.contentType,
    pieces,
    async text() {
      const parts: string[] = [];
      for await (const piece of pieces())
        parts.push(typeof piece === 'string' ? piece : Buffer.from(piece).toString());
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
}

// ------------------------------------------------------------------------------------------------

/** As upstream's summaries. */
const QUANTILES = [0, 0.5, 0.9, 0.99, 1] as const;

interface Observable {
  readonly spec: MetricSpec;
  readonly observe: (set: Gauge['set']) => void;
}

/** How much is put into words before it goes where it takes no room in the heap. */
const PIECE_LINES = 1024;

/** In the text form that scrapers read. */
function observableText({ spec, observe }: Observable): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let lines = [`\n# HELP ${spec.name} ${spec.help}`, `# TYPE ${spec.name} gauge`];
  const put = () => {
    if (lines.length > 0) pieces.push(Buffer.from(`${lines.join('\n')}\n`));
    lines = [];
  };
  observe((value, labels = {}) => {
    const pairs = Object.keys(labels).map((name) => `${name}="${escaped(labels[name]!)}"`);
    lines.push(`${spec.name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}`);
    if (lines.length >= PIECE_LINES) put();
  });
  put();
  return pieces;
}

function escaped(value: string): string {
  return /[\\"\n]/.test(value)
    ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : value;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return `${value}`;
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
