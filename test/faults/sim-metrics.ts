/**
 * The metrics of a run: the current value of every series, by name and labels. All processes of a run share
 * them and only the checkers read them, so the lookup is kept simple and fast.
 */
import type { MetricLabels, MetricSpec, Metrics } from '@chandler/kube';

export class SimMetrics implements Metrics {
  readonly #instruments = new Map<string, Map<string, number>>();

  counter(spec: MetricSpec): ReturnType<Metrics['counter']> {
    return { add: this.#adding(spec) };
  }

  histogram(spec: MetricSpec): ReturnType<Metrics['histogram']> {
    return { observe: this.#adding(spec) };
  }

  summary(spec: MetricSpec): ReturnType<Metrics['summary']> {
    return { observe: this.#adding(spec) };
  }

  gauge(spec: MetricSpec): ReturnType<Metrics['gauge']> {
    const series = this.#seriesOf(spec);
    return {
      set: (value, labels) => void series.set(keyOf(spec, labels), value),
      remove: (labels) => void series.delete(keyOf(spec, labels)),
    };
  }

  /** Not used: there are no scrapes. */
  observableGauge(): () => void {
    return () => undefined;
  }

  /** Of all instruments. */
  get size(): number {
    let sum = 0;
    for (const series of this.#instruments.values()) sum += series.size;
    return sum;
  }

  /** By the values of its labels. */
  series(name: string): ReadonlyMap<string, number> {
    return this.#instruments.get(name) ?? new Map();
  }

  /** Everything about a metric except its value. */
  text(): string {
    return [...this.#instruments.values()].flatMap((series) => [...series.keys()]).join('\n');
  }

  #adding(spec: MetricSpec): (amount: number, labels?: MetricLabels) => void {
    const series = this.#seriesOf(spec);
    return (amount, labels) => {
      const key = keyOf(spec, labels);
      series.set(key, (series.get(key) ?? 0) + amount);
    };
  }

  #seriesOf({ name }: MetricSpec): Map<string, number> {
    const series = this.#instruments.get(name) ?? new Map<string, number>();
    this.#instruments.set(name, series);
    return series;
  }
}

// ---------------------------------------------------------------------------------------------------

function keyOf({ labels: names = [] }: MetricSpec, labels: MetricLabels | undefined): string {
  if (labels === undefined) return '';
  let key = '';
  for (const name of names) key += `${labels[name]};`;
  return key;
}
