/**
 * A controller that only observes: it subscribes to changes and computes metrics at every scrape. Between scrapes it
 * computes nothing, so an idle cluster costs nothing.
 */
import { Controller, type MetricSpec, type Series, type World } from '@chandler/kube';

export interface ObserverOptions {
  /** As in logs: `metrics.node`. */
  readonly name: string;
  readonly world: World;
  readonly synced: readonly Promise<unknown>[];
  /** Subscribes; returns the functions that unsubscribe. */
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
      // No key is ever queued.
    },
  });
}
