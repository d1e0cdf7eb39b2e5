/**
 * A controller that only looks: it is told of changes as they happen and asked for figures when somebody scrapes. Between
 * scrapes nothing is worked out, so that a cluster at rest costs nothing.
 */
import { Controller, type MetricSpec, type Series, type World } from '@chandler/kube';

export interface ObserverOptions {
  /** As in logs: `metrics.node`. */
  readonly name: string;
  readonly world: World;
  readonly synced: readonly Promise<unknown>[];
  /** Subscribes; gives back how to stop. */
  readonly listen?: () => readonly (() => void)[];
  readonly gauges?: readonly ObservedGauge[];
}

export interface ObservedGauge {
  readonly spec: MetricSpec;
  readonly observe: () => Iterable<Series>;
}

export function observer({ name, world, synced, listen, gauges = [] }: ObserverOptions): Controller {
  return new Controller({
    name,
    world,
    sources: [
      {
        synced: Promise.all(synced),
        start() {
          const stops = [
            ...(listen?.() ?? []),
            ...gauges.map(({ spec, observe }) => world.metrics.observableGauge(spec, observe)),
          ];
          return () => {
            for (const stop of stops) stop();
          };
        },
      },
    ],
    async reconcile() {
      // Nothing is ever queued.
    },
  });
}
