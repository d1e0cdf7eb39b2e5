/** What conditions are now and since when, and how long objects have been going. Worked out when somebody looks. */
import type { KubeObject } from '../../api/index.ts';
import { conditionOf, type ObjectCondition } from '../../state/index.ts';
import type { Clock, Gauge, MetricLabels } from '../../world.ts';
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
type Row = readonly [value: number, labels: MetricLabels];

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
      observe: (set: Gauge['set']) => {
        for (const object of kind.reflector.store.values()) {
          const own = ownLabels(kind, object);
          for (const [value, base] of this.#rows(figure, object)) set(value, { ...base, ...own });
        }
      },
    };
  }

  #deprecated(figure: Figure): ObservedGauge {
    return {
      spec: { name: nameOf(figure, ''), help: HELP[figure], labels: [...labelsOf(figure), 'group', 'kind'] },
      observe: (set: Gauge['set']) => {
        for (const { resource, reflector, deprecated } of this.#kinds) {
          if (!deprecated) continue;
          const own = { group: resource.group, kind: resource.kind };
          for (const object of reflector.store.values())
            for (const [value, base] of this.#rows(figure, object)) set(value, { ...base, ...own });
        }
      },
    };
  }

  #rows(figure: Figure, object: KubeObject): readonly Row[] {
    const { namespace = '', name = '', deletionTimestamp } = object.metadata;
    if (figure === 'going') {
      if (deletionTimestamp === undefined) return [];
      return [[this.#secondsSince(deletionTimestamp), { namespace, name }]];
    }
    return conditionsOf(object).map(({ type, status, reason = '', lastTransitionTime = '' }) => [
      figure === 'count' ? 1 : this.#secondsSince(lastTransitionTime),
      { namespace, name, type, status, reason },
    ]);
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
