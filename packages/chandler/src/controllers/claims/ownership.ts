/** Which claims and nodes are ours. Another provider may share the cluster, and a cloud may run instances of its own in it. */
import type { Node, Stored } from '@chandler/kube';
import { KarpenterLabel, nodeClassLabel } from '../../api/index.ts';

import type { ControllerContext } from '../context.ts';

/** Whether a Node without a known claim was launched by us: by its class, its pool, or its provider id. */
export function isOurNode({ stores, cloud }: ControllerContext, { metadata, spec }: Stored<Node>): boolean {
  const labels = metadata.labels ?? {};
  for (const { group, kind } of cloud.nodeClasses)
    if (labels[nodeClassLabel(group, kind)] !== undefined) return true;
  const pool = stores.pools.store.get({ name: labels[KarpenterLabel.nodePool] ?? '' });
  if (pool !== undefined) return stores.runs(pool.spec.template.spec.nodeClassRef);
  return spec?.providerID?.startsWith(cloud.ownership.providerIdPrefix) ?? false;
}
