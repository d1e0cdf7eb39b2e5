/** The freezes of an inventory. With several clouds, the ConfigMap of a controller stops disruption of its own NodePools only. */
import type { ConfigMap } from '@chandler/kube';
import { FREEZE_CONFIG_MAP, type Freeze, freezesOf } from '../../disruption/index.ts';
import type { Inventory } from '../simulate/inventory.ts';
import type { FreezeHome } from '../simulate/live-freezes.ts';

export function freezesIn(inventory: Inventory, homes: readonly FreezeHome[]): readonly Freeze[] {
  return inventory
    .objects<ConfigMap>('ConfigMap')
    .filter(({ metadata }) => metadata.name === FREEZE_CONFIG_MAP)
    .flatMap((configMap) => {
      const served = homes.filter(
        ({ namespace }) => namespace === undefined || namespace === configMap.metadata.namespace,
      );
      // One of a file may be in any namespace.
      if (served.length === 0 || served.length === homes.length) return freezesOf(configMap);
      const nodePools = served.flatMap((home) => home.nodePools);
      return freezesOf(configMap).flatMap((freeze) => {
        if (freeze.nodePool === undefined) return nodePools.map((nodePool) => ({ ...freeze, nodePool }));
        return nodePools.includes(freeze.nodePool) ? [freeze] : [];
      });
    });
}
