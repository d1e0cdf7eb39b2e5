/** What the servers of a run get from outside. */
import type { World } from '@chandler/kube';
import type { VirtualClock, VirtualWorld } from '@chandler/kube/testing';
import type { SimMetrics } from './sim-metrics.ts';

export interface SimWorld extends World, Pick<VirtualWorld, 'lines'> {
  readonly clock: VirtualClock;
  readonly metrics: SimMetrics;
}
