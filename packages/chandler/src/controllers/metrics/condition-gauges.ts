/**
 * Gauges of conditions, of the time since their last transition, and of running deletions. Computed at every scrape.
 */
import type { Clock, KubeObject, MetricLabels, Series } from '@chandler/kube';
import { conditionOf, type ObjectCondition } from '../../state/index.ts';
import type { ObservedGauge } from './observer.ts';
import { metricLabelOf, ownLabels, type WatchedKind } from './watched-kind.ts';

const CONDITION_LABELS = ['namespace', 'name', 'type', 'status', 'reason'];
const OBJECT_LABELS = ['namespace', 'name'];
const HELP = {
  count: 'Always 1; the labels say what a condition of an object is.',
  current: 'For how long a condition has been what it is.',
  going: 'For how long an object has been going.',
} as const;

type Figure = keyof typeof HELP;

export class ConditionGauges {
  readonly #clock: Clock;
  readonly #kinds: readonly WatchedKind[];

  constructor(clock: Clock, kinds: readonly WatchedKind[]) {
    this.#clock = clock;
    this.#kinds = kinds;
  }

  all(): readonly ObservedGauge[] {
    return (Object.keys(HELP) as Figure[]).flatMap((figure) => [
      ...this.#kinds.map((kind) => this.#ofKind(figure, kind)),
      this.#deprecated(figure),
    ]);
  }

  #ofKind(figure: Figure, kind: WatchedKind): ObservedGauge {
    const labels = [...labelsOf(figure), ...kind.labels.map(metricLabelOf)];
    return {
      spec: { name: nameOf(figure, `${kind.resource.kind.toLowerCase()}_`), help: HELP[figure], labels },
      observe: () => this.#series(figure, [kind], ownLabels),
    };
  }

  #deprecated(figure: Figure): ObservedGauge {
    const kinds = this.#kinds.filter(({ deprecated }) => deprecated);
    return {
      spec: { name: nameOf(figure, ''), help: HELP[figure], labels: [...labelsOf(figure), 'group', 'kind'] },
      observe: () => this.#series(figure, kinds, ({ resource: { group, kind } }) => ({ group, kind })),
    };
  }

  *#series(
    figure: Figure,
    kinds: readonly WatchedKind[],
    own: (kind: WatchedKind, object: KubeObject) => MetricLabels,
  ): Generator<Series> {
    for (const kind of kinds) {
      // An object that is recreated during the scrape must not appear twice.
      for (const object of [...kind.reflector.store.values()]) {
        const { namespace = '', name, deletionTimestamp } = object.metadata;
        if (figure === 'going' && deletionTimestamp === undefined) continue;
        const labels = { namespace, name, ...own(kind, object) };
        if (figure === 'going') yield [this.#secondsSince(deletionTimestamp ?? ''), labels];
        else yield* this.#conditions(figure, object, labels);
      }
    }
  }

  *#conditions(figure: Figure, object: KubeObject, labels: MetricLabels): Generator<Series> {
    for (const { type, status, reason = '', lastTransitionTime = '' } of conditionsOf(object)) {
      const value = figure === 'count' ? 1 : this.#secondsSince(lastTransitionTime);
      yield [value, labels, { type, status, reason }];
    }
  }

  #secondsSince(time: string): number {
    const ms = Date.parse(time);
    return Number.isNaN(ms) ? 0 : (this.#clock.now() - ms) / 1000;
  }
}

/** Each type once. */
export function conditionsOf(object: KubeObject): readonly ObjectCondition[] {
  const status = object['status'] as { readonly conditions?: readonly ObjectCondition[] } | undefined;
  const all = status?.conditions ?? [];
  return all.filter(
    (condition) => conditionOf({ status: { conditions: all } }, condition.type) === condition,
  );
}

// ---------------------------------------------------------------------------------------------------

function nameOf(figure: Figure, prefix: string): string {
  if (figure === 'going') return `operator_${prefix}termination_current_time_seconds`;
  return `operator_${prefix}status_condition_${figure === 'count' ? 'count' : 'current_status_seconds'}`;
}

function labelsOf(figure: Figure): readonly string[] {
  return figure === 'going' ? OBJECT_LABELS : CONDITION_LABELS;
}
