/** The workloads that disruption may roll, as a plan reads them. */
import type { Workloads } from '../../disruption/index.ts';
import type { Stores } from '../../state/index.ts';

/** Undefined: they are not watched. */
export function workloadsOf({ workloads }: Stores): Workloads | undefined {
  if (workloads === undefined) return undefined;
  return {
    deployments: [...workloads.deployments.store.values()],
    replicaSets: [...workloads.replicaSets.store.values()],
    statefulSets: [...workloads.statefulSets.store.values()],
  };
}
