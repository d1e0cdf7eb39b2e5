/**
 * A World for tests: virtual time that advances only on demand, random numbers from a seed, a log and metrics that
 * are recorded and can be read. Nothing here opens a socket or a real timer.
 */
import type { Fetch, Log, LogFields, MetricLabels, MetricSpec, Metrics, Random, World } from '../world.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

export interface VirtualWorld extends World {
  readonly clock: VirtualClock;
  readonly lines: LogLine[];
  /** Last value (gauge) or sum (counter, histogram) by `name{label="value",…}`. */
  readonly values: Map<string, number>;
  /** Every metric that was created, by name. */
  readonly metricSpecs: Map<string, KeptSpec>;
  /** Does what a scrape does: updates gauges that are computed on demand. */
  scrape(): void;
}

export interface KeptSpec {
  readonly kind: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly labels: readonly string[];
}

export function virtualWorld(options: { seed?: number; startMs?: number; fetch?: Fetch } = {}): VirtualWorld {
  const lines: LogLine[] = [];
  const values = new Map<string, number>();
  const metricSpecs = new Map<string, KeptSpec>();
  const observables = new Map<string, () => void>();
  return {
    clock: new VirtualClock(options.startMs ?? Date.UTC(2026, 0, 1)),
    random: seededRandom(options.seed ?? 1),
    log: keptLog(lines, {}),
    metrics: keptMetrics(values, metricSpecs, observables),
    fetch: options.fetch ?? (() => Promise.reject(new Error('this virtual world has no network'))),
    lines,
    values,
    metricSpecs,
    scrape() {
      for (const observe of observables.values()) observe();
    },
  };
}

/** Lets every promise that can settle do so, including those behind a few hops of I/O-less streams. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** mulberry32: small, good enough for tests, the same on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const hex = (digits: number) =>
    Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join('');
  return {
    next,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[Math.floor(next() * 4)]}${hex(3)}-${hex(12)}`,
  };
}

function keptLog(lines: LogLine[], bound: LogFields): Log {
  const write = (level: LogLine['level']) => (message: string, fields?: LogFields) => {
    lines.push({ level, message, fields: { ...bound, ...fields } });
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    with: (fields) => keptLog(lines, { ...bound, ...fields }),
  };
}

function keptMetrics(
  values: Map<string, number>,
  specs: Map<string, KeptSpec>,
  observables: Map<string, () => void>,
): Metrics {
  const keep = (kind: KeptSpec['kind'], { name, labels = [] }: MetricSpec): string => {
    const known = specs.get(name);
    if (known !== undefined && known.kind !== kind) throw new Error(`metric ${name} exists as another kind`);
    specs.set(name, { kind, labels });
    return name;
  };
  const keyOf = (name: string, labels: MetricLabels = {}) => {
    // As prom-client does, so that a forgotten label is found in a test.
    const strange = Object.keys(labels).find((label) => !specs.get(name)?.labels.includes(label));
    if (strange !== undefined) throw new Error(`metric ${name} has no label ${strange}`);
    const pairs = Object.keys(labels)
      .sort()
      .map((label) => `${label}="${labels[label]}"`);
    return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`;
  };
  const add = (name: string) => (amount: number, labels?: MetricLabels) => {
    const key = keyOf(name, labels);
    values.set(key, (values.get(key) ?? 0) + amount);
  };
  return {
    counter: (spec) => ({ add: add(keep('counter', spec)) }),
    gauge(spec) {
      const name = keep('gauge', spec);
      return {
        set: (value, labels) => void values.set(keyOf(name, labels), value),
        remove: (labels) => void values.delete(keyOf(name, labels)),
      };
    },
    histogram: (spec) => ({ observe: add(keep('histogram', spec)) }),
    summary: (spec) => ({ observe: add(keep('summary', spec)) }),
    observableGauge(spec, observe) {
      const name = keep('gauge', spec);
      let shown = new Set<string>();
      const scrape = () => {
        for (const key of shown) values.delete(key);
        shown = new Set();
        for (const [value, labels, more] of observe()) {
          const key = keyOf(name, { ...labels, ...more });
          if (shown.has(key)) throw new Error(`${key} is there twice`);
          shown.add(key);
          values.set(key, value);
        }
      };
      observables.set(name, scrape);
      return () => {
        if (observables.get(name) === scrape) observables.delete(name);
      };
    },
  };
}

/** A signal that is never aborted. */
export function neverAborted(): AbortSignal {
  return new AbortController().signal;
}
