/**
 * Removes from the inventory the pods of the cluster that belong to a workload of a file: the file says how many pods it
 * has and what they need, and `expand.ts` makes them.
 */
import type { KubeObject } from '@chandler/kube';
import { WORKLOAD_KINDS } from './expand.ts';
import type { Inventory } from './inventory.ts';
import { ownerKey, ownersOf } from './owners.ts';

/** Call it when files and cluster are read. @returns notes for the reader. */
export function dropReplacedPods(inventory: Inventory): string[] {
  const expanded = new Set<string>();
  for (const kind of WORKLOAD_KINDS)
    for (const object of inventory.objects<KubeObject>(kind))
      if (saysHowMany(kind, object)) expanded.add(ownerKey(kind, object.metadata));
  // Its pods, or its ReplicaSet, are in the files.
  for (const kind of ['Pod', ...WORKLOAD_KINDS])
    for (const object of inventory.objects<KubeObject>(kind))
      if (!inventory.isLive(object)) for (const owner of ownersOf(object)) expanded.delete(owner);
  const count = inventory.drop(
    'Pod',
    (pod) => inventory.isLive(pod) && ownersOf(pod).some((owner) => expanded.has(owner)),
  );
  return count === 0
    ? []
    : [
        `${count} pods of the cluster belong to workloads in the files, and are planned as the files define them.`,
      ];
}

// ---------------------------------------------------------------------------------------------------

const WITH_REPLICAS = new Set([
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
  'Rollout',
  'DeploymentConfig',
]);

/** Without replicas an autoscaler decides, and without a schedule the Jobs that run go on: the pods stay as they are. */
function saysHowMany(kind: string, object: KubeObject): boolean {
  const spec = (object['spec'] ?? {}) as { readonly replicas?: unknown; readonly suspend?: unknown };
  if (kind === 'CronJob') return spec.suspend !== true;
  return !WITH_REPLICAS.has(kind) || spec.replicas !== undefined;
}
