/** Limits and usage of pools. */
import type { Controller, Series } from '@chandler/kube';
import { isQuantity, parseQuantity } from '@chandler/kube';
import type { ResourceList } from '../../api/index.ts';
import type { ControllerContext } from '../context.ts';
import type { Pool } from '../pools/pool-store.ts';
import { observer } from './observer.ts';
import { resourceLabel } from './resource-amounts.ts';

export function poolMetrics({ world, stores }: ControllerContext): Controller {
  const each = (listOf: (pool: Pool) => ResourceList | undefined) =>
    function* (): Generator<Series> {
      for (const pool of [...stores.pools.store.values()]) {
        for (const [resource, amount] of Object.entries(listOf(pool) ?? {})) {
          const labels = { resource_type: resourceLabel(resource), nodepool: pool.metadata.name };
          // The pattern of the schema accepts more than quantities; the pool's condition says so.
          if (isQuantity(amount)) yield [parseQuantity(amount).toNumber(), labels];
        }
      }
    };
  const labels = ['resource_type', 'nodepool'];
  return observer({
    name: 'metrics.nodepool',
    world,
    synced: [stores.pools.synced],
    gauges: [
      {
        spec: { name: 'karpenter_nodepools_limit', help: 'What a pool may have at most.', labels },
        observe: each(({ spec }) => spec.limits as ResourceList | undefined),
      },
      {
        spec: { name: 'karpenter_nodepools_usage', help: 'What the machines of a pool have in sum.', labels },
        observe: each(({ status }) => status?.resources as ResourceList | undefined),
      },
    ],
  });
}
