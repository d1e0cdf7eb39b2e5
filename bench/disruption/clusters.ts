/** The clusters on which a whole pass is measured. All of them get the same objects on both sides. */
import type { DisruptionInput, DisruptionOptions } from '../../packages/chandler/src/disruption/index.ts';
import { disruptionCluster } from '../disruption-cluster.ts';

export interface PassCluster {
  readonly nodes: number;
  readonly podsPerNode: number;
  readonly replicas: number;
  /** Of the resources of a node, the least and the most. Full nodes of the cheapest type stay. */
  readonly use: readonly [least: number, most: number];
}

export const PASS_CLUSTERS: Readonly<Record<string, PassCluster>> = {
  'small-full': { nodes: 50, podsPerNode: 10, replicas: 20, use: [1, 1] },
  'small-mixed': { nodes: 50, podsPerNode: 10, replicas: 20, use: [0.85, 1] },
  'large-full': { nodes: 1000, podsPerNode: 30, replicas: 100, use: [1, 1] },
  'large-mixed': { nodes: 1000, podsPerNode: 30, replicas: 100, use: [0.97, 1] },
};

/** As upstream: at most one replacement. */
export const PASS_OPTIONS: DisruptionOptions = { maxReplacements: 1 };

export function passCluster(name: string, seed?: number): DisruptionInput {
  return disruptionCluster({
    ...PASS_CLUSTERS[name]!,
    budget: '100%',
    ...(seed === undefined ? {} : { seed }),
  });
}
