/** Metrics of the cluster state: the number of nodes, and whether every store is synced. */
import type { Controller } from '@chandler/kube';
import type { ControllerContext } from '../context.ts';
import { observer } from './observer.ts';

export function clusterStateMetrics({ world, stores, cluster }: ControllerContext): Controller {
  const { clock } = world;
  const startedMs = clock.monotonic();
  const watched = [stores.pods, stores.nodes, stores.claims, stores.pools, ...stores.nodeClasses.values()];
  const isSynced = () => watched.every(({ store }) => store.synced);
  return observer({
    name: 'metrics.cluster',
    world,
    synced: [],
    gauges: [
      {
        spec: {
          name: 'karpenter_cluster_state_node_count',
          help: 'Nodes and claims in the picture of the cluster.',
        },
        observe: () => [[[...cluster.nodes()].length]],
      },
      {
        spec: {
          name: 'karpenter_cluster_state_synced',
          help: '1 when all there is to watch was listed.',
        },
        observe: () => [[isSynced() ? 1 : 0]],
      },
      {
        spec: {
          name: 'karpenter_cluster_state_unsynced_time_seconds',
          help: 'For how long not all there is to watch was listed; 0 when it is.',
        },
        observe: () => [[isSynced() ? 0 : (clock.monotonic() - startedMs) / 1000]],
      },
    ],
  });
}
