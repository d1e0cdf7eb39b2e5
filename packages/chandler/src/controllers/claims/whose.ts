/** Whose a claim or Node is. Another provider may share the cluster, and AKS makes machines in upstream's name. */
import { AzureAnnotation, KarpenterLabel, nodeClassLabel } from '../../api/index.ts';
import type { NodeObject } from '../../state/index.ts';

import type { ControllerContext } from '../context.ts';
import type { Claim } from '../lifecycle/draft.ts';

/** AKS made its machine through its own API: it is not ours to give back, so nothing of ours may begin its end. */
export function isMadeByAks({ metadata }: Claim): boolean {
  return metadata.annotations?.[AzureAnnotation.aksMachineResourceId] !== undefined;
}

/** Whether a Node of which no claim is known was bought by us: by its class, its pool, or where its machine runs. */
export function isOurNode({ stores, cloud }: ControllerContext, { metadata, spec }: NodeObject): boolean {
  const labels = metadata.labels ?? {};
  for (const { group, kind } of cloud.nodeClassKinds)
    if (labels[nodeClassLabel(group, kind)] !== undefined) return true;
  const pool = stores.pools.store.get({ name: labels[KarpenterLabel.nodePool] ?? '' });
  if (pool !== undefined) return stores.runs(pool.spec.template.spec.nodeClassRef);
  return spec?.providerID?.startsWith(`${cloud.name}://`) ?? false;
}
