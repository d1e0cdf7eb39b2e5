/**
 * Counts and measures condition transitions and deletions of one kind, and publishes them as events on the object.
 */
import type { Counter, Histogram, KubeObject, MetricLabels, StoreChange, Stored } from '@chandler/kube';
import type { ObjectCondition } from '../../state/index.ts';
import type { ControllerContext } from '../context.ts';
import { conditionsOf } from './condition-gauges.ts';
import { metricLabelOf, ownLabels, type WatchedKind } from './watched-kind.ts';

/** Half a second, doubled fourteen times. */
const COARSE_BUCKETS = Array.from({ length: 15 }, (_, step) => 0.5 * 2 ** step);

interface Instruments {
  readonly moves: Counter;
  readonly before: Histogram;
  readonly termination: Histogram;
  readonly labels: (object: KubeObject) => MetricLabels;
}

export class ConditionMoves {
  readonly #context: ControllerContext;
  readonly #kind: WatchedKind;
  readonly #instruments: readonly Instruments[];

  constructor(context: ControllerContext, kind: WatchedKind) {
    this.#context = context;
    this.#kind = kind;
    const { group, kind: name } = kind.resource;
    this.#instruments = [
      instruments(context, {
        prefix: `${name.toLowerCase()}_`,
        labelNames: kind.labels.map(metricLabelOf),
        labels: (object) => ownLabels(kind, object),
        ...(kind.coarse ? { buckets: COARSE_BUCKETS } : {}),
      }),
      ...(kind.deprecated
        ? [
            instruments(context, {
              prefix: '',
              labelNames: ['group', 'kind'],
              labels: () => ({ group, kind: name }),
            }),
          ]
        : []),
    ];
  }

  /** Objects of the first list have made no transition. */
  on({ type, object, before, initial }: StoreChange): void {
    if (initial) return;
    if (type === 'deleted') {
      this.#ended(before ?? object);
      return;
    }
    for (const finalizer of lost(before?.metadata.finalizers, object.metadata.finalizers))
      this.#finalized(object, finalizer);
    const known = new Map(
      (before === undefined ? [] : conditionsOf(before)).map((each) => [each.type, each]),
    );
    for (const condition of conditionsOf(object)) this.#moved(object, known.get(condition.type), condition);
  }

  #moved(object: Stored, was: ObjectCondition | undefined, is: ObjectCondition): void {
    if (was?.status === is.status) return;
    const { type, status, reason = '', message } = is;
    const seconds =
      (Date.parse(is.lastTransitionTime ?? '') - Date.parse(was?.lastTransitionTime ?? '')) / 1000;
    for (const { moves, before, labels } of this.#instruments) {
      moves.add(1, { type, status, reason, ...labels(object) });
      if (was !== undefined && !Number.isNaN(seconds))
        before.observe(seconds, { type, status: was.status, to_status: status, ...labels(object) });
    }
    if (was === undefined) return;
    this.#publish(
      object,
      type,
      `Status condition transitioned, Type: ${type}, Status: ${was.status} -> ${status}, Reason: ${reason}${message ? `, Message: ${message}` : ''}`,
    );
  }

  #ended(object: Stored): void {
    const sinceMs = Date.parse(object.metadata.deletionTimestamp ?? '');
    const seconds = (this.#context.world.clock.now() - sinceMs) / 1000;
    if (!Number.isNaN(seconds))
      for (const { termination, labels } of this.#instruments) termination.observe(seconds, labels(object));
    for (const finalizer of object.metadata.finalizers ?? []) this.#finalized(object, finalizer);
  }

  #finalized(object: Stored, finalizer: string): void {
    this.#publish(object, 'Finalized', `Finalized ${finalizer}`);
  }

  #publish(object: Stored, reason: string, message: string): void {
    this.#context.events.publish({ resource: this.#kind.resource, object, type: 'Normal', reason, message });
  }
}

// ---------------------------------------------------------------------------------------------------

function instruments(
  { world }: ControllerContext,
  options: {
    readonly prefix: string;
    readonly labelNames: readonly string[];
    readonly labels: Instruments['labels'];
    readonly buckets?: readonly number[];
  },
): Instruments {
  const { metrics } = world;
  const { prefix, labelNames, labels } = options;
  const buckets = options.buckets === undefined ? {} : { buckets: options.buckets };
  return {
    labels,
    moves: metrics.counter({
      name: `operator_${prefix}status_condition_transitions_total`,
      help: 'Moves of conditions, by what they became.',
      labels: ['type', 'status', 'reason', ...labelNames],
    }),
    before: metrics.histogram({
      name: `operator_${prefix}status_condition_transition_seconds`,
      help: 'How long a condition was what it was before it moved.',
      labels: ['type', 'status', 'to_status', ...labelNames],
      ...buckets,
    }),
    termination: metrics.histogram({
      name: `operator_${prefix}termination_duration_seconds`,
      help: 'How long objects took to go.',
      labels: labelNames,
      ...buckets,
    }),
  };
}

function lost(before: readonly string[] = [], after: readonly string[] = []): readonly string[] {
  return before.filter((name) => !after.includes(name));
}
